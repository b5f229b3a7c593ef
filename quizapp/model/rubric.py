"""A rubric: what a written answer must say for its points, what must not be said, and what to ask next."""

from typing import Annotated

from pydantic import Field, StringConstraints

from quizapp.model.base import Id, Markdown, Model, Points

Phrase = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Group = Annotated[tuple[Phrase, ...], Field(min_length=1)]


class Criterion(Model):
    """One thing that an answer must say."""

    id: Id
    points: Points
    description: Markdown
    """What is asked for, as the learner reads it when it is missing."""
    accept: tuple[Phrase, ...] = ()
    """Phrasings that meet the criterion."""
    reject: tuple[Phrase, ...] = ()
    """Phrasings that look like it and say the opposite."""
    groups: tuple[Group, ...] = ()
    """Concept groups: any term of each group, all groups, within a sentence or two neighbouring ones."""
    regex: tuple[Phrase, ...] = ()
    """Patterns that meet the criterion by themselves (run with a time limit)."""
    threshold: float | None = Field(default=None, gt=0, lt=1)
    """Set by ``quizapp bank calibrate``; the scorer's own where absent."""
    follow_up: Markdown | None = None
    """The question to ask when the criterion is unsure or unmet."""


class ShownMisconception(Model):
    """A wrong idea that an answer can show, and the criteria that it cancels."""

    id: Id
    """An id of the registry."""
    accept: tuple[Phrase, ...] = Field(min_length=1)
    """Phrasings that show the misconception."""
    refute: tuple[Phrase, ...] = ()
    """Phrasings that name it in order to deny it."""
    cancels: tuple[Id, ...] = ()
    """Criteria that earn nothing while it stands."""
    follow_up: Markdown | None = None


class Rubric(Model):
    """How a written answer is scored."""

    criteria: tuple[Criterion, ...] = Field(min_length=1)
    misconceptions: tuple[ShownMisconception, ...] = ()

    @property
    def points(self) -> int:
        return sum(criterion.points for criterion in self.criteria)
