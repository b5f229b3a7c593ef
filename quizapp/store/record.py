"""Rows as Python sees them. Frozen data; reading and writing them is ``quizapp.store.store``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from quizapp.model.base import Model
    from quizapp.model.score import Score
    from quizapp.model.verdict import Verdict

M = TypeVar("M", bound="Model")
SessionKind = Literal["study", "interview", "review"]
"""``study``: a bank from front to back; ``review``: a queue over all banks; ``interview``: a mock interview."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, about to be stored. Exactly one of ``score`` and ``verdict`` is given."""

    session: int | None
    """The session's id; ``None`` for an answer given outside of one."""
    bank: str
    item: str
    part: str
    """The part's id; a follow-up of a probe is ``<part>/<follow-up>``."""
    seed: int | None
    """The variant's seed; ``None`` for the bank's own values. For code: the seed of the scenarios."""
    text: str
    item_hash: str
    """Content hash of the item as it was when it was answered."""
    scorer: str
    """Which scorer, of which version, gave the points."""
    score: Score | None = None
    verdict: Verdict | None = None
    confidence: int | None = None
    """1 (a guess) to 5 (certain), as the learner rated it before seeing the result."""
    seconds: float | None = None
    """From the question's standing on the screen to its answer, in this sitting; ``None`` where nobody looked at a clock."""

    def __post_init__(self) -> None:
        if (self.score is None) == (self.verdict is None):
            raise ValueError("an answer has either a score or a verdict")
        if self.confidence is not None and not 1 <= self.confidence <= 5:
            raise ValueError(f"a confidence of {self.confidence}; it goes from 1 to 5")

    @property
    def points(self) -> int:
        return self.score.points if self.score is not None else self.verdict.points  # type: ignore[union-attr]

    @property
    def max_points(self) -> int:
        return self.score.max_points if self.score is not None else self.verdict.max_points  # type: ignore[union-attr]

    @property
    def outcome(self) -> str:
        return self.score.outcome if self.score is not None else self.verdict.outcome  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Mark:
    """One stored answer without its words: all that counting needs."""

    id: int
    at: datetime
    """When it was stored, in UTC."""
    session: int | None
    bank: str
    item: str
    part: str
    seed: int | None
    outcome: str
    points: int
    max_points: int
    confidence: int | None
    seconds: float | None
    withdrawn: bool
    """The learner took it back as a slip: it is kept, and counts for nothing."""

    @property
    def share(self) -> float:
        """What it earned of its points, 0 to 1."""
        return self.points / self.max_points if self.max_points else 0.0


@dataclass(frozen=True, slots=True)
class Attempt(Mark):
    """One stored answer. ``score_json`` and ``verdict_json`` stay text until somebody wants them."""

    text: str
    item_hash: str
    scorer: str
    score_json: str | None
    verdict_json: str | None

    def score(self) -> Score | None:
        """The stored score; ``None`` for code, and for what another version wrote and this one can't read."""
        from quizapp.model.score import Score  # pydantic takes longer to load than the first screen to draw

        return None if self.score_json is None else _read(Score, self.score_json)

    def verdict(self) -> Verdict | None:
        """The stored verdict of code; ``None`` for other answers, and for what this version can't read."""
        from quizapp.model.verdict import Verdict

        return None if self.verdict_json is None else _read(Verdict, self.verdict_json)


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting, from its start until it is finished; it survives the process."""

    id: int
    """Its number in this file."""
    uid: str
    """Its name, which holds on every machine."""
    kind: SessionKind
    bank: str
    item: str | None
    """The only item of the session; ``None``: the whole bank."""
    seed: int | None
    position: Mapping[str, object]
    """Where the learner stands, as the session's own code wrote it."""
    started_at: datetime
    updated_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class DraftKey:
    """What a draft is the draft of."""

    kind: SessionKind
    item: str
    part: str
    seed: int | None = None


def _read(model: type[M], json: str) -> M | None:
    try:
        return model.model_validate_json(json)
    except ValueError:
        return None
