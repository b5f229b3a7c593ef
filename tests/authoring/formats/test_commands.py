"""``quizapp bank import`` and ``export``: exit codes, what is printed where, and that nothing is written over."""

from __future__ import annotations

import json
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from quizapp.authoring.formats.holds import HOLDS
from quizapp.authoring.formats.send_out import WRITERS
from quizapp.bank.load import load
from quizapp.cli.main import run
from quizapp.cli.problem import Problem

PAGE = (Path(__file__).parents[3] / "docs" / "interchange.md").read_text("utf-8")
FORMATS = Path(__file__).parents[3] / "quizapp" / "authoring" / "formats"
GOOD, BAD = "Which? {=this ~that}\n\n", "Bad {=a\n"
BANK = """\
id: small
title: Small
description: Two questions and a program.
reading:
  - {id: notes, title: Notes, text: Read me.}
items:
  - id: pick-one
    kind: exercise
    topics: [ddp]
    difficulty: 1
    points: 2
    stem: What is {{ S }} over {{ n }}?
    explanation: It is {{ S/n }}.
    variables:
      S: {value: 6, range: [1, 60]}
      n: {value: 2, range: [2, 9]}
    parts:
      - {id: number, kind: numeric, key: S/n, wrong: [{value: S, misconception: mean-of-rank-means}]}
      - {id: words, kind: text, rubric: {criteria: [{id: why, points: 1, description: Says why., accept: [it is a mean]}]}}
  - id: talk
    kind: probe
    points: 1
    topics: [ddp]
    difficulty: 4
    stem: Why?
    explanation: Because.
    rubric: {criteria: [{id: cause, points: 1, description: Says why., accept: [because of it]}]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "small.yaml").write_text(BANK)
    return tmp_path


def test_import(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "quiz.gift").write_text(GOOD)
    assert run(["bank", "import", "quiz.gift", "--out", "new.yaml"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.startswith("new.yaml: 1 question from gift\nLeft to fill in (lines of the bank):\n")
    lines = (folder / "new.yaml").read_text().split("\n")
    numbers = [int(number) for number in re.findall(r"line (\d+)", printed.out)]
    assert len(numbers) == 4
    assert all("fill in" in lines[number - 1] for number in numbers)
    assert load([folder / "new.yaml"]).faults == ()


def test_import_with_faults_takes_the_rest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "quiz.gift").write_text(GOOD + BAD)
    assert run(["bank", "import", "quiz.gift", "--out", "new.yaml"]) == 1
    assert capsys.readouterr().err.startswith("quiz.gift:3:5: a { that isn't closed; ")
    assert (folder / "new.yaml").is_file()


def test_import_of_nothing_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "quiz.gift").write_text(BAD)
    assert run(["bank", "import", "quiz.gift", "--out", "new.yaml"]) == 2
    assert "no bank was written" in capsys.readouterr().err
    assert not (folder / "new.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.gift", "--out", "new.yaml"], r"none.gift:1:1: no such file"),
        (["quiz.gift", "--out", "new.txt"], "name it such as questions.yaml"),
        (["quiz.gift", "--out", "misconceptions.yaml"], "not a bank's name"),
        (["quiz.gift", "--out", "bank/small.yaml"], "add --force"),
        (["quiz.gift", "--out", "nowhere/new.yaml"], "name a place to write to"),
        (["quiz.gift", "--out", "quiz.gift/new.yaml"], "name a place to write to"),
        (["quiz.gift", "--out", f"{'x' * 300}.yaml"], "name a place to write to"),
        (["riddle.txt", "--out", "new.yaml"], "name it with --format"),
        (["quiz.gift", "--out", "new.yaml", "--format", "word"], "see quizapp bank import --help"),
    ],
)
def test_import_refuses(arguments: list[str], said: str, folder: Path) -> None:
    (folder / "quiz.gift").write_text(GOOD)
    (folder / "riddle.txt").write_text("what is it")
    with pytest.raises(Problem, match=said) as problem:
        run(["bank", "import", *arguments])
    assert problem.value.code == 2
    assert (folder / "bank" / "small.yaml").read_text() == BANK


def keys(value: object, path: str = "") -> set[str]:
    """The keys of a JSON value, as the page writes them."""
    if isinstance(value, dict):
        return {name for key, inner in value.items() for name in (f"{path}{key}", *keys(inner, f"{path}{key}."))}
    return {name for inner in value for name in keys(inner, f"{path[:-1]}[].")} if isinstance(value, list) else set()


def documented(command: str) -> set[str]:
    section = re.search(rf"(?ms)^### `{command}.*?(?=^##|\Z)", PAGE)
    assert section is not None
    return set(re.findall(r"(?m)^\| `([^`]+)`", section.group()))


def test_json_of_import(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "quiz.gift").write_text(GOOD + "Number {#3:2}\n\n" + BAD)
    assert run(["bank", "import", "quiz.gift", "--out", "new.yaml", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["questions"], found["bank"], found["format"]) == (2, "new.yaml", "gift")
    assert found["losses"][0]["what"] == "tolerance"
    assert found["faults"][0] == {
        "file": "quiz.gift",
        "line": 5,
        "column": 5,
        "message": "a { that isn't closed",
        "mend": "close it with }, and leave no blank line inside a question",
    }
    assert keys(found) == documented("bank import --json")


def test_json_of_export(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bank" / "bad.yaml").write_text("id: bad\n")
    assert run(["bank", "export", "bank", "--format", "moodle", "--out", "q.xml", "--seed", "3", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["questions"], found["files"], found["seed"]) == (3, ["q.xml"], 3)
    assert keys(found) == documented("bank export --json")


def test_export_says_what_is_lost_item_by_item(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bank", "export", "bank/small.yaml", "--format", "moodle", "--out", "q.xml", "--seed", "3"]) == 0
    printed = capsys.readouterr().out
    assert (
        "  pick-one: variants lost: the variant of seed 3 alone; S, n no longer vary; a calculated question would vary" in printed
    )
    assert "  pick-one: parts changed: its 2 parts become questions of their own" in printed
    assert "  pick-one-number: misconceptions lost: mean-of-rank-means" in printed
    assert "  pick-one-words: rubric changed: it is kept as notes for whoever marks" in printed
    assert "  (all): reading lost: reading of small: 1 pages" in printed


def test_a_seed_gives_its_variant(folder: Path) -> None:
    texts = []
    for name, more in (("a", ["--seed", "1"]), ("b", ["--seed", "1"]), ("c", ["--seed", "2"]), ("d", [])):
        assert run(["bank", "export", "bank", "--format", "gift", "--out", f"{name}.gift", *more]) == 0
        texts.append((folder / f"{name}.gift").read_text())
    assert texts[0] == texts[1] != texts[2]
    assert "What is 6 over 2?" in texts[3]
    assert "\t#=3:" in texts[3]


def test_a_pipe_or_a_device_is_written_into_and_stays_one(folder: Path) -> None:
    pipe = folder / "out.gift"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit(pipe.read_text, "utf-8")
        assert run(["bank", "export", "pick-one", "--bank", "bank", "--format", "gift", "--out", str(pipe), "--force"]) == 0
        assert "{" in read.result(timeout=240)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("format", sorted(WRITERS))
def test_every_format_is_written_and_not_written_over(format: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bank", "export", "pick-one", "talk", "--bank", "bank", "--format", format, "--out", f"q.{format}"]
    expected = 2 if format == "aiken" else 0
    assert run(command) == expected
    assert (folder / f"q.{format}").exists() == (format != "aiken")
    assert (folder / f"q-answers.{format}").exists() == (format in ("markdown", "html"))
    if format != "aiken":
        with pytest.raises(Problem, match="add --force"):
            run(command)
        assert run([*command, "--force"]) == 0
    assert {path.name for path in folder.iterdir() if path.name.startswith(".")} == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "gift"], "nothing to export"),
        (["pick-two", "--format", "gift"], "no file, bank or item 'pick-two'; `quizapp bank list` shows"),
        (["bank", "--format", "word"], "see quizapp bank export --help"),
        (["empty.yaml", "--format", "gift"], "the file is empty"),
    ],
)
def test_export_refuses(arguments: list[str], said: str, folder: Path) -> None:
    (folder / "empty.yaml").write_text("")
    with pytest.raises(Problem, match=re.escape(said)):
        run(["bank", "export", *arguments, "--out", "q.x"])


def test_the_page_names_what_each_format_holds() -> None:
    section = PAGE.partition("| format | held |")[2].partition("\n\n")[0]
    table = {row[0]: set(re.findall(r"[a-z-]+", row[1])) for row in re.findall(r"(?m)^\| `(\w+)` \|([^|]*)\|", section)}
    assert table == {format: set(holds) for format, holds in HOLDS.items()}


def test_the_page_names_every_word_of_the_report() -> None:
    said = PAGE.partition("The words of the report:")[2].partition("\n\n")[0]
    calls = re.compile(r'(?:\blose|\bLoss|_kept_or_lost)\(\s*[^,()]+,\s*"([a-z-]+)"|yield "([a-z-]+)", ')
    code = "".join(path.read_text("utf-8") for path in FORMATS.glob("*.py"))
    used = {one or other for one, other in calls.findall(code)}
    assert len(used) > 25
    assert used | {"reading", "confidence", "topics", "difficulty"} == set(re.findall(r"`([a-z-]+)`", said))
