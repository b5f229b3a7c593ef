"""``quizapp bank`` from outside: exit codes, what is printed where, and the keys of its JSON."""

import fcntl
import json
import os
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from quizapp.audit.weighing import ROW_NAMES
from quizapp.bank.find import builtin_folder
from quizapp.cli.main import run
from quizapp.cli.problem import Problem
from quizapp.model.lab import WEIGHT_NAMES

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
    return subprocess.run(command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=240)


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
            "prerequisites": [],
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
            "prerequisites": [],
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


def test_list_on_a_terminal_of_80_columns_keeps_ids_whole(folder: Path) -> None:
    read, write = os.openpty()
    fcntl.ioctl(write, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = os.environ | {"QUIZAPP_BANKS": str(folder), "TERM": "xterm"}
    environment.pop("COLUMNS", None)
    command = [sys.executable, "-c", "from quizapp.cli.main import main; main()", "bank", "list"]
    process = subprocess.Popen(command, stdin=write, stdout=write, stderr=write, env=environment)
    os.close(write)
    seen = b""
    while True:
        try:
            more = os.read(read, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        seen += more
    os.close(read)
    assert process.wait(timeout=240) == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", seen.decode()).splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(" small-question ") and "checkpoint" in line and "choice" in line for line in lines)
    assert "Small [small]" in [line.rstrip() for line in lines]


GRAPH = BANK.replace("items:\n", "topics:\n  tokens: {title: Tokens}\n  ddp: {title: Ranks, after: [tokens]}\nitems:\n").replace(
    "    difficulty: 3\n", "    difficulty: 3\n    prerequisites: [small-question]\n"
)


def test_the_graph_of_topics(folder: Path) -> None:
    (folder / "small.yaml").write_text(GRAPH, "utf-8")
    lines = bank("list", "--graph", "--bank", folder).stdout.splitlines()
    assert any("tokens  Tokens (1 item)" in line for line in lines)
    assert "  small-lab  after small-question" in lines
    drawn = json.loads(bank("list", "--graph", "--json", "--bank", folder).stdout)
    topics = [topic["id"] for topic in drawn["topics"]]
    assert topics.index("tokens") < topics.index("ddp")
    assert {"id": "small-lab", "prerequisites": ["small-question"]} in drawn["items"]


def test_new_things_and_what_stands_in_their_way(tmp_path: Path) -> None:
    made = bank("new", "bank", tmp_path / "mine")
    assert (made.returncode, len(made.stdout.splitlines())) == (0, 3)
    file = tmp_path / "mine" / "bank.yaml"
    assert bank("new", "item", file, "one", "--kind", "probe").returncode == 0
    assert bank("new", "lab", file, "two").returncode == 0
    assert bank("lint", tmp_path).stdout == "no faults\n"
    for again in (
        ("bank", tmp_path / "mine"),
        ("item", file, "one"),
        ("lab", file, "two"),
        ("item", tmp_path / "none.yaml", "three"),
    ):
        result = bank("new", *again)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    (tmp_path / "file").write_text("")
    assert "; name a place that you can write to" in bank("new", "bank", tmp_path / "file" / "mine").stderr


def test_banks_are_installed_listed_and_removed(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path_factory.mktemp("home")))
    refused = bank("install", folder)
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert bank("install", folder, "--yes").stdout.startswith("installed small: small version 1\n")
    assert "as it was" in bank("install", folder, "--yes").stdout
    told = json.loads(bank("installed", "--json").stdout)["installed"]
    assert [(one["name"], one["versions"], one["items"]) for one in told] == [("small", {"small": 1}, 2)]
    assert any("small-lab" in line for line in bank("list").stdout.splitlines())
    assert bank("lint", folder).stdout == "no faults\n", "a bank doesn't clash with its installed self"
    assert bank("remove", "small").stdout == "removed small\n"
    assert bank("remove", "small").returncode == 2
    assert bank("install", folder / "none").returncode == 2


def test_the_preview_needs_a_terminal(folder: Path) -> None:
    assert bank("preview", folder / "small.yaml").returncode == 3


@pytest.mark.parametrize("what", ["bank", "lab", "registry"])
def test_every_file_has_a_schema(what: str) -> None:
    assert json.loads(bank("schema", what).stdout)["$schema"].endswith("schema")


def test_schema_is_a_json_schema() -> None:
    result = bank("schema")
    assert result.returncode == 0
    schema = json.loads(result.stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "items" in schema["properties"]


def test_the_built_in_banks_are_sound() -> None:
    result = bank("lint", builtin_folder())
    assert (result.returncode, result.stdout) == (0, "no faults\n")


def test_the_misconceptions_that_a_distractor_may_name_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bank", "list", "--misconceptions", "--json"]) == 0
    listed = {one["id"]: one["title"] for one in json.loads(capsys.readouterr().out)["misconceptions"]}
    assert listed["hard-coded-world-size"] == "The world size written as a number"
    assert run(["bank", "list", "--misconceptions"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(listed)
    assert lines == sorted(lines)
    assert any(line.split(maxsplit=1) == ["raw-sum", listed["raw-sum"]] for line in lines)
    with pytest.raises(Problem, match="give one of them"):
        run(["bank", "list", "--misconceptions", "--graph"])


def test_every_symbol_of_weights_is_explained_in_the_manual() -> None:
    docs = Path(__file__).parents[2] / "docs"
    rows = [line for line in (docs / "labs.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    for name, meaning in WEIGHT_NAMES.items():
        assert f"| `{name}` | {meaning} |" in rows
    rows = [line for line in (docs / "audit.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    for name, meaning in ROW_NAMES.items():
        assert f"| `{name}` | {meaning} |" in rows
