"""Opens the learner's file safely: made where missing, migrated where older, refused with one clear line otherwise.

Nothing here ever deletes, renames or overwrites a file.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quizapp.store.schema import APPLICATION_ID, MIGRATIONS, VERSION

BUSY_SECONDS = 5.0


class StoreError(Exception):
    """The learner's file can't be used; the message is one line that names the file and says what to do."""


def _say(path: Path, error: sqlite3.Error | OSError) -> StoreError:
    text = str(error).lower()
    if isinstance(error, OSError) or "readonly" in text or "read-only" in text or "unable to open" in text or "permission" in text:
        return StoreError(f"can't write your progress to {path}; make that folder writable, or set QUIZAPP_HOME to one that is")
    if "locked" in text or "busy" in text:
        return StoreError(f"{path} is in use by another program that doesn't let go; close it and try again")
    if "full" in text:
        return StoreError(f"the disk that holds {path} is full; make room and try again")
    if "not a database" in text or "malformed" in text or "corrupt" in text:
        return StoreError(f"{path} is damaged ({error}); move it away, or set QUIZAPP_HOME to another folder; nothing was changed")
    return StoreError(f"{path}: {error}")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns SQLite's and the system's errors into :class:`StoreError`."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise _say(path, error) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: all of it is on disk when this ends, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # on a full disk SQLite has rolled back by itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switches to WAL. SQLite doesn't wait for another process that is switching at the same moment, so this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    with transaction(connection):
        version = _pragma(connection, "user_version")
        if version > VERSION:
            raise StoreError(
                f"{path} was written by a newer quizapp (format {version}, this one reads up to {VERSION}); "
                "upgrade quizapp, or set QUIZAPP_HOME to another folder"
            )
        tables = int(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if tables and _pragma(connection, "application_id") != APPLICATION_ID:
            raise StoreError(f"{path} belongs to another program; move it away, or set QUIZAPP_HOME to another folder")
        for step in range(version, VERSION):
            MIGRATIONS[step](connection)
        if version < VERSION:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")


def connect(path: Path) -> sqlite3.Connection:
    """A connection to the learner's file, made and migrated as needed. Commits are on disk when they return.

    Raises:
        StoreError: the file is newer, damaged, another program's, in use, or can't be written.
    """
    with told(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA synchronous = FULL")
            if _pragma(connection, "user_version") <= VERSION:
                _write_ahead(connection)
            _migrate(connection, path)
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
    return connection
