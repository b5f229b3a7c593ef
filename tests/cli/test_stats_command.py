"""``quizapp stats`` and ``quizapp progress``: figures for people and programs, progress out and in again."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.bank.load import load
from quizapp.practice.study import Study
from quizapp.store.store import Store

BANKS = Path(__file__).parents[1] / "tui" / "banks"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A learner's folder with four answers, one of them a slip."""
    library = load([BANKS])
    with Store(tmp_path / "mine" / "progress.sqlite3") as store:
        study = Study(store, library, "small", "two-ranks")
        for text, confidence, seconds in (("2.25", 4, 12.0), ("2", 2, 8.0), ("7", 1, 1.0)):
            study.record(text, study.grade(text), confidence, seconds)
        study.withdraw()
    return tmp_path / "mine"


def quizapp(home: Path, *arguments: str, given: str | None = None) -> "subprocess.CompletedProcess[str]":
    program = "from quizapp.cli.main import main; main()"
    environment = {"QUIZAPP_HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, env=environment, timeout=240)


def test_json_is_one_object_with_every_table(home: Path) -> None:
    done = quizapp(home, "stats", "--json", "--bank", str(BANKS))
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["answers"], found["slips"]) == (2, 1)
    assert set(found) >= {"at", "due", "new", "banks", "topics", "forecast", "calibration", "misconceptions", "times"}
    assert found["calibration"]["brier"] == pytest.approx((0.7**2 + 0.7**2) / 2)
    assert [one["id"] for one in found["misconceptions"]] == ["mean-of-means"]
    assert found["misconceptions"][0]["state"] == "overcome"
    assert {one["bank"]: one["points"] for one in found["banks"]}["small"] == 1


def keys_in(value: object, prefix: str = "") -> set[str]:
    """The keys of a JSON value, as docs/json.md writes them."""
    if isinstance(value, list):
        return set().union(*(keys_in(entry, f"{prefix[:-1]}[].") for entry in value))
    if isinstance(value, dict):
        return {prefix + key for key in value}.union(*(keys_in(entry, f"{prefix}{key}.") for key, entry in value.items()))
    return set()


def test_the_documented_keys_are_those_that_come(home: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
    section = page.partition("## quizapp stats\n")[2].partition("\n## ")[0]
    documented = set(re.findall(r"^\| `([\w.\[\]]+)` \|", section, flags=re.MULTILINE))
    assert documented == keys_in(json.loads(quizapp(home, "stats", "--json", "--bank", str(BANKS)).stdout))


def test_csv_and_words_say_the_same(home: Path) -> None:
    done = quizapp(home, "stats", "--csv", "--bank", str(BANKS))
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert set(rows[0]) == {"table", "name", "figure", "value"}
    figures = {(row["table"], row["name"], row["figure"]): row["value"] for row in rows}
    assert figures["totals", "all", "slips"] == "1"
    assert figures["times", "two-ranks", "median"] == "10.0"
    assert figures["misconceptions", "mean-of-means", "state"] == "overcome"
    done = quizapp(home, "stats", "--bank", str(BANKS))
    assert "2 answers, 1 slip aside" in done.stdout
    assert "The mean of per-rank means" in done.stdout


def test_both_at_once_is_wrong_usage(home: Path) -> None:
    done = quizapp(home, "stats", "--csv", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "exclude each other" in done.stderr


def test_progress_goes_out_and_comes_in_on_another_machine(home: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "all.jsonl", tmp_path / "other"
    done = quizapp(home, "progress", "export", str(file))
    assert done.returncode == 0, done.stderr
    refused = quizapp(home, "progress", "export", str(file))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "is there already" in refused.stderr
    first = quizapp(other, "progress", "import", str(file), "--json")
    assert json.loads(first.stdout)["new"] == json.loads(first.stdout)["records"] > 0
    again = quizapp(other, "progress", "import", "-", given=file.read_text())
    assert "0 of them new" in again.stdout
    assert quizapp(other, "progress", "export", "-").stdout == file.read_text()
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ": can't be read: No such file"),
        (b"words", "line 1: no JSON"),
        (b"\xff\xfe\x00", "it is not UTF-8 text; give a file of"),
        (b"", "is missing"),
    ],
)
def test_what_is_no_export_is_one_line(home: Path, tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "some.jsonl"
    if content is not None:
        file.write_bytes(content)
    done = quizapp(home, "progress", "import", str(file))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr
    assert str(file) in done.stderr


def test_progress_goes_into_a_pipe_and_leaves_it_one(home: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "out.jsonl"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert quizapp(home, "progress", "export", str(pipe), "--force").returncode == 0
        assert os.read(reader, 1 << 20).decode() == quizapp(home, "progress", "export", "-").stdout
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("place", "words"),
    [("some.txt/out.jsonl", "name a place to write to"), (".", "a folder; name a file"), ("x" * 300, "name a place to write to")],
)
def test_a_place_where_no_file_can_be_is_one_line(home: Path, tmp_path: Path, place: str, words: str) -> None:
    (tmp_path / "some.txt").write_text("no folder")
    done = quizapp(home, "progress", "export", str(tmp_path / place), "--force")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr
