"""``quizapp grade``: a class's programs and answers, graded into files that can be gone on with.

Here: finding the item, refusing what must not run, progress, the closing words. The grading is ``quizapp.classroom``.
"""

from __future__ import annotations

import json as json_
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from quizapp.cli.bank import Folders, Json, Seed, library
from quizapp.cli.items import find_item
from quizapp.cli.problem import Problem
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.classroom.answers import Written
    from quizapp.classroom.asked import Work
    from quizapp.classroom.files import Files
    from quizapp.classroom.result import Result
    from quizapp.classroom.run import Judge, Outcome, Told

Backend = Annotated[Literal["docker", "local"], Parameter(help="Where ranks run: containers, or this machine's own processes.")]
Cluster = Literal["none", "ray"]
Flag = Parameter(negative=())
INTERRUPTED = 130
SECONDS_BETWEEN_LINES = 15.0


def grade(
    folder: Path | None = None,
    /,
    *,
    item: str,
    part: str | None = None,
    out: Path = Path("results.csv"),
    seed: Seed = None,
    workers: int = 1,
    resume: Annotated[bool, Flag] = False,
    regrade: Annotated[bool, Flag] = False,
    dry_run: Annotated[bool, Flag] = False,
    backend: Backend = "docker",
    outer_sandbox: Annotated[bool, Flag] = False,
    one_shot: Annotated[bool, Flag] = False,
    cluster: Cluster = "none",
    answers: Path | None = None,
    file: str | None = None,
    student: str | None = None,
    bank: Folders = (),
    json: Json = False,
) -> int:
    """Grade a class: programs from a folder or zip, written answers from a CSV.

    Parameters
    ----------
    folder
        A folder or zip with a .py file or a folder for each student.
    item
        The item's id; `quizapp bank list` shows them.
    part
        The part's id, for items of several parts.
    out
        The CSV of results; the journal, feedback pages and Gradescope files stand beside it.
    seed
        Draws the scenarios, the same for all, and the variant of answers. Without it: a fresh seed, and the bank's own figures.
    workers
        Programs judged at the same time.
    resume
        Go on with an earlier run: what is graded stays, what changed is graded anew.
    regrade
        Score the answers that --out holds anew, by the item as it is now. What a person decided stays.
    dry_run
        With --regrade: only list what would change.
    outer_sandbox
        The whole of this runs in a throw-away container or machine already: allow the local backend. Stands in the results.
    one_shot
        A container of its own for each program, thrown away after it: for final grades. Much slower.
    cluster
        Where programs are judged: on this machine, or on the nodes of a Ray cluster, whose cores say how many at a time.
    answers
        A CSV with the columns student,answer; or student,part,answer; or student and a column for each part.
    file
        The name of each student's program, where a folder may hold several.
    student
        The folder holds the submission of this one student, as inside an autograder.
    """
    from quizapp.classroom import ClassroomError
    from quizapp.classroom.collect import Collection, collect
    from quizapp.classroom.files import Files
    from quizapp.classroom.grade import EnvironmentFailed, Setting
    from quizapp.classroom.run import grade as run
    from quizapp.classroom.run import open_journal
    from quizapp.classroom.students import alike
    from quizapp.classroom.waiting import remember

    if dry_run and not regrade:
        raise Problem("--dry-run lists what --regrade would change; give both")
    if regrade:
        from quizapp.cli.grade_anew import grade_anew

        if folder is not None or answers is not None or resume or part is not None or seed is not None:
            raise Problem(
                f"--regrade scores the answers that {out} holds: leave the folder, --answers, --part, --seed and --resume out; "
                "what was handed in since then is graded with --resume afterwards"
            )
        return grade_anew(out, item, dry_run, json, bank)
    if folder is None and answers is None:
        raise Problem("name a folder of submissions, or answers with --answers CSV")
    if not 1 <= workers <= 64:
        raise Problem(f"--workers {workers}: give a number from 1 to 64")
    try:
        work = _work(bank, item, part, programs=folder is not None, answers=answers is not None)
        _keep_apart(folder, out)
        collection = Collection(()) if folder is None else collect(folder, file=file, student=student)
        if cluster == "ray" and (folder is None or backend != "docker"):
            raise Problem("--cluster ray runs programs in containers on its nodes: give a folder of them, without --backend local")
        if folder is not None and cluster == "none":
            _require(backend, outer_sandbox)
        written, unasked = ([], []) if answers is None else _written(answers, work, seed)
        if not collection.handed and not written:
            raise Problem(f"{folder or answers}: no submissions in it; it should hold a file or folder for each student")
        files = Files(out, work, alone=student is not None)
        with (
            open_journal(files, work, seed, seed if answers is not None else None, resume) as journal,
            _progress(quiet=json) as told,
        ):
            students = [*(one.student for one in collection.handed), *(one.student for one in written)]
            for note in (*collection.notes, *unasked, *alike(students)):
                told.note(note)
            setting = Setting(backend, journal.heading.seed, workers, outer_sandbox, kept=not one_shot)
            try:
                outcome = run(work, journal, files, collection.handed, written, setting, told, _judge(cluster, told))
            except KeyboardInterrupt:
                remember(files.csv)
                told.note(f"stopped; {numbered(len(journal.results), 'grade')} in {files.journal}; go on with --resume")
                return INTERRUPTED
    except ClassroomError as error:
        raise Problem(str(error)) from None
    except EnvironmentFailed as error:
        raise Problem(f"{error}; what is graded is kept, go on with --resume", code=3) from None
    remember(files.csv)
    _close(work, files, outcome, journal.heading.seed, bank, unasked, json)
    return 0 if outcome.count("graded") == len(outcome.results) else 1


def _judge(cluster: str, told: Told) -> Judge:
    """What runs programs: this machine, or the cluster's nodes."""
    from quizapp.classroom.grade import judge_programs

    if cluster == "none":
        return judge_programs
    from quizapp.classroom import cluster as nodes

    return partial(nodes.judge_programs, note=told.note)


def _work(bank: Folders, item: str, part: str | None, *, programs: bool, answers: bool) -> Work:
    from quizapp.classroom import asked
    from quizapp.cli.submit import lab_of

    found = library(bank)
    loaded = find_item(found, item)
    if part is not None and part not in (names := [one.id for one in loaded.item.parts]):
        raise Problem(f"{item} has no part {part!r}; its parts: {', '.join(names)}")
    # With both, --part narrows the one that it speaks of.
    is_code = any(one.id == part and one.kind == "code" for one in loaded.item.parts)
    program = None
    if programs:
        code = asked.code_part(loaded, None if answers and not is_code else part)
        lab, folder = lab_of(loaded, code)
        program = asked.Program(code, lab, folder)
    return asked.work(found, loaded, program, asked.answer_parts(loaded, None if programs and is_code else part) if answers else ())


def _written(path: Path, work: Work, variant: int | None) -> tuple[list[Written], list[str]]:
    from quizapp.classroom.answers import read_answers

    return read_answers(path, work, variant)


def _keep_apart(folder: Path | None, out: Path) -> None:
    """The results may not lie among the submissions: the next run would take them for some."""
    if out.suffix in (".jsonl", ".json", ""):
        raise Problem(f"--out {out}: name a .csv file; the other files get their names from it")
    if out.is_dir():
        raise Problem(f"--out {out}: a folder; name a .csv file")
    if folder is not None and folder.is_dir() and out.resolve().is_relative_to(folder.resolve()):
        raise Problem(f"--out {out} lies among the submissions in {folder}; write the results to another folder")
    try:
        out.resolve().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Problem(f"--out {out}: the folder {out.parent} can't be made: {error.strerror}; name another") from None


def _require(backend: str, outer_sandbox: bool) -> None:
    """Refuses what must not run a class's programs, and what can't."""
    from quizapp.judge.bench import BackendUnavailable
    from quizapp.judge.runner import docker, local

    if backend == "docker":
        try:
            docker.require_image(docker.client())
        except BackendUnavailable as error:
            raise Problem(str(error).replace(", or use --backend local", ""), code=3) from None
        return
    if not outer_sandbox:
        raise Problem(
            "a class's programs run in containers: the local backend bounds neither memory nor processes. "
            "If all of this runs in a throw-away container or machine already, say so with --outer-sandbox"
        )
    if not local.has_torch():
        raise Problem('torch is not installed here; install it with `pip install "quizapp[local]"`', code=3)
    if local.bubblewrap() is None:
        print(
            "note: no bubblewrap here: the programs run with your own rights and could change each other's grades; "
            "give each student a container of their own (--student)",
            file=sys.stderr,
        )


@contextmanager
def _progress(quiet: bool) -> Iterator[Told]:
    """What is told on standard error while a class is graded: a bar with the time left, or a line now and then."""
    from quizapp.classroom.run import Told

    def note(text: str) -> None:
        print(f"note: {text}", file=sys.stderr)

    if quiet:
        yield Told(lambda to_do, kept: None, lambda result: None, note)
        return
    if sys.stderr.isatty():
        yield from _bar()
        return
    lines = _Lines()
    yield Told(lines.begin, lines.one, note)


def _bar() -> Iterator[Told]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    from quizapp.classroom.run import Told

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, speed_estimate_period=120) as progress:
        task = progress.add_task("grading")

        def total(to_do: int, kept: int) -> None:
            progress.update(task, total=to_do)
            if kept:
                console.print(f"{kept} are graded already")

        def one(result: Result) -> None:
            progress.advance(task)

        yield Told(total, one, lambda text: console.print(Text(f"note: {text}")))


class _Lines:
    """Progress where there is no terminal: a line at the start, and one every so many seconds."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._done = self._total = 0

    def begin(self, total: int, kept: int) -> None:
        self._total, self._began = total, time.monotonic()
        print(f"{total} to grade" + (f", {kept} are graded already" if kept else ""), file=sys.stderr)

    def one(self, result: Result) -> None:
        self._done += 1
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES and self._done < self._total:
            self._last = now
            left = (now - self._began) / self._done * (self._total - self._done)
            print(f"{self._done} of {self._total}, about {_duration(left)} left", file=sys.stderr)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _close(work: Work, files: Files, outcome: Outcome, seed: int, bank: Folders, unasked: Sequence[str], json: bool) -> None:
    counts = {status: outcome.count(status) for status in ("graded", "review", "missing", "unreadable")}
    if json:
        described = {
            "item": work.item,
            "seed": seed,
            "results": [
                {
                    "student": result.student,
                    "part": result.part,
                    "status": result.status,
                    "outcome": result.outcome or None,
                    "points": result.points,
                    "max_points": result.most,
                    "misconceptions": list(result.misconceptions),
                    "reason": result.reason,
                }
                for result in outcome.results
            ],
            "counts": counts,
            "notes": list(unasked),
            "graded_now": outcome.graded,
            "kept": outcome.kept,
            "files": {
                "csv": str(files.csv),
                "journal": str(files.journal),
                "feedback": str(files.feedback),
                "gradescope": str(files.gradescope),
                "review": str(files.review) if files.review.exists() else None,
            },
        }
        print(json_.dumps(described))
        return
    print(
        f"{numbered(len(outcome.results), 'result')} of {work.item}: "
        + ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    )
    print(f"{files.csv}, feedback in {files.feedback}" + (f", seed {seed}" if work.program is not None else ""))
    for note in unasked:
        print(f"note: {note}")
    if counts["review"]:
        waits = "answer waits" if counts["review"] == 1 else "answers wait"
        banks = "".join(f" --bank {shlex.quote(str(folder))}" for folder in bank)
        print(f"{counts['review']} {waits} for a person: decide them with `quizapp review{banks}`, or in {files.review}")
