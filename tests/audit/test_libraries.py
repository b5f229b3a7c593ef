"""Released training libraries, audited in environments of their own: their known bugs and their fixes, from their own gradients.

``python tests/audit/environments.py FOLDER`` makes the environments; ``QUIZAPP_LIBRARY_ENVIRONMENTS=FOLDER`` has these tests run.
"""

import json
import os
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from environments import TESTED

pytestmark = pytest.mark.libraries
FOLDER = os.environ.get("QUIZAPP_LIBRARY_ENVIRONMENTS", "")
QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
FOUR = ("--accumulate", "2", "--rows", "1,5,2,3")
"""Rank 0 holds rows of 1 and 2 tokens, rank 1 of 5 and 3: N = 11."""
SIX = ("--accumulate", "2", "--rows", "1,5,2,3,5,6")
"""The same, and a short window of one microbatch per rank."""


@pytest.fixture(scope="module", autouse=True)
def _environments() -> None:
    if not FOLDER:
        pytest.skip("QUIZAPP_LIBRARY_ENVIRONMENTS names no folder; make one with: python tests/audit/environments.py FOLDER")
    missing = [name for name in TESTED if not (Path(FOLDER) / name / "pins.txt").is_file()]
    if missing:
        pytest.fail(f"{FOLDER} lacks {', '.join(missing)}; run: python tests/audit/environments.py {FOLDER}", pytrace=False)


def audited(environment: str, *arguments: str) -> dict[str, Any]:
    python = Path(FOLDER) / environment / "bin" / "python"
    command = [*QUIZAPP, "audit", *arguments, "--python", str(python), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if report["outcome"] == "right" else 1)
    limit = 1e-12 if report["tolerance"] < 1e-5 else 1e-5
    assert all(view["residual"] < limit for step in report["steps"] for view in step["views"])
    return report


def weights(report: dict[str, Any], step: int) -> list[F]:
    """The weight of each row's tokens, in the order of the data set."""
    rows: dict[int, set[F]] = {}
    for weight in report["steps"][step]["views"][0]["weights"]:
        rows.setdefault(weight["row"], set()).add(F(weight["given"]).limit_denominator(1000))
    assert all(len(own) == 1 for own in rows.values())
    return [next(iter(rows[row])) for row in sorted(rows)]


def named(report: dict[str, Any]) -> list[str]:
    return [found["id"] for found in report["diagnosis"]]


def test_trainer_4_45_averages_microbatch_means() -> None:
    report = audited("transformers-4.45", "hf-trainer", *FOUR)
    assert weights(report, 0) == [F(275, 1100), F(55, 1100), F(1375, 11000), F(1, 12)]  # over N = 11: 2.75, 0.55, 1.375, 0.9167
    assert named(report) == ["mean-of-microbatch-means"]


def test_trainer_4_45_does_so_on_one_device() -> None:
    report = audited("transformers-4.45", "hf-trainer", "--ranks", "1", "--accumulate", "2", "--rows", "1,5")
    assert weights(report, 0) == [F(3, 6), F(3, 30)]  # times N = 6: 3 and 0.6
    assert named(report) == ["mean-of-microbatch-means"]


def test_trainer_4_57_is_right_also_in_a_short_window() -> None:
    report = audited("transformers-4.57", "hf-trainer", *SIX)
    assert (report["outcome"], weights(report, 0), weights(report, 1)) == ("right", [F(1, 11)] * 4, [F(1, 11)] * 2)


def test_trainer_4_57_without_the_average_over_devices() -> None:
    report = audited("transformers-4.57", "hf-trainer", *FOUR, "--set", "average_tokens_across_devices=false")
    assert weights(report, 0) == [F(1, 6), F(1, 16), F(1, 6), F(1, 16)]  # times N = 11: 1.8333, 0.6875
    assert named(report) == ["mean-of-rank-means"]


@pytest.mark.parametrize(
    ("environment", "names", "labels"), [("transformers-4.57", ["labels-counted-before-the-shift"], 4), ("transformers-5", [], 0)]
)
def test_a_llama_of_ones_own_and_the_shift(environment: str, names: list[str], labels: int) -> None:
    """A model of the library, with token ids: its tokens' gradients are told apart, and a label more per row is found."""
    report = audited(environment, str(Path(__file__).parent / "llama_trainer.py"), *FOUR, "--shift")
    assert (report["unit"], named(report)) == ("token", names)
    given = [w["given"] for w in report["steps"][0]["views"][0]["weights"] if w["valid"] and w["label"] == "own"]
    assert len(given) == 11
    assert given == pytest.approx([1 / (11 + labels)] * 11, rel=1e-5)  # parts of the model stay in float32


def test_accelerate_s_two_loops() -> None:
    plain = audited("transformers-5", "accelerate", *FOUR)
    assert weights(plain, 0) == [F(1, 4), F(1, 20), F(1, 8), F(1, 12)]
    assert named(plain) == ["mean-of-microbatch-means"]
    assert audited("transformers-5", "accelerate", *FOUR, "--set", "normalize=window")["outcome"] == "right"


def test_lightning_2_6_divides_a_short_window_by_the_planned_count() -> None:
    report = audited("lightning-2.6", "lightning", *SIX)
    assert weights(report, 0) == [F(1, 4), F(1, 20), F(1, 8), F(1, 12)]
    assert weights(report, 1) == [F(1, 20), F(1, 24)]
    assert named(report) == ["mean-of-microbatch-means", "planned-microbatches"]


def test_an_item_s_library_runs_live_and_gives_what_was_recorded() -> None:
    done = subprocess.run(
        [*QUIZAPP, "audit", "--item", "audit-of-a-short-window", "--json"], capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 1, done.stderr
    shown = json.loads(done.stdout)
    assert (shown["source"], shown["as_recorded"], shown["missing"]) == ("live", True, None)
    assert shown["report"]["versions"]["lightning"] == "2.6.6"
    assert shown["python"].startswith(FOLDER)


@pytest.mark.skipif(
    not (Path(FOLDER) / "torch-2.6" / "pins.txt").is_file(), reason="its torch takes gigabytes, which CI doesn't fetch"
)
def test_the_oldest_torch_that_labs_run_on() -> None:
    report = audited("torch-2.6", "ddp", *SIX, "--set", "normalize=microbatch")
    assert report["versions"]["torch"].startswith("2.6.0")
    assert weights(report, 1) == [F(1, 20), F(1, 24)]
    assert named(report) == ["mean-of-microbatch-means", "planned-microbatches"]
