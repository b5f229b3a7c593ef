"""The journal of a grading: lines of JSON, only ever added to, each on disk before it is shown anywhere.

All other files are made from it. The first line says what is graded and by which seed; then a line per result, of which the last
one for a student and part holds, and so does the last heading. A line that was cut short by a kill is dropped on resuming: nothing
was made from it yet.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from quizapp.classroom import ClassroomError
from quizapp.classroom.result import Result
from quizapp.model.base import Model

HEADING = "quizapp-grading"
FORMAT = 2
"""Raised with each field that an earlier version would refuse. 2: what the scorer gave beneath rulings, a scenario's unit."""


class Heading(Model):
    """What all results of a journal share."""

    format: int
    item: str
    parts: tuple[str, ...]
    item_hash: str
    """Of the item, and of the files that decide how its programs are judged."""
    seed: int
    """Draws the scenarios of programs."""
    variant: int | None
    """Draws the figures of answers; ``None``: the bank's own."""
    quizapp: str
    started_at: datetime


class Journal:
    """An open journal. One process writes to it at a time."""

    def __init__(self, path: Path, descriptor: int, heading: Heading, results: Mapping[tuple[str, str], Result]) -> None:
        self.path, self.heading = path, heading
        self.results: dict[tuple[str, str], Result] = dict(results)
        """The result that holds, by student and part."""
        self._descriptor = descriptor

    @classmethod
    def begin(cls, path: Path, heading: Heading) -> "Journal":
        """A new journal.

        Raises:
            ClassroomError: there is one, or it can't be written.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise ClassroomError(f"{path}: can't be written: {error.strerror}; name another file with --out") from None
        _lock(path, descriptor)
        text = _contents(descriptor)
        if b"\n" in text:
            os.close(descriptor)
            raise ClassroomError(f"{path}: holds results already; go on with --resume, or name another file with --out")
        # What a kill left of a first line says nothing; anything else isn't ours to cut.
        if text and not f'{{"{HEADING}"'.encode().startswith(text[: len(HEADING) + 3]):
            os.close(descriptor)
            raise ClassroomError(f"{path}: is no journal of quizapp; name another file with --out")
        os.ftruncate(descriptor, 0)
        journal = cls(path, descriptor, heading, {})
        journal._write({HEADING: heading.model_dump(mode="json")})
        _sync_folder(path.parent)
        return journal

    @classmethod
    def resume(cls, path: Path) -> "Journal":
        """The journal that an earlier run left.

        Raises:
            ClassroomError: there is none, it isn't one, or another process writes to it.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
        except FileNotFoundError:
            raise ClassroomError(f"{path}: there is nothing to resume; leave --resume out") from None
        except OSError as error:
            raise ClassroomError(f"{path}: can't be read: {error.strerror}") from None
        _lock(path, descriptor)
        text = _contents(descriptor)
        whole = text.rfind(b"\n") + 1
        try:
            heading, results = read(path, text[:whole])
        except ClassroomError:
            os.close(descriptor)
            raise
        if whole < len(text):
            os.ftruncate(descriptor, whole)
        return cls(path, descriptor, heading, results)

    def add(self, result: Result) -> None:
        """Writes a result; it is on disk when this returns.

        Raises:
            ClassroomError: it can't be written, most often because the disk is full.
        """
        record = json.loads(result.model_dump_json(exclude_defaults=True))
        if self.heading.format != FORMAT:
            self.change(self.heading)
        # What is shown is what a later run will read.
        kept = Result.model_validate_json(json.dumps(record))
        self._write({"result": record})
        self.results[result.key] = kept

    def change(self, heading: Heading) -> None:
        """Another heading holds from now on, for all results, in the present format. Raises as :meth:`add` does."""
        heading = heading.model_copy(update={"format": FORMAT})
        self._write({HEADING: heading.model_dump(mode="json")})
        self.heading = heading

    def _write(self, record: Mapping[str, Any]) -> None:
        data = memoryview(json.dumps(record, ensure_ascii=True).encode() + b"\n")
        start = os.lseek(self._descriptor, 0, os.SEEK_END)
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
            os.fsync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, start)
            raise ClassroomError(f"{self.path}: can't be written: {error.strerror}; mend that and go on with --resume") from None

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._descriptor)


def read(path: Path, text: bytes) -> tuple[Heading, dict[tuple[str, str], Result]]:
    """What a journal's whole lines say.

    Raises:
        ClassroomError: a line that quizapp didn't write.
    """
    heading: Heading | None = None
    results: dict[tuple[str, str], Result] = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            record = json.loads(line)
            if heading is None or HEADING in record:
                if record[HEADING]["format"] not in range(1, FORMAT + 1):
                    raise ClassroomError(f"{path}: written by a newer quizapp; upgrade this one")
                heading = Heading.model_validate(record[HEADING])
            else:
                result = Result.model_validate_json(json.dumps(record["result"]))
                results[result.key] = result
        except ClassroomError:
            raise
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ClassroomError(
                f"{path}:{number}: not a line that `quizapp grade` wrote; restore the file, or start anew"
            ) from None
    if heading is None:
        raise ClassroomError(f"{path}: holds no results; leave --resume out")
    return heading, results


def _contents(descriptor: int) -> bytes:
    parts = []
    os.lseek(descriptor, 0, os.SEEK_SET)
    while part := os.read(descriptor, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _lock(path: Path, descriptor: int) -> None:
    """Held until the descriptor is closed, also by a kill. Where the system has no such locks, nothing is held."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise ClassroomError(
            f"{path}: another `quizapp grade` writes to it; wait for it, or name another file with --out"
        ) from None


def _sync_folder(folder: Path) -> None:
    """So that the file's name is on disk as well."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
