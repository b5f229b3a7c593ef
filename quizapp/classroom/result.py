"""What one student got for one part: the record that the journal keeps and from which every file is made. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, Self

from pydantic import model_validator

from quizapp.model.base import Model
from quizapp.model.score import Score
from quizapp.model.verdict import Verdict

Status = Literal["graded", "review", "missing", "unreadable"]


class Problem(Model):
    """Why there is nothing to grade."""

    status: Literal["missing", "unreadable"]
    reason: str


class Ruling(Model):
    """A person's word on one criterion of one answer. It holds whatever a scorer says, now or later."""

    met: bool
    note: str = ""
    """Why; the student reads it."""
    author: str = "a person"

    @property
    def word(self) -> str:
        return "met" if self.met else "unmet"

    @property
    def why(self) -> str:
        return f" ({self.note})" if self.note else ""


class Result(Model):
    """One student, one part. Exactly one of ``verdict``, ``score`` and ``problem`` is there."""

    student: str
    item: str
    part: str
    digest: str
    """Of what was handed in; another one means that it has to be graded anew."""
    most: int
    """Points that the part gives at most."""
    at: datetime
    """When it was graded."""
    file: str | None = None
    answer: str | None = None
    """What was written, for parts that aren't code."""
    chosen: tuple[str, ...] = ()
    """The ids of the options that it named, for a choice."""
    seed: int | None = None
    """Of the scenarios, for code; of the variant, for other parts, where ``None`` stands for the bank's own figures."""
    verdict: Verdict | None = None
    score: Score | None = None
    problem: Problem | None = None
    outer_sandbox: bool = False
    """``--outer-sandbox`` was given: the grader vouched for what is around."""
    kept: bool = False
    """It ran in a container that other submissions had been in."""
    note: str | None = None
    """What happened besides: graded anew, and why."""
    rulings: Mapping[str, Ruling] = {}
    """By criterion; the score has them in it."""
    scored: Score | None = None
    """What the scorer gave, where rulings are over it."""

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        if sum(part is not None for part in (self.verdict, self.score, self.problem)) != 1:
            raise ValueError("a result has a verdict, or a score, or a problem")
        return self

    @property
    def key(self) -> tuple[str, str]:
        return self.student, self.part

    @property
    def status(self) -> Status:
        if self.problem is not None:
            return self.problem.status
        return "review" if self.score is not None and self.score.outcome == "unsure" else "graded"

    @property
    def outcome(self) -> str:
        """The verdict's or the score's; empty where nothing was graded."""
        graded = self.verdict or self.score
        return graded.outcome if graded is not None else ""

    @property
    def points(self) -> int:
        graded = self.verdict or self.score
        return graded.points if graded is not None else 0

    @property
    def misconceptions(self) -> tuple[str, ...]:
        if self.verdict is not None:
            return tuple(found.id for found in self.verdict.diagnosis)
        return self.score.misconceptions if self.score is not None else ()

    @property
    def reason(self) -> str:
        """Why it got these points, on one line."""
        if self.verdict is not None:
            text = self.verdict.summary
        elif self.score is not None:
            text = " ".join(criterion.reason for criterion in self.score.criteria)
        else:
            text = self.problem.reason if self.problem is not None else ""
        return " ".join(text.split())
