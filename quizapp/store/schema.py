"""The tables, version by version. Each migration takes the file from its key to the next version, inside one transaction.

A migration that has been released is never edited: write the next one.
"""

import sqlite3
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


MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {0: _first_tables}
"""Version found -> the step to the next one."""
VERSION = len(MIGRATIONS)
"""The version that this program reads and writes, kept in ``PRAGMA user_version``."""
