"""The tables, version by version. Each migration takes the file from its key to the next version, inside one transaction.

A migration that has been released is never edited: write the next one.
"""

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Callable, Mapping

APPLICATION_ID = 0x51_55_49_5A
"""``QUIZ``: tells our files from other programs' SQLite files."""


def _first_tables(connection: sqlite3.Connection) -> None:
    for statement in (
        """CREATE TABLE session (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            bank TEXT NOT NULL,
            item TEXT,
            seed INTEGER,
            position TEXT NOT NULL,
            started_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            finished_at TEXT
        )""",
        "CREATE INDEX session_open ON session (kind, bank, finished_at)",
        """CREATE TABLE attempt (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at TEXT NOT NULL,
            session INTEGER REFERENCES session (id),
            bank TEXT NOT NULL,
            item TEXT NOT NULL,
            part TEXT NOT NULL,
            seed INTEGER,
            answer TEXT NOT NULL,
            outcome TEXT NOT NULL,
            points INTEGER NOT NULL,
            max_points INTEGER NOT NULL,
            confidence INTEGER CHECK (confidence BETWEEN 1 AND 5),
            item_hash TEXT NOT NULL,
            scorer TEXT NOT NULL,
            score TEXT,
            verdict TEXT,
            CHECK ((score IS NULL) <> (verdict IS NULL))
        )""",
        "CREATE INDEX attempt_item ON attempt (bank, item, part)",
        "CREATE INDEX attempt_session ON attempt (session)",
        """CREATE TRIGGER attempt_stays BEFORE UPDATE ON attempt
            BEGIN SELECT RAISE(ABORT, 'attempts are never changed'); END""",
        """CREATE TRIGGER attempt_remains BEFORE DELETE ON attempt
            BEGIN SELECT RAISE(ABORT, 'attempts are never deleted'); END""",
        """CREATE TABLE draft (
            kind TEXT NOT NULL,
            item TEXT NOT NULL,
            part TEXT NOT NULL,
            seed TEXT NOT NULL,
            text TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (kind, item, part, seed)
        ) WITHOUT ROWID""",
    ):
        connection.execute(statement)


def _name_rows(connection: sqlite3.Connection, table: str) -> None:
    """Gives the rows of an older file their names: the same ones in every copy of that file."""
    for row in connection.execute(f"SELECT * FROM {table}").fetchall():
        content = json.dumps([table, *tuple(row)], ensure_ascii=False)
        name = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        connection.execute(f"UPDATE {table} SET uid = ? WHERE id = ?", (name, row["id"]))


def _study_tables(connection: sqlite3.Connection) -> None:
    """Names that hold on every machine, time per answer, slips, flags, recommendations, settings, drafts that lost a merge."""
    connection.execute("DROP TRIGGER IF EXISTS attempt_stays")
    connection.execute("ALTER TABLE attempt ADD COLUMN uid TEXT")
    connection.execute("ALTER TABLE session ADD COLUMN uid TEXT")
    for table in ("attempt", "session"):
        _name_rows(connection, table)
        connection.execute(f"CREATE UNIQUE INDEX {table}_uid ON {table} (uid)")
    for statement in (
        "ALTER TABLE attempt ADD COLUMN seconds REAL",
        """CREATE TRIGGER attempt_stays BEFORE UPDATE ON attempt
            BEGIN SELECT RAISE(ABORT, 'attempts are never changed'); END""",
        """CREATE TABLE withdrawal (
            attempt INTEGER PRIMARY KEY REFERENCES attempt (id),
            at TEXT NOT NULL
        )""",
        """CREATE TABLE flag (
            id INTEGER PRIMARY KEY,
            uid TEXT NOT NULL UNIQUE,
            at TEXT NOT NULL,
            item TEXT NOT NULL,
            raised INTEGER NOT NULL CHECK (raised IN (0, 1))
        )""",
        """CREATE TABLE recommendation (
            id INTEGER PRIMARY KEY,
            uid TEXT NOT NULL UNIQUE,
            at TEXT NOT NULL,
            item TEXT NOT NULL,
            reason TEXT NOT NULL
        )""",
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID",
        """CREATE TABLE draft_aside (
            kind TEXT NOT NULL,
            item TEXT NOT NULL,
            part TEXT NOT NULL,
            seed TEXT NOT NULL,
            text TEXT NOT NULL,
            at TEXT NOT NULL,
            PRIMARY KEY (kind, item, part, seed, text)
        ) WITHOUT ROWID""",
    ):
        connection.execute(statement)


def _opinion_tables(connection: sqlite3.Connection) -> None:
    """What people said of automatic scores, and what a later rubric or scorer gave; rows are only ever added."""
    for statement in (
        """CREATE TABLE dispute (
            id INTEGER PRIMARY KEY,
            uid TEXT NOT NULL UNIQUE,
            at TEXT NOT NULL,
            attempt INTEGER NOT NULL REFERENCES attempt (id),
            criterion TEXT NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL
        )""",
        """CREATE TABLE ruling (
            id INTEGER PRIMARY KEY,
            uid TEXT NOT NULL UNIQUE,
            at TEXT NOT NULL,
            attempt INTEGER NOT NULL REFERENCES attempt (id),
            criterion TEXT NOT NULL,
            met TEXT NOT NULL CHECK (met IN ('met', 'unmet')),
            note TEXT NOT NULL,
            author TEXT NOT NULL
        )""",
        """CREATE TABLE regrade (
            id INTEGER PRIMARY KEY,
            uid TEXT NOT NULL UNIQUE,
            at TEXT NOT NULL,
            attempt INTEGER NOT NULL REFERENCES attempt (id),
            item_hash TEXT NOT NULL,
            scorer TEXT NOT NULL,
            score TEXT NOT NULL
        )""",
    ):
        connection.execute(statement)
    for table in ("dispute", "ruling", "regrade"):
        connection.execute(f"CREATE INDEX {table}_attempt ON {table} (attempt)")
        for verb, done in (("UPDATE", "changed"), ("DELETE", "deleted")):
            connection.execute(
                f"""CREATE TRIGGER {table}_{done} BEFORE {verb} ON {table}
                    BEGIN SELECT RAISE(ABORT, '{table}s are never {done}'); END"""
            )


def _ahead_table(connection: sqlite3.Connection) -> None:
    """What the next queue begins with: found out from the answers and the banks, and so no part of what travels."""
    connection.execute("CREATE TABLE ahead (name TEXT PRIMARY KEY, told BLOB NOT NULL)")


def new_uid() -> str:
    """A name for a row that no other machine gives."""
    return uuid.uuid4().hex


MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {
    0: _first_tables,
    1: _study_tables,
    2: _opinion_tables,
    3: _ahead_table,
}
"""Version found -> the step to the next one."""
VERSION = len(MIGRATIONS)
"""The version that this program reads and writes, kept in ``PRAGMA user_version``."""
