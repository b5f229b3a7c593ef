"""Audits that run: real ranks, plain PyTorch, in the environment of the tests."""

import json
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import own_steps
import pytest

from quizapp.audit import AuditError, assert_token_mean
from quizapp.cli.main import run
from quizapp.cli.problem import Problem

QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
HEAD = "import torch, torch.distributed as dist\nfrom torch.nn.functional import cross_entropy\n"


def audit(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*QUIZAPP, "audit", *map(str, arguments)], capture_output=True, text=True, timeout=280)


def written(folder: Path, text: str) -> Path:
    file = folder / "trainer.py"
    file.write_text(HEAD + textwrap.dedent(text))
    return file


def given(report: dict[str, Any], step: int) -> dict[int, set[float]]:
    """The weights found in a step, by row."""
    found: dict[int, set[float]] = {}
    for weight in report["steps"][step]["views"][0]["weights"]:
        found.setdefault(weight["row"], set()).add(round(weight["given"], 9))
    return found


def test_two_ranks_with_microbatch_means() -> None:
    done = audit("ddp", "--accumulate", "2", "--rows", "1,5,2,3,5,6", "--set", "normalize=microbatch", "--json")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert [named["id"] for named in report["diagnosis"]] == ["mean-of-microbatch-means", "planned-microbatches"]
    assert given(report, 0) == {0: {0.25}, 1: {0.05}, 2: {0.125}, 3: {round(1 / 12, 9)}}
    assert given(report, 1) == {4: {0.05}, 5: {round(1 / 24, 9)}}
    assert [(m["rank"], m["step"], m["rows"]) for m in report["microbatches"]][:3] == [(0, 0, [0]), (0, 0, [2]), (0, 1, [4])]


def test_sharded_parameters_under_clipping() -> None:
    done = audit("fsdp2", "--set", "max_grad_norm=0.05")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "right" in done.stdout
    assert "clipped to a norm of 0.05" in done.stdout
    assert len(done.stdout.splitlines()) <= 24, "one screen"


def test_the_step_that_the_manual_shows_is_right(tmp_path: Path) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")
    step = next(block for block in re.findall(r"```python\n(.*?)```", manual, flags=re.DOTALL) if "def train_step" in block)
    file = tmp_path / "manual.py"
    file.write_text(step)
    done = audit(file, "--ranks", "1", "--set", "wrap=none")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_solution_of_the_audit_lab_is_right_as_a_file_of_ones_own() -> None:
    lab = Path(__file__).parents[2] / "questions" / "audits" / "labs" / "trainer-of-microbatch-means"
    done = audit(lab / "solution.py", "--accumulate", "2", "--rows", "1,5,2,3,5,6")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_rank_that_dies_is_placed(tmp_path: Path) -> None:
    file = written(tmp_path, "import os\n\ndef train_step(model, microbatches, optimizer, group):\n    os.abort()\n")
    done = audit(file, "--ranks", "1", "--rows", "1,2", "--set", "wrap=none")
    assert done.returncode == 2
    assert f"trainer.py:{len(file.read_text().splitlines())}: rank 0 was ended by SIGABRT" in done.stderr


def test_a_test_suite_passes_with_the_token_mean() -> None:
    assert_token_mean(own_steps.token_mean, ranks=2, accumulate=2, rows=(1, 5, 2, 3))


def test_a_test_suite_fails_with_the_weights_in_the_message() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_token_mean(own_steps.microbatch_means, ranks=1, accumulate=2, rows=(1, 5), wrap="none")
    assert "1/10" in str(caught.value)
    assert "mean-of-microbatch-means" in str(caught.value)


@pytest.mark.parametrize("step", [lambda *_: None, json.JSONDecoder.decode, print])
def test_a_step_that_ranks_cannot_import_is_refused(step: Any) -> None:
    with pytest.raises(TypeError, match="top of a module"):
        assert_token_mean(step)


def test_a_step_that_raises_is_no_failed_assertion() -> None:
    with pytest.raises(AuditError, match=r"own_steps\.py:\d+: rank 0 raised KeyError"):
        assert_token_mean(own_steps.raising, ranks=1, rows=(1, 2), wrap="none")


def test_a_model_of_ones_own_whose_tokens_cannot_be_told_apart_is_weighed_by_rows(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        class Narrow(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.out = torch.nn.Linear(4, 9)

            def forward(self, features):
                return self.out(features[..., :4])

        def model(world):
            return Narrow()

        def train_step(model, microbatches, optimizer, group):
            for batch in microbatches:
                logits = model(batch["features"])
                cross_entropy(logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=-100).div(2).backward()
            optimizer.step()
            optimizer.zero_grad()
        """,
    )
    done = audit(file, "--ranks", "1", "--accumulate", "2", "--rows", "4,9,6,5", "--set", "wrap=none", "--json")
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert report["unit"] == "row"
    assert [named["id"] for named in report["diagnosis"]] == ["mean-of-microbatch-means"]
    assert given(report, 0) == {0: {0.125}, 1: {round(1 / 18, 9)}}


def test_other_loss_terms_and_a_vocabulary(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        VOCABULARY = 60

        class Tiny(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = torch.nn.Embedding(60, 8)
                self.mix = torch.nn.GRU(8, 8, batch_first=True)
                self.out = torch.nn.Linear(8, 60)

            def forward(self, input_ids):
                return self.out(self.mix(self.embed(input_ids))[0])

        def model(world):
            return Tiny()

        def terms(model, batch):
            return {"z": model(batch["input_ids"]).logsumexp(-1).square().mean()}

        def train_step(model, microbatches, optimizer, group):
            count = sum((batch["labels"] != -100).sum() for batch in microbatches)
            for batch in microbatches:
                logits = model(batch["input_ids"])
                loss = cross_entropy(logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=-100, reduction="sum") / count
                (loss + 0.02 * logits.logsumexp(-1).square().mean()).backward()
            optimizer.step()
            optimizer.zero_grad()
        """,
    )
    done = audit(file, "--ranks", "1", "--accumulate", "2", "--rows", "4,2,3", "--set", "wrap=none", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["unit"] == "token"
    assert "1/50 times its value for 2 rows" in " ".join(finding["message"] for finding in report["findings"])


def test_a_hang_is_ended_and_placed(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        import subprocess, sys, time

        def train_step(model, microbatches, optimizer, group):
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(987.6)"])
            time.sleep(987.6)
        """,
    )
    for seconds in ("10", "30", "150"):  # on a busy machine torch isn't there yet when the first are over
        done = audit(file, "--ranks", "1", "--rows", "1,2", "--set", "wrap=none", "--timeout", seconds)
        assert done.returncode == 2
        assert f"not done after {seconds} s; " in done.stderr
        if "no rank could say" not in done.stderr:
            break
    assert f"rank 0 stood at trainer.py:{len(file.read_text().splitlines())}" in done.stderr
    assert "987.6" not in subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True, check=True).stdout


def test_a_fault_in_a_module_of_the_trainer_is_placed_there_with_the_calls_and_what_was_printed(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def go(count):\n    print('so many', count)\n    assert count == 1\n")
    file = written(
        tmp_path, "import helper\ndef train_step(model, microbatches, optimizer, group):\n    helper.go(len(microbatches))\n"
    )
    done = audit(file, "--ranks", "1", "--rows", "1,2", "--accumulate", "2", "--set", "wrap=none")
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"quizapp: {file}:5 (at helper.py:3): rank 0 raised AssertionError",
        "rank 0, in the trainer's own files:",
        "  trainer.py:5, in train_step: helper.go(len(microbatches))",
        "  helper.py:3, in go: assert count == 1",
        "rank 0 printed last:",
        "  so many 2",
    ]


def test_a_rank_that_returns_while_another_waits_for_it_is_told(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        def train_step(model, microbatches, optimizer, group):
            if dist.get_rank() == 1:
                return
            dist.all_reduce(torch.ones(1))
        """,
    )
    done = audit(file, "--rows", "1,2", "--accumulate", "1")
    assert done.returncode == 2
    assert f"{file}:7: rank 0 waits for rank 1, which returned before it, after 0 optimizer steps" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def build(:\n", "trainer.py:3: "),
        ("x = 1\n", "defines no build"),
        ("def build(model, dataset, optimizer, world):\n    return None\n", "no optimizer step was seen"),
        ("def build(model, loader):\n    return None\n", "is called as build(model, dataset, optimizer, world)"),
        ("import nosuchlibrary\n", "trainer.py:3 needs nosuchlibrary"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, said: str) -> None:
    done = audit(written(tmp_path, text), "--ranks", "1", "--rows", "1,2")
    assert done.returncode == (3 if "needs" in said else 2)
    assert said in done.stderr
    assert done.stderr.startswith("quizapp: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_python_without_torch_is_said_to_be_one(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    done = audit("ddp", "--python", tmp_path / "bare" / "bin" / "python", "--ranks", "1")
    assert done.returncode == 3
    assert "has no torch" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nosuchfile.py",), "no such file"),
        (("ddp", "--rows", "a,b"), "whole numbers"),
        (("ddp", "--rows", "0,0"), "not 0"),
        (("ddp", "--objective", "nonsense"), "token-mean"),
        (("ddp", "--objective", "constant=0"), "a number above 0"),
        (("ddp", "--ranks", "0"), "at least 1"),
        (("ddp", "--accumulate", "0"), "at least 1"),
        (("ddp", "--batch", "0"), "at least 1"),
        (("ddp", "--set", "nonsense"), "key=value"),
        (("ddp", "--python", "/no/such/python"), "/no/such/python"),
    ],
)
def test_wrong_usage_is_a_problem_that_says_what_to_write(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(Problem, match=said) as caught:
        run(["audit", *arguments])
    assert caught.value.code == 2


def stopped(*_: object) -> Any:
    raise KeyboardInterrupt


def test_a_terminal_is_told_what_runs_and_that_it_was_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("quizapp.audit.audit.audit", stopped)
    assert run(["audit", "ddp"]) == 130
    assert capsys.readouterr().err == "note: stopped; every process of the trainer is ended\n"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert run(["audit", "ddp"]) == 130
    assert "ddp runs on 2 ranks, 120 s at most" in capsys.readouterr().err


def test_importing_the_assertion_loads_nothing() -> None:
    script = "import sys, quizapp.audit; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "numpy", "pydantic", "rich", "cyclopts", "yaml"} & set(names)
