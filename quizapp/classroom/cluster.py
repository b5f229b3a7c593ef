"""A class's programs on the nodes of a Ray cluster: the same grades as on one machine, in the same files.

Here: joining a cluster, what a task asks for, handing out, nodes that are lost. Ray bounds nothing and checks nobody: whatever it
runs has the rights of whoever started it. So only :mod:`cluster_node`, which is ours, runs in it.
"""

import contextlib
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from quizapp.classroom import ClassroomError, cluster_node
from quizapp.classroom.asked import Work
from quizapp.classroom.cluster_node import Failed, Parcel
from quizapp.classroom.collect import Program
from quizapp.classroom.grade import ALONE, TRIES, EnvironmentFailed, Setting
from quizapp.classroom.result import Result

BATCH = 50
"""Programs of one task at most. A task's containers are its own, and last as long as its cores and GPUs are lent to it."""
ROUNDS = 2
"""Tasks for each that can run at once, so that the last ones end together."""
SECONDS_BETWEEN_LOOKS = 2.0
"""How often it is looked which nodes are there."""
CHECK_SECONDS = 180.0
CONNECT_SECONDS = 10.0
ALONE_HERE = "local"
"""As ``RAY_ADDRESS``: no cluster, but a Ray that is started for this run on this machine."""
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster that is up."""

    id: str
    address: str
    cpus: float
    gpus: float


@dataclass(frozen=True, slots=True)
class Demand:
    """What one task asks for."""

    cpus: int
    gpus: int

    def fits(self, node: Node) -> int:
        """How many such tasks run on a node at once."""
        by_cpus = int(node.cpus // self.cpus)
        return min(by_cpus, int(node.gpus // self.gpus)) if self.gpus else by_cpus


@dataclass(frozen=True, slots=True)
class Batch:
    """Programs that a task judges one after the other."""

    programs: tuple[Program, ...]
    lost: int = 0
    """How many tasks in a row ended without a single result."""
    asked: Demand | None = None
    """What its task asked for; ``None``: it has none yet."""

    def is_stranded(self, nodes: Sequence[Node]) -> bool:
        """Whether its task waits for a node that is gone: none that is left could ever take it."""
        return self.asked is not None and not any(self.asked.fits(node) for node in nodes)


def demand(ranks: int, nodes: Sequence[Node]) -> Demand:
    """A core for each rank, or all that the largest node has; a GPU for each rank where some node has that many, for NCCL.
    Elsewhere none: gloo judges the same."""
    gpus = ranks if any(node.gpus >= ranks for node in nodes) else 0
    able = [node for node in nodes if node.gpus >= gpus]
    return Demand(max(1, min(ranks, int(max((node.cpus for node in able), default=1)))), gpus)


def batches(programs: Sequence[Program], slots: int) -> list[Batch]:
    """Programs in order, in batches of nearly the same size."""
    size = max(1, min(BATCH, -(-len(programs) // (max(1, slots) * ROUNDS))))
    return [Batch(tuple(programs[start : start + size])) for start in range(0, len(programs), size)]


def judge_programs(
    work: Work, programs: Sequence[Program], setting: Setting, done: Callable[[Result], None], note: Note = lambda text: None
) -> None:
    """Judges programs on the cluster that ``RAY_ADDRESS`` names, or of which this machine is a node.

    Like :func:`quizapp.classroom.grade.judge_programs`: each result goes to ``done`` in this thread as it comes, and a timeout
    among neighbours is judged again when all others are done. ``setting.workers`` has no meaning here: the nodes' cores say it.

    Raises:
        EnvironmentFailed: no cluster, or none of its nodes can run them. ClassroomError: the lab is faulty. What ``done`` raises.
    """
    packed = cluster_node.parcel(work, setting)
    ranks = max(packed.work.program.lab.world_sizes) if packed.work.program is not None else 1
    with _joined(note):
        run = _Run(packed, ranks, done, note)
        run.require_nodes_that_can()
        again = run.judge(programs, ALONE)
        for one in again:
            run.judge([one], frozenset())


class _Run:
    """Tasks handed out and results taken in, over one connection."""

    def __init__(self, packed: Parcel, ranks: int, done: Callable[[Result], None], note: Note) -> None:
        import ray

        self._packed, self._ranks, self._done, self._note = packed, ranks, done, note
        self._parcel = ray.put(packed)
        self._nodes: list[Node] = []
        self._looked = -SECONDS_BETWEEN_LOOKS
        self._demand = Demand(1, 0)
        self._look()

    def _look(self) -> int:
        """How many tasks can run at once on the nodes that are there now.

        Raises:
            EnvironmentFailed: none is left.
        """
        if time.monotonic() - self._looked >= SECONDS_BETWEEN_LOOKS:
            self._looked = time.monotonic()
            found = _nodes()
            for gone in (node for node in self._nodes if node.id not in {one.id for one in found}):
                self._note(f"the node {gone.address} is gone; what it had not finished is judged elsewhere")
            self._nodes, self._demand = found, demand(self._ranks, found)
        slots = sum(self._demand.fits(node) for node in self._nodes)
        if not slots:
            raise EnvironmentFailed("the Ray cluster has no node left with a core to spare; start one with `ray start`")
        return slots

    def require_nodes_that_can(self) -> None:
        """Tries every node before anything is judged.

        Raises:
            EnvironmentFailed: one that would get tasks can't judge; the message names it.
        """
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        check = ray.remote(num_cpus=0, max_calls=0, max_retries=0)(cluster_node.fault)
        able = [node for node in self._nodes if self._demand.fits(node)]
        answers = [
            check.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False)).remote(
                self._packed.version, self._packed.sources
            )
            for node in able
        ]
        for node, answer in zip(able, answers, strict=True):
            try:
                wrong = ray.get(answer, timeout=CHECK_SECONDS)
            except Exception as error:
                if node.id not in {one.id for one in _nodes()}:
                    continue
                raise EnvironmentFailed(f"the node {node.address} can't run quizapp: {_reason(error)}") from None
            if wrong is not None:
                raise EnvironmentFailed(f"the node {node.address}: {wrong}")

    def judge(self, programs: Sequence[Program], again: frozenset[str]) -> list[Program]:
        """Returns: those whose outcome is among ``again``, without telling it."""
        import ray

        waiting = deque(batches(programs, self._look()))
        running: dict[Any, Batch] = {}
        left = {one.student for one in programs}
        once_more: list[Program] = []
        while waiting or running:
            slots = self._look()
            for task in [task for task, batch in running.items() if batch.is_stranded(self._nodes)]:
                waiting.append(replace(running.pop(task), asked=None))
                ray.cancel(task)
            # One more than fits: a cluster that can grow does so when something waits.
            while waiting and len(running) <= slots:
                batch = replace(waiting.popleft(), asked=self._demand)
                running[self._start(batch)] = batch
            ready, _ = ray.wait(list(running), num_returns=1, timeout=SECONDS_BETWEEN_LOOKS / 4)
            for task in ready:
                batch = running.pop(task)
                try:
                    found = ray.get(next(task))
                except StopIteration:
                    found = None
                except ray.exceptions.RayTaskError:
                    raise
                except ray.exceptions.RayError as error:
                    found = Failed("environment", _reason(error))
                if isinstance(found, str):
                    result = Result.model_validate_json(found)
                    program = next(one for one in batch.programs if one.student == result.student)
                    running[task] = replace(batch, programs=tuple(one for one in batch.programs if one is not program), lost=0)
                    left.remove(result.student)
                    if result.outcome in again:
                        once_more.append(program)
                    else:
                        self._done(result)
                elif batch.programs:
                    waiting.append(self._retried(batch, found))
        if left:
            raise AssertionError(f"{len(left)} programs were handed out and never came back")
        return once_more

    def _start(self, batch: Batch) -> Any:
        import ray

        # Ray would end a process after each task that has GPUs; 0 keeps it.
        task = ray.remote(max_calls=0, max_retries=0)(cluster_node.judge_batch)
        asked = task.options(num_cpus=self._demand.cpus, num_gpus=self._demand.gpus, scheduling_strategy="SPREAD")
        return asked.remote(self._parcel, batch.programs)

    def _retried(self, batch: Batch, failed: Failed | None) -> Batch:
        """A batch whose task is gone. Which node it was on doesn't matter: Ray finds another, or the same one again.

        Raises:
            ClassroomError: the lab is faulty. EnvironmentFailed: three tasks in a row came to nothing.
        """
        if failed is not None and failed.kind == "lab":
            raise ClassroomError(failed.message)
        reason = failed.message if failed is not None else "it ended early"
        if batch.lost + 1 >= TRIES:
            raise EnvironmentFailed(f"{batch.programs[0].student}'s program was given to {TRIES} tasks that were lost: {reason}")
        self._looked = -SECONDS_BETWEEN_LOOKS
        self._note(f"a task was lost ({reason}); the {len(batch.programs)} programs that it had left are judged elsewhere")
        return replace(batch, lost=batch.lost + 1, asked=None)


def _nodes() -> list[Node]:
    import ray

    found: list[Mapping[str, Any]] = ray.nodes()
    return [
        Node(one["NodeID"], one["NodeManagerAddress"], one["Resources"].get("CPU", 0.0), one["Resources"].get("GPU", 0.0))
        for one in found
        if one["Alive"]
    ]


@contextmanager
def _joined(note: Note) -> Iterator[None]:
    """A connection to the cluster; it is given up at the end, which ends all tasks that are still there.

    Raises:
        EnvironmentFailed: Ray isn't installed, or the cluster doesn't answer.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # of a cluster that is started here; nothing about a class is reported
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # Ray prints what its nodes say to standard output, where nothing but the command's own result belongs.
    with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
        if os.environ.get("RAY_ADDRESS") == ALONE_HERE:
            # Bound to the loopback, since whoever reaches Ray's ports can run anything. Ray has no option for it that works on
            # Linux; what it does on other systems by itself, this switches on here.
            os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        try:
            import ray
        except ImportError:
            raise EnvironmentFailed('Ray is not installed here; install it with `pip install "quizapp[cluster]"`') from None
        try:
            _connect(note)
            yield
        finally:
            ray.shutdown()


def _connect(note: Note) -> None:
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "CRITICAL"}
    address = os.environ.get("RAY_ADDRESS", "")
    _require_answer(address)
    try:
        if address == ALONE_HERE:
            context = ray.init(address=address, include_dashboard=False, dashboard_host="127.0.0.1", **quiet)
        else:
            with _one_attempt():
                context = ray.init(address=address or "auto", **quiet)
    except Exception as error:
        if isinstance(error, ConnectionError) and address in ("", "auto"):
            raise EnvironmentFailed(
                "no Ray cluster runs here: name one with RAY_ADDRESS=HOST:PORT, or start one with "
                "`ray start --head --include-dashboard=false`; RAY_ADDRESS=local takes this machine alone"
            ) from None
        raise EnvironmentFailed(f"no Ray cluster can be joined at RAY_ADDRESS={address}: {_reason(error)}") from None
    if (open_to := exposed(context.dashboard_url)) is not None:
        note(
            f"this cluster's dashboard answers at {open_to}: whoever reaches it can run anything on the nodes; "
            "start the head with `ray start --head --include-dashboard=false`"
        )


def _require_answer(address: str) -> None:
    """Ray itself waits for ten minutes where nothing answers.

    Raises:
        EnvironmentFailed: nothing does, or it is an address over which results can't come as they stand.
    """
    if address.startswith("ray://"):
        raise EnvironmentFailed(
            f"RAY_ADDRESS is {address}: results can't be streamed over Ray's client; start this on a node of the cluster"
        )
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or "no answer"
        raise EnvironmentFailed(f"no Ray cluster answers at RAY_ADDRESS={address}: {reason}") from None


@contextmanager
def _one_attempt() -> Iterator[None]:
    """A cluster that is remembered but gone is asked once, not twenty times."""
    name = "RAY_gcs_server_port_wait_time_s"
    before = os.environ.get(name)
    os.environ[name] = before or "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def exposed(dashboard: str | None) -> str | None:
    """The address of a dashboard that other machines reach; ``None``: there is none, or it is bound to the loopback."""
    if not dashboard:
        return None
    address = dashboard.partition("://")[2] or dashboard
    host = address.rpartition(":")[0] or address
    return None if host in LOOPBACK else address


def _reason(error: BaseException) -> str:
    """The first sentence of what Ray says, which goes on for a page."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).partition(". ")[0].rstrip(".")[:300]
