"""Answers of a class, from a CSV, scored by ``quizapp.scoring``: choices, numbers, derivations, words.

A row is a student: a column ``student``, and either a column ``answer`` (with ``part`` where the item has several) or a column
for each part, named by its id. A column ``seed`` names the variant that this student saw.
"""

import csv
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from quizapp.bank.draw import DrawError, draw, shown_choices
from quizapp.classroom import ClassroomError
from quizapp.classroom.asked import Work
from quizapp.classroom.collect import printable
from quizapp.classroom.result import Problem, Result
from quizapp.model.formula import FormulaError
from quizapp.model.question import ChoicePart, Part
from quizapp.model.variant import fill
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.choice import choose
from quizapp.scoring.score import score_part

MAX_BYTES = 64 << 20
MAX_ROWS = 100_000
STUDENT, ANSWER, PART, SEED = "student", "answer", "part", "seed"


@dataclass(frozen=True, slots=True)
class Written:
    """What one student wrote for one part; ``None``: nothing."""

    student: str
    part: Part
    text: str | None
    seed: int | None
    trouble: str | None = None
    """Why the row can't be graded."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self.seed}\0{self.text}\0{self.trouble}".encode("utf-8", "surrogatepass")).hexdigest()


def read_answers(path: Path, work: Work, variant: int | None) -> tuple[list[Written], list[str]]:
    """All answers, by student and part; and notes: the parts for which there is no column, although others have one.

    Args:
        variant: the seed of the variant for rows that name none.

    Raises:
        ClassroomError: the file can't be read, or has not the columns.
    """
    rows = _rows(path)
    heading = next(rows, None)
    if heading is None:
        raise ClassroomError(f"{path}: empty; its first line names the columns: student,answer")
    names = [name.strip() for name in heading[1]]
    lowered = [name.casefold() for name in names]
    parts = {part.id: part for part in work.answers}
    if STUDENT not in lowered:
        raise ClassroomError(f"{path}:1: no column {STUDENT!r}; the columns are: {', '.join(names)[:200]}")
    if len(set(lowered)) < len(lowered):
        raise ClassroomError(f"{path}:1: a column has the name of another: {', '.join(names)[:200]}")
    wide = [name for name in names if name in parts]
    if ANSWER in lowered and (PART in lowered or len(parts) == 1):
        wide = []
    elif not wide:
        wanted = "student,answer" if len(parts) == 1 else f"student,part,answer or student,{','.join(parts)}"
        raise ClassroomError(f"{path}:1: no column with answers; write {wanted}")
    found: dict[tuple[str, str], list[tuple[int, Written]]] = {}
    for line, row in rows:
        cells = dict(zip(lowered, row, strict=False)) | {name: cell for name, cell in zip(names, row, strict=False) if name in wide}
        for written in _in_row(path, line, cells, wide, parts, variant):
            found.setdefault((written.student, written.part.id), []).append((line, written))
    return [_only(several) for _, several in sorted(found.items())], _without_column(path, names, wide, list(parts))


def _without_column(path: Path, names: Sequence[str], wide: Sequence[str], parts: Sequence[str]) -> list[str]:
    """What to tell of parts that have no column of their own; ``wide``: the columns of parts, if there are such."""
    notes = []
    others = [name for name in names if name not in wide and name.casefold() not in (STUDENT, SEED)]
    for part in parts if wide else ():
        if part not in wide:
            near = get_close_matches(part, others, n=1)
            hint = f"; did you mean it by {near[0]!r}?" if near else ""
            notes.append(f"{path}:1: no column {part!r}: that part is graded for nobody{hint}")
    return notes


def _only(several: Sequence[tuple[int, Written]]) -> Written:
    first = several[0][1]
    if len(several) == 1:
        return first
    lines = ", ".join(str(line) for line, _ in several[:6])
    return Written(first.student, first.part, None, first.seed, f"answered {len(several)} times, in lines {lines}; keep one")


def _in_row(
    path: Path, line: int, cells: dict[str, str], wide: Sequence[str], parts: dict[str, Part], variant: int | None
) -> Iterator[Written]:
    student = printable(cells.get(STUDENT, "").strip().encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    if not student:
        raise ClassroomError(f"{path}:{line}: no student's name in the column {STUDENT!r}")
    seed, told = variant, cells.get(SEED, "").strip()
    if told:
        try:
            seed = int(told)
        except ValueError:
            raise ClassroomError(f"{path}:{line}: the seed {told[:40]!r} is no whole number") from None
    if wide:
        yield from (Written(student, parts[name], cells.get(name), seed) for name in wide)
        return
    name = cells.get(PART, "").strip() or next(iter(parts))
    if PART in cells and name not in parts:
        raise ClassroomError(f"{path}:{line}: no part {name[:80]!r} with answers; there is: {', '.join(parts)}")
    yield Written(student, parts[name] if PART in cells else next(iter(parts.values())), cells.get(ANSWER), seed)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows that hold something, each with the line on which it ends."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ClassroomError(f"{path}: can't be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise ClassroomError(f"{path}: larger than {MAX_BYTES >> 20} MiB; is this the right file?")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ClassroomError(f"{path}:{line}: not UTF-8 text; save the file as UTF-8 CSV") from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(1 << 20)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for count, row in enumerate(reader):
            if count > MAX_ROWS:
                raise ClassroomError(f"{path}: more than {MAX_ROWS} rows; is this the right file?")
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise ClassroomError(
            f"{path}:{reader.line_num}: not CSV ({error}); save it as CSV, with quotes around cells that need them"
        ) from None


def score(work: Work, written: Written, outer_sandbox: bool) -> Result:
    """What one answer earns.

    Raises:
        ClassroomError: the item has no such variant.
    """
    common: dict[str, Any] = {
        "student": written.student,
        "item": work.item,
        "part": written.part.id,
        "digest": written.digest,
        "most": written.part.points,
        "at": datetime.now(UTC),
        "seed": written.seed,
        "outer_sandbox": outer_sandbox,
    }
    if written.trouble is not None:
        return Result(**common, problem=Problem(status="unreadable", reason=written.trouble))
    if written.text is None or not written.text.strip():
        return Result(**common, problem=Problem(status="missing", reason="no answer"))
    text, part = written.text, written.part
    try:
        variant = draw(work.loaded.item, written.seed)
        shown = shown_choices(part, variant) if isinstance(part, ChoicePart) else ()
        stem = "\n\n".join(fill(words, variant.values) for words in (work.loaded.item.stem, part.stem) if words)
        scored = score_part(part, variant, shown, text, stem=stem, titles=work.titles)
        chosen = tuple(choice.id for choice in choose(shown, text)) if shown else ()
    except AnswerError as error:
        return Result(**common, answer=text, problem=Problem(status="unreadable", reason=" ".join(str(error).split())))
    except (DrawError, FormulaError) as error:
        raise ClassroomError(f"{work.item} can't be scored: {error}; `quizapp bank lint` checks banks") from None
    return Result(**common, answer=text, score=scored, chosen=chosen)
