"""Programs of a class on real ranks: interrupted and killed, beside each other, beside attacks."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from grading import rows

from quizapp.bank.find import builtin_folder
from quizapp.judge.runner import local

LAB = builtin_folder() / "intended-average" / "labs" / "scale-local-loss"
ATTACKS = Path(__file__).parents[1] / "attacks" / "submissions"
QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
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
HONEST = {
    "ada": ((LAB / "solution.py").read_text("utf-8"), "pass", ""),
    "ben": ((LAB / "wrong" / "mean-of-rank-means.py").read_text("utf-8"), "wrong", "mean-of-rank-means"),
    "cee": ("def scale_loss(token_losses, mask):\n    raise ValueError('<b>no</b>')\n", "error", ""),
}
needs_torch = pytest.mark.skipif(not local.has_torch(), reason="needs torch here")


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A bank with one lab: two ranks, few scenarios, of which two tell how ranks without tokens count."""
    folder = tmp_path / "bank"
    (folder / "lab").mkdir(parents=True)
    (folder / "bank.yaml").write_text(BANK)
    text = (LAB / "lab.yaml").read_text("utf-8")
    text = text.replace("world_sizes: [2, 3, 4]", "world_sizes: [2]").replace("seconds: 5", "seconds: 3")
    text = re.sub(r"  - \{name: (one-token-rank|all-empty),.*\n", "", text)
    (folder / "lab" / "lab.yaml").write_text(text)
    return folder


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    folder = tmp_path / "class"
    for name, (source, _, _) in HONEST.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "answer.py").write_text(source)
    (folder / "dee").mkdir()
    return folder


def start(bank: Path, submissions: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = [*QUIZAPP, "grade", str(submissions), "--item", "small-lab", "--bank", str(bank), "--out", str(out), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_lines(path: Path, wanted: int, process: subprocess.Popen[str]) -> None:
    end, running = time.monotonic() + 240, True
    while running and time.monotonic() < end:
        running = process.poll() is None
        if path.exists() and path.read_bytes().count(b"\n") >= wanted:
            return
        time.sleep(0.01)
    raise AssertionError(f"ended with {process.poll()}: {process.communicate()}")


def grades(path: Path) -> dict[str, tuple[str, str, str]]:
    return {one["student"]: (one["outcome"] or one["status"], one["points"], one["misconceptions"]) for one in rows(path)}


WANTED = {name: (outcome, "4" if outcome == "pass" else "0", named) for name, (_, outcome, named) in HONEST.items()}


@needs_torch
def test_killed_interrupted_and_resumed(bank: Path, submissions: Path, tmp_path: Path) -> None:
    out, journal = tmp_path / "r.csv", tmp_path / "r.jsonl"
    options = ("--backend", "local", "--outer-sandbox")
    first = start(bank, submissions, out, *options)
    wait_for_lines(journal, 3, first)  # what is graded, dee who has no file, and ada
    first.send_signal(signal.SIGKILL)
    first.communicate(timeout=240)
    kept = journal.read_bytes()
    second = start(bank, submissions, out, *options, "--resume")
    wait_for_lines(journal, kept.count(b"\n") + 1, second)
    second.send_signal(signal.SIGINT)
    _, said = second.communicate(timeout=240)
    assert second.returncode in (1, 130), said
    assert second.returncode == 1 or "go on with --resume" in said
    third = start(bank, submissions, out, *options, "--resume")
    _, said = third.communicate(timeout=240)
    assert third.returncode == 1, said
    assert journal.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    assert journal.read_bytes().count(b"\n") == 1 + 4
    assert grades(out) == {**WANTED, "dee": ("missing", "0", "")}
    assert {one["outer_sandbox"] for one in rows(out)} == {"yes"}
    assert len({one["seed"] for one in rows(out) if one["seed"]}) == 1
    ben = next((tmp_path / "r-feedback").glob("ben-*.html")).read_text("utf-8")
    assert "<svg " in ben
    assert "The mean of per-rank means" in ben
    assert "&lt;b&gt;no" in next((tmp_path / "r-feedback").glob("cee-*.html")).read_text("utf-8")


@needs_torch
def test_one_student_inside_an_autograder(bank: Path, submissions: Path, tmp_path: Path) -> None:
    more = ("--student", "ada", "--backend", "local", "--outer-sandbox", "--seed", "5")
    process = start(bank, submissions / "ada", tmp_path / "results.csv", *more)
    assert process.communicate(timeout=240)
    assert process.returncode == 0
    found = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert (found["score"], found["extra_data"]["max_score"], found["extra_data"]["seed"]) == (4, 4, 5)
    assert found["tests"][0] == {
        "score": 4,
        "max_score": 4,
        "name": "main",
        "status": "passed",
        "output": found["tests"][0]["output"],
    }


MIXED = (
    # Twice each: containers take turns, and each of them shall have both.
    ("80_state_for_the_next", "80_state_for_the_next", "81_state_of_the_last", "81_state_of_the_last"),
    ("40_processes_memory", "50_system_calls", "11_agents_streams"),
    ("28_poisoned_modules", "56_kills_the_agent", "57_kills_everybody"),
    ("62_daemon", "63_fork_bomb"),
    ("66_memory_bomb_of_many",),
)
"""Attacks on other submissions, in groups after each of which honest programs follow in the same containers."""


@pytest.mark.engine
def test_attacks_in_a_class_change_no_other_grade(bank: Path, tmp_path: Path) -> None:
    """In kept containers: what attacks leave, take, kill and look for, with honest programs between them."""
    folder, attacks, honest = tmp_path / "class", {}, {}
    folder.mkdir()
    for turn, names in enumerate(MIXED):
        for number, name in enumerate(names):
            source = (ATTACKS / f"{name}.py").read_text("utf-8")
            told = re.search(r"^Outcome: ([a-z|]+)$", ast.get_docstring(ast.parse(source)) or "", re.MULTILINE)
            assert told
            attacks[f"{turn}-attack-{number}"] = told[1].split("|")
            (folder / f"{turn}-attack-{number}.py").write_text(source)
        for number, name in enumerate(("ada", "ben") if turn % 2 else ("cee", "ada")):
            honest[f"{turn}-honest-{number}"] = WANTED[name]
            (folder / f"{turn}-honest-{number}.py").write_text(HONEST[name][0])
    process = start(bank, folder, tmp_path / "r.csv", "--seed", "5")
    _, said = process.communicate(timeout=880)
    assert process.returncode == 0, said
    found = grades(tmp_path / "r.csv")
    assert {name: found[name] for name in honest} == honest
    for student, wanted in attacks.items():
        assert found[student][0] in wanted, student
        assert found[student][1] == "0", student
    settled = {one["student"]: one["container"] for one in rows(tmp_path / "r.csv")}
    assert "kept" in {settled[student] for student in honest}
    assert {settled[one] for one in attacks if found[one][0] in ("limit", "timeout")} <= {"own"}


def test_a_timeout_among_neighbours_is_judged_again_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The outcome that counts is the one without neighbours; where the first attempt comes from doesn't matter here."""
    from quizapp.classroom import asked, grade
    from quizapp.classroom.collect import Program
    from quizapp.cli.bank import library
    from quizapp.cli.items import find_item
    from quizapp.cli.submit import lab_of
    from quizapp.judge import bench
    from quizapp.model.verdict import Verdict

    found = library(())
    loaded = find_item(found, "scale-local-loss")
    code = asked.code_part(loaded, None)
    work = asked.work(found, loaded, asked.Program(code, *lab_of(loaded, code)), ())
    beside = {"now": 0, "most": 0}
    busy = threading.Lock()

    def judge(self: bench.Bench, lab: object, folder: object, source: str, filename: str, **more: object) -> Verdict:
        with busy:
            beside["now"] += 1
        time.sleep(0.2)
        slow = source == "slow" and beside["now"] > 1
        with busy:
            beside["now"] -= 1
        return Verdict(
            outcome="timeout" if slow else "pass", points=0 if slow else 5, max_points=5, seed=1, summary="x",
            backend="local", sandbox="bubblewrap", device="cpu", collectives="gloo", milliseconds=1,
        )  # fmt: skip

    monkeypatch.setattr(bench.Bench, "judge", judge)
    programs = [Program(name, f"{name}.py", "slow" if name == "b" else "quick", name) for name in "abcd"]
    results = []
    grade.judge_programs(work, programs, grade.Setting("local", 1, workers=2), results.append)
    assert sorted((one.student, one.outcome) for one in results) == [(name, "pass") for name in "abcd"]


@needs_torch
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_machine_that_cannot_run_programs_is_no_grade(bank: Path, submissions: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "DOCKER_HOST": f"unix://{tmp_path}/none.sock"}
    command = [*QUIZAPP, "grade", str(submissions), "--item", "small-lab", "--bank", str(bank), "--out", str(tmp_path / "r.csv")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert done.returncode == 3
    assert done.stderr.startswith("quizapp: no container engine answers")
    assert not (tmp_path / "r.jsonl").exists()
