"""One run of `quizapp grade`, from what was handed in to all files: what is still to do, in which order, what is told."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from quizapp import __version__
from quizapp.classroom import ClassroomError
from quizapp.classroom.answers import Written, score
from quizapp.classroom.asked import Work
from quizapp.classroom.collect import Handed, Program
from quizapp.classroom.decide import apply, read_decisions, rule
from quizapp.classroom.files import Files
from quizapp.classroom.grade import Setting, judge_programs, split, unusable
from quizapp.classroom.journal import FORMAT, Heading, Journal
from quizapp.classroom.result import Result, Ruling
from quizapp.model.nouns import numbered, points

Judge = Callable[[Work, Sequence[Program], Setting, Callable[[Result], None]], None]
CHANGED = "handed in anew after it was first graded; graded anew"


@dataclass(frozen=True, slots=True)
class Told:
    """What a run says while it goes on."""

    total: Callable[[int, int], None]
    """Results to come, and those that an earlier run had."""
    result: Callable[[Result], None]
    note: Callable[[str], None]


@dataclass
class Outcome:
    """What a run did."""

    results: list[Result] = field(default_factory=list)
    """All that hold, by student and part."""
    graded: int = 0
    """By this run."""
    kept: int = 0
    """From earlier runs."""

    def count(self, *statuses: str) -> int:
        return sum(result.status in statuses for result in self.results)


def open_journal(files: Files, work: Work, seed: int | None, variant: int | None, resume: bool) -> Journal:
    """A new journal, or the one of an earlier run, whose seed holds.

    Raises:
        ClassroomError: the journal is another item's, or the item has changed since, or another seed is asked for.
    """
    parts = tuple(part.id for part in (*((work.program.part,) if work.program is not None else ()), *work.answers))
    if not resume:
        return Journal.begin(
            files.journal,
            Heading(
                format=FORMAT,
                item=work.item,
                parts=parts,
                item_hash=work.hash,
                seed=random.SystemRandom().getrandbits(48) if seed is None else seed,
                variant=variant,
                quizapp=__version__,
                started_at=datetime.now(UTC),
            ),
        )
    journal = Journal.resume(files.journal)
    heading, fault = journal.heading, None
    if (heading.item, heading.parts) != (work.item, parts):
        fault = f"holds results of {heading.item} ({', '.join(heading.parts)}); resume with the same --item and --part"
    elif heading.item_hash != work.hash:
        fault = (
            f"{work.item} has changed since this grading began; "
            "score its answers anew with --regrade, or grade everybody with another --out"
        )
    elif seed not in (None, heading.seed) or variant not in (None, heading.variant):
        fault = f"was begun with seed {heading.seed}; leave --seed out, or grade everybody anew with another --out"
    if fault is not None:
        journal.__exit__(None, None, None)
        raise ClassroomError(f"{files.journal}: {fault}")
    return journal


def grade(
    work: Work,
    journal: Journal,
    files: Files,
    handed: Sequence[Handed],
    written: Sequence[Written],
    setting: Setting,
    told: Told,
    judge: Judge = judge_programs,
) -> Outcome:
    """Grades whatever the journal doesn't have yet, and writes all files. ``judge``: what runs programs.

    Raises:
        ClassroomError: a file can't be written, or the item is faulty. EnvironmentFailed: programs can't be run.
        KeyboardInterrupt: with everything written that was graded until then.
    """
    outcome = Outcome()
    before = dict(journal.results)
    part = work.program.part.id if work.program is not None else ""
    to_run = [one for one in handed if _is_new(journal, (one.student, part), one.digest)]
    to_score = [one for one in written if _is_new(journal, (one.student, one.part.id), one.digest)]
    outcome.kept = len(handed) + len(written) - len(to_run) - len(to_score)
    _tell_of_changes(before, handed, written, part, told)
    told.total(len(to_run) + len(to_score), outcome.kept)
    anew = {(one.student, part) for one in to_run} | {(one.student, one.part.id) for one in to_score}
    stays = {key: result for key, result in journal.results.items() if key not in anew}
    for result in apply(work, read_decisions(files.review), stays):
        journal.add(result)
        told.note(f"{result.student} ({result.part}): {result.note} ({points(result.points, result.most)})")

    def add(result: Result) -> None:
        old = before.get(result.key)
        if old is not None:
            result = result.model_copy(update={"note": CHANGED})
            told.note(f"{result.student}: {CHANGED} ({old.points} -> {numbered(result.points, 'point')})")
        journal.add(result)
        outcome.graded += 1
        files.student(result.student, journal.results)
        files.tables(journal.results.values())
        told.result(result)

    try:
        for student in sorted({student for student, _ in before}):
            files.student(student, journal.results)
        for one in to_score:
            add(score(work, one, setting.outer_sandbox))
        programs, without = split(to_run)
        for absent in without:
            add(unusable(work, absent, setting.outer_sandbox))
        if programs:
            judge(work, programs, setting, add)
    finally:
        outcome.results = sorted(journal.results.values(), key=lambda one: one.key)
        files.tables(outcome.results, now=True)
    return outcome


def _is_new(journal: Journal, key: tuple[str, str], digest: str) -> bool:
    known = journal.results.get(key)
    return known is None or known.digest != digest


def _tell_of_changes(
    before: dict[tuple[str, str], Result], handed: Sequence[Handed], written: Sequence[Written], part: str, told: Told
) -> None:
    now = {(one.student, part) for one in handed} | {(one.student, one.part.id) for one in written}
    for student, name in sorted(before.keys() - now):
        told.note(f"{student} ({name}): not among the submissions any more; the grade stays")


def keep_ruling(csv: Path, work: Work, key: tuple[str, str], rulings: Mapping[str, Ruling]) -> Result:
    """Puts rulings, by criterion, into a grading that was made before: its journal, its tables, the student's pages.

    Args:
        key: student and part.

    Raises:
        ClassroomError: the answer has no such criterion, a file can't be written, or the grading still goes on.
    """
    files = Files.found(csv, work)
    with Journal.resume(files.journal) as journal:
        journal.add(rule(work, journal.results[key], rulings))
        files.student(key[0], journal.results)
        files.tables(journal.results.values(), now=True)
        return journal.results[key]
