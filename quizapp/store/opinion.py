"""What people say of automatic scores, and what a later rubric or scorer gives: rows beside the attempts, only ever added.

Here: rows in and out. Not here: which of them holds (``quizapp.practice.standing``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from quizapp.store.database import told, transaction
from quizapp.store.schema import new_uid
from quizapp.store.store import Store

if TYPE_CHECKING:
    from quizapp.model.score import Score

Ruled = Literal["met", "unmet"]


@dataclass(frozen=True, slots=True)
class Dispute:
    """A learner's *I did say that*."""

    at: datetime
    attempt: int
    criterion: str
    span: tuple[int, int]
    """Half open, in the answer: where it is said."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """An instructor's word on one criterion of one answer; the last one holds, whatever a scorer says before or after."""

    at: datetime
    attempt: int
    criterion: str
    met: Ruled
    note: str
    author: str


@dataclass(frozen=True, slots=True)
class Regrade:
    """What a later rubric or scorer gave an answer."""

    attempt: int
    item_hash: str
    scorer: str
    score_json: str
    """Empty: no other score than the answer had before."""


def dispute(store: Store, attempt: int, criterion: str, span: tuple[int, int]) -> None:
    """Keeps that the learner finds a criterion met by a span of the answer.

    Raises:
        ValueError: an empty span.
        quizapp.store.database.StoreError: the learner's file can't be written.
    """
    if not 0 <= span[0] < span[1]:
        raise ValueError(f"a span of {span}; it has to hold at least one character")
    _insert(store, "dispute", ("attempt", "criterion", "first", "last"), [(attempt, criterion, *span)])


def rule(store: Store, attempt: int, criterion: str, met: Ruled, note: str, author: str) -> None:
    """Keeps an instructor's ruling beside the automatic score.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be written.
    """
    _insert(store, "ruling", ("attempt", "criterion", "met", "note", "author"), [(attempt, criterion, met, note, author)])


def regrade(store: Store, found: Iterable[tuple[int, str, str, Score | None]]) -> None:
    """Keeps new scores, given as (attempt, item hash, scorer, score, or ``None`` for the one before); all of them or none.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be written.
    """
    rows = [(*given, "" if score is None else score.model_dump_json()) for *given, score in found]
    _insert(store, "regrade", ("attempt", "item_hash", "scorer", "score"), rows)


def disputes(store: Store) -> list[Dispute]:
    """All disputes, oldest first."""
    rows = _select(store, "SELECT at, attempt, criterion, first, last FROM dispute ORDER BY at, uid")
    return [Dispute(datetime.fromisoformat(at), attempt, criterion, (first, last)) for at, attempt, criterion, first, last in rows]


def rulings(store: Store) -> dict[tuple[int, str], Ruling]:
    """(attempt, criterion) -> the last ruling on it; of two at one moment, the same one on every machine."""
    rows = _select(store, "SELECT at, attempt, criterion, met, note, author FROM ruling ORDER BY at, uid")
    return {(row[1], row[2]): Ruling(datetime.fromisoformat(row[0]), *row[1:]) for row in rows}


def regrades(store: Store) -> dict[int, Regrade]:
    """Attempt -> its last regrade, with the last score that one gave it; of two at one moment, as :func:`rulings`."""
    found: dict[int, Regrade] = {}
    for attempt, item_hash, scorer, score in _select(
        store, "SELECT attempt, item_hash, scorer, score FROM regrade ORDER BY at, uid"
    ):
        before = found.get(attempt)
        found[attempt] = Regrade(attempt, item_hash, scorer, score or (before.score_json if before else ""))
    return found


def _select(store: Store, query: str) -> list[tuple[Any, ...]]:
    with told(store.path):
        return [tuple(row) for row in store.connection.execute(query).fetchall()]


def _insert(store: Store, table: str, columns: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    at = store.clock().astimezone(UTC).isoformat(timespec="microseconds")
    names, holes = ", ".join(("uid", "at", *columns)), ", ".join("?" * (len(columns) + 2))
    # Rows of one moment are read in the order of their names.
    named = zip(sorted(new_uid() for _ in rows), rows, strict=True)
    with told(store.path), transaction(store.connection):
        store.connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({holes})", [(uid, at, *row) for uid, row in named])
