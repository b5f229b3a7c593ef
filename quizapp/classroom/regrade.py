"""A class's answers scored anew by the present rubric and scorer: what changes, and what people have ruled, which stays.

Answers and figures are those of the journal. Programs are judged, not scored: they are graded anew with another ``--out``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from quizapp.classroom import ClassroomError
from quizapp.classroom.answers import Written, score
from quizapp.classroom.asked import Work
from quizapp.classroom.decide import ruled, rulings_of
from quizapp.classroom.files import Files
from quizapp.classroom.journal import Journal
from quizapp.classroom.result import Result, Ruling


@dataclass(frozen=True, slots=True)
class Change:
    """A result that isn't what it was."""

    before: Result
    after: Result
    held: int
    """Criteria on which a person has ruled: they stay as they were ruled."""
    lost: tuple[str, ...]
    """Criteria on which a person has ruled, and which the rubric has no more."""

    @property
    def tells(self) -> bool:
        """Whether more has changed than the words of a reason."""
        return self.lost != () or _told(self.before) != _told(self.after)


def _told(result: Result) -> tuple[object, ...]:
    criteria = result.score.criteria if result.score is not None else ()
    met = sorted((one.id, one.met, one.points, one.max_points) for one in criteria)
    return result.status, result.outcome, result.points, result.most, set(result.misconceptions), met


def changes(work: Work, results: Mapping[tuple[str, str], Result]) -> list[Change]:
    """What scoring anew changes, by student and part.

    Raises:
        ClassroomError: a result is a program's, or the item has a result's variant no more.
    """
    parts = {part.id: part for part in work.answers}
    found = []
    for (student, name), before in sorted(results.items()):
        if before.verdict is not None or name not in parts:
            raise ClassroomError(
                f"{student} ({name}): a program, which is judged and not scored; grade programs anew with another --out"
            )
        if before.answer is None:
            continue  # nothing was handed in
        after = score(work, Written(student, parts[name], before.answer, before.seed), before.outer_sandbox)
        change = _with_rulings(work, before, after.model_copy(update={"digest": before.digest, "note": before.note}))
        same = {"at": before.at, "rulings": change.after.rulings}
        if change.after.model_copy(update=same) != before.model_copy(update=same):
            found.append(change)
    return found


def _with_rulings(work: Work, before: Result, after: Result) -> Change:
    rulings = rulings_of(before)
    ids = {one.id for one in after.score.criteria} if after.score is not None else set()
    held: dict[str, Ruling] = {id: ruling for id, ruling in rulings.items() if id in ids}
    lost = tuple(sorted(rulings.keys() - ids))
    if held:
        after = ruled(work, after, held)
    if lost:
        gone = f"graded anew; the rubric has no {', '.join(lost)} any more, on which a person had ruled"
        after = after.model_copy(update={"note": "; ".join([*([after.note] if after.note else []), gone])})
    return Change(before, after, len(held), lost)


def keep(journal: Journal, files: Files, work: Work, found: Sequence[Change]) -> None:
    """Writes changed results into the journal, and all files from it.

    The heading comes last: until it stands there, nothing can be resumed by the new rubric.

    Raises:
        ClassroomError: a file can't be written.
    """
    for change in found:
        journal.add(change.after.model_copy(update={"at": datetime.now(UTC)}))
    if journal.heading.item_hash != work.hash:
        journal.change(journal.heading.model_copy(update={"item_hash": work.hash}))
    for student in sorted({student for student, _ in journal.results}):
        files.student(student, journal.results)
    files.tables(journal.results.values(), now=True)
