"""What every backend must do alike: the same suite runs unsandboxed, in bubblewrap and in containers."""

import time
from pathlib import Path
from typing import Any

import pytest
from benches import Watched

from quizapp.judge import judge
from quizapp.model.lab import Lab, Limits
from quizapp.model.verdict import Verdict

HANG_SECONDS = 4.0
BOUND = 150.0
"""Seconds for any verdict, a worker's start on a busy machine included."""
HEAD = "import os, sys, time, torch\nimport torch.distributed as dist\n\n\ndef scale_loss(token_losses, mask):\n"
"""Five lines; what follows is the body, from line 6."""


BAD_INPUT = {
    "does-not-parse": ("def scale_loss(token_losses, mask):\n    return (\n", "error", 2, "SyntaxError"),
    "a-notebook": ('{"cells": [], "nbformat": 4}\n', "error", 1, "this is a notebook; export it as a Python file"),
    "null-bytes": ("x = 1\0\n", "error", 1, "null byte"),
    "parses-but-does-not-compile": ("x = 1\nreturn x\n", "error", 2, "SyntaxError: 'return' outside function"),
    "lacks-the-entry": ("def other(a, b):\n    pass\n", "error", None, "must define scale_loss; it defines other"),
    "entry-is-no-function": ("scale_loss = 3\n", "error", None, "makes scale_loss a value of type int; it must define a function"),
    "entry-takes-something-else": (
        "\ndef scale_loss(token_losses):\n    pass\n",
        "error",
        2,
        "takes 1 positional argument but 2 were given; it is called as scale_loss(token_losses",
    ),
    "crashes": (HEAD + "    os.kill(os.getpid(), 11)\n", "error", 6, "crashed (SIGSEGV), line 6 of your file"),
    "empty-file": ("", "error", None, "must define scale_loss"),
    "raises": (HEAD + "    one = 1\n    raise ValueError('boo')\n", "error", 7, "ValueError: boo"),
    "raises-when-loaded": ("x = {}\n\ny = x['a']\n", "error", 3, "KeyError: 'a'"),
    "raises-deep-inside": (HEAD + "    return token_losses @ torch.ones(3, 3, 3)\n", "error", 6, "RuntimeError"),
    "imports-what-is-not-there": ("import numpy\nimport no_such_module\n", "error", 2, "ModuleNotFoundError"),
    "prints-a-megabyte": (
        HEAD + "    print('x' * (1 << 20))\n    return token_losses.sum()\n",
        "limit",
        None,
        "printed more than allowed (256 KiB)",
    ),
    "never-returns": (HEAD + "    while True:\n        pass\n", "timeout", (6, 7), "did not return in time (4 s)"),
    "sleeps": (HEAD + "    time.sleep(600)\n", "timeout", 6, "did not return in time"),
    "never-loads": ("import time\ntime.sleep(600)\n", "timeout", 2, "did not return in time"),
    "returns-none": (HEAD + "    token_losses.sum()\n", "invalid", None, "returned None (is a return statement missing?)"),
    "returns-a-number": (HEAD + "    return float(token_losses.sum())\n", "invalid", None, "returned a float"),
    "wrong-shape": (
        HEAD + "    return token_losses[:2].clone() if len(token_losses) > 1 else token_losses.repeat(2)\n",
        "invalid",
        None,
        "tensor of shape [2]",
    ),
    "detached": (HEAD + "    return token_losses.sum().detach()\n", "invalid", None, "without a graph"),
    "integer": (HEAD + "    return mask.sum()\n", "invalid", None, "int64"),
    "nan": (HEAD + "    return token_losses.sum() * float('nan')\n", "wrong", None, "NaN"),
    "infinite": (HEAD + "    return token_losses.sum() * float('inf')\n", "wrong", None, "every rank ends with"),
    "enormous": (HEAD + "    return token_losses.sum() * 1e300\n", "wrong", None, ""),
}
"""Name -> source, outcome, line (or lines) of the place, words in the summary."""


def lines_told(verdict: Verdict) -> set[int]:
    return {report.place.line for report in verdict.ranks if report.place is not None}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_has_a_clear_outcome_with_the_line_in_their_file(
    shared_bench: Watched, lab: Lab, folder: Path, name: str
) -> None:
    source, outcome, line, words = BAD_INPUT[name]
    hangs = outcome == "timeout"
    limited = lab.model_copy(
        update={"world_sizes": (2, 3), "misconceptions": (), "limits": Limits(seconds=HANG_SECONDS if hangs else 30)}
    )
    started = time.monotonic()
    verdict = shared_bench.judge(limited, folder, source)
    assert time.monotonic() - started < BOUND
    assert (verdict.outcome, verdict.points, verdict.max_points) == (outcome, 0, 4), verdict.summary
    assert words.lower() in verdict.summary.lower()
    if line is not None:
        lines = line if isinstance(line, tuple) else (line,)
        assert lines_told(verdict) & set(lines), verdict.ranks
        assert any(f"line {number}" in verdict.summary for number in lines), verdict.summary
    if outcome != "wrong":
        assert verdict.ranks


def test_a_submission_that_takes_too_long_in_all(shared_bench: Watched, lab: Lab, folder: Path) -> None:
    """No scenario comes near its own limit."""
    slow = HEAD + "    time.sleep(0.4)\n    return token_losses.sum()\n"
    limited = lab.model_copy(update={"world_sizes": (2,), "limits": Limits(seconds=60, total_seconds=1.0)})
    verdict = shared_bench.judge(limited, folder, slow)
    assert (verdict.outcome, verdict.points, verdict.counterexample) == ("timeout", 0, verdict.scenarios[-1])
    assert len(verdict.scenarios) < len(lab.scenarios)
    last = verdict.scenarios[-1]
    assert f"With 2 ranks, {last.name}: the time for all scenarios together (1 s) was up before rank" in verdict.summary
    assert f"Done by then: {len(verdict.scenarios) - 1} of {len(lab.scenarios)} scenarios" in verdict.summary


def test_a_smaller_example_is_not_looked_for_without_end(
    shared_bench: Watched, two: Lab, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "SHRINK_SECONDS", -1.0)
    verdict = shared_bench.judge(two, folder, HEAD + "    return token_losses.sum()\n")
    assert (verdict.outcome, verdict.points) == ("wrong", 0)
    assert verdict.counterexample in verdict.scenarios


def test_after_all_of_that_a_right_program_passes(shared_bench: Watched, lab: Lab, folder: Path, solution: str) -> None:
    """On the very worker that ran them, too: ranks are forked anew after anything but a clean finish."""
    generous = lab.model_copy(update={"limits": Limits(seconds=60)})
    assert shared_bench.judge(generous, folder, solution).outcome == "pass"


def essence(verdict: Verdict) -> dict[str, Any]:
    """What must not depend on the backend. The last digits of an error may."""
    told = verdict.model_dump(exclude={"backend", "sandbox", "milliseconds", "output"})
    for scenario in (*told["scenarios"], told["counterexample"] or {}):
        scenario.pop("max_relative_error", None)
        for weight in scenario.get("weights", ()):
            weight["given"] = weight["given"] and round(weight["given"], 9)
    return told


SEEN: dict[str, dict[str, Any]] = {}
"""Program -> its verdict on the first backend that ran it."""


@pytest.mark.parametrize(
    "name",
    [
        "solution",
        "starter",
        "wrong/mean-of-rank-means",
        "wrong/rank-left-out",
        "wrong/zero-over-zero",
        "right/compiled",
        "right/groups_of_its_own",
    ],
)
def test_the_same_verdict_on_every_backend(shared_bench: Watched, lab: Lab, folder: Path, name: str) -> None:
    generous = lab.model_copy(update={"limits": Limits(seconds=60)})
    verdict = shared_bench.judge(generous, folder, (folder / f"{name}.py").read_text("utf-8"), seed=77)
    assert verdict.seed == 77
    found = essence(verdict)
    assert SEEN.setdefault(name, found) == found
    right = name == "solution" or name.startswith("right/")
    assert (verdict.outcome == "pass", verdict.points) == (right, 4 if right else 0), verdict.summary
    if name.startswith("wrong/"):
        assert [named.id for named in verdict.diagnosis] == [Path(name).name]
    if verdict.outcome == "wrong":
        assert verdict.counterexample is not None
        assert sum(map(sum, verdict.counterexample.counts)) <= 3
    assert verdict.backend == ("docker" if shared_bench.name == "docker" else "local")
    assert verdict.sandbox == {"unsandboxed": "none", "bubblewrap": "bubblewrap", "docker": "container"}[shared_bench.name]


def test_what_it_prints_is_shown_as_text_and_nothing_in_it_is_obeyed(shared_bench: Watched, two: Lab, folder: Path) -> None:
    body = "    print('rank', dist.get_rank(), '\\x1b[2J\\u00e4')\n    os.write(2, b'\\xff\\n')\n    return token_losses.sum()\n"
    verdict = shared_bench.judge(two, folder, HEAD + body)
    assert verdict.outcome == "wrong"
    assert verdict.output == "rank 0: rank 0 \ufffd[2Jä\nrank 0: \ufffd\nrank 1: rank 1 \ufffd[2Jä\nrank 1: \ufffd"


def test_binary_output_below_the_limit_is_no_fault(shared_bench: Watched, two: Lab, folder: Path, solution: str) -> None:
    """JSON makes six bytes of each of these; the frame that carried them once went over its bounds and the worker with it."""
    noisy = solution.replace("    count = ", "    import os\n\n    os.write(1, b'\\0\\xff' * 25_000)\n    count = ")
    verdict = shared_bench.judge(two, folder, noisy)
    assert verdict.outcome == "pass", verdict.summary
    assert 0 < len(verdict.output) <= 16_384


def test_texts_that_no_encoding_holds_reach_the_verdict(shared_bench: Watched, two: Lab, folder: Path) -> None:
    verdict = shared_bench.judge(two, folder, HEAD + "    raise ValueError('\\ud800' + 'x' * 100_000)\n")
    assert verdict.outcome == "error"
    assert len(verdict.model_dump_json().encode()) < 20_000


def test_a_file_that_is_too_large(shared_bench: Watched, two: Lab, folder: Path) -> None:
    verdict = shared_bench.judge(two, folder, "# " + "x" * (300 << 10) + "\n")
    assert (verdict.outcome, verdict.points) == ("limit", 0)
    assert "256 KiB" in verdict.summary
