"""A question as it is put, an answer as it was given: what a conversation is made of. Pure data; what comes next is elsewhere."""

from dataclasses import dataclass

from quizapp.model.rubric import Rubric
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice
from quizapp.model.verdict import Verdict
from quizapp.practice.asked import Asked
from quizapp.practice.interview_follow_up import Cause
from quizapp.practice.interview_plan import Kind

NOT_AN_ITEM = "interview"
"""Stands for an item's id where a question belongs to no item."""
WALK, CONFIRM = "walk", "confirm-"
"""Names of the follow-ups that no rubric has; the misconception comes behind the second."""


@dataclass(frozen=True, slots=True)
class Key:
    """Names a question, so that it can be built again from a stored answer."""

    item: str
    part: str
    seed: int | None = None
    follow: str | None = None

    @property
    def stored_part(self) -> str:
        """As the store names it: ``main``, or ``main/who-divides`` for a follow-up."""
        return self.part if self.follow is None else f"{self.part}/{self.follow}"

    @staticmethod
    def read(item: str, stored_part: str, seed: int | None) -> "Key":
        """The key of a stored answer."""
        part, _, follow = stored_part.partition("/")
        return Key(item, part, seed, follow or None)


OPENING = Key(NOT_AN_ITEM, "opening")
UNSCORED = Score(points=0, max_points=0, outcome="unsure", criteria=())


@dataclass(frozen=True, slots=True)
class Question:
    """One question as it is put."""

    key: Key
    kind: Kind
    said: str
    """What the interviewer says before it."""
    text: str
    """The question, as Markdown."""
    choices: tuple[ShownChoice, ...] = ()
    """What there is to choose from; empty for other questions."""
    asked: Asked | None = None
    """The part behind it; ``None`` for an opening, a walk-through or a follow-up."""
    rubric: Rubric | None = None
    """What a written answer is scored by, its slots filled in; ``None`` where nothing is scored or the answer isn't written."""
    explanation: str | None = None
    shows: frozenset[str] = frozenset()
    topics: tuple[str, ...] = ()
    title: str = ""
    cause: Cause | None = None
    """Of a follow-up: what called for it."""
    about: str | None = None
    """Of a follow-up: the misconception's or criterion's id."""

    @property
    def is_follow_up(self) -> bool:
        return self.key.follow is not None

    @property
    def heard(self) -> bool:
        """True where the answer is in the candidate's own words."""
        return self.kind in ("opening", "walk", "probe", "words", "follow-up")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and what was answered. An empty text: the candidate passed."""

    question: Question
    text: str
    score: Score | None = None
    verdict: Verdict | None = None
    seconds: float | None = None
    attempt: int | None = None
    """The stored answer's id."""

    @property
    def passed(self) -> bool:
        return not self.text.strip()

    @property
    def said(self) -> str:
        """The answer as words: of chosen options, their texts."""
        texts = {choice.id: " ".join(choice.text.split()) for choice in self.question.choices}
        given = [id_.strip() for id_ in self.text.split(",")]
        return "; ".join(texts[id_] for id_ in given) if given and all(id_ in texts for id_ in given) else self.text

    @property
    def named(self) -> tuple[str, ...]:
        """Misconceptions that the answer showed."""
        if self.verdict is not None:
            return tuple(dict.fromkeys(cause.id for cause in self.verdict.diagnosis))
        return () if self.score is None else self.score.misconceptions

    @property
    def points(self) -> int:
        return self.verdict.points if self.verdict is not None else 0 if self.score is None else self.score.points

    @property
    def max_points(self) -> int:
        return self.verdict.max_points if self.verdict is not None else 0 if self.score is None else self.score.max_points

    @property
    def right(self) -> bool:
        return bool(self.max_points) and self.points == self.max_points
