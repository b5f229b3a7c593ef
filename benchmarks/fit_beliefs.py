"""Fits the weights of ``quizapp/scoring/beliefs.json`` on the marked answers in ``benchmarks/answers``.

    python benchmarks/fit_beliefs.py

An answer states a misconception somewhere, and the marks don't say where. So the likeliest window of each answer stands for it,
under the weights found so far, and the weights are fitted anew until the windows stay (multiple instance learning). Each rubric
is also read with half of its misconceptions' phrases, drawn at random, since others write fewer. What is printed is measured on
questions left out of the fit. Criteria are weighed, and states mapped, by what never saw the question
(``benchmarks/fit_outcomes.py``, which is to be run again after this). Needs the extras ``semantic`` and ``local``.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from fit_outcomes import NAMES, Fixed, Remembering, all_decisions, left_out, projected
from linear import Linear, fit
from probes import SETS, Answers, builtin_answers, by_probe

from quizapp.scoring.beliefs import CANCELS, FEATURES, FILE, Reading, read
from quizapp.scoring.claims import find
from quizapp.scoring.clauses import split, windows
from quizapp.scoring.lexical import Phrases, ReadyRubric, ready
from quizapp.scoring.profile import middle
from quizapp.scoring.semantic.tier import OF_MISCONCEPTIONS
from quizapp.scoring.support import FEATURES as OF_WORDS
from quizapp.scoring.whole import settled
from quizapp.scoring.words import read_phrase, read_words

HALVES = 2
"""Times that each rubric is read with half of its phrases."""
PENALTY = 4.0
ROUNDS = 12
CHANCE = 0.52
"""Chance from which a misconception is named: near the best F1, and on the side of precision."""


@dataclass(frozen=True)
class Bag:
    """One answer and one misconception."""

    question: str
    whole: bool
    """Read with all phrases."""
    stated: bool
    features: np.ndarray
    """Window, feature."""


def with_half(rubric: ReadyRubric, chance: random.Random) -> ReadyRubric:
    """The rubric with half of the phrases of each misconception, and at least two."""
    found = []
    for known in rubric.misconceptions:
        kept = tuple(chance.sample(known.accept.all, min(len(known.accept), max(2, len(known.accept) // 2))))
        texts = tuple(phrase.text for phrase in kept)
        profile = middle((read_phrase(text) for text in texts), rubric.rarity)
        shown = known.shown.model_copy(update={"accept": texts})
        found.append(replace(known, shown=shown, accept=Phrases(kept), profile=profile))
    return replace(rubric, misconceptions=tuple(found))


def bags(sets: Sequence[Answers], tiers: Mapping[str, Fixed]) -> Iterator[Bag]:
    """Each marked answer with each misconception of its rubric; ``tiers``: probe -> one that never saw it."""
    chance = random.Random(0)
    for probe in sets:
        known, tier = ready(probe.rubric, probe.stem), tiers[probe.name]
        rubrics = [known, *(with_half(known, chance) for _ in range(HALVES))]
        for answer in probe.answers:
            words = read_words(answer.text, known.spelling)
            clauses = split(answer.text, words)
            views = tuple(windows(clauses))
            measure = tier.measure(answer.text, clauses, known)
            found = [find(criterion, answer.text, clauses, views, known, measure) for criterion in known.criteria]
            findings = {criterion.criterion.id: finding for criterion, finding in zip(known.criteria, found, strict=True)}
            readings_of = tuple(read(known, clauses, views, findings, measure.nearness))
            whole = settled(known, found, clauses, words, measure, readings_of)
            findings = {criterion.criterion.id: finding for criterion, finding in zip(known.criteria, whole, strict=True)}
            for rubric in rubrics:
                nearness = measure.nearness if rubric is known else tier.measure(answer.text, clauses, rubric).nearness
                for misconception, readings in read(rubric, clauses, views, findings, nearness):
                    if readings:
                        held = misconception.shown.id in answer.misconceptions
                        yield Bag(probe.name, rubric is known, held, _table(readings))


def _table(readings: Sequence[Reading]) -> np.ndarray:
    return np.array([reading.features for reading in readings])


def fitted(given: Sequence[Bag]) -> Linear:
    """The weights under which the likeliest window of each answer tells best whether it states the misconception."""
    stated = np.array([bag.stated for bag in given], float)
    chosen = [int(bag.features[:, 0].argmax()) for bag in given]
    for _ in range(ROUNDS):
        rows = np.array([bag.features[at] for bag, at in zip(given, chosen, strict=True)])
        model = fit(rows, stated, logistic=True, products=False, penalty=PENALTY)
        likeliest = [int(model(bag.features).argmax()) for bag in given]
        if likeliest == chosen:
            break
        chosen = likeliest
    return model


def report(given: Sequence[Bag]) -> None:
    """Prints precision, recall and F1 on each question, left out of the fit."""
    for whole in (True, False):
        said, held = [], []
        for question in sorted({bag.question for bag in given}):
            model = fitted([bag for bag in given if bag.question != question])
            tried = [bag for bag in given if bag.question == question and bag.whole == whole]
            said += [model(bag.features).max() for bag in tried]
            held += [bag.stated for bag in tried]
        for chance in (0.3, 0.45, CHANCE):
            named, truth = np.array(said) >= chance, np.array(held)
            hits = int((named & truth).sum())
            precision, recall = hits / max(1, named.sum()), hits / truth.sum()
            score = 2 * hits / (named.sum() + truth.sum())
            phrases = "all phrases" if whole else "half of them"
            print(f"{phrases}, at {chance:.2f}: precision {precision:.2f} recall {recall:.2f} F1 {score:.3f}")


def as_json(model: Linear, names: Sequence[str]) -> dict[str, Any]:
    slopes = model.weights[1:] / model.spread
    intercept = float(model.weights[0] - (slopes * model.mean).sum())
    weights = {name: round(float(slope), 3) for name, slope in zip(names, slopes, strict=True)}
    return {"intercept": round(intercept, 3), "weights": weights}


def main() -> None:
    sets = by_probe(probe for folder in SETS.values() for probe in builtin_answers(folder=folder))
    rows, encoder = all_decisions(sets, None, {}), Remembering()
    weights = left_out(sets, rows, OF_WORDS, None, {})
    tiers = {"lexical": {name: Fixed(found) for name, found in weights.items()}}
    maps = projected(sets, rows, encoder)
    weights = left_out(sets, all_decisions(sets, encoder, maps), NAMES, encoder, maps)
    tiers["semantic"] = {name: Fixed(found, encoder, maps[name]) for name, found in weights.items()}
    kept = {}
    for tier, names in {"lexical": FEATURES, "semantic": (*FEATURES, *OF_MISCONCEPTIONS)}.items():
        given = list(bags(sets, tiers[tier]))
        print(f"{tier}, {len(given)} rows", flush=True)
        report(given)
        kept[tier] = as_json(fitted(given), (*names, CANCELS))
    FILE.write_text(json.dumps({"chance": CHANCE, "tiers": kept}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
