"""Everything that is made from the journal, written so that a reader never meets half a file."""

import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from quizapp.classroom import ClassroomError
from quizapp.classroom.asked import Work
from quizapp.classroom.feedback import html_page, markdown_page
from quizapp.classroom.gradescope import results_json
from quizapp.classroom.result import Result
from quizapp.classroom.sheet import Question, decided, results_csv, review_csv

SECONDS_BETWEEN = 2.0
"""The tables of a class are written again no more often than this, while it is being graded."""


def write(path: Path, text: str, remedy: str = "mend that and go on with --resume") -> None:
    """Writes a whole file, or leaves the one that is there; into a device or a pipe it just writes. ``remedy``: what to do where it
    can't be written.

    Raises:
        ClassroomError: it can't be written.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", newline="")
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:40]}-", dir=path.parent)
        try:
            with open(descriptor, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise ClassroomError(f"{path}: can't be written: {error.strerror}; {remedy}") from None


def _umask() -> int:
    """The system tells it only by setting it."""
    present = os.umask(0o077)
    os.umask(present)
    return present


def file_name(student: str) -> str:
    """A file name for any student: readable, the same every time, and no two alike, also where case doesn't count."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", student).strip("-")[:60]
    return f"{readable or 'student'}-{hashlib.sha256(student.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


class Files:
    """Where a grading's files lie, beside ``--out``."""

    def __init__(self, out: Path, work: Work, alone: bool) -> None:
        """``alone``: one student's grading, inside an autograder; Gradescope's file is then ``results.json``."""
        beside = out.with_suffix("")
        self.csv = out
        self.journal = out.with_suffix(".jsonl")
        self.feedback = Path(f"{beside}-feedback")
        self.gradescope = out.with_suffix(".json") if alone else Path(f"{beside}-gradescope")
        self.review = out.with_name("review.csv" if out.stem == "results" else f"{out.stem}-review.csv")
        self._alone, self._work, self._last = alone, work, 0.0

    @classmethod
    def found(cls, out: Path, work: Work) -> "Files":
        """The files of a grading that was made before."""
        return cls(out, work, alone=out.with_suffix(".json").is_file() and not Path(f"{out.with_suffix('')}-gradescope").is_dir())

    def student(self, student: str, results: Mapping[tuple[str, str], Result]) -> None:
        """One student's pages. Raises ``ClassroomError``."""
        own = [results[key] for part in self._work.loaded.item.parts if (key := (student, part.id)) in results]
        name = file_name(student)
        write(self.feedback / f"{name}.md", markdown_page(self._work, student, own))
        write(self.feedback / f"{name}.html", html_page(self._work, student, own))
        write(self.gradescope if self._alone else self.gradescope / f"{name}.json", results_json(self._work, student, own))

    def tables(self, results: Iterable[Result], *, now: bool = False) -> None:
        """The class's tables, unless they were written a moment ago. Raises ``ClassroomError``."""
        if not now and time.monotonic() - self._last < SECONDS_BETWEEN:
            return
        self._last = time.monotonic()
        results = tuple(results)
        write(self.csv, results_csv(results))
        review = review_csv(results, self._decided())
        if review.count("\n") > 1 or self.review.exists():
            write(self.review, review)

    def _decided(self) -> dict[Question, str]:
        """What a person has filled in already."""
        try:
            return decided(self.review.read_text("utf-8-sig"))
        except (OSError, UnicodeDecodeError):
            return {}
