"""Fits the weights of ``quizapp/scoring/outcome.json`` on the marked answers in ``benchmarks/answers``.

    python benchmarks/fit_outcomes.py [--probes DIR] [--write]

Each decision has some windows in which a claim could stand. Which of them it is isn't marked, so the likeliest one is taken by the
weights so far, and the weights are fitted again, a few times. What the whole answer makes of a claim is fitted on claims that were
weighed by weights from the other probes. Then every probe is left out in turn, and its answers are scored by the whole scorer with
weights that never saw it: that is what is printed. ``--probes`` holds further probes, which are only scored. Needs the extra
``semantic``; for that tier ``local`` too: its map of states is learned with torch (``benchmarks/fit_projection.py``), and written
along.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fit_projection import Phrases, Place, builtin_phrases, cross_fitted, material
from linear import Linear, fit
from probes import SETS, Answers, Judged, builtin_answers, by_probe, judged, outside_answers

from quizapp.scoring.beliefs import read
from quizapp.scoring.beliefs import weights as beliefs
from quizapp.scoring.claims import echoes, find
from quizapp.scoring.clauses import Clause, Window, split, windows
from quizapp.scoring.doubt import changes_of_mind, doubts, reaches, withdrawn
from quizapp.scoring.fluff import is_list
from quizapp.scoring.lexical import NOTHING, ReadyCriterion, ReadyRubric, Support, ready
from quizapp.scoring.outcome import FILE, Outcome, Weighed
from quizapp.scoring.semantic.encoder import Encoded, Encoder
from quizapp.scoring.semantic.projection import FILE as PROJECTION
from quizapp.scoring.semantic.projection import LAYERS, Projection, packed
from quizapp.scoring.semantic.tier import FEATURES as STATES
from quizapp.scoring.semantic.tier import SemanticReader
from quizapp.scoring.support import FEATURES, LexicalReader
from quizapp.scoring.tier import TierName
from quizapp.scoring.whole import FEATURES as OF_THE_WHOLE
from quizapp.scoring.whole import features
from quizapp.scoring.words import in_another_language, read_words

PENALTY, WHOLE_PENALTY = 20.0, 10.0
OWN = 0.4
"""What the whole answer leaves of a claim's own log odds. Left to the fit it is less, and hardly better on probes left out; but how
well words meet a criterion has to stay the scale."""
ROUNDS = 6
COMPARED = ("support", "likeness", "nearness")
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
    answer: int
    criterion: int
    places: tuple[tuple[int, int], ...]
    """First and last clause of each window."""


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


def decisions(
    probe: Answers, number: int, encoder: Encoder | None = None, projection: Projection | None = None
) -> Iterator[Decision]:
    """The decisions on one answer that a fair reader takes in one way only; in the lexical tier where there is no encoder."""
    answer = probe.answers[number]
    rubric = ready(probe.rubric, probe.stem)
    words = read_words(answer.text, rubric.spelling)
    if not words or in_another_language(words) or is_list(answer.text, words):
        return
    clauses = split(answer.text, words)
    views = tuple(windows(clauses))
    reader = SemanticReader(encoder, answer.text, clauses, rubric, projection) if encoder else LexicalReader(rubric)
    compared = [NAMES.index(name) for name in COMPARED if encoder or name in FEATURES]
    kept = [sound(known, answer.text, clauses, views, rubric) for known in rubric.criteria]
    different = {(view.first, view.last): view for some in kept for view in some}
    at = {place: [reader.measure(known, view) for known in rubric.criteria] for place, view in different.items()}
    most = [max((at[view.first, view.last][place][0].strength for view in some), default=0.0) for place, some in enumerate(kept)]
    for place, (known, some) in enumerate(zip(rubric.criteria, kept, strict=True)):
        if known.criterion.id in answer.unsure:
            continue
        doubted, changes = doubts(known, clauses, rubric), changes_of_mind(known, answer.text, clauses)
        rows, places = [], []
        for view in some:
            measured = at[view.first, view.last]
            support, features = measured[place]
            if any(reaches(doubt, view.first, view.last, clauses, support.phrase) for doubt in doubted) or support.contrary:
                continue
            if withdrawn(view.first, view.last, clauses, changes, rubric.question):
                continue
            others = [other for where, (_, other) in enumerate(measured) if where != place] or [features]
            places.append((view.first, view.last))
            rows.append((*features, *(features[name] - max(other[name] for other in others) for name in compared)))
        others_most = [value for where, value in enumerate(most) if where != place] or most
        yield Decision(
            probe.name,
            known.criterion.id in answer.met,
            np.array(rows).reshape(-1, (len(NAMES) if encoder else len(FEATURES)) + len(compared)),
            float(np.mean(others_most)),
            number,
            place,
            tuple(places),
        )


def fitted(found: Sequence[Decision]) -> tuple[Numbers, float]:
    """Intercept, weights of the features and of what is said beside; and the mean of the latter."""
    kept = [decision for decision in found if len(decision.windows)]
    met = np.array([decision.met for decision in kept], float)
    beside = np.array([decision.beside for decision in kept])
    best = np.array([decision.windows[decision.windows[:, 0].argmax()] for decision in kept])
    weights = np.zeros(0)
    for _ in range(ROUNDS):
        x = np.column_stack([best, beside])
        model = fit(x, met, logistic=True, products=False, penalty=PENALTY)
        slopes = model.weights[1:] / model.spread
        weights = np.array([float(model.weights[0] - (slopes * model.mean).sum()), *slopes])
        best = np.array([decision.windows[(decision.windows @ slopes[:-1]).argmax()] for decision in kept])
    return weights, float(beside.mean())


def as_json(weights: Numbers, usual: float, names: Sequence[str]) -> dict[str, Any]:
    numbers = [round(float(value), 3) for value in weights]
    compared = [name for name in COMPARED if name in names]
    return {
        "intercept": round(float(weights[0] + weights[-1] * usual), 3),
        "own": dict(zip(names, numbers[1:], strict=False)),
        "margin": dict(zip(compared, numbers[1 + len(names) : -1], strict=True)),
    }


@dataclass(frozen=True)
class Settled:
    """One criterion of one answer for which something was claimed: what the whole answer says of the claim."""

    probe: str
    met: bool
    features: Sequence[float]


class Fixed:
    """A tier with weights of one's own; the lexical one where there is no encoder."""

    def __init__(self, weights: Mapping[str, Any], encoder: Encoder | None = None, projection: Projection | None = None) -> None:
        self.name: TierName = "semantic" if encoder else "lexical"
        self._encoder, self._projection, self._outcome = encoder, projection, Outcome.from_json(weights)

    def measure(self, answer: str, clauses: Sequence[Clause], rubric: ReadyRubric) -> Weighed:
        known = self._encoder
        reader = SemanticReader(known, answer, clauses, rubric, self._projection) if known else LexicalReader(rubric)
        return Weighed(reader, rubric, self._outcome, beliefs()[self.name])


def settled(probe: Answers, tier: Fixed) -> Iterator[Settled]:
    """What is claimed in the answers to one probe, weighed by a tier that never saw them."""
    rubric = ready(probe.rubric, probe.stem)
    for answer in probe.answers:
        words = read_words(answer.text, rubric.spelling)
        if not words or in_another_language(words) or is_list(answer.text, words) or echoes(words, rubric):
            continue
        clauses = split(answer.text, words)
        views, measure = tuple(windows(clauses)), tier.measure(answer.text, clauses, rubric)
        found = [find(known, answer.text, clauses, views, rubric, measure) for known in rubric.criteria]
        findings = {known.criterion.id: finding for known, finding in zip(rubric.criteria, found, strict=True)}
        readings = tuple(read(rubric, clauses, views, findings, measure.nearness))
        rows = features(rubric, found, clauses, words, measure, readings)
        for known, finding, row in zip(rubric.criteria, found, rows, strict=True):
            if finding.best is not None and known.criterion.id not in answer.unsure:
                yield Settled(probe.name, known.criterion.id in answer.met, row)


def plain(model: Linear) -> tuple[float, Numbers]:
    """Intercept and weights of features as they are."""
    slopes = model.weights[1:] / model.spread
    return float(model.weights[0] - (slopes * model.mean).sum()), slopes


def fitted_whole(rows: Sequence[Settled]) -> dict[str, Any]:
    """Intercept and weights; that of the claim's own log odds, which comes first, is given."""
    x, met = np.array([row.features for row in rows]), np.array([row.met for row in rows], float)
    model = fit(x[:, 1:], met, logistic=True, products=False, penalty=WHOLE_PENALTY, offset=OWN * x[:, 0])
    intercept, slopes = plain(model)
    weights = {name: round(float(slope), 3) for name, slope in zip(OF_THE_WHOLE, (OWN, *slopes), strict=True)}
    return {"intercept": round(intercept, 3), "weights": weights}


def said(label: str, found: Judged) -> None:
    denying, bluffing = found.credit["denying"], found.credit["bluffing"]
    print(
        f"{label:12} F1 {found.f1:.3f}  accuracy {found.accuracy:.3f}  falsely met {found.false_met}, missed {found.false_unmet}  "
        f"credit where denied {denying[0]}/{denying[1]}, where bluffed {bluffing[0]}/{bluffing[1]}  "
        f"a not put in {found.turned[0]}/{found.turned[1]}, {found.turned_there[0]}/{found.turned_there[1]}  "
        f"in reach {found.in_reach[0]:.3f} {found.in_reach[1]:.3f}",
        flush=True,
    )


class Remembering(Encoder):
    """Encodes no text twice."""

    def __init__(self) -> None:
        super().__init__(LAYERS)
        self._known: dict[str, Encoded] = {}

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known |= zip(new, super().encode(new), strict=True)
        return [self._known[text] for text in texts]


def left_out(
    probes: Sequence[Answers],
    rows: Sequence[Decision],
    names: Sequence[str],
    encoder: Encoder | None,
    projections: Mapping[str, Projection],
) -> dict[str, dict[str, Any]]:
    """Probe -> weights that never saw it; under an empty name, those of all."""
    first = {probe.name: as_json(*fitted([row for row in rows if row.probe != probe.name]), names) for probe in probes}
    every = as_json(*fitted(rows), names)
    claims = [row for probe in probes for row in settled(probe, Fixed(first[probe.name], encoder, projections.get(probe.name)))]
    out = {name: {**found, "whole": fitted_whole([row for row in claims if row.probe != name])} for name, found in first.items()}
    return {**out, "": {**every, "whole": fitted_whole(claims)}}


def projected(probes: Sequence[Answers], rows: Sequence[Decision], encoder: Encoder) -> Mapping[str, Projection]:
    """Probe -> a map of states that never saw it; under an empty name, that of all."""
    weights, _ = fitted(rows)
    rubrics: list[Phrases] = builtin_phrases(encoder)
    decided: dict[str, list[Place]] = {probe.name: [] for probe in probes}
    for row in rows:
        if row.places:
            odds = weights[0] + row.windows @ weights[1:-1] + weights[-1] * row.beside
            decided[row.probe].append(Place(row.answer, row.criterion, row.met, row.places, odds))
    return cross_fitted(rubrics, [material(encoder, probe, decided[probe.name]) for probe in probes])


def all_decisions(probes: Sequence[Answers], encoder: Encoder | None, projections: Mapping[str, Projection]) -> list[Decision]:
    found = (
        decisions(probe, number, encoder, projections.get(probe.name)) for probe in probes for number in range(len(probe.answers))
    )
    return [row for some in found for row in some]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--probes", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--tier", choices=("lexical", "semantic"))
    given = parser.parse_args()
    named = {name: builtin_answers(None, folder) for name, folder in SETS.items()}
    known = by_probe(probe for probes in named.values() for probe in probes)
    rows, projections = all_decisions(known, None, {}), dict[str, Projection]()
    if given.probes:
        named["elsewhere"] = outside_answers(given.probes)
    mix = Counter(answer.kind for probe in named.get("elsewhere", ()) for answer in probe.answers)
    kept = json.loads(FILE.read_text("utf-8"))["tiers"]
    for name, names in {"lexical": FEATURES, "semantic": NAMES}.items():
        if given.tier not in (None, name):
            continue
        encoder = Remembering() if name == "semantic" else None
        if encoder:
            projections.update(projected(known, rows, encoder))
            rows = all_decisions(known, encoder, projections)
        found = left_out(known, rows, names, encoder, projections)
        print(name, json.dumps(found[""]), flush=True)
        kept[name] = found[""]
        if given.write:
            FILE.write_text(json.dumps({"decisions": len(rows), "tiers": kept}, indent=1) + "\n", "utf-8")
            if encoder:
                PROJECTION.write_bytes(packed(projections[""]))
        every = Judged()
        for label, probes in named.items():
            one = Judged()
            for probe in probes:
                mine = probe.name if label in SETS else ""
                one += judged([probe], Fixed(found[mine], encoder, projections.get(mine)))
            said(label, one)
            every += one
        said("all", every)
        if mix:
            print("all, mixed as elsewhere: F1 {:.3f}  accuracy {:.3f}".format(*every.in_mix(mix)), flush=True)


if __name__ == "__main__":
    main()
