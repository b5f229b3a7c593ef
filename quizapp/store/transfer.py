"""All of a learner's progress as lines of JSON, and such lines merged into a store.

A merge adds what is missing and changes nothing that is there, save where two versions of one thing meet (a draft, a setting, the
place in a sitting): then the later one holds, and a draft that lost is put aside, not dropped. Merging twice is merging once, and
either way round gives the same. A table that is added to the schema and holds what the learner made is added to :data:`TABLES`.
"""

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from quizapp.store.database import told, transaction
from quizapp.store.store import Store

HEADER = "quizapp-progress"
FORMAT = 1
Kind = Literal["text", "whole", "real", "moment"]


class TransferError(ValueError):
    """Lines that can't be merged; nothing of them was. The message names the line."""


@dataclass(frozen=True, slots=True)
class Column:
    """One value of a row."""

    kind: Kind = "text"
    optional: bool = False
    of: str | None = None
    """The table whose row it names: by number in the file of the learner, by ``uid`` in the lines."""


TEXT, MOMENT, WHOLE = Column(), Column("moment"), Column("whole")
MAYBE_TEXT, MAYBE_WHOLE = Column(optional=True), Column("whole", optional=True)
SAME_DRAFT = "excluded.at > draft.at OR (excluded.at = draft.at AND excluded.text > draft.text)"


@dataclass(frozen=True, slots=True)
class Table:
    """How a table travels."""

    name: str
    key: tuple[str, ...]
    """The columns that tell one row from another on every machine."""
    columns: Mapping[str, Column]
    on_conflict: str = "NOTHING"
    """What SQL does with a row that is there already."""
    order: tuple[str, ...] = field(default=("at",))


TABLES: tuple[Table, ...] = (
    Table(
        "session",
        ("uid",),
        {
            "uid": TEXT,
            "kind": TEXT,
            "bank": TEXT,
            "item": MAYBE_TEXT,
            "seed": MAYBE_WHOLE,
            "position": TEXT,
            "started_at": MOMENT,
            "updated_at": MOMENT,
            "finished_at": Column("moment", optional=True),
        },
        """UPDATE SET
            position = CASE WHEN (excluded.updated_at, excluded.position) > (updated_at, position)
                THEN excluded.position ELSE position END,
            updated_at = max(updated_at, excluded.updated_at),
            finished_at = coalesce(min(finished_at, excluded.finished_at), finished_at, excluded.finished_at)""",
        ("started_at",),
    ),
    Table(
        "attempt",
        ("uid",),
        {
            "uid": TEXT,
            "at": MOMENT,
            "session": Column(optional=True, of="session"),
            "bank": TEXT,
            "item": TEXT,
            "part": TEXT,
            "seed": MAYBE_WHOLE,
            "answer": TEXT,
            "outcome": TEXT,
            "points": WHOLE,
            "max_points": WHOLE,
            "confidence": MAYBE_WHOLE,
            "seconds": Column("real", optional=True),
            "item_hash": TEXT,
            "scorer": TEXT,
            "score": MAYBE_TEXT,
            "verdict": MAYBE_TEXT,
        },
    ),
    Table("withdrawal", ("attempt",), {"attempt": Column(of="attempt"), "at": MOMENT}, "UPDATE SET at = min(at, excluded.at)"),
    Table(
        "dispute",
        ("uid",),
        {"uid": TEXT, "at": MOMENT, "attempt": Column(of="attempt"), "criterion": TEXT, "first": WHOLE, "last": WHOLE},
    ),
    Table(
        "ruling",
        ("uid",),
        {
            "uid": TEXT,
            "at": MOMENT,
            "attempt": Column(of="attempt"),
            "criterion": TEXT,
            "met": TEXT,
            "note": TEXT,
            "author": TEXT,
        },
    ),
    Table(
        "regrade",
        ("uid",),
        {"uid": TEXT, "at": MOMENT, "attempt": Column(of="attempt"), "item_hash": TEXT, "scorer": TEXT, "score": TEXT},
    ),
    Table("flag", ("uid",), {"uid": TEXT, "at": MOMENT, "item": TEXT, "raised": WHOLE}),
    Table("recommendation", ("uid",), {"uid": TEXT, "at": MOMENT, "item": TEXT, "reason": TEXT}),
    Table(
        "setting",
        ("name",),
        {"name": TEXT, "value": TEXT, "at": MOMENT},
        """UPDATE SET value = excluded.value, at = excluded.at
            WHERE (excluded.at, excluded.value) > (setting.at, setting.value)""",
    ),
    Table(
        "draft",
        ("kind", "item", "part", "seed"),
        {"kind": TEXT, "item": TEXT, "part": TEXT, "seed": TEXT, "text": TEXT, "at": MOMENT},
        f"UPDATE SET text = excluded.text, at = excluded.at WHERE {SAME_DRAFT}",
    ),
    Table(
        "draft_aside",
        ("kind", "item", "part", "seed", "text"),
        {"kind": TEXT, "item": TEXT, "part": TEXT, "seed": TEXT, "text": TEXT, "at": MOMENT},
        "UPDATE SET at = min(at, excluded.at)",
    ),
)
"""In the order in which they are merged: what is named before what names it."""


def export(store: Store) -> Iterator[str]:
    """Everything that the learner made, one JSON object a line; the same progress gives the same lines.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be read.
    """
    yield json.dumps({HEADER: {"format": FORMAT}})
    connection = store.connection
    with told(store.path):
        connection.execute("BEGIN")
        try:
            for table in TABLES:
                for row in _rows(connection, table):
                    yield json.dumps({table.name: row})
        finally:
            connection.execute("COMMIT")


def _rows(connection: sqlite3.Connection, table: Table) -> list[dict[str, object]]:
    wanted, joins = [], []
    for name, column in table.columns.items():
        if column.of is None:
            wanted.append(f"t.{name}")
        else:
            wanted.append(f"{name}_.uid AS {name}")
            joins.append(f" LEFT JOIN {column.of} AS {name}_ ON {name}_.id = t.{name}")
    order = ", ".join(f"{'' if table.columns[name].of else 't.'}{name}" for name in dict.fromkeys((*table.order, *table.key)))
    query = f"SELECT {', '.join(wanted)} FROM {table.name} AS t{''.join(joins)} ORDER BY {order}"
    return [dict(row) for row in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge brought, table by table."""

    read: Mapping[str, int]
    new: Mapping[str, int]


def merge(store: Store, lines: Iterable[str]) -> Merged:
    """Merges exported lines (of one export or several, in any order) into a store: all of them, or nothing.

    Raises:
        TransferError: a line is no line of an export, or of a newer format.
        quizapp.store.database.StoreError: the learner's file can't be written.
    """
    found = _read(lines)
    new: dict[str, int] = {}
    connection = store.connection
    with told(store.path), transaction(connection):
        for table in TABLES:
            before = _size(connection, table)
            for number, row in found[table.name]:
                _put(connection, table, number, row)
            new[table.name] = _size(connection, table) - before
    return Merged({name: len(rows) for name, rows in found.items()}, new)


def _size(connection: sqlite3.Connection, table: Table) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0])


def _put(connection: sqlite3.Connection, table: Table, number: int, row: Mapping[str, object]) -> None:
    values = []
    for name, column in table.columns.items():
        value = row[name]
        if column.of is not None and value is not None:
            named = connection.execute(f"SELECT id FROM {column.of} WHERE uid = ?", (value,)).fetchone()
            if named is None:
                raise TransferError(f"line {number}: the {column.of} that it names is not among the lines; export again")
            value = named["id"]
        values.append(value)
    if table.name == "draft":
        _put_aside(connection, row)
    columns = ", ".join(table.columns)
    marks = ", ".join("?" * len(values))
    conflict = f"ON CONFLICT ({', '.join(table.key)}) DO {table.on_conflict}"
    try:
        connection.execute(f"INSERT INTO {table.name} ({columns}) VALUES ({marks}) {conflict}", values)
    except sqlite3.IntegrityError as error:
        raise TransferError(f"line {number}: not a {table.name} that quizapp writes ({error})") from None


def _put_aside(connection: sqlite3.Connection, row: Mapping[str, object]) -> None:
    """Keeps the older of two drafts that differ."""
    key = (row["kind"], row["item"], row["part"], row["seed"])
    own = connection.execute("SELECT text, at FROM draft WHERE (kind, item, part, seed) = (?, ?, ?, ?)", key).fetchone()
    if own is None or own["text"] == row["text"]:
        return
    text, at = min((own["at"], own["text"]), (str(row["at"]), str(row["text"])))[::-1]
    connection.execute(
        "INSERT INTO draft_aside (kind, item, part, seed, text, at) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET at = min(at, excluded.at)",
        (*key, text, at),
    )


def _read(lines: Iterable[str]) -> dict[str, list[tuple[int, dict[str, object]]]]:
    found: dict[str, list[tuple[int, dict[str, object]]]] = {table.name: [] for table in TABLES}
    tables = {table.name: table for table in TABLES}
    headed = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise TransferError(f"line {number}: no JSON; give a file that `quizapp progress export` wrote") from None
        if not isinstance(record, dict) or len(record) != 1:
            raise TransferError(f"line {number}: no record of progress; give a file that `quizapp progress export` wrote")
        ((name, row),) = record.items()
        if name == HEADER:
            headed = True
            if not isinstance(row, dict) or row.get("format") != FORMAT:
                raise TransferError(f"line {number}: written by a newer quizapp; upgrade this one")
        elif name not in tables:
            raise TransferError(f"line {number}: an unknown kind of record, {name!r}; upgrade quizapp")
        else:
            found[name].append((number, _checked(tables[name], number, row)))
    if not headed:
        raise TransferError(f"the line that begins an export ({HEADER}) is missing; give a whole file of `quizapp progress export`")
    return found


def _checked(table: Table, number: int, row: object) -> dict[str, object]:
    if not isinstance(row, dict) or set(row) != set(table.columns):
        raise TransferError(f"line {number}: not the columns of a {table.name}; upgrade quizapp, or export again")
    for name, column in table.columns.items():
        if not _fits(column, row[name]):
            raise TransferError(f"line {number}: {name} of a {table.name} can't be {str(row[name])[:40]!r}")
    return row


def _fits(column: Column, value: object) -> bool:
    if value is None:
        return column.optional
    if column.kind == "whole":
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    if column.kind == "real":
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
        return column.kind != "moment" or datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False
