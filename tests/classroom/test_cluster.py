"""A class on a Ray cluster: a real one of two nodes, one of which is killed while it grades. And what is decided before."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.find import builtin_folder
from quizapp.classroom import asked, cluster, cluster_node
from quizapp.classroom.cluster import Demand, Node
from quizapp.classroom.collect import Program
from quizapp.classroom.grade import Setting
from quizapp.cli.bank import library
from quizapp.cli.items import find_item
from quizapp.cli.main import run
from quizapp.cli.problem import Problem
from quizapp.cli.submit import lab_of

LAB = builtin_folder() / "intended-average" / "labs" / "scale-local-loss"
QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
RIGHT = (LAB / "solution.py").read_text("utf-8")
CLASS = {
    "abe": RIGHT,
    "ben": (LAB / "wrong" / "mean-of-rank-means.py").read_text("utf-8"),
}
BANK = """
id: small
title: Small
description: One lab with two ranks.
items:
  - kind: exercise
    id: small-lab
    topics: [ddp]
    difficulty: 1
    points: 4
    stem: Scale the loss.
    explanation: Divide once, by the global count.
    parts:
      - {kind: code, points: 4, folder: lab}
"""


def node(name: str, cpus: float, gpus: float = 0) -> Node:
    return Node(name, name, cpus, gpus)


class TestDemand:
    @pytest.mark.parametrize(
        ("ranks", "nodes", "wanted"),
        [
            (4, [node("a", 16)], Demand(4, 0)),
            (4, [node("a", 2), node("b", 3)], Demand(3, 0)),
            (4, [node("a", 16, 4), node("b", 64)], Demand(4, 4)),
            (4, [node("a", 2, 8), node("b", 64)], Demand(2, 4)),
            (4, [node("a", 16, 3), node("b", 16, 3)], Demand(4, 0)),
            (2, [node("a", 0.5)], Demand(1, 0)),
            (2, [], Demand(1, 0)),
        ],
    )
    def test_a_gpu_for_each_rank_or_none(self, ranks: int, nodes: list[Node], wanted: Demand) -> None:
        assert cluster.demand(ranks, nodes) == wanted

    @given(st.integers(1, 9), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4))
    def test_some_node_can_do_it_where_any_has_a_core(self, ranks: int, sizes: list[tuple[int, int]]) -> None:
        nodes = [node(str(index), cpus, gpus) for index, (cpus, gpus) in enumerate(sizes)]
        asked_for = cluster.demand(ranks, nodes)
        fits = sum(asked_for.fits(one) for one in nodes)
        assert asked_for.gpus in (0, ranks)
        if asked_for.gpus == 0:
            assert (fits > 0) == any(one.cpus >= 1 for one in nodes)

    def test_a_node_without_gpus_gets_no_task_that_needs_them(self) -> None:
        assert Demand(2, 2).fits(node("a", 64)) == 0
        assert Demand(2, 2).fits(node("a", 64, 5)) == 2
        assert Demand(2, 0).fits(node("a", 5)) == 2


def test_a_task_that_no_node_left_could_take_is_stranded() -> None:
    batch = cluster.Batch((), asked=Demand(4, 2))
    assert not batch.is_stranded([node("a", 2), node("b", 4, 2)])
    assert batch.is_stranded([node("a", 2), node("c", 64)])
    assert not cluster.Batch(()).is_stranded([])


@given(st.integers(0, 400), st.integers(0, 40))
def test_batches_hold_everybody_once_and_in_order(count: int, slots: int) -> None:
    programs = [Program(str(number), "a.py", "", "") for number in range(count)]
    found = cluster.batches(programs, slots)
    assert [one for batch in found for one in batch.programs] == programs
    assert all(1 <= len(batch.programs) <= cluster.BATCH for batch in found)
    assert len(found) <= max(cluster.ROUNDS * max(slots, 1), -(-count // cluster.BATCH))


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        (None, None),
        ("", None),
        ("127.0.0.1:8265", None),
        ("http://localhost:8265", None),
        ("10.0.0.3:8265", "10.0.0.3:8265"),
        ("http://0.0.0.0:8265", "0.0.0.0:8265"),
    ],
)
def test_a_dashboard_that_others_reach(url: str | None, wanted: str | None) -> None:
    assert cluster.exposed(url) == wanted


def test_the_lab_travels_without_its_solutions(tmp_path: Path) -> None:
    found = library(())
    loaded = find_item(found, "training-sampler")
    code = asked.code_part(loaded, None)
    work = asked.work(found, loaded, asked.Program(code, *lab_of(loaded, code)), ())
    packed = cluster_node.parcel(work, Setting("docker", 5, workers=7))
    assert packed.setting.workers == 1
    names = [PurePosixPath(name) for name in packed.files]
    assert {"lab.yaml", "oracle.py"} <= {str(name) for name in names}
    assert not {"solution.py", "starter.py"} & {name.name for name in names}
    assert not {"right", "wrong"} & {part for name in names for part in name.parts}
    unpacked = cluster_node._unpacked(packed, tmp_path)
    assert unpacked.program is not None
    assert unpacked.program.folder == tmp_path
    assert unpacked.hash == work.hash


def test_a_node_with_another_quizapp_says_so() -> None:
    assert "has another quizapp" in (cluster_node.fault("0.0.1", "digest") or "")


class TestRefused:
    """With one line and the exit code that says whose fault it is."""

    @pytest.fixture
    def command(self, tmp_path: Path) -> list[str]:
        (tmp_path / "class").mkdir()
        (tmp_path / "class" / "ada.py").write_text(RIGHT)
        out = str(tmp_path / "r.csv")
        return ["grade", str(tmp_path / "class"), "--item", "scale-local-loss", "--cluster", "ray", "--out", out]

    def test_the_local_backend(self, command: list[str]) -> None:
        with pytest.raises(Problem, match="runs programs in containers on its nodes") as raised:
            run([*command, "--backend", "local", "--outer-sandbox"])
        assert raised.value.code == 2

    def test_without_ray(self, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ray", None)
        with pytest.raises(
            Problem, match=r"Ray is not installed here; install it with `pip install \"quizapp\[cluster\]\"`"
        ) as raised:
            run(command)
        assert raised.value.code == 3

    @pytest.mark.parametrize(
        ("address", "said"),
        [
            ("ray://somewhere:10001", "can't be streamed"),
            ("127.0.0.1:1", "no Ray cluster answers at RAY_ADDRESS=127.0.0.1:1: Connection"),
        ],
    )
    def test_an_address(self, command: list[str], monkeypatch: pytest.MonkeyPatch, address: str, said: str) -> None:
        pytest.importorskip("ray", reason="Ray is not installed: pip install 'quizapp[cluster]'")
        monkeypatch.setenv("RAY_ADDRESS", address)
        with pytest.raises(Problem, match=said) as raised:
            run(command)
        assert raised.value.code == 3
        assert "\n" not in str(raised.value)


@pytest.fixture
def two_nodes() -> Iterator[Any]:
    """A cluster on this machine: the head and one more node, each a set of processes with one core to lend."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'quizapp[cluster]'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        from ray._private import ray_constants
        from ray.cluster_utils import Cluster

        # All of it bound to the loopback: whoever reaches Ray's ports can run anything.
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        patch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", False)

        size = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
        made = Cluster(initialize_head=True, head_node_args=size)
        try:
            second = made.add_node(**size)
            ray.init(address=made.address, log_to_driver=False, logging_level="CRITICAL")
            yield made, second
        finally:
            ray.shutdown()
            made.shutdown()


def wait_until_busy(node: Any, process: subprocess.Popen[str]) -> None:
    """Until Ray has lent the node's only core to a task."""
    from ray._private.state import available_resources_per_node

    end = time.monotonic() + 600
    while time.monotonic() < end and process.poll() is None:
        if available_resources_per_node().get(node.node_id, {}).get("CPU", 0) < 1:
            return
        time.sleep(0.02)
    raise AssertionError(f"ended with {process.poll()}: {process.communicate()}")


def verdicts(path: Path) -> dict[str, Any]:
    """The journal's results without times."""
    records = [json.loads(line)["result"] for line in path.read_text("utf-8").splitlines()[1:]]
    for record in records:
        del record["at"]
        record.get("verdict", {}).pop("milliseconds", None)
    return {record["student"]: record for record in records}


@pytest.mark.engine
@pytest.mark.timeout(1200)
def test_a_node_is_killed_and_the_grades_are_those_of_one_machine(two_nodes: Any, tmp_path: Path) -> None:
    made, second = two_nodes
    bank = tmp_path / "bank"
    (bank / "lab").mkdir(parents=True)
    (bank / "bank.yaml").write_text(BANK)
    text = (LAB / "lab.yaml").read_text("utf-8").replace("world_sizes: [2, 3, 4]", "world_sizes: [2]")
    (bank / "lab" / "lab.yaml").write_text(re.sub(r"  - \{name: (one-token-rank|lone-token|all-empty),.*\n", "", text))
    for name, source in CLASS.items():
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "answer.py").write_text(source)
    (tmp_path / "class" / "dee").mkdir()
    command = [*QUIZAPP, "grade", str(tmp_path / "class"), "--item", "small-lab", "--bank", str(bank), "--seed", "5"]

    def start(out: str, *more: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "RAY_ADDRESS": made.address}
        return subprocess.Popen(
            [*command, "--out", str(tmp_path / out), *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    journal = tmp_path / "ray.jsonl"
    grading = start("ray.csv", "--cluster", "ray")
    wait_until_busy(second, grading)
    made.remove_node(second, allow_graceful=False)
    graded = journal.read_bytes().count(b"\n") - 2  # without the heading and dee
    _, said = grading.communicate(timeout=1000)
    assert grading.returncode == 1, said
    # A node that had handed in its result by then had nothing to lose.
    assert graded or "note: a task was lost" in said
    whole = journal.read_bytes()
    assert whole.count(b"\n") == 1 + len(CLASS) + 1, "a grade is lost, or stands there twice"

    # As a power cut leaves it: the last line is half there, the table is older.
    journal.write_bytes(whole[:-40])
    (tmp_path / "ray.csv").write_text("older")
    grading = start("ray.csv", "--cluster", "ray", "--resume", "--json")
    told, said = grading.communicate(timeout=1000)
    assert grading.returncode == 1, said
    found = json.loads(told)
    assert found["counts"] == {"graded": len(CLASS), "review": 0, "missing": 1, "unreadable": 0}
    assert (found["graded_now"], found["kept"]) == (1, len(CLASS))

    grading = start("plain.csv")
    _, said = grading.communicate(timeout=1000)
    assert grading.returncode == 1, said
    assert (tmp_path / "plain.csv").read_bytes() == (tmp_path / "ray.csv").read_bytes()
    assert verdicts(journal) == verdicts(tmp_path / "plain.jsonl")
    for page in (tmp_path / "plain-feedback").iterdir():
        assert (tmp_path / "ray-feedback" / page.name).read_bytes() == page.read_bytes()
