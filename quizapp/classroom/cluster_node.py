"""What runs on a node of a cluster: the trusted grading function, for a few programs at a time.

Learners' programs run in containers of the node's own engine and nowhere else. Results leave as JSON, each as soon as it stands.
"""

import os
import queue
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from quizapp import __version__
from quizapp.classroom import ClassroomError
from quizapp.classroom.asked import Work
from quizapp.classroom.collect import Program
from quizapp.classroom.grade import EnvironmentFailed, Setting, judge_programs
from quizapp.classroom.result import Result


@dataclass(frozen=True, slots=True)
class Parcel:
    """What every task of a run needs, sent to each node once. The lab's files travel along: nodes share no disk."""

    work: Work
    files: Mapping[str, bytes]
    """By path below the lab's folder, with slashes."""
    setting: Setting
    version: str
    sources: str
    """Digest of what the sandbox image is built from."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a task went no further; the programs that it hasn't given a result for are still to be judged."""

    kind: Literal["environment", "lab"]
    message: str


def parcel(work: Work, setting: Setting) -> Parcel:
    """Packs a run.

    Raises:
        ClassroomError: the item takes no program.
    """
    from quizapp.judge.runner import sources

    if work.program is None:
        raise ClassroomError(f"{work.item} takes no program; grade its answers with --answers CSV")
    return Parcel(work, dict(work.program.files()), replace(setting, workers=1), __version__, sources.digest())


def fault(version: str, sources_digest: str) -> str | None:
    """What keeps this node from judging as the machine does that started the run; ``None``: nothing."""
    from quizapp.judge.bench import BackendUnavailable
    from quizapp.judge.runner import docker, sources

    if (version, sources_digest) != (__version__, sources.digest()):
        return f"has another quizapp ({__version__}) than the machine that grades ({version}); install the same on both"
    try:
        docker.require_image(docker.client())
    except BackendUnavailable as error:
        return str(error).replace(", or use --backend local", "")
    return None


def judge_batch(packed: Parcel, programs: Sequence[Program]) -> Iterator[str | Failed]:
    """Judges programs one after the other, with the GPUs that Ray gave this task.

    Returns:
        Each result's JSON as it comes; a ``Failed`` is the last.
    """
    import ray

    from quizapp.judge.runner.gpus import VISIBLE

    # Also where there are none: a process is used for many tasks, and the next one may have other GPUs or no right to any.
    os.environ[VISIBLE] = ",".join(ray.get_runtime_context().get_accelerator_ids().get("GPU", ()))
    if (wrong := fault(packed.version, packed.sources)) is not None:
        yield Failed("environment", wrong)
        return
    with TemporaryDirectory(prefix="quizapp-lab-") as place:
        work = _unpacked(packed, Path(place))
        try:
            for result in _judged(work, programs, packed.setting):
                yield result.model_dump_json()
        except EnvironmentFailed as error:
            yield Failed("environment", str(error))
        except ClassroomError as error:
            original = packed.work.program.folder if packed.work.program is not None else place
            yield Failed("lab", str(error).replace(place, str(original)))


def _unpacked(packed: Parcel, place: Path) -> Work:
    for name, content in packed.files.items():
        path = place.joinpath(*name.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if packed.work.program is None:
        raise AssertionError("packed without a program")
    return replace(packed.work, program=replace(packed.work.program, folder=place))


def _judged(work: Work, programs: Sequence[Program], setting: Setting) -> Iterator[Result]:
    """The grading function calls back; a generator that Ray can stream from needs it turned round."""
    found: queue.SimpleQueue[Result | Exception | None] = queue.SimpleQueue()

    def judge() -> None:
        try:
            judge_programs(work, programs, setting, found.put)
        except Exception as error:
            found.put(error)
        else:
            found.put(None)

    threading.Thread(target=judge, name="grade-batch", daemon=True).start()
    while (one := found.get()) is not None:
        if isinstance(one, Exception):
            raise one
        yield one
