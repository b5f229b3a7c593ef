"""A score: points with the reason for each of them."""

from typing import Literal

from quizapp.model.base import Model

Met = Literal["met", "unsure", "unmet"]
ScoreOutcome = Literal["right", "partial", "wrong", "unsure"]


class CriterionScore(Model):
    """What one criterion earned, and why. A choice, numeric or symbolic part has one criterion, named after the part."""

    id: str
    points: int
    max_points: int
    met: Met
    evidence: tuple[tuple[int, int], ...] = ()
    """Half-open character spans of the answer that earned or lost the points."""
    reason: str
    """One sentence for the learner."""


class Score(Model):
    """What one answer to one part earned."""

    points: int
    max_points: int
    outcome: ScoreOutcome
    criteria: tuple[CriterionScore, ...]
    misconceptions: tuple[str, ...] = ()
    """Ids of the registry."""
    follow_up: str | None = None
    """The question to ask next, where something is missing, unsure or contradicted."""

    @property
    def most(self) -> int:
        """What it may come to: its points, and those of the criteria that are unsure."""
        return self.points + sum(criterion.max_points for criterion in self.criteria if criterion.met == "unsure")


def score_of(criteria: tuple[CriterionScore, ...], misconceptions: tuple[str, ...] = (), follow_up: str | None = None) -> Score:
    """Adds up criteria: ``right`` for all points, ``unsure`` where a criterion is, ``wrong`` for none, else ``partial``."""
    points, max_points = sum(c.points for c in criteria), sum(c.max_points for c in criteria)
    outcome: ScoreOutcome
    if any(c.met == "unsure" for c in criteria):
        outcome = "unsure"
    elif points == max_points:
        outcome = "right"
    else:
        outcome = "partial" if points else "wrong"
    return Score(
        points=points, max_points=max_points, outcome=outcome, criteria=criteria, misconceptions=misconceptions, follow_up=follow_up
    )
