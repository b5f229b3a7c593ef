"""What a person's word on single criteria makes of a score: its points, the words that decided them, its misconceptions.

Here: the rule, alike for a learner's own answers and a class's. Which word is the last is for those who keep them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from quizapp.model.rubric import Rubric
from quizapp.model.score import CriterionScore, Score, score_of


class Word(NamedTuple):
    """A person's word on one criterion."""

    met: Literal["met", "unmet"]
    reason: str
    """One sentence for the learner, in place of the scorer's."""


def overruled(score: Score, words: Mapping[str, Word], rubric: Rubric | None) -> Score:
    """The scorer's score with a person's words on some criteria (by id): full points or none.

    A misconception goes where a person finds a criterion met that it cancels, unless another that it cancels is still missed:
    whoever said the one can't have meant the other. The question to ask next goes too, as it may ask about what is settled.

    Args:
        rubric: ``None`` where the answer isn't scored by one: then a misconception stands against all that is asked.
    """
    if not any(criterion.id in words for criterion in score.criteria):
        return score
    criteria = tuple(_after(one, words[one.id]) if one.id in words else one for one in score.criteria)
    met = {one.id for one in criteria if one.met == "met"}
    told = {one.id for one in criteria if one.id in words} & met
    everything = {one.id for one in criteria}
    cancels = {} if rubric is None else {one.id: everything.intersection(one.cancels) for one in rubric.misconceptions}

    def stands(misconception: str) -> bool:
        against = everything if rubric is None else cancels.get(misconception, set())
        return against.isdisjoint(told) or not against <= met

    return score_of(criteria, tuple(filter(stands, score.misconceptions)))


def _after(criterion: CriterionScore, word: Word) -> CriterionScore:
    agrees = criterion.met == word.met or (criterion.met, word.met) == ("unsure", "met")
    return criterion.model_copy(
        update={
            "points": criterion.max_points if word.met == "met" else 0,
            "met": word.met,
            "reason": word.reason,
            # Words in which the scorer saw the contrary didn't decide this.
            "evidence": criterion.evidence if agrees else (),
        }
    )
