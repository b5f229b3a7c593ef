"""Running a lab's own programs: what ends otherwise than its place in the lab says is a fault, with its file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quizapp.authoring import templates
from quizapp.authoring.rehearsal import labs_under, rehearse
from quizapp.judge.bench import Bench


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    bench = Bench("local", submissions_per_worker=50)
    yield bench
    bench.close()


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The scaffolded lab at one world size."""
    for name, text in templates.PROGRAMS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace("world_sizes: [2, 3]", "world_sizes: [2]"), "utf-8")
    return tmp_path


def test_each_program_that_ends_otherwise_is_named(lab: Path, bench: Bench) -> None:
    (lab / "starter.py").write_text(templates.PROGRAMS["solution.py"], "utf-8")
    (lab / "right" / "mean_count.py").write_text(templates.PROGRAMS["wrong/forgot-world-size-factor.py"], "utf-8")
    (lab / "wrong" / "forgot-world-size-factor.py").write_text(templates.PROGRAMS["wrong/mean-of-rank-means.py"], "utf-8")
    (lab / "wrong" / "mean-of-rank-means--two.py").write_text(templates.PROGRAMS["solution.py"], "utf-8")
    told: list[str] = []
    faults = rehearse(labs_under([lab]), bench, {}, told.append)
    assert [(fault.file.relative_to(lab).as_posix(), fault.code) for fault in faults] == [
        ("starter.py", "program-outcome"),
        ("right/mean_count.py", "program-outcome"),
        ("wrong/forgot-world-size-factor.py", "program-misnamed"),
        ("wrong/mean-of-rank-means--two.py", "program-outcome"),
    ]
    assert "'mean-of-rank-means'" in faults[2].message
    assert len(told) == 6


def test_a_lab_that_contradicts_itself_is_said_once(lab: Path, bench: Bench) -> None:
    file = lab / "lab.yaml"
    file.write_text(file.read_text("utf-8").replace("objective: {valid: 1/N}", "objective: {valid: 2/N}"), "utf-8")
    (fault,) = rehearse([lab], bench, {})
    assert (fault.file, fault.code) == (file, "lab-faulty")
