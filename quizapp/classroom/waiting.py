"""A class's answers that wait for a person: read from journals. Which gradings left some is kept beside the learner's own file.

The journals are what holds; the list of them only says where to look. Nothing of a class goes into the learner's own progress.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from quizapp.classroom import ClassroomError
from quizapp.classroom.files import write
from quizapp.classroom.journal import Heading, read
from quizapp.classroom.result import Result
from quizapp.model.score import CriterionScore
from quizapp.store.place import home

LIST = "gradings.txt"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A criterion of one student's answer of which the scorer is unsure."""

    results: Path
    """The CSV of the grading."""
    result: Result
    criterion: CriterionScore


def results_of(csv: Path) -> tuple[Heading, dict[tuple[str, str], Result]]:
    """What a grading holds, by student and part, read from the journal beside its CSV; nothing is locked.

    Raises:
        ClassroomError: there is no such journal, or it isn't one.
    """
    journal = csv.with_suffix(".jsonl")
    try:
        text = journal.read_bytes()
    except OSError as error:
        reason = f"its journal {journal.name} can't be read: {error.strerror}"
        raise ClassroomError(f"{csv}: {reason}; name the results.csv of a `quizapp grade`, with its journal beside it") from None
    return read(journal, text[: text.rfind(b"\n") + 1])


def waiting(csv: Path) -> list[Waiting]:
    """What waits in a grading, by student and part. Raises ``ClassroomError``."""
    _, results = results_of(csv)
    return [
        Waiting(csv, result, criterion)
        for _, result in sorted(results.items())
        if result.score is not None
        for criterion in result.score.criteria
        if criterion.met == "unsure"
    ]


@dataclass(frozen=True, slots=True)
class Found:
    """One answer of one grading."""

    results: Path
    heading: Heading
    key: tuple[str, str]
    """Student and part."""


def find(gradings: Sequence[Path], student: str, part: str | None, criterion: str) -> Found:
    """The one answer of a student that is scored by this criterion. ``part``: of the item, if named.

    Raises:
        ClassroomError: there is none, or more than one; says which there are.
    """
    answers: list[tuple[Found, Result]] = []
    names: set[str] = set()
    for csv in gradings:
        heading, results = results_of(csv)
        names.update(name for name, _ in results)
        answers += [(Found(csv, heading, key), one) for key, one in results.items() if key[0] == student and part in (None, key[1])]
    among = " or ".join(map(str, gradings)) or "a grading in which something waits; name one with --results"
    if not answers:
        near = get_close_matches(student, names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ClassroomError(f"no answer of {student!r}{f' to {part!r}' if part else ''} in {among}{hint}")
    ids = {found.key: [one.id for one in result.score.criteria] if result.score else [] for found, result in answers}
    fitting = [found for found, _ in answers if criterion in ids[found.key]]
    if not fitting:
        known = sorted({id for each in ids.values() for id in each})
        raise ClassroomError(f"{student}'s answer has no criterion {criterion!r}; its criteria: {', '.join(known) or 'none'}")
    if len(fitting) > 1:
        several = ", ".join(f"{found.results} ({found.key[1]})" for found in fitting)
        raise ClassroomError(f"{student} has several answers with {criterion!r}: {several}; name one with --results and --part")
    return fitting[0]


def remembered() -> list[Path]:
    """The CSVs of gradings that left something for a person, oldest first; those that are gone are passed over."""
    try:
        lines = (home() / LIST).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [Path(line) for line in lines if Path(line).with_suffix(".jsonl").is_file()]


def remember(csv: Path) -> None:
    """Keeps a grading in the list while something waits in it, and takes it out when nothing does any more.

    Where the list can't be written, it isn't: the grading's own files say the same.
    """
    present, own = remembered(), csv.resolve()
    kept = [path for path in present if path != own] + [own] * _waits(own)
    if kept != present:
        try:
            write(home() / LIST, _lines(kept))
        except (ClassroomError, UnicodeError):
            return


def _lines(paths: Iterable[Path]) -> str:
    return "".join(f"{path}\n" for path in paths if "\n" not in str(path))


def _waits(csv: Path) -> bool:
    try:
        return bool(waiting(csv))
    except ClassroomError:
        return False
