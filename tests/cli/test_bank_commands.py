"""``quizapp bank`` from outside: exit codes, what is printed where, and the keys of its JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder

BANK = """\
id: small
title: Small
description: One question and one lab.
items:
  - id: small-question
    kind: checkpoint
    topics: [ddp, tokens]
    difficulty: 2
    stem: Which?
    explanation: This.
    choices:
      - {id: a, text: this, key: true}
      - {id: b, text: that, misconception: mean-of-rank-means}
  - id: small-lab
    kind: exercise
    points: 1
    topics: [ddp]
    difficulty: 3
    stem: Write it.
    explanation: So.
    parts:
      - {id: program, kind: code, folder: lab}
"""
LAB = """\
entry: scale_loss
signature: scale_loss(token_losses, mask)
objective: {valid: 1/N}
scenarios: [{name: uneven, shape: uneven}]
"""
PROGRAM = "def scale_loss(token_losses, mask):\n    return token_losses.sum()\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lab").mkdir()
    (tmp_path / "small.yaml").write_text(BANK, "utf-8")
    (tmp_path / "lab" / "lab.yaml").write_text(LAB, "utf-8")
    for name in ("starter.py", "solution.py"):
        (tmp_path / "lab" / name).write_text(PROGRAM, "utf-8")
    return tmp_path


def bank(*arguments: str | Path, banks: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"QUIZAPP_BANKS": "" if banks is None else str(banks), "COLUMNS": "120"}
    command = [sys.executable, "-c", "from quizapp.cli.main import main; main()", "bank", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=120)


def break_it(folder: Path) -> Path:
    file = folder / "broken.yaml"
    file.write_text("id: x\nitems:\n  - id: a\n    kind: checkpoint\n    prompt: [unclosed\n", "utf-8")
    return file


def test_lint_of_sound_banks(folder: Path) -> None:
    for result in (bank("lint", folder), bank("lint", folder / "small.yaml"), bank("lint", folder / "lab" / "lab.yaml")):
        assert (result.returncode, result.stdout, result.stderr) == (0, "no faults\n", "")


def test_lint_prints_each_fault_on_a_line_of_its_own(folder: Path) -> None:
    file = break_it(folder)
    text = BANK.replace("difficulty: 2", "difficulty: 7").replace("stem: Write", "stme: Write")
    (folder / "small.yaml").write_text(text, "utf-8")
    result = bank("lint", folder)
    assert result.returncode == 1
    assert result.stderr == ""
    places = [line.partition(": ")[0] for line in result.stdout.splitlines()]
    small = folder / "small.yaml"
    assert places == [f"{file}:5:13", f"{small}:8:17", f"{small}:14:5", f"{small}:19:5"]
    assert all("; " in line for line in result.stdout.splitlines())


def test_lint_as_json(folder: Path) -> None:
    assert json.loads(bank("lint", folder, "--json").stdout) == {"faults": []}
    file = break_it(folder)
    result = bank("lint", "--json", folder)
    (fault,) = json.loads(result.stdout)["faults"]
    assert result.returncode == 1
    assert set(fault) == {"file", "line", "column", "code", "message", "mend"}
    assert (fault["file"], fault["line"], fault["column"], fault["code"]) == (str(file), 5, 13, "yaml-syntax")


def test_lint_without_paths_takes_all_banks(folder: Path) -> None:
    file = break_it(folder)
    result = bank("lint", banks=folder)
    assert result.returncode == 1
    assert f"{file}:5:13: " in result.stdout


def test_lint_of_what_is_no_bank(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / "none.yaml"):
        result = bank("lint", path)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert str(path) in result.stderr


def test_lint_of_a_path_that_cannot_be_read(folder: Path) -> None:
    result = bank("lint", folder / "small.yaml" / "within")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)


def test_list_as_json_has_the_promised_keys(folder: Path) -> None:
    result = bank("list", "--bank", folder, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    listed = json.loads(result.stdout)
    assert set(listed) == {"items"}
    file = str((folder / "small.yaml").resolve())
    assert [item for item in listed["items"] if item["bank"] == "small"] == [
        {
            "id": "small-question",
            "kind": "checkpoint",
            "bank": "small",
            "file": file,
            "line": 5,
            "topics": ["ddp", "tokens"],
            "difficulty": 2,
            "parts": [{"id": "main", "kind": "choice"}],
        },
        {
            "id": "small-lab",
            "kind": "exercise",
            "bank": "small",
            "file": file,
            "line": 14,
            "topics": ["ddp"],
            "difficulty": 3,
            "parts": [{"id": "program", "kind": "code", "folder": str((folder / "lab").resolve())}],
        },
    ]


def test_list_says_what_is_broken_and_lists_the_rest(folder: Path) -> None:
    file = break_it(folder)
    result = bank("list", "--json", banks=folder)
    assert result.returncode == 0
    assert result.stderr.startswith(f"{file}:5:13: ")
    assert {"small-question", "small-lab"} <= {item["id"] for item in json.loads(result.stdout)["items"]}


def test_list_for_people(folder: Path) -> None:
    result = bank("list", "--bank", folder)
    assert result.returncode == 0
    assert any(line.split()[:4] == ["small-lab", "exercise", "small", "3"] for line in result.stdout.splitlines())


def test_schema_is_a_json_schema() -> None:
    result = bank("schema")
    assert result.returncode == 0
    schema = json.loads(result.stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "items" in schema["properties"]


def test_the_built_in_banks_are_sound() -> None:
    result = bank("lint", builtin_folder())
    assert (result.returncode, result.stdout) == (0, "no faults\n")
