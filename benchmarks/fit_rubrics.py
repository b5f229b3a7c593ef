"""Fits the weights of ``quizapp/scoring/calibration.json`` on the built-in rubrics' own phrases. No learner's answer is looked at.

    python benchmarks/fit_rubrics.py

Each accepted phrase is taken out of its rubric and read as an answer: its own criterion, measured by the phrases that are left, is
met; the others are not, and neither is any criterion of another question. The semantic weights are half the fit and half the
lexical ones: answers are longer than phrases, and likeness grows with length. Needs the extra ``semantic``.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from linear import f1, fit

from quizapp.bank.draw import draw
from quizapp.bank.find import builtin_folder
from quizapp.bank.load import load
from quizapp.model.rubric import Rubric
from quizapp.model.variant import fill
from quizapp.scoring.calibration import FILE
from quizapp.scoring.clauses import split, window
from quizapp.scoring.lexical import Phrase, ReadyCriterion, ReadyRubric, best_phrase, profile_of, ready
from quizapp.scoring.profile import Profile, alike, middle, profile
from quizapp.scoring.score import filled_rubric
from quizapp.scoring.semantic.encoder import Encoder
from quizapp.scoring.semantic.tier import FEATURES, SemanticReader
from quizapp.scoring.words import Word, read_phrase, read_words

FOREIGN = 25
"""Phrases of other questions that are read against each rubric."""
PENALTY = 10.0
Row = tuple[float, ...]


def rubrics() -> Iterator[tuple[str, str, Rubric]]:
    """(item, question, rubric) of every written question of the built-in banks."""
    for id, entry in load([builtin_folder()]).items.items():
        item, values = entry.item, draw(entry.item, None).values
        stem = fill(item.stem or "", values)
        if rubric := getattr(item, "rubric", None):
            yield id, stem, filled_rubric(rubric, values)
        for part in getattr(item, "parts", None) or ():
            if rubric := getattr(part, "rubric", None):
                yield id, f"{stem}\n{fill(part.stem or '', values)}", filled_rubric(rubric, values)


def without(known: ReadyCriterion, text: str, rubric: ReadyRubric) -> ReadyCriterion:
    """A criterion as it would be if one of its phrases weren't known."""
    accept = tuple(phrase for phrase in known.accept if phrase.text != text)
    kept = known.criterion.model_copy(update={"accept": tuple(phrase.text for phrase in accept)})
    terms = {key for group in known.groups for term in group for key in term} | {key for phrase in accept for key in phrase.weights}
    return replace(known, criterion=kept, accept=accept, terms=frozenset(terms), profile=profile_of(kept, rubric.rarity))


def table(encoder: Encoder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features of (phrase, criterion) with margins, whether the phrase is the criterion's, and the number of the rubric."""
    chance, every = random.Random(0), list(rubrics())
    phrases = [(id, text) for id, _, rubric in every for criterion in rubric.criteria for text in criterion.accept]
    features: list[Row] = []
    own: list[bool] = []
    number: list[int] = []
    for at, (id, stem, rubric) in enumerate(every):
        known = ready(rubric, stem)
        mine = ((text, place) for place, c in enumerate(rubric.criteria) if len(c.accept) > 1 for text in c.accept)
        foreign = ((text, -1) for _, text in chance.sample([entry for entry in phrases if entry[0] != id], FOREIGN))
        for text, place in chain(mine, foreign):
            clauses = split(text, read_words(text, known.spelling))
            view, reader = window(clauses, 0, len(clauses) - 1), SemanticReader(encoder, text, clauses, known)
            rows = []
            for where, criterion in enumerate(known.criteria):
                held = without(criterion, text, known) if where == place else criterion
                found, more = reader.measure(held, view)
                rows.append((found.strength, *more))
            for where, row in enumerate(rows):
                others = [other for at_other, other in enumerate(rows) if at_other != where] or [row]
                features.append(
                    (*row, *(mine_ - max(column) for mine_, column in zip(row, zip(*others, strict=True), strict=True)))
                )
                own.append(where == place)
                number.append(at)
    return np.array(features), np.array(own), np.array(number)


def beliefs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same of misconceptions: their phrases, and those of the criteria, of which each is left out where it is read."""
    chance, every = random.Random(0), list(rubrics())
    phrases = [(id, text) for id, _, rubric in every for shown in rubric.misconceptions for text in shown.accept]
    features: list[Row] = []
    own: list[bool] = []
    number: list[int] = []
    for at, (id, stem, rubric) in enumerate(every):
        if not rubric.misconceptions:
            continue
        known = ready(rubric, stem)
        held = [(text, place) for place, m in enumerate(rubric.misconceptions) if len(m.accept) > 1 for text in m.accept]
        right = [(text, -1) for criterion in rubric.criteria for text in criterion.accept]
        foreign = [(text, -1) for other, text in chance.sample(phrases, FOREIGN) if other != id]
        for text, place in (*held, *right, *foreign):
            words = read_words(text, known.spelling)
            said = profile(words, known.rarity)

            def both(accept: Sequence[Phrase], of: Profile, words: Sequence[Word] = words, said: Profile = said) -> Row:
                return best_phrase(accept, words).strength, alike(said, of)

            lacking = [without(criterion, text, known) for criterion in known.criteria]
            rivals = [both(criterion.accept, criterion.profile) for criterion in lacking]
            mine = []
            for misconception in known.misconceptions:
                accept = [phrase for phrase in misconception.accept if phrase.text != text]
                mine.append(both(accept, middle((read_phrase(phrase.text) for phrase in accept), known.rarity)))
            for where, row in enumerate(mine):
                others = [*rivals, *(other for at_other, other in enumerate(mine) if at_other != where)]
                features.append(
                    (*row, *(value - max(column) for value, column in zip(row, zip(*others, strict=True), strict=True)))
                )
                own.append(where == place)
                number.append(at)
    return np.array(features), np.array(own), np.array(number)


def fitted(name: str, x: np.ndarray, y: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Intercept and weights; prints how well these tell right from wrong on rubrics left out of the fit."""
    form: dict[str, Any] = {"logistic": True, "products": False, "penalty": PENALTY}
    guess = np.zeros(len(y))
    for fold in range(5):
        held = number % 5 == fold
        guess[held] = fit(x[~held], y[~held].astype(float), **form)(x[held])
    print(name, "F1 on rubrics left out, at a chance of .35:", round(f1(y, guess > 0.35), 3))
    model = fit(x, y.astype(float), **form)
    weights = model.weights[1:] / model.spread
    return np.array([float(model.weights[0] - (weights * model.mean).sum()), *weights])


def as_json(found: np.ndarray) -> dict[str, Any]:
    middle = len(found) // 2 + 1
    numbers = [round(float(value), 3) for value in found]
    return {"intercept": numbers[0], "own": numbers[1:middle], "margin": numbers[middle:]}


def main() -> None:
    x, y, number = table(Encoder())
    half = x.shape[1] // 2
    lexical = fitted("lexical", x[:, [0, 1, half, half + 1]], y, number)
    semantic = fitted("semantic", x, y, number)
    widened = np.zeros(len(semantic))
    widened[[0, 1, 2, half + 1, half + 2]] = lexical
    found = {
        "lexical": as_json(lexical),
        "semantic": as_json((semantic + widened) / 2),
        "misconceptions": as_json(fitted("misconceptions", *beliefs())),
    }
    named = ["support", "likeness of the parts of words", *FEATURES]
    FILE.write_text(json.dumps({"features": named, "rows": len(y), "tiers": found}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
