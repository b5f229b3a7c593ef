"""Kept containers: one submission after the other, each as a user of its own; nothing of one reaches the next.

Attacks among honest programs, on the same containers: ``tests/classroom``. What all backends do alike: ``test_conformance``.
"""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benches import Watched

from quizapp.judge.runner.worker import Worker
from quizapp.model.lab import Lab, Limits
from quizapp.model.verdict import Verdict

pytestmark = pytest.mark.engine

LOOKS = r'''
import ctypes, fcntl, json, os, re, stat, sys, torch.distributed as dist

def _status():
    return dict(line.split(":", 1) for line in open("/proc/self/status"))

def _pipes():
    """Pipes of which one end alone is here: gloo's own have both."""
    ends = {}
    for number in range(1024):
        try:
            told = os.fstat(number)
        except OSError:
            continue
        if stat.S_ISFIFO(told.st_mode):
            ends.setdefault(told.st_ino, set()).add(fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE)
    return [modes for modes in ends.values() if len(modes) == 1]

def _writable():
    found = []
    for folder, below, files in os.walk("/"):
        if folder in ("/proc", "/sys"):
            below[:] = []
            continue
        if os.access(folder, os.W_OK):
            found.append(folder)
            below[:] = []
    return sorted(found)

def _remembers():
    """Whether any word of a program with the mark is in this process's memory; the pattern doesn't match itself."""
    mark = re.compile(rb"a mark of [o]ne submission: [0-9]+")
    for line in open("/proc/self/maps"):
        span, rights, *_ = line.split()
        if rights.startswith("rw") and "[v" not in line:
            start, end = (int(part, 16) for part in span.split("-"))
            if mark.search((ctypes.c_char * (end - start)).from_address(start)):
                return True
    return False

def _foreign():
    found = []
    for place in ("/tmp", "/dev/mqueue"):
        found += [os.path.join(place, name) for name in os.listdir(place)
                  if os.lstat(os.path.join(place, name)).st_uid not in (0, os.getuid())]
    return found

if dist.get_rank() == 0 and not hasattr(sys, "looked"):
    sys.looked = True  # once, not in each scenario
    told = _status()
    print(json.dumps({
        "uids": [*os.getresuid(), *os.getresgid(), *os.getgroups()],
        "capabilities": [int(told[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")],
        "shut": [int(told["NoNewPrivs"]), int(told["Seccomp"])],
        "pipes": [mode for modes in _pipes() for mode in modes],
        "writable": _writable(),
        "remembers": _remembers(),
        "foreign": _foreign(),
        "processes": sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[:1],
    }))
'''
LEAVES = r"""
# a mark of one submission: 1234567
import os, socket

if dist.get_rank() == 0 and not os.path.lexists("/tmp/link"):
    os.symlink("/proc/1", "/tmp/link")
    os.makedirs("/tmp/one/two")
    for name in ("one/two/three", "other", ".hidden"):
        with open("/tmp/" + name, "w") as file:
            file.write("a mark of one submission: 1234567")
    os.mkfifo("/tmp/pipe")
    socket.socket(socket.AF_UNIX).bind("/tmp/socket")
    os.close(os.open("/dev/mqueue/left", os.O_CREAT | os.O_RDWR, 0o666))
    os.chmod("/tmp/one/two", 0)
    os.chmod("/tmp/one", 0)
"""
DAEMON = r"""
import os, sys, time
if not hasattr(sys, "begot") and os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            time.sleep(1)
    os._exit(0)
sys.begot = True
time.sleep(0.2)
"""
LEASES = r"""
# Two bytes for each label, in the network's own table, where the next program can read them for minutes.
import contextlib, socket, struct
with contextlib.suppress(OSError):
    lease = struct.pack("!16sI", socket.inet_pton(socket.AF_INET6, "::1"), 0xABC00) + struct.pack("=BBHHHI", 0, 255, 3, 0, 100, 0)
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as end:
        end.setsockopt(41, 32, lease)  # IPPROTO_IPV6, IPV6_FLOWLABEL_MGR
print(json.dumps({"labels": open("/proc/net/ip6_flowlabel").read().count("ABC00")}))
"""
LOOKS_UP = r"""
frame, arrays = sys._getframe(), []
while frame is not None:
    arrays += [name for value in frame.f_locals.values() for name in getattr(value, "arrays", None) or ()]
    frame = frame.f_back
assert not arrays, arrays
"""


@pytest.fixture(scope="module")
def kept() -> Iterator[Watched]:
    bench = Watched("docker", "docker", kept=True)
    yield bench
    bench.close()
    assert bench.left_behind() == []


def judged(bench: Watched, lab: Lab, folder: Path, source: str) -> tuple[Verdict, Worker]:
    """The verdict, and the worker that ran the program, once it is a spare again or gone."""
    before = {id(worker): worker.submissions for worker in bench.started}
    verdict = bench.judge(lab, folder, source)
    for thread in threading.enumerate():
        if thread.name == "bench-retire":
            thread.join()
    (worker,) = (worker for worker in bench.started if worker.submissions != before.get(id(worker), 0))
    return verdict, worker


def told(verdict: Verdict) -> dict[str, Any]:
    line = next(line for line in verdict.output.splitlines() if "{" in line)
    found: dict[str, Any] = json.loads(line[line.index("{") :])
    return found


def test_each_is_a_user_of_its_own_with_no_rights(kept: Watched, two: Lab, folder: Path, solution: str) -> None:
    seen = []
    for _ in range(2):
        verdict, worker = judged(kept, two, folder, solution + LOOKS)
        assert verdict.outcome == "pass", verdict.summary
        assert worker.kept
        assert worker.doubt is None
        found = told(verdict)
        (uid,) = set(found["uids"])
        assert uid >= 10_000
        assert found["capabilities"] == [0, 0, 0, 0]
        assert found["shut"] == [1, 2]
        assert found["pipes"] == [os.O_WRONLY] * 2  # what it prints, and its stacks: not the stream to the host
        assert found["writable"] == ["/dev/mqueue", "/dev/shm", "/tmp"]
        seen.append((worker, uid))
    (first, one), (second, other) = seen
    assert first is second
    assert one != other


def test_the_same_verdicts_in_another_order(kept: Watched, two: Lab, folder: Path, solution: str) -> None:
    sources = [solution, *((folder / f"{name}.py").read_text("utf-8") for name in ("starter", "wrong/mean-of-rank-means"))]
    sources.append("def scale_loss(token_losses, mask):\n    raise ValueError('no')\n")
    given: dict[str, list[Verdict]] = {source: [] for source in sources}
    for source in (*sources, *reversed(sources)):
        verdict, worker = judged(kept, two, folder, source)
        assert worker.doubt is None
        given[source].append(verdict.model_copy(update={"milliseconds": 0}))
    assert [verdict.outcome for verdict, _ in given.values()] == ["pass", "wrong", "wrong", "error"]
    assert all(first == second for first, second in given.values())


def test_files_and_memory_of_one_do_not_reach_the_next(kept: Watched, two: Lab, folder: Path, solution: str) -> None:
    verdict, worker = judged(kept, two, folder, solution + LOOKS + LEAVES)
    assert verdict.outcome == "pass", verdict.summary
    assert told(verdict)["remembers"], "the search finds nothing at all"
    assert worker.doubt is None
    verdict, after = judged(kept, two, folder, solution + LOOKS)
    assert after is worker
    found = told(verdict)
    assert not found["remembers"]
    assert found["foreign"] == []


def test_what_is_left_running_ends_with_the_container(kept: Watched, two: Lab, folder: Path, solution: str) -> None:
    # Ranks that stood ready for the larger group are ended with it: those in their place are handed no more than those were.
    both = two.model_copy(update={"world_sizes": (2, 3)})
    verdict, worker = judged(kept, both, folder, solution + DAEMON + LOOKS_UP)
    assert verdict.outcome == "pass", verdict.summary
    assert worker.doubt == "processes were left running"
    verdict, after = judged(kept, two, folder, solution)
    assert verdict.outcome == "pass", verdict.summary
    assert after is not worker
    assert kept.left_behind() == []


def test_marks_in_the_network_end_with_the_container(kept: Watched, two: Lab, folder: Path, solution: str) -> None:
    verdict, worker = judged(kept, two, folder, solution + LOOKS + LEASES)
    assert verdict.outcome == "pass", verdict.summary
    if '"labels": 1' not in verdict.output:
        pytest.skip("this kernel leases no IPv6 flow labels")
    assert worker.doubt == "IPv6 flow labels"
    verdict, after = judged(kept, two, folder, solution)
    assert verdict.outcome == "pass", verdict.summary
    assert after is not worker


def test_after_a_timeout_and_after_enough_submissions_it_goes(
    kept: Watched, two: Lab, folder: Path, solution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first = judged(kept, two, folder, solution)
    hung = two.model_copy(update={"limits": Limits(seconds=1)})
    verdict, worker = judged(kept, hung, folder, "import time\ntime.sleep(600)\n")
    assert verdict.outcome == "timeout"
    assert worker is first
    monkeypatch.setattr(kept.bench, "_submissions_per_worker", 2)
    workers = [judged(kept, two, folder, solution)[1] for _ in range(3)]
    assert workers[0] is workers[1]
    assert len({id(one) for one in (first, *workers)}) == 3
    assert kept.left_behind() == []
