"""The store: attempts, drafts and sessions of one learner. One object, one thread, one connection."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from quizapp.store.database import connect, told, transaction
from quizapp.store.record import Answer, Attempt, DraftKey, Mark, Session, SessionKind
from quizapp.store.schema import new_uid

_WITHDRAWN = "EXISTS (SELECT 1 FROM withdrawal WHERE attempt = id)"
_MARK = f"id, at, session, bank, item, part, seed, outcome, points, max_points, confidence, seconds, {_WITHDRAWN}"
_ATTEMPT = f"{_MARK}, answer, item_hash, scorer, score, verdict"
_NEW_ATTEMPT = (
    "uid, at, session, bank, item, part, seed, outcome, points, max_points, confidence, seconds,"
    " answer, item_hash, scorer, score, verdict"
)
Position = Mapping[str, object] | Callable[[Session], Mapping[str, object]]
"""Where a learner stands; or what says so, given the session as it is stored, in the same transaction."""
MOST_AHEAD = 3
"""Sets of banks for which it is kept what comes next."""
_SESSION = "id, uid, kind, bank, item, seed, position, started_at, updated_at, finished_at"


def _now() -> datetime:
    return datetime.now(UTC)


K = TypeVar("K", bound=Mark)


def _stored(kind: type[K], row: sqlite3.Row) -> K:
    values = list(row)
    values[1], values[12] = datetime.fromisoformat(values[1]), bool(values[12])
    return kind(*values)


def _session(row: sqlite3.Row) -> Session:
    try:
        position = json.loads(row["position"])
    except ValueError:
        position = {}
    finished = row["finished_at"]
    return Session(
        id=row["id"],
        uid=row["uid"],
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

    @property
    def connection(self) -> sqlite3.Connection:
        """The open file, for ``quizapp.store`` alone."""
        return self._connection

    def _stamp(self) -> str:
        return self.clock().astimezone(UTC).isoformat(timespec="microseconds")

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[sqlite3.Row]:
        with told(self.path):
            return self._connection.execute(query, values).fetchall()

    def add(self, answer: Answer, draft: DraftKey | None = None, position: Position | None = None) -> Attempt:
        """Stores an answer and, in the same transaction, drops the draft that it was made from and notes where its session
        stands then. Nothing is stored where ``position`` raises."""
        at = self._stamp()
        values = (
            new_uid(),
            at,
            answer.session,
            answer.bank,
            answer.item,
            answer.part,
            answer.seed,
            answer.outcome,
            answer.points,
            answer.max_points,
            answer.confidence,
            answer.seconds,
            answer.text,
            answer.item_hash,
            answer.scorer,
            None if answer.score is None else answer.score.model_dump_json(),
            None if answer.verdict is None else answer.verdict.model_dump_json(),
        )
        with told(self.path), transaction(self._connection):
            stands = None if position is None or answer.session is None else self._stands(answer.session, position)
            cursor = self._connection.execute(
                f"INSERT INTO attempt ({_NEW_ATTEMPT}) VALUES ({', '.join('?' * len(values))})", values
            )
            if draft is not None:
                self._drop(draft)
            if answer.session is not None:
                self._connection.execute("UPDATE session SET updated_at = ? WHERE id = ?", (at, answer.session))
                if stands is not None:
                    self._connection.execute("UPDATE session SET position = ? WHERE id = ?", (stands, answer.session))
        head, tail = values[2:12], values[12:]
        return Attempt(int(cursor.lastrowid or 0), datetime.fromisoformat(at), *head, False, *tail)

    def attempts(
        self, *, bank: str | None = None, item: str | None = None, part: str | None = None, session: int | None = None
    ) -> list[Attempt]:
        """Stored answers, oldest first, slips too; each given argument narrows them."""
        wanted = {"bank": bank, "item": item, "part": part, "session": session}
        given = {name: value for name, value in wanted.items() if value is not None}
        where = " WHERE " + " AND ".join(f"{name} = ?" for name in given) if given else ""
        query = f"SELECT {_ATTEMPT} FROM attempt{where} ORDER BY at, id"
        return [_stored(Attempt, row) for row in self._rows(query, tuple(given.values()))]

    def marks(self, *, session: int | None = None) -> list[Mark]:
        """All stored answers without their words, oldest first, slips too; ``session`` narrows them to a sitting."""
        where, values = ("", ()) if session is None else (" WHERE session = ?", (session,))
        return [_stored(Mark, row) for row in self._rows(f"SELECT {_MARK} FROM attempt{where} ORDER BY at, id", values)]

    def last_attempt(self) -> int:
        """The id of the answer stored last; 0 where there is none."""
        return int(self._rows("SELECT coalesce(max(id), 0) FROM attempt")[0][0])

    def name(self, attempt: int) -> str:
        """An answer's name, which holds on every machine; empty where there is no answer of that number."""
        rows = self._rows("SELECT uid FROM attempt WHERE id = ?", (attempt,))
        return str(rows[0]["uid"]) if rows else ""

    def number(self, name: str) -> int:
        """The number, in this file, of the answer of that name; 0 where there is none."""
        rows = self._rows("SELECT id FROM attempt WHERE uid = ?", (name,))
        return int(rows[0]["id"]) if rows else 0

    def named(self) -> dict[int, tuple[str, ...]]:
        """Attempt's id -> the misconceptions that its score or verdict named; attempts without any are left out."""
        found: dict[int, tuple[str, ...]] = {}
        query = """SELECT id, CASE WHEN json_valid(score) THEN json_extract(score, '$.misconceptions') END AS named,
            CASE WHEN json_valid(verdict) THEN json_extract(verdict, '$.diagnosis') END AS causes
            FROM attempt WHERE outcome NOT IN ('right', 'pass')"""
        for row in self._rows(query):
            named, causes = json.loads(row["named"] or "[]"), json.loads(row["causes"] or "[]")
            ids = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
            if isinstance(causes, list):
                ids += [cause["id"] for cause in causes if isinstance(cause, dict) and isinstance(cause.get("id"), str)]
            if ids:
                found[int(row["id"])] = tuple(dict.fromkeys(ids))
        return found

    def withdraw(self, attempt: int) -> None:
        """Notes that an answer was a slip: it stays in the log and counts for nothing. Twice is as good as once."""
        with told(self.path), transaction(self._connection):
            self._connection.execute("INSERT OR IGNORE INTO withdrawal (attempt, at) VALUES (?, ?)", (attempt, self._stamp()))

    def flag(self, item: str, raised: bool) -> None:
        """Raises or lowers an item's flag."""
        with told(self.path), transaction(self._connection):
            values = (new_uid(), self._stamp(), item, int(raised))
            self._connection.execute("INSERT INTO flag (uid, at, item, raised) VALUES (?, ?, ?, ?)", values)

    def flagged(self) -> frozenset[str]:
        """Items whose flag is raised."""
        rows = self._rows("SELECT item, raised FROM flag ORDER BY at, id")
        return frozenset(item for item, raised in {row["item"]: row["raised"] for row in rows}.items() if raised)

    def recommend(self, items: Mapping[str, str]) -> None:
        """Asks for items to come soon, each with the reason why; it holds until the item is answered."""
        with told(self.path), transaction(self._connection):
            for item, reason in items.items():
                values = (new_uid(), self._stamp(), item, reason)
                self._connection.execute("INSERT INTO recommendation (uid, at, item, reason) VALUES (?, ?, ?, ?)", values)

    def recommended(self) -> dict[str, str]:
        """Item -> why it was last asked for, of those not answered since; what was asked for first comes first."""
        query = """SELECT item, reason FROM recommendation AS r
            WHERE NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.item = r.item AND attempt.at > r.at) ORDER BY at, id"""
        return {row["item"]: row["reason"] for row in self._rows(query)}

    def set(self, name: str, value: str) -> None:
        """Keeps a setting of the app."""
        with told(self.path), transaction(self._connection):
            self._connection.execute(
                "INSERT INTO setting (name, value, at) VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at",
                (name, value, self._stamp()),
            )

    def setting(self, name: str) -> str | None:
        """A setting of the app; ``None`` where it was never set."""
        rows = self._rows("SELECT value FROM setting WHERE name = ?", (name,))
        return str(rows[0]["value"]) if rows else None

    def foresee(self, name: str, what: bytes) -> None:
        """Keeps what comes next, in place of what was kept under that name; of all names, the latest few stay."""
        with told(self.path), transaction(self._connection):
            self._connection.execute("REPLACE INTO ahead (name, told) VALUES (?, ?)", (name, what))
            self._connection.execute(
                "DELETE FROM ahead WHERE name NOT IN (SELECT name FROM ahead ORDER BY rowid DESC LIMIT ?)", (MOST_AHEAD,)
            )

    def foreseen(self, name: str) -> bytes | None:
        """What was kept of what comes next."""
        rows = self._rows("SELECT told FROM ahead WHERE name = ?", (name,))
        return bytes(rows[0]["told"]) if rows else None

    def foreseen_elsewhere(self, name: str) -> list[bytes]:
        """What was kept under other names, the latest first."""
        rows = self._rows("SELECT told FROM ahead WHERE name != ? ORDER BY rowid DESC", (name,))
        return [bytes(row["told"]) for row in rows]

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
                "INSERT INTO session (uid, kind, bank, item, seed, position, started_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (new_uid(), kind, bank, item, seed, json.dumps(dict(position)), at, at),
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

    def move(self, id_: int, position: Position) -> None:
        """Notes where the learner stands. Nothing is stored where ``position`` raises."""
        with told(self.path), transaction(self._connection):
            values = self._stands(id_, position), self._stamp(), id_
            self._connection.execute("UPDATE session SET position = ?, updated_at = ? WHERE id = ?", values)

    def _stands(self, id_: int, position: Position) -> str:
        return json.dumps(dict(position(self.session(id_)) if callable(position) else position))

    def finish(self, id_: int) -> None:
        """Ends a session: it is kept, and not resumed."""
        at = self._stamp()
        with told(self.path), transaction(self._connection):
            self._connection.execute("UPDATE session SET finished_at = ?, updated_at = ? WHERE id = ?", (at, at, id_))


def _key(key: DraftKey) -> tuple[str, str, str, str]:
    return key.kind, key.item, key.part, "" if key.seed is None else str(key.seed)
