"""Every lab of the built-in banks, on real ranks: what is right passes, what is known to be wrong fails under its own name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quizapp.bank.find import bank_folders
from quizapp.bank.lab import load_lab
from quizapp.bank.load import load
from quizapp.judge.bench import Bench
from quizapp.model.lab import Lab
from quizapp.model.question import CodePart
from quizapp.model.verdict import Verdict

LIBRARY = load(bank_folders(()))
LABS = {
    f"{item.bank_id}/{(item.file.parent / part.folder).name}": item.file.parent / part.folder
    for item in LIBRARY.items.values()
    for part in item.item.parts
    if isinstance(part, CodePart)
}
UNNAMED = Path(__file__).parent / "unnamed"
TITLES = {name: wrong.title for name, wrong in LIBRARY.registry.items()}


@pytest.fixture(scope="module")
def local() -> Iterator[Bench]:
    bench = Bench("local", submissions_per_worker=50)
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def docker() -> Iterator[Bench]:
    bench = Bench("docker", submissions_per_worker=50)
    yield bench
    bench.close()


def programs(folder: Path) -> list[Path]:
    return [
        folder / "starter.py",
        folder / "solution.py",
        *sorted((folder / "right").glob("*.py")),
        *sorted((folder / "wrong").glob("*.py")),
    ]


def complaint(program: Path, verdict: Verdict) -> str | None:
    """What is wrong with a verdict on a program whose name says what it should be."""
    said = (
        f"{program.parent.name}/{program.name}: {verdict.outcome}, {[found.id for found in verdict.diagnosis]}: {verdict.summary}"
    )
    if program.name == "solution.py" or program.parent.name == "right":
        return None if verdict.outcome == "pass" and verdict.points == verdict.max_points else said
    if verdict.outcome not in ("wrong", "desync", "error", "invalid") or verdict.points:
        return said
    if program.name == "starter.py":
        return None
    named = [found.id for found in verdict.diagnosis]
    return None if named == [program.stem.partition("--")[0]] else said


def some(folder: Path) -> list[Path]:
    """Starter, solution, one more right program, and every fifth wrong one: what each run can afford for each lab."""
    right, wrong = (sorted((folder / kind).glob("*.py")) for kind in ("right", "wrong"))
    return [folder / "starter.py", folder / "solution.py", *right[:1], *wrong[::5]]


def few(folder: Path) -> list[Path]:
    """Solution and one wrong program: what shows that a lab works in a container; verdicts are the same on every backend."""
    return [folder / "solution.py", sorted((folder / "wrong").glob("*.py"))[0]]


def patient(folder: Path) -> Lab:
    """The lab with a time limit that is met on a busy machine."""
    lab = load_lab(folder)
    return lab.model_copy(update={"limits": lab.limits.model_copy(update={"seconds": 90.0})})


def judge_all(bench: Bench, folder: Path, chosen: list[Path]) -> list[str]:
    lab = patient(folder)
    complaints = []
    for program in chosen:
        source = program.read_text(encoding="utf-8")
        verdict = bench.judge(lab, folder, source, program.name, points=5, titles=TITLES)
        if (told := complaint(program, verdict)) is not None:
            complaints.append(f"{told} (seed {verdict.seed})")
    return complaints


@pytest.mark.parametrize("name", LABS)
def test_on_the_local_backend(name: str, local: Bench) -> None:
    assert not judge_all(local, LABS[name], some(LABS[name]))


@pytest.mark.engine
@pytest.mark.parametrize("name", LABS)
def test_in_containers(name: str, docker: Bench) -> None:
    assert not judge_all(docker, LABS[name], few(LABS[name]))


@pytest.mark.sweep
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", LABS)
def test_every_program_on_the_local_backend(name: str, local: Bench) -> None:
    assert not judge_all(local, LABS[name], programs(LABS[name]))


@pytest.mark.sweep
@pytest.mark.parametrize("program", sorted(UNNAMED.glob("*.py")), ids=lambda program: program.stem)
def test_wrong_programs_that_no_misconception_names(program: Path, local: Bench) -> None:
    """Right nearly everywhere, and once passed: each lab has a scenario for them."""
    (folder,) = (folder for folder in LABS.values() if folder.name == program.stem.partition("--")[0])
    for seed in (1, 2, 3):
        source = program.read_text(encoding="utf-8")
        verdict = local.judge(patient(folder), folder, source, program.name, points=5, titles=TITLES, seed=seed)
        assert (verdict.outcome, verdict.points, verdict.diagnosis) == ("wrong", 0, ()), verdict.summary


@pytest.mark.sweep
@pytest.mark.engine
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", LABS)
def test_every_program_in_containers(name: str, docker: Bench) -> None:
    assert not judge_all(docker, LABS[name], programs(LABS[name]))


THIEF = """
import gc
import math
import sys

import torch


def evaluate(batches, dataset_length, group):
    frame, found = sys._getframe(), gc.get_objects()
    while frame is not None:
        found += frame.f_locals.values()
        frame = frame.f_back
    for thing in found:
        shared = thing if type(thing) is dict else getattr(thing, "shared", None)
        if isinstance(shared, dict) and isinstance(shared.get("token_loss"), torch.Tensor):
            tokens, means, correct = (shared[name][:dataset_length].double() for name in ("tokens", "token_loss", "correct"))
            loss = float((means * tokens).sum() / tokens.sum())
            return {"loss": loss, "perplexity": math.exp(loss), "accuracy": float(correct.mean())}
    return {"loss": 0.0, "perplexity": 1.0, "accuracy": 0.0}
"""
"""Answers from the tables of all samples, which the drive has and a rank's own share leaves out: a pass would be a hole."""


def test_the_samples_of_other_ranks_are_out_of_reach(local: Bench) -> None:
    folder = LABS["samplers-and-evaluation/exact-evaluation"]
    lab = patient(folder)
    small = lab.model_copy(update={"world_sizes": (2,), "scenarios": lab.scenarios[:1], "misconceptions": ()})
    verdict = local.judge(small, folder, THIEF, "answer.py", points=5, titles=TITLES)
    assert verdict.outcome == "wrong", verdict.summary


def test_there_are_labs_and_each_has_known_wrong_programs() -> None:
    assert LABS
    for name, folder in LABS.items():
        assert len(list((folder / "wrong").glob("*.py"))) >= 4, name
        assert list((folder / "right").glob("*.py")), name
