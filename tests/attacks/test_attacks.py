"""Submissions that cheat, break out or break down: none gains a point, each ends in bounded time, and the next one is judged.

Each file of ``submissions/`` is one idea; its docstring says what it tries, which outcomes are sensible, and whether it may run
in ``sandboxes`` (containers and bubblewrap) or in ``containers`` alone, which bound memory and processes. Several of them give
the right answer where they got through, so that a hole in the sandbox shows as a pass.
"""

import ast
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from benches import Watched

from quizapp.bank.find import builtin_folder
from quizapp.bank.lab import load_lab
from quizapp.judge.runner import local
from quizapp.model.lab import Lab, Limits, ScenarioSpec

FOLDER = Path(__file__).parent / "submissions"
LAB = builtin_folder() / "intended-average" / "labs" / "scale-local-loss"
SECONDS = 4.0
"""A scenario's limit for attacks. Each is bounded by a few of these and by the worker's own deadline."""
BOUND = 200.0
SELDOM = 8
"""Of the attacks that only cheat, each so-many-th is followed by an honest submission; of the others each."""


@dataclass(frozen=True)
class Attack:
    """One file, and what its docstring says of it."""

    name: str
    source: str
    outcomes: frozenset[str]
    runs: str

    @property
    def only_cheats(self) -> bool:
        return self.outcomes <= {"wrong", "invalid", "desync"}

    @property
    def at_the_judge(self) -> bool:
        """It is after the verdict, not the machine; those come first by number."""
        return self.name < "48"


def attack_in(file: Path) -> Attack:
    source = file.read_text("utf-8")
    told = ast.get_docstring(ast.parse(source)) or ""
    outcomes = re.search(r"^Outcome: ([a-z|]+)$", told, re.MULTILINE)
    runs = re.search(r"^Runs: (sandboxes|containers)$", told, re.MULTILINE)
    assert outcomes, file
    assert runs, file
    return Attack(file.stem, source, frozenset(outcomes[1].split("|")), runs[1])


ATTACKS = [attack_in(file) for file in sorted(FOLDER.glob("*.py"))]


@pytest.fixture(scope="module")
def small() -> Lab:
    """Two ranks and four scenarios, one of them a probe: enough to tell right from wrong."""
    specs = tuple(
        ScenarioSpec(name=name, shape=shape, probe=name == "probe")
        for name, shape in (("uneven", "uneven"), ("even", "even"), ("empty-rank", "empty-rank"), ("probe", "uneven"))
    )
    return load_lab(LAB).model_copy(
        update={"world_sizes": (2,), "scenarios": specs, "misconceptions": (), "limits": Limits(seconds=SECONDS)}
    )


@pytest.fixture(scope="module")
def solution() -> str:
    return (LAB / "solution.py").read_text("utf-8")


@pytest.fixture(scope="module")
def containers() -> Iterator[Watched]:
    watched = Watched("docker", "docker")
    yield watched
    watched.close()
    assert watched.left_behind() == []


@pytest.fixture(scope="module")
def kept() -> Iterator[Watched]:
    watched = Watched("docker", "docker", kept=True)
    yield watched
    watched.close()
    assert watched.left_behind() == []


@pytest.fixture(scope="module")
def needs_bubblewrap() -> None:
    if not local.has_torch() or local.bubblewrap() is None:
        pytest.skip("bubblewrap, or torch, doesn't work here")


@pytest.fixture(scope="module")
def bubblewrap(needs_bubblewrap: None) -> Iterator[Watched]:
    watched = Watched("local", "bubblewrap")
    yield watched
    watched.close()
    assert watched.left_behind() == []


def withstands(bench: Watched, small: Lab, solution: str, attack: Attack, then_honest: bool) -> None:
    started = time.monotonic()
    verdict = bench.judge(small, LAB, attack.source)
    seconds = time.monotonic() - started
    assert verdict.outcome != "pass", verdict.summary
    assert verdict.points == 0
    assert verdict.outcome in attack.outcomes, verdict.summary
    assert seconds < BOUND
    assert verdict.summary
    assert len(verdict.model_dump_json().encode()) < 1 << 20
    assert "\x1b" not in verdict.summary + verdict.output
    if then_honest:
        honest = bench.judge(small.model_copy(update={"limits": Limits(seconds=60)}), LAB, solution)
        assert (honest.outcome, honest.points) == ("pass", 4), honest.summary


@pytest.mark.engine
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_in_a_container(containers: Watched, kept: Watched, small: Lab, solution: str, attack: Attack) -> None:
    """Those at the judge run one after the other in kept containers, as a class's programs do; those at the machine each in its
    own."""
    bench = kept if attack.at_the_judge else containers
    withstands(bench, small, solution, attack, not attack.only_cheats or ATTACKS.index(attack) % SELDOM == 0)


@pytest.mark.engine
def test_containers_are_gone_afterwards_and_the_next_submission_passes(containers: Watched, small: Lab, solution: str) -> None:
    honest = containers.judge(small.model_copy(update={"limits": Limits(seconds=60)}), LAB, solution)
    assert (honest.outcome, honest.points) == ("pass", 4)
    assert containers.left_behind() == []


@pytest.mark.parametrize("attack", [a for a in ATTACKS if a.runs == "sandboxes"], ids=lambda attack: attack.name)
def test_in_bubblewrap(bubblewrap: Watched, one_bubble: Watched, small: Lab, solution: str, attack: Attack) -> None:
    """Those at the judge share a worker, which is faster: it gives them more to find, not less."""
    bench = one_bubble if attack.at_the_judge else bubblewrap
    withstands(bench, small, solution, attack, ATTACKS.index(attack) % SELDOM == 0)


def test_sandboxes_are_gone_afterwards_and_the_next_submission_passes(bubblewrap: Watched, small: Lab, solution: str) -> None:
    honest = bubblewrap.judge(small.model_copy(update={"limits": Limits(seconds=60)}), LAB, solution)
    assert (honest.outcome, honest.points) == ("pass", 4)
    assert bubblewrap.left_behind() == []


TESTERS = sorted((Path(__file__).parent / "testers").glob("*.py"))
"""Programs for the lab *write the reference test* that try to tell right steps from wrong ones without testing them."""
AT_PROCESSES = [file for file in TESTERS if file.stem[3:] in ("processes", "questions", "ends_the_other_process", "sorted_already")]
TEST = builtin_folder() / "testing-equivalence" / "labs" / "write-the-reference-test"


@pytest.fixture(scope="module")
def one_order() -> Lab:
    lab = load_lab(TEST)
    return lab.model_copy(update={"world_sizes": (2,), "scenarios": lab.scenarios[:1], "misconceptions": ()})


@pytest.fixture(scope="module")
def one_bubble(needs_bubblewrap: None) -> Iterator[Watched]:
    watched = Watched("local", "bubblewrap", submissions_per_worker=50)
    yield watched
    watched.close()
    assert watched.left_behind() == []


def ends_processes(file: Path) -> bool:
    """The steps' process is of the ranks' user in bubblewrap; in a kept container it is another one and lives on."""
    return file.stem.endswith("ends_the_other_process")


def finds_nothing(bench: Watched, lab: Lab, file: Path) -> None:
    """Some raise when they see a difference, so that an ``error`` is a hole as well."""
    verdict = bench.judge(lab, TEST, file.read_text("utf-8"))
    silenced = (ends_processes(file) and bench.name == "bubblewrap") or file.stem.endswith("sorted_already")
    outcome = "invalid" if silenced else "wrong"
    assert (verdict.outcome, verdict.points) == (outcome, 0), verdict.summary


@pytest.mark.parametrize("file", TESTERS, ids=lambda file: file.stem)
def test_steps_can_only_be_tried(one_bubble: Watched, one_order: Lab, file: Path) -> None:
    finds_nothing(one_bubble, one_order, file)


@pytest.mark.engine
@pytest.mark.parametrize("file", AT_PROCESSES, ids=lambda file: file.stem)
def test_steps_can_only_be_tried_in_a_kept_container(kept: Watched, one_order: Lab, file: Path) -> None:
    finds_nothing(kept, one_order, file)


def test_there_are_many_ideas_and_no_two_alike() -> None:
    assert len(ATTACKS) >= 50
    assert len({ast.dump(ast.parse(attack.source)) for attack in ATTACKS}) == len(ATTACKS)
    assert len({ast.get_docstring(ast.parse(attack.source)) for attack in ATTACKS}) == len(ATTACKS)
    assert all("pass" not in attack.outcomes for attack in ATTACKS)
