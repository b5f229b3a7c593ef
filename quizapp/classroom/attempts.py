"""What students did, for reports: read from results of ``quizapp grade`` and from learners' exported progress, put in one form."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.bank.draw import DrawError, draw, shown_choices
from quizapp.bank.load import Library
from quizapp.classroom import ClassroomError, journal, sheet
from quizapp.classroom.collect import printable
from quizapp.classroom.students import alike
from quizapp.model.formula import FormulaError
from quizapp.model.nouns import numbered
from quizapp.model.question import ChoicePart
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.choice import choose

if TYPE_CHECKING:
    from quizapp.model.score import Score
    from quizapp.store.record import Attempt as Stored
    from quizapp.store.store import Store

Standing = Callable[["Store"], Callable[["Stored"], "Score | None"]]
"""For a learner's store, what an answer in it stands at, rulings and regrades taken in; ``None`` for code."""
MAX_BYTES = 1 << 30
PROGRESS = b'{"quizapp-progress"'
JOURNAL = f'{{"{journal.HEADING}"'.encode()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One student, one part of an item: the first try of a learner, the only one of a class."""

    student: str
    item: str
    part: str
    points: float
    max_points: float
    outcome: str
    """Of the score or verdict; ``missing`` and ``unreadable`` where nothing was graded."""
    in_class: bool
    """It stands in results of a class: who has no row there left the part out."""
    misconceptions: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    seconds: float | None = None
    """To think; classes' results have no clock."""
    program: str = ""
    """SHA-256 of a program's bytes; empty for answers and progress."""

    @property
    def key(self) -> tuple[str, str]:
        return self.item, self.part

    @property
    def share(self) -> float:
        """Of the points, 0 to 1."""
        return min(1.0, max(0.0, self.points / self.max_points))

    @property
    def omitted(self) -> bool:
        return self.outcome == "missing"


@dataclass(frozen=True, slots=True)
class Pool:
    """All that was read; one attempt for each student and part."""

    attempts: tuple[Attempt, ...]
    notes: tuple[str, ...] = ()


def pool(files: Sequence[Path], library: Library, standing: Standing) -> Pool:
    """Reads files of any of the three kinds: results CSV, journal, exported progress. A learner is named after the file.

    ``standing``: which word is the last on a learner's answers is for others to know.

    Raises:
        ClassroomError: a file can't be read, or is none of these.
    """
    found: dict[tuple[str, str, str], Attempt] = {}
    notes = []
    for file in files:
        again = 0
        for attempt in _read(file, library, standing):
            known = (attempt.student, *attempt.key)
            again += known in found
            found.setdefault(known, attempt)
        if again:
            notes.append(f"{file}: {numbered(again, 'answer')} that a file before it has as well; the first one counts")
    return Pool(tuple(found.values()), (*notes, *alike(student for student, *_ in found)))


def _read(file: Path, library: Library, standing: Standing) -> Iterable[Attempt]:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except IsADirectoryError:
        raise ClassroomError(f"{file}: a folder; name the results.csv in it") from None
    except OSError as error:
        raise ClassroomError(f"{file}: can't be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise ClassroomError(f"{file}: larger than {MAX_BYTES >> 30} GiB; is this the right file?")
    if data.startswith(JOURNAL):
        _, results = journal.read(file, data[: data.rfind(b"\n") + 1])
        rows = sheet.read_rows(file, sheet.results_csv(results.values()))
        return [_of_row(row) for row in rows]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ClassroomError(f"{file}: not UTF-8 text; give a results.csv of `quizapp grade`, or exported progress") from None
    if data.startswith(PROGRESS):
        return _of_progress(file, text, library, standing)
    return [_of_row(row) for row in sheet.read_rows(file, text)]


def _of_row(row: sheet.Row) -> Attempt:
    ungraded = row.status in ("missing", "unreadable")
    return Attempt(
        student=row.student,
        item=row.item,
        part=row.part,
        points=row.points,
        max_points=row.max_points,
        outcome=row.status if ungraded else row.outcome,
        in_class=True,
        misconceptions=row.misconceptions,
        chosen=row.chosen,
        program=row.program,
    )


def _of_progress(file: Path, text: str, library: Library, standing: Standing) -> list[Attempt]:
    from quizapp.store.database import StoreError
    from quizapp.store.store import Store
    from quizapp.store.transfer import TransferError, merge

    # A store of its own checks the lines and puts them in order.
    with tempfile.TemporaryDirectory(prefix="quizapp-pool-") as folder:
        try:
            with Store(Path(folder) / "pool.sqlite3") as store:
                merge(store, text.splitlines())
                first = _first(store.attempts())
                stands = standing(store)
        except TransferError as error:
            raise ClassroomError(f"{file}: {error}") from None
        except StoreError as error:
            raise ClassroomError(str(error)) from None
    student = printable(file.stem)
    return [replace(_of_stored(one, stands(one), library), student=student) for one in first]


def _first(stored: Iterable["Stored"]) -> list["Stored"]:
    """The first answer to each part that counts for something; follow-ups of an interview are no parts."""
    first: dict[tuple[str, str], Stored] = {}
    for one in stored:
        if not one.withdrawn and one.max_points > 0 and "/" not in one.part:
            first.setdefault((one.item, one.part), one)
    return list(first.values())


def _of_stored(one: "Stored", score: "Score | None", library: Library) -> Attempt:
    verdict = one.verdict()
    named = score.misconceptions if score is not None else ()
    if verdict is not None:
        named = tuple(found.id for found in verdict.diagnosis)
    stands = score or one
    return Attempt(
        student="",
        item=one.item,
        part=one.part,
        points=stands.points,
        max_points=stands.max_points,
        outcome=stands.outcome,
        in_class=False,
        misconceptions=named,
        chosen=_chosen(one, library),
        seconds=one.seconds,
    )


def _chosen(one: "Stored", library: Library) -> tuple[str, ...]:
    loaded = library.items.get(one.item)
    part = next((part for part in loaded.item.parts if part.id == one.part), None) if loaded is not None else None
    if loaded is None or not isinstance(part, ChoicePart):
        return ()
    try:
        return tuple(choice.id for choice in choose(shown_choices(part, draw(loaded.item, one.seed)), one.text))
    except (AnswerError, DrawError, FormulaError):
        return ()
