"""A class's programs on real ranks, some at a time. The same submissions and seed give the same grades, in any order.

Containers are kept for many submissions, each under a user of its own, or thrown away after each. Whatever doubt a kept one leaves
is settled in one that no other submission was in. Nothing is written here: results go to who asked.
"""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from quizapp.classroom import ClassroomError, asked
from quizapp.classroom.asked import Work
from quizapp.classroom.collect import Handed, Program, Unusable
from quizapp.classroom.result import Problem, Result

if TYPE_CHECKING:
    from quizapp.judge.bench import Bench
    from quizapp.model.verdict import Verdict

TRIES = 3
"""How often a submission is tried whose worker could not be started; that is the machine's fault and never a grade."""
ALONE = frozenset(("timeout",))
"""Outcomes that neighbours on the same cores might have caused: such a submission is judged again when all others are done."""


class EnvironmentFailed(Exception):
    """Submissions can't be run here, or not any more; what has been graded is kept. The message says why."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How programs are run."""

    backend: str
    seed: int
    """The scenarios', the same for every student."""
    workers: int = 1
    outer_sandbox: bool = False
    kept: bool = False
    """Containers serve some 50 submissions, where the backend can do so."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A program and its verdict."""

    program: Program
    verdict: "Verdict"
    kept: bool
    """Other submissions had been in its container."""


def unusable(work: Work, handed: Unusable, outer_sandbox: bool) -> Result:
    """The result of a student without a program."""
    program = _program(work)
    return Result(
        student=handed.student,
        item=work.item,
        part=program.part.id,
        digest=handed.digest,
        most=program.part.points,
        at=datetime.now(UTC),
        file=handed.file,
        problem=Problem(status=handed.status, reason=handed.reason),
        outer_sandbox=outer_sandbox,
    )


def _program(work: Work) -> asked.Program:
    if work.program is None:
        raise ClassroomError(f"{work.item} takes no program; grade its answers with --answers CSV")
    return work.program


class _Crew:
    """Threads that judge, each with a bench, an oracle and a spare worker of its own."""

    def __init__(self, work: Work, setting: Setting, cancel: threading.Event) -> None:
        self._work, self._setting, self._cancel = work, setting, cancel
        self.waiting: queue.SimpleQueue[Program | None] = queue.SimpleQueue()
        self.done: queue.SimpleQueue[Judged | Exception] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._judge_all, name=f"grade-{n}") for n in range(setting.workers)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Returns when no worker is left."""
        for _ in self._threads:
            self.waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _judge_all(self) -> None:
        from quizapp.judge.bench import Bench, Cancelled

        bench = Bench(self._setting.backend, keep_warm=True, kept=self._setting.kept)
        try:
            while (program := self.waiting.get()) is not None and not self._cancel.is_set():
                verdict = self._judge(bench, program)
                self.done.put(Judged(program, verdict, bool(verdict.scenarios) and bench.keeps))
        except Cancelled:
            pass
        except Exception as error:
            self.done.put(error)
        finally:
            bench.close()

    def _judge(self, bench: "Bench", handed: Program) -> "Verdict":
        from quizapp.judge.bench import BackendUnavailable

        program = _program(self._work)
        for tried in range(1, TRIES + 1):
            try:
                return bench.judge(
                    program.lab,
                    program.folder,
                    handed.source,
                    PurePosixPath(handed.file).name,
                    points=program.part.points,
                    titles=self._work.titles,
                    seed=self._setting.seed,
                    cancel=self._cancel,
                )
            except BackendUnavailable as error:
                if tried == TRIES or self._cancel.wait(tried):
                    raise EnvironmentFailed(str(error)) from None
        raise AssertionError("tried at least once")


@contextmanager
def _crew(work: Work, setting: Setting) -> Iterator[_Crew]:
    cancel = threading.Event()
    crew = _Crew(work, setting, cancel)
    crew.start()
    try:
        yield crew
    except BaseException:
        cancel.set()
        raise
    finally:
        crew.end()


def judge_programs(work: Work, programs: Sequence[Program], setting: Setting, done: Callable[[Result], None]) -> None:
    """Judges programs and hands each result to ``done``, in this thread, as it comes.

    An exception in here, also a KeyboardInterrupt, ends all workers before it goes on; what ``done`` was given stands.

    Raises:
        EnvironmentFailed: the machine can't run them. ClassroomError: the lab is faulty. What ``done`` raises.
    """
    again = _judge_once(work, programs, setting, done)
    if again:
        _judge_once(work, again, replace(setting, workers=1, kept=False), done)


def _judge_once(work: Work, programs: Sequence[Program], setting: Setting, done: Callable[[Result], None]) -> list[Program]:
    """Returns: those that have to be judged again, alone and each in a worker of its own."""
    from quizapp.judge.bench import SUSPECT, FaultyLab

    part = _program(work).part
    again: list[Program] = []
    setting = replace(setting, workers=max(1, min(setting.workers, len(programs))))
    with _crew(work, setting) as crew:
        for handed in programs:
            crew.waiting.put(handed)
        for _ in programs:
            found = _next(crew)
            if isinstance(found, FaultyLab):
                raise ClassroomError(f"{_program(work).folder}: the lab itself is faulty: {found}")
            if isinstance(found, Exception):
                raise found
            handed, verdict = found.program, found.verdict
            if (setting.workers > 1 and verdict.outcome in ALONE) or (found.kept and verdict.outcome in SUSPECT):
                again.append(handed)
                continue
            done(
                Result(
                    student=handed.student,
                    item=work.item,
                    part=part.id,
                    digest=handed.digest,
                    most=part.points,
                    at=datetime.now(UTC),
                    file=handed.file,
                    seed=setting.seed,
                    verdict=verdict,
                    outer_sandbox=setting.outer_sandbox,
                    kept=found.kept,
                )
            )
    return again


def _next(crew: _Crew) -> Judged | Exception:
    while True:
        try:
            return crew.done.get(timeout=0.2)  # an interrupt gets its turn in between
        except queue.Empty:
            continue


def split(handed: Sequence[Handed]) -> tuple[list[Program], list[Unusable]]:
    """Programs, and students without one."""
    return [one for one in handed if isinstance(one, Program)], [one for one in handed if isinstance(one, Unusable)]
