"""Thresholds and accept phrases for a rubric from answers that people marked, judged on answers that they weren't fitted on.

Here: fitting and judging. Nothing is written into a bank: what is proposed is for its author to take over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quizapp.model.nouns import numbered
from quizapp.model.rubric import Criterion, Rubric
from quizapp.scoring.lexical import MET
from quizapp.scoring.text import score_text
from quizapp.scoring.words import read_phrase

GRID = tuple(step / 20 for step in range(7, 19))
"""Thresholds tried: .35 to .90."""
FEWEST_MARKED, FEWEST_EACH = 10, 3
"""Marked answers, and marked answers either way, from which a threshold of its own is set."""
FOLDS = 5
MOST_WORDS, FEWEST_WORDS, MOST_PROPOSED = 24, 4, 3


@dataclass(frozen=True, slots=True)
class Marked:
    """One answer with the criteria that a person found met."""

    text: str
    met: frozenset[str]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well automatic scores agree with people's, on answers that the thresholds weren't fitted on."""

    kappa: float
    """Quadratic weighted kappa of the points."""
    f1: Mapping[str, float]
    """Criterion -> F1 of *met*."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What calibration found for one criterion."""

    criterion: str
    marked: int
    met: int
    threshold: float | None
    """The one to set; ``None`` where too few answers are marked, or the present one does as well."""
    phrases: tuple[str, ...]
    """Sentences of missed answers that, as accept phrases, would earn those answers the criterion and no other answer wrongly."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """All of it."""

    answers: int
    before: Agreement
    after: Agreement
    proposals: tuple[Proposal, ...]


def _with(rubric: Rubric, criterion: str, **change: object) -> Rubric:
    return rubric.model_copy(
        update={"criteria": tuple(c.model_copy(update=change) if c.id == criterion else c for c in rubric.criteria)}
    )


def _at(rubric: Rubric, thresholds: Mapping[str, float | None]) -> Rubric:
    return rubric.model_copy(
        update={"criteria": tuple(c.model_copy(update={"threshold": thresholds[c.id]}) for c in rubric.criteria)}
    )


def _met(rubric: Rubric, stem: str, text: str) -> frozenset[str]:
    return frozenset(c.id for c in score_text(rubric, stem, text, {}).criteria if c.met == "met")


def _f1(truth: Sequence[bool], guess: Sequence[bool]) -> float:
    both = sum(t and g for t, g in zip(truth, guess, strict=True))
    return 2 * both / (sum(truth) + sum(guess)) if any(truth) or any(guess) else 1.0


def quadratic_kappa(one: Sequence[int], other: Sequence[int]) -> float:
    """Agreement of two lists of points: 1 for the same, 0 for chance, a difference weighted by its square."""
    seen = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) / len(one)
    chance = sum((a - b) ** 2 for a in one for b in other) / len(one) ** 2
    return 1.0 if not chance else 1 - seen / chance


def _agreement(rubric: Rubric, marked: Sequence[Marked], given: Sequence[frozenset[str]]) -> Agreement:
    worth = {c.id: c.points for c in rubric.criteria}
    f1 = {id: _f1([id in m.met for m in marked], [id in g for g in given]) for id in worth}
    by_people = [sum(worth[id] for id in m.met) for m in marked]
    by_scorer = [sum(worth[id] for id in g) for g in given]
    return Agreement(quadratic_kappa(by_people, by_scorer), f1)


Table = Sequence[Mapping[float, frozenset[str]]]


def _chosen(criterion: Criterion, marked: Sequence[Marked], table: Table, rows: Sequence[int]) -> float | None:
    """The threshold of the best F1, the one nearest the present one among equals; the present one where too few are marked."""
    truth = [criterion.id in marked[row].met for row in rows]
    present = criterion.threshold or MET
    if len(rows) < FEWEST_MARKED or min(sum(truth), len(truth) - sum(truth)) < FEWEST_EACH:
        return criterion.threshold

    def quality(threshold: float) -> tuple[float, float]:
        return _f1(truth, [criterion.id in table[row][threshold] for row in rows]), -abs(threshold - present)

    return max(GRID, key=quality)


def calibrate(rubric: Rubric, stem: str, marked: Sequence[Marked]) -> Calibration:
    """Sets a threshold per criterion by cross-validation over the marked answers, and proposes accept phrases.

    Raises:
        ValueError: fewer than two answers, or a mark for a criterion that the rubric doesn't have.
    """
    known = {c.id for c in rubric.criteria}
    for answer in marked:
        if answer.met - known:
            raise ValueError(f"no criterion {', '.join(sorted(answer.met - known))}; the rubric has {', '.join(sorted(known))}")
    if len(marked) < 2:
        raise ValueError(f"{numbered(len(marked), 'marked answer')}: too few; {FEWEST_MARKED} a criterion are wanted")
    table: list[dict[float, frozenset[str]]] = [{} for _ in marked]
    for threshold in GRID:
        variant = _at(rubric, dict.fromkeys(known, threshold))
        for row, answer in enumerate(marked):
            table[row][threshold] = _met(variant, stem, answer.text)
    present = [_met(rubric, stem, answer.text) for answer in marked]
    held_out: list[frozenset[str]] = [frozenset()] * len(marked)
    for fold in range(FOLDS):
        rows = [row for row in range(len(marked)) if row % FOLDS != fold]
        chosen = {c.id: _chosen(c, marked, table, rows) for c in rubric.criteria}
        variant = _at(rubric, chosen)
        for row in range(fold, len(marked), FOLDS):
            held_out[row] = _met(variant, stem, marked[row].text)
    proposals = []
    for criterion in rubric.criteria:
        best = _chosen(criterion, marked, table, range(len(marked)))
        missed = [row for row, answer in enumerate(marked) if criterion.id in answer.met and criterion.id not in present[row]]
        proposals.append(
            Proposal(
                criterion.id,
                len(marked),
                sum(criterion.id in answer.met for answer in marked),
                None if best == (criterion.threshold or MET) else best,
                _phrases(rubric, stem, criterion, marked, missed),
            )
        )
    before, after = _agreement(rubric, marked, present), _agreement(rubric, marked, held_out)
    return Calibration(len(marked), before, after, tuple(proposals))


def _sentences(text: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.!?;])\s+|\n", text):
        flat = " ".join(sentence.split()).rstrip(".;!")
        if FEWEST_WORDS <= len(flat.split()) <= MOST_WORDS:
            yield flat


def _phrases(rubric: Rubric, stem: str, criterion: Criterion, marked: Sequence[Marked], missed: Sequence[int]) -> tuple[str, ...]:
    """Sentences worth taking over: each earns its own answer the criterion, and gives it to no answer that doesn't meet it."""
    found: list[str] = []
    wrong = [answer for answer in marked if criterion.id not in answer.met]
    about = {word.key for text in (criterion.description, *criterion.accept) for word in read_phrase(text) if word.content}
    for row in missed:
        ranked = sorted(_sentences(marked[row].text), key=lambda sentence: -_touches(sentence, about))
        for sentence in (sentence for sentence in ranked[:2] if _touches(sentence, about)):
            if len(found) == MOST_PROPOSED:
                return tuple(found)
            variant = _with(rubric, criterion.id, accept=(*criterion.accept, sentence))
            if criterion.id not in _met(variant, stem, marked[row].text):
                continue
            lured = any(
                criterion.id in _met(variant, stem, answer.text) and criterion.id not in _met(rubric, stem, answer.text)
                for answer in wrong
            )
            others = criterion.id in _met(variant, stem, _without(marked[row].text, sentence))
            if not lured and not others:
                found.append(sentence)
                break
    return tuple(found)


def _touches(sentence: str, about: set[str]) -> int:
    """How many words of a sentence are the criterion's."""
    return len({word.key for word in read_phrase(sentence) if word.content} & about)


def _without(text: str, sentence: str) -> str:
    return " ".join(text.split()).replace(sentence, "")
