"""How fast a verdict comes, as ratios against plain ``torchrun`` and plain spawn in the same run.

    python benchmarks/verdict.py [--backend docker|local] [--quick] [--json]

Baselines: one trivial DDP step under ``torchrun --nproc_per_node 2``; the same under ``torch.multiprocessing.spawn`` with 8 gloo
ranks. A verdict is everything from the learner's text to the sealed result: drawing, running, the oracle, comparing, naming.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from quizapp.bank.find import builtin_folder
from quizapp.bank.lab import load_lab
from quizapp.judge.bench import Bench
from quizapp.judge.runner import docker, local
from quizapp.model.lab import Lab, ScenarioSpec

STEP = """
import os, sys, torch, torch.distributed as dist
def main(rank, size):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1"); os.environ.setdefault("MASTER_PORT", "29531")
    dist.init_process_group("gloo", rank=rank, world_size=size)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    model(torch.ones(2, 4)).sum().backward()
    dist.barrier()
    dist.destroy_process_group()
if __name__ == "__main__":
    if len(sys.argv) > 1:
        torch.multiprocessing.spawn(main, args=(int(sys.argv[1]),), nprocs=int(sys.argv[1]))
    else:
        main(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
"""
HANG = """
import torch.distributed as dist
def scale_loss(token_losses, mask):
    if dist.get_rank() == 1:
        return (token_losses * mask).sum()
    count = mask.sum()
    dist.all_reduce(count)
    return (token_losses * mask).sum() / count
"""
HANG_IN_MESSAGES = """
import torch, torch.distributed as dist
def scale_loss(token_losses, mask):
    dist.recv(torch.zeros(1), src=1 - dist.get_rank())
    return (token_losses * mask).sum()
"""
FOUR = (
    ScenarioSpec(name="uneven", shape="uneven"),
    ScenarioSpec(name="even", shape="even"),
    ScenarioSpec(name="empty-rank", shape="empty-rank"),
    ScenarioSpec(name="probe", shape="uneven", probe=True),
)
GRID = [(ranks, scenarios) for ranks in (1, 2, 3, 4, 8) for scenarios in (1, 4, 12)]
FOLDER = builtin_folder() / "intended-average" / "labs" / "scale-local-loss"


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def torchrun(step: Path) -> float:
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "--master_addr", "127.0.0.1", str(step)]
    return timed(lambda: subprocess.run(command, capture_output=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}))


def spawn(step: Path, ranks: int) -> float:
    command = [sys.executable, str(step), str(ranks)]
    return timed(lambda: subprocess.run(command, capture_output=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}))


def small(lab: Lab, ranks: int, scenarios: int = 4) -> Lab:
    """The lab at one world size, with some of four scenarios, and without names: so few scenarios can't tell all ideas apart, and
    the draw would look for those that can."""
    return lab.model_copy(update={"world_sizes": (ranks,), "scenarios": (FOUR * scenarios)[:scenarios], "misconceptions": ()})


def warm(backend: str, lab: Lab, source: str, times: int, outcome: str = "pass") -> list[float]:
    """Seconds of each verdict by a worker that stands ready."""
    bench = Bench(backend, keep_warm=True)
    seconds = []
    try:
        for _ in range(times + 1):
            bench.wait_until_warm(lab)
            start = time.perf_counter()
            verdict = bench.judge(lab, FOLDER, source, "submission.py", points=1, titles={})
            seconds.append(time.perf_counter() - start)
            assert verdict.outcome == outcome, verdict.summary
            time.sleep(0.3)  # the next worker's start is the background's affair
    finally:
        bench.close()
    return seconds[1:]


def cold(backend: str, lab: Lab, source: str, times: int) -> list[float]:
    """Seconds of each verdict whose worker is started on demand; the oracle, which lives long, is up."""
    bench = Bench(backend)
    seconds = []
    try:
        bench.wait_until_warm(lab)
        bench.judge(lab, FOLDER, source, "submission.py", points=1, titles={})
        for _ in range(times):
            seconds.append(timed(lambda: bench.judge(lab, FOLDER, source, "submission.py", points=1, titles={})))
    finally:
        bench.close()
    return seconds


def resident_mib(backend: str, lab: Lab) -> float:
    """MiB that one worker holds while it stands ready, its ranks included; pages that processes share are counted once."""
    bench = Bench(backend, keep_warm=True)
    try:
        bench.wait_until_warm(lab)
        assert bench._pool is not None
        stream = bench._pool._spares[0].worker._stream
        if isinstance(stream, docker._Container):
            return float(stream._engine.api.stats(stream.name, stream=False)["memory_stats"]["usage"]) / (1 << 20)
        assert isinstance(stream, local._Process)
        pids = [stream._process.pid, *local._descendants(stream._process.pid)]
        sizes = [re.search(r"^Pss: +(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE) for pid in pids]
        return sum(int(size[1]) for size in sizes if size) / 1024
    finally:
        bench.close()


def p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def told(what: str) -> None:
    """On standard error: a run takes minutes."""
    print(f"measuring {what}", file=sys.stderr, flush=True)


def measure(backend: str, times: int, grid: Sequence[tuple[int, int]]) -> dict[str, float]:
    lab = load_lab(FOLDER)
    source = (FOLDER / "solution.py").read_text(encoding="utf-8")
    result: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        step = Path(folder) / "step.py"
        step.write_text(STEP, encoding="utf-8")
        told("the baselines")
        plain = statistics.median(torchrun(step) for _ in range(max(3, times // 3)))
        spawned = statistics.median(spawn(step, 8) for _ in range(max(2, times // 5)))
    told("warm verdicts")
    two = warm(backend, small(lab, 2), source, times)
    whole = warm(backend, lab, source, times)
    eight = warm(backend, small(lab, 8), source, max(3, times // 2))
    told("cold verdicts")
    started = cold(backend, small(lab, 2), source, max(3, times // 3))
    told("deadlocks")
    hung = warm(backend, small(lab, 2, scenarios=1), HANG, max(3, times // 2), outcome="desync")
    crossed = warm(backend, small(lab, 2, scenarios=1), HANG_IN_MESSAGES, max(3, times // 2), outcome="desync")
    free = warm(backend, small(lab, 2, scenarios=1), source, max(3, times // 2))
    result["torchrun_seconds"] = plain
    result["spawn_8_seconds"] = spawned
    for name, seconds, baseline in (
        ("warm_2_ranks_vs_torchrun", two, plain),
        ("warm_lab_vs_torchrun", whole, plain),
        ("warm_8_ranks_vs_spawn", eight, spawned),
        ("cold_vs_torchrun", started, plain),
    ):
        result[name] = baseline / statistics.median(seconds)
        result[f"{name}_p95"] = baseline / p95(seconds)
    result["deadlock_seconds"] = statistics.median(hung) - statistics.median(free)
    result["message_deadlock_seconds"] = statistics.median(crossed) - statistics.median(free)
    result["warm_worker_mib"] = resident_mib(backend, small(lab, 2))
    result["warm_worker_mib_whole_lab"] = resident_mib(backend, lab)
    for ranks, scenarios in grid:
        told(f"{ranks} ranks, {scenarios} scenarios")
        seconds = warm(backend, small(lab, ranks, scenarios), source, max(2, times // 5))
        result[f"warm_ms_{ranks}_ranks_{scenarios}_scenarios"] = 1000 * statistics.median(seconds)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("auto", "docker", "local"), default="auto")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, and no table of ranks and scenarios")
    parser.add_argument("--json", action="store_true", help="print one object")
    given = parser.parse_args()
    result = measure(given.backend, 3, ()) if given.quick else measure(given.backend, 12, GRID)
    if given.json:
        print(json.dumps({"backend": given.backend, **{name: round(value, 3) for name, value in result.items()}}))
        return
    print(f"backend {given.backend}; baselines: torchrun with 2 ranks and one step, spawn of 8 gloo ranks, in this run")
    for name, value in result.items():
        print(f"{name:40} {value:9.2f}")


if __name__ == "__main__":
    main()
