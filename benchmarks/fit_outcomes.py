"""Fits the weights of ``quizapp/scoring/outcome.json`` on the marked answers in ``benchmarks/answers``.

    python benchmarks/fit_outcomes.py [--probes DIR] [--write]

Each decision has some windows in which a claim could stand. Which of them it is isn't marked, so the likeliest one is taken by the
weights so far, and the weights are fitted again, a few times. Then every probe is left out in turn, and its answers are scored by
the whole scorer with weights that never saw it: that is what is printed. ``--probes`` holds further probes, which are only scored.
Needs the extra ``semantic``.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from linear import fit
from probes import SETS, Answer, Answers, Judged, builtin_answers, judged, outside_answers

from quizapp.scoring.claims import echoes, find
from quizapp.scoring.clauses import Clause, Window, is_list, split, windows
from quizapp.scoring.doubt import changes_of_mind, doubts, reaches, withdrawn
from quizapp.scoring.lexical import NOTHING, ReadyCriterion, ReadyRubric, Support, ready
from quizapp.scoring.outcome import FILE, Outcome, Weighed
from quizapp.scoring.semantic.tier import FEATURES as STATES
from quizapp.scoring.semantic.tier import SemanticReader
from quizapp.scoring.support import FEATURES, LexicalReader
from quizapp.scoring.tier import Semantic
from quizapp.scoring.words import in_another_language, read_words

PENALTY = 20.0
ROUNDS = 6
COMPARED = ("support", "likeness", *STATES)
"""Features of which the distance to the rubric's other criteria counts too."""
NAMES = (*FEATURES, *STATES)
Numbers = np.ndarray


@dataclass(frozen=True)
class Decision:
    """One criterion of one answer: whether it is met, and what its windows give."""

    probe: str
    met: bool
    windows: Numbers
    """(windows, own features and margins)."""
    beside: float


class Recorder:
    """Keeps the windows that are asked for."""

    def __init__(self) -> None:
        self.views: list[Window] = []

    def __call__(self, _: ReadyCriterion, view: Window) -> Support:
        self.views.append(view)
        return NOTHING


def sound(
    known: ReadyCriterion, answer: str, clauses: Sequence[Clause], views: Sequence[Window], rubric: ReadyRubric
) -> list[Window]:
    """The windows in which a claim could stand."""
    recorder = Recorder()
    find(known, answer, clauses, views, rubric, recorder)
    return [view for view in recorder.views if not echoes(view.words, rubric)]


def decisions(probe: Answers, answer: Answer, tier: Semantic | None) -> Iterator[Decision]:
    """The decisions on one answer that a fair reader takes in one way only."""
    rubric = ready(probe.rubric, probe.stem)
    words = read_words(answer.text, rubric.spelling)
    if not words or in_another_language(words) or is_list(answer.text, words):
        return
    clauses = split(answer.text, words)
    views = tuple(windows(clauses))
    reader = SemanticReader(tier.encoder, answer.text, clauses, rubric) if tier else LexicalReader(rubric)
    compared = [NAMES.index(name) for name in COMPARED if tier or name in FEATURES]
    kept = [sound(known, answer.text, clauses, views, rubric) for known in rubric.criteria]
    different = {(view.first, view.last): view for some in kept for view in some}
    at = {place: [reader.measure(known, view) for known in rubric.criteria] for place, view in different.items()}
    most = [max((at[view.first, view.last][place][0].strength for view in some), default=0.0) for place, some in enumerate(kept)]
    for place, (known, some) in enumerate(zip(rubric.criteria, kept, strict=True)):
        if known.criterion.id in answer.unsure:
            continue
        doubted, changes = doubts(known, clauses, rubric), changes_of_mind(known, answer.text, clauses)
        rows = []
        for view in some:
            measured = at[view.first, view.last]
            support, features = measured[place]
            if any(reaches(doubt, view.first, view.last, clauses, support.phrase) for doubt in doubted) or support.contrary:
                continue
            if withdrawn(view.first, view.last, clauses, changes, rubric.question):
                continue
            others = [other for where, (_, other) in enumerate(measured) if where != place] or [features]
            rows.append((*features, *(features[name] - max(other[name] for other in others) for name in compared)))
        others_most = [value for where, value in enumerate(most) if where != place] or most
        yield Decision(
            probe.name,
            known.criterion.id in answer.met,
            np.array(rows).reshape(-1, (len(NAMES) if tier else len(FEATURES)) + len(compared)),
            float(np.mean(others_most)),
        )


def fitted(found: Sequence[Decision], columns: Sequence[int]) -> tuple[Numbers, float]:
    """Intercept, weights of the columns and of what is said beside; and the mean of the latter."""
    kept = [decision for decision in found if len(decision.windows)]
    met = np.array([decision.met for decision in kept], float)
    beside = np.array([decision.beside for decision in kept])
    best = np.array([decision.windows[decision.windows[:, 0].argmax()] for decision in kept])
    weights = np.zeros(0)
    for _ in range(ROUNDS):
        x = np.column_stack([best[:, columns], beside])
        model = fit(x, met, logistic=True, products=False, penalty=PENALTY)
        slopes = model.weights[1:] / model.spread
        weights = np.array([float(model.weights[0] - (slopes * model.mean).sum()), *slopes])
        best = np.array([decision.windows[(decision.windows[:, columns] @ slopes[:-1]).argmax()] for decision in kept])
    return weights, float(beside.mean())


def as_json(weights: Numbers, usual: float, names: Sequence[str]) -> dict[str, Any]:
    numbers = [round(float(value), 3) for value in weights]
    compared = [name for name in COMPARED if name in names]
    beside = numbers[-1]
    return {
        "intercept": round(float(weights[0] + weights[-1] * usual), 3),
        "own": dict(zip(names, numbers[1:], strict=False)),
        "margin": dict(zip(compared, numbers[1 + len(names) : -1], strict=True)),
        "beside": beside,
        "usual": round(usual, 3),
    }


def columns_of(names: Sequence[str]) -> list[int]:
    return [NAMES.index(name) for name in names] + [len(NAMES) + COMPARED.index(name) for name in COMPARED if name in names]


class Fixed:
    """A tier with weights of one's own."""

    def __init__(self, tier: Semantic, lexical: bool, weights: dict[str, Any]) -> None:
        self._tier, self._lexical = tier, lexical
        self.name = "lexical" if lexical else "semantic"
        self._outcome = Outcome.from_json(weights)

    def measure(self, answer: str, clauses: Sequence[Clause], rubric: ReadyRubric) -> Weighed:
        if self._lexical:
            return Weighed(LexicalReader(rubric).measure, rubric, self._outcome)
        return Weighed(SemanticReader(self._tier.encoder, answer, clauses, rubric).measure, rubric, self._outcome)


def said(label: str, found: Judged) -> None:
    denying, bluffing = found.credit["denying"], found.credit["bluffing"]
    print(
        f"{label:12} F1 {found.f1:.3f}  accuracy {found.accuracy:.3f}  falsely met {found.false_met}, missed {found.false_unmet}  "
        f"credit where denied {denying[0]}/{denying[1]}, where bluffed {bluffing[0]}/{bluffing[1]}  "
        f"a not put in {found.turned[0]}/{found.turned[1]}, {found.turned_there[0]}/{found.turned_there[1]}  "
        f"in reach {found.in_reach[0]:.3f} {found.in_reach[1]:.3f}",
        flush=True,
    )


def left_out(named: dict[str, list[Answers]], rows: Sequence[Decision], names: Sequence[str], tier: Semantic) -> None:
    """Prints how the whole scorer does on each set, every probe scored by weights that never saw it."""
    every = Judged()
    for name, probes in named.items():
        one = Judged()
        for probe in probes:
            weights = as_json(*fitted([row for row in rows if row.probe != probe.name], columns_of(names)), names)
            one += judged([probe], Fixed(tier, names is FEATURES, weights))
        said(name, one)
        every += one
    said("all", every)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probes", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tier", choices=("lexical", "semantic"))
    given = parser.parse_args()
    tier = Semantic()
    named = {name: builtin_answers(None, folder) for name, folder in SETS.items()}
    rows = [
        row for probes in named.values() for probe in probes for answer in probe.answers for row in decisions(probe, answer, tier)
    ]
    if given.probes:
        named["elsewhere"] = outside_answers(given.probes)
    tiers = {"lexical": FEATURES, "semantic": NAMES}
    found = {name: as_json(*fitted(rows, columns_of(names)), names) for name, names in tiers.items()}
    if given.write:
        FILE.write_text(json.dumps({"decisions": len(rows), "tiers": found}, indent=1) + "\n", "utf-8")
    for name, names in tiers.items():
        if given.tier in (None, name):
            print(name, json.dumps(found[name]))
            left_out(named, rows, names, tier)


if __name__ == "__main__":
    main()
