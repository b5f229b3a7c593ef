"""The store: attempts, drafts and sessions of one learner. One object, one thread, one connection."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from quizapp.store.database import connect, told, transaction
from quizapp.store.record import Answer, Attempt, DraftKey, Session, SessionKind

_ATTEMPT = (
    "id, at, session, bank, item, part, seed, answer, outcome, points, max_points, confidence, item_hash, scorer, score, verdict"
)
_SESSION = "id, kind, bank, item, seed, position, started_at, updated_at, finished_at"


def _now() -> datetime:
    return datetime.now(UTC)


def _attempt(row: sqlite3.Row) -> Attempt:
    id_, at, *rest = tuple(row)
    return Attempt(id_, datetime.fromisoformat(at), *rest)


def _session(row: sqlite3.Row) -> Session:
    try:
        position = json.loads(row["position"])
    except ValueError:
        position = {}
    finished = row["finished_at"]
    return Session(
        id=row["id"],
        kind=row["kind"],
        bank=row["bank"],
        item=row["item"],
        seed=row["seed"],
        position=position if isinstance(position, dict) else {},
        started_at=datetime.fromisoformat(row["started_at"]),
        updated_at=datetime.fromisoformat(row["updated_at"]),
        finished_at=None if finished is None else datetime.fromisoformat(finished),
    )


class Store:
    """Reads and writes the learner's file at ``path``. Every method may raise :class:`~quizapp.store.database.StoreError`.

    ``clock`` gives the present moment, aware of its time zone. What a method has written is on disk when it returns.
    """

    def __init__(self, path: Path, clock: Callable[[], datetime] = _now) -> None:
        self.path = path
        self.clock = clock
        self._connection = connect(path)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; calling it twice is harmless."""
        self._connection.close()

    def _stamp(self) -> str:
        return self.clock().astimezone(UTC).isoformat(timespec="milliseconds")

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[sqlite3.Row]:
        with told(self.path):
            return self._connection.execute(query, values).fetchall()

    def add(self, answer: Answer, draft: DraftKey | None = None) -> Attempt:
        """Stores an answer and, in the same transaction, drops the draft that it was made from."""
        at = self._stamp()
        values = (
            at,
            answer.session,
            answer.bank,
            answer.item,
            answer.part,
            answer.seed,
            answer.text,
            answer.outcome,
            answer.points,
            answer.max_points,
            answer.confidence,
            answer.item_hash,
            answer.scorer,
            None if answer.score is None else answer.score.model_dump_json(),
            None if answer.verdict is None else answer.verdict.model_dump_json(),
        )
        with told(self.path), transaction(self._connection):
            cursor = self._connection.execute(
                f"INSERT INTO attempt ({_ATTEMPT.removeprefix('id, ')}) VALUES ({', '.join('?' * len(values))})", values
            )
            if draft is not None:
                self._drop(draft)
            if answer.session is not None:
                self._connection.execute("UPDATE session SET updated_at = ? WHERE id = ?", (at, answer.session))
        return Attempt(int(cursor.lastrowid or 0), datetime.fromisoformat(at), *values[1:])

    def attempts(
        self, *, bank: str | None = None, item: str | None = None, part: str | None = None, session: int | None = None
    ) -> list[Attempt]:
        """Stored answers, oldest first; each given argument narrows them."""
        wanted = {"bank": bank, "item": item, "part": part, "session": session}
        given = {name: value for name, value in wanted.items() if value is not None}
        where = " WHERE " + " AND ".join(f"{name} = ?" for name in given) if given else ""
        return [_attempt(row) for row in self._rows(f"SELECT {_ATTEMPT} FROM attempt{where} ORDER BY id", tuple(given.values()))]

    def save_draft(self, key: DraftKey, text: str) -> None:
        """Keeps what was typed so far, in place of what was kept before."""
        with told(self.path), transaction(self._connection):
            self._connection.execute(
                "INSERT INTO draft (kind, item, part, seed, text, at) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (kind, item, part, seed) DO UPDATE SET text = excluded.text, at = excluded.at",
                (*_key(key), text, self._stamp()),
            )

    def draft(self, key: DraftKey) -> str | None:
        """What was typed so far; ``None`` where nothing was."""
        rows = self._rows("SELECT text FROM draft WHERE kind = ? AND item = ? AND part = ? AND seed = ?", _key(key))
        return str(rows[0]["text"]) if rows else None

    def _drop(self, key: DraftKey) -> None:
        self._connection.execute("DELETE FROM draft WHERE kind = ? AND item = ? AND part = ? AND seed = ?", _key(key))

    def start(
        self, kind: SessionKind, bank: str, position: Mapping[str, object], *, item: str | None = None, seed: int | None = None
    ) -> Session:
        """Opens a session."""
        at = self._stamp()
        with told(self.path), transaction(self._connection):
            cursor = self._connection.execute(
                "INSERT INTO session (kind, bank, item, seed, position, started_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (kind, bank, item, seed, json.dumps(dict(position)), at, at),
            )
        return self.session(int(cursor.lastrowid or 0))

    def session(self, id_: int) -> Session:
        """The session of that id. Raises ``KeyError`` where there is none."""
        rows = self._rows(f"SELECT {_SESSION} FROM session WHERE id = ?", (id_,))
        if not rows:
            raise KeyError(id_)
        return _session(rows[0])

    def unfinished(self, kind: SessionKind | None = None) -> list[Session]:
        """Sessions that can be resumed, the one used last first."""
        where, values = ("", ()) if kind is None else (" AND kind = ?", (kind,))
        query = f"SELECT {_SESSION} FROM session WHERE finished_at IS NULL{where} ORDER BY updated_at DESC, id DESC"
        return [_session(row) for row in self._rows(query, values)]

    def move(self, id_: int, position: Mapping[str, object]) -> None:
        """Notes where the learner stands."""
        with told(self.path), transaction(self._connection):
            self._connection.execute(
                "UPDATE session SET position = ?, updated_at = ? WHERE id = ?", (json.dumps(dict(position)), self._stamp(), id_)
            )

    def finish(self, id_: int) -> None:
        """Ends a session: it is kept, and not resumed."""
        at = self._stamp()
        with told(self.path), transaction(self._connection):
            self._connection.execute("UPDATE session SET finished_at = ?, updated_at = ? WHERE id = ?", (at, at, id_))


def _key(key: DraftKey) -> tuple[str, str, str, str]:
    return key.kind, key.item, key.part, "" if key.seed is None else str(key.seed)
