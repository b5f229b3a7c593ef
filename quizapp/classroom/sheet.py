"""The results as CSV, written and read back: one row per student and part. The columns are a contract (docs/grading.md).

No cell can become a formula of a spreadsheet: one that starts with ``= + - @`` or a tab is written with ``'`` before it.
"""

import contextlib
import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quizapp.classroom import ClassroomError
from quizapp.classroom.result import Result

COLUMNS = (
    "student", "item", "part", "status", "outcome", "points", "max_points", "misconceptions", "chosen", "reason",
    "file", "sha256", "seed", "backend", "sandbox", "outer_sandbox", "note", "container",
)  # fmt: skip
REVIEW_COLUMNS = ("student", "item", "part", "criterion", "max_points", "reason", "answer", "met")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
_SPACE = ("\t", "\r", "\n")


def defused(text: str) -> str:
    """The text so that no spreadsheet takes it for a formula; text that begins with ``'`` stays tellable from it."""
    risky = text.lstrip().startswith(_FORMULA) or text.lstrip(" \u00a0").startswith(_SPACE)
    return f"'{text}" if risky else text


def fused(cell: str) -> str:
    """What :func:`defused` was given."""
    rest = cell[1:]
    return rest if cell.startswith("'") and defused(rest) == cell else cell


def _line(text: str) -> str:
    return " ".join(text.split())


def row(result: Result) -> dict[str, str]:
    """A result as the CSV has it."""
    verdict = result.verdict
    return {
        "student": result.student,
        "item": result.item,
        "part": result.part,
        "status": result.status,
        "outcome": result.outcome,
        "points": str(result.points),
        "max_points": str(result.most),
        "misconceptions": " ".join(result.misconceptions),
        "chosen": " ".join(result.chosen),
        "reason": result.reason,
        "file": result.file or "",
        "sha256": result.digest,
        "seed": "" if result.seed is None else str(result.seed),
        "backend": verdict.backend if verdict is not None else "",
        "sandbox": "" if verdict is None else verdict.sandbox if verdict.scenarios else "not run",
        "outer_sandbox": "yes" if result.outer_sandbox else "no",
        "note": result.note or "",
        "container": "" if verdict is None or verdict.sandbox != "container" else "kept" if result.kept else "own",
    }


def table(columns: Iterable[str], rows: Iterable[Mapping[str, str]]) -> str:
    """CSV text with a heading."""
    columns = tuple(columns)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([defused(_line(one[name])) for name in columns] for one in rows)
    return text.getvalue()


def results_csv(results: Iterable[Result]) -> str:
    """All results, by student and part: the same text for the same grades, whatever the order in which they came."""
    return table(COLUMNS, (row(result) for result in sorted(results, key=lambda one: one.key)))


Question = tuple[str, str, str, str]
"""What a person is asked: student, part, criterion, and the answer on one line. About another answer, it is another question."""


def question(result: Result, criterion: str) -> Question:
    """What a person is asked about a criterion of a result."""
    return result.student, result.part, criterion, _line(result.answer or "")


def decided(text: str) -> dict[Question, str]:
    """What a person wrote into the column ``met`` of a review CSV."""
    with contextlib.suppress(csv.Error):
        rows = [one for one in csv.DictReader(io.StringIO(text, newline="")) if one.keys() >= {*REVIEW_COLUMNS}]
        cells = ([fused(one[name] or "") for name in ("student", "part", "criterion", "answer", "met")] for one in rows)
        return {(student, part, criterion, _line(answer)): met for student, part, criterion, answer, met in cells if met.strip()}
    return {}


def review_csv(results: Iterable[Result], filled_in: Mapping[Question, str]) -> str:
    """What a person has to decide: a row for each criterion that the scorer is unsure of.

    ``filled_in``: what stands in the column ``met`` already, which is kept.
    """
    rows = [
        {
            "student": result.student,
            "item": result.item,
            "part": result.part,
            "criterion": criterion.id,
            "max_points": str(criterion.max_points),
            "reason": criterion.reason,
            "answer": result.answer or "",
            "met": filled_in.get(question(result, criterion.id), ""),
        }
        for result in sorted(results, key=lambda one: one.key)
        if result.score is not None
        for criterion in result.score.criteria
        if criterion.met == "unsure"
    ]
    return table(REVIEW_COLUMNS, rows)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a results CSV, read back."""

    student: str
    item: str
    part: str
    status: str
    outcome: str
    points: float
    max_points: float
    misconceptions: tuple[str, ...]
    chosen: tuple[str, ...]
    program: str
    """SHA-256 of the program's bytes; empty for other answers."""


NEEDED = ("student", "item", "part", "status", "outcome", "points", "max_points")


def read_rows(path: Path, text: str) -> list[Row]:
    """The rows of a results CSV. Points may have been changed by hand; columns that the reports don't need may be gone.

    Raises:
        ClassroomError: a column is missing, or points are no numbers.
    """
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        heading = next(reader, [])
        missing = [name for name in NEEDED if name not in heading]
        if missing:
            raise ClassroomError(f"{path}:1: no column {', '.join(missing)}; give a results.csv of `quizapp grade`")
        found = []
        for cells in reader:
            if not any(cells):
                continue
            one = dict.fromkeys(COLUMNS, "") | {name: fused(cell) for name, cell in zip(heading, cells, strict=False)}
            found.append(_row(path, reader.line_num, one))
    except csv.Error as error:
        raise ClassroomError(f"{path}:{reader.line_num}: not CSV ({error})") from None
    return found


def _row(path: Path, line: int, one: Mapping[str, str]) -> Row:
    try:
        points, most = float(one["points"]), float(one["max_points"])
    except ValueError:
        raise ClassroomError(f"{path}:{line}: points and max_points have to be numbers") from None
    if not (0 < most < 1e6 and -1e6 < points < 1e6):
        raise ClassroomError(f"{path}:{line}: {one['points']} of {one['max_points']} points; max_points has to be more than 0")
    return Row(
        one["student"], one["item"], one["part"], one["status"], one["outcome"], points, most,
        tuple(one["misconceptions"].split()), tuple(one["chosen"].split()), one["sha256"] if one["backend"] else "",
    )  # fmt: skip
