"""Which follow-up an answer calls for, and what it is scored by. Pure functions over rubrics and scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from quizapp.model.question import FollowUp
from quizapp.model.rubric import Criterion, Rubric, ShownMisconception
from quizapp.model.score import Score

Cause = Literal["misconception", "unsure", "criterion", "always"]
Answered = Sequence[tuple[str | None, Score]]
"""A thread so far: the follow-up's id, ``None`` for the question that began it, and what the answer earned."""


@dataclass(frozen=True, slots=True)
class FollowUpQuestion:
    """What is asked next in a thread, and what called for it. Slots are not filled in."""

    id: str
    """The bank's id of the follow-up; or ``misconception-<id>``, ``criterion-<id>`` or ``unsure-<id>`` for a question that the
    rubric itself gives rise to."""
    stem: str | None
    """``None``: the bank has no words for it; the interviewer asks what was meant."""
    rubric: Rubric
    explanation: str | None
    cause: Cause
    about: str | None
    """The misconception's or criterion's id."""


def _bound(follow_up: FollowUp, cause: Cause, about: str | None) -> FollowUpQuestion:
    return FollowUpQuestion(follow_up.id, follow_up.stem, follow_up.rubric, follow_up.explanation, cause, about)


def _of_misconception(rubric: Rubric, shown: ShownMisconception) -> FollowUpQuestion:
    cancelled = tuple(criterion for criterion in rubric.criteria if criterion.id in shown.cancels)
    asked = Rubric(criteria=cancelled or rubric.criteria, misconceptions=(shown,))
    return FollowUpQuestion(f"misconception-{shown.id}", shown.follow_up, asked, None, "misconception", shown.id)


def _of_criterion(rubric: Rubric, criterion: Criterion, cause: Cause, stem: str | None) -> FollowUpQuestion:
    asked = Rubric(criteria=(criterion,), misconceptions=rubric.misconceptions)
    name = f"unsure-{criterion.id}" if stem is None else f"criterion-{criterion.id}"
    return FollowUpQuestion(name, stem, asked, None, cause, criterion.id)


def _met(rubric: Rubric, answered: Answered) -> dict[str, str]:
    """Criterion -> the best that any answer of the thread made of it."""
    order = {"unmet": 0, "unsure": 1, "met": 2}
    best = {criterion.id: "unmet" for criterion in rubric.criteria}
    for follow, score in answered:
        if follow is None or follow.partition("-")[0] in ("misconception", "criterion", "unsure"):
            for one in score.criteria:
                if one.id in best and order[one.met] > order[best[one.id]]:
                    best[one.id] = one.met
    return best


def choose_follow_up(rubric: Rubric, bound: Sequence[FollowUp], answered: Answered) -> FollowUpQuestion | None:
    """What a thread calls for next; ``None`` where there is nothing left to ask.

    A shown misconception comes first, in the rubric's order; then criteria that may be met, then missed ones, most points first;
    then a follow-up bound to nothing. A follow-up of the probe goes before the rubric's own question on the same matter, and no
    matter is asked about twice.
    """
    asked = {follow for follow, _ in answered if follow is not None}
    shown = {id_ for _, score in answered for id_ in score.misconceptions}
    free = [follow_up for follow_up in bound if follow_up.id not in asked]
    done = {about for follow_up in bound if follow_up.id in asked for about in (*follow_up.missed, *follow_up.shown)}
    done |= {follow.partition("-")[2] for follow in asked if follow.startswith(("misconception-", "criterion-", "unsure-"))}
    for misconception in rubric.misconceptions:
        if misconception.id not in shown or misconception.id in done:
            continue
        for follow_up in free:
            if misconception.id in follow_up.shown:
                return _bound(follow_up, "misconception", misconception.id)
        if misconception.follow_up is not None:
            return _of_misconception(rubric, misconception)
    met = _met(rubric, answered)
    left = sorted((one for one in rubric.criteria if one.id not in done), key=lambda one: -one.points)
    states: tuple[tuple[str, Cause], ...] = (("unsure", "unsure"), ("unmet", "criterion"))
    for state, cause in states:
        for criterion in left:
            if met[criterion.id] == state and (found := _open(rubric, free, criterion, cause)) is not None:
                return found
    for follow_up in free:
        if not follow_up.missed and not follow_up.shown:
            return _bound(follow_up, "always", None)
    return None


def _open(rubric: Rubric, free: Sequence[FollowUp], criterion: Criterion, cause: Cause) -> FollowUpQuestion | None:
    for follow_up in free:
        if criterion.id in follow_up.missed:
            return _bound(follow_up, cause, criterion.id)
    if criterion.follow_up is not None or cause == "unsure":
        return _of_criterion(rubric, criterion, cause, criterion.follow_up)
    return None


def find_follow_up(rubric: Rubric, bound: Sequence[FollowUp], id_: str) -> FollowUpQuestion:
    """The follow-up of that id, as :func:`choose_follow_up` gave it, but for its cause where the bank's own was asked.

    Raises:
        KeyError: the bank no longer has it.
    """
    for follow_up in bound:
        if follow_up.id == id_:
            cause: Cause = "misconception" if follow_up.shown else "criterion" if follow_up.missed else "always"
            return _bound(follow_up, cause, (*follow_up.shown, *follow_up.missed, None)[0])
    kind, _, about = id_.partition("-")
    if kind == "misconception":
        for shown in rubric.misconceptions:
            if shown.id == about and shown.follow_up is not None:
                return _of_misconception(rubric, shown)
    for criterion in rubric.criteria if kind in ("criterion", "unsure") else ():
        if criterion.id == about and (kind == "unsure" or criterion.follow_up is not None):
            unsure = kind == "unsure"
            return _of_criterion(rubric, criterion, "unsure" if unsure else "criterion", None if unsure else criterion.follow_up)
    raise KeyError(id_)
