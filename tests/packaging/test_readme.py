"""README.md and docs/ tell the truth: their examples are run as typed, and the keys that they list are those that come."""

import fnmatch
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from quizapp.cli.main import COMMANDS
from quizapp.model.audit import Audit, Shown
from quizapp.model.score import Score
from quizapp.model.verdict import Verdict

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
JSON_PAGE = (ROOT / "docs" / "json.md").read_text("utf-8")
FENCED = re.compile(r"(?:<!-- (?P<mark>[^>]+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[tuple[str, str]]:
    """(mark, text) of README's blocks in a language."""
    return [(found["mark"] or "", found["text"]) for found in FENCED.finditer(README) if found["language"] == language]


def quizapp(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    script = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
    environment = {**os.environ, "COLUMNS": "80"}
    return subprocess.run(
        [*script, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=240
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that README tells to save."""
    made = tmp_path_factory.mktemp("readme")
    for mark, text in blocks("yaml"):
        kind, _, name = mark.partition(": ")
        assert kind == "file", "a block of YAML needs a mark with the name to save it under"
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text, "utf-8")
    return made


def examples() -> Iterator[Any]:
    """README's commands with what it says they print, where ``...`` stands for any lines."""
    for _, text in blocks("console"):
        for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = example.partition("\n")
            yield pytest.param(command, output, id=command)


@pytest.mark.parametrize(("command", "output"), examples())
def test_an_example_prints_what_is_shown(command: str, output: str, folder: Path) -> None:
    program, *arguments = shlex.split(command)
    assert program == "quizapp"
    done = quizapp(*arguments, cwd=folder)
    assert done.stderr == ""
    pattern = re.sub(r"^\.\.\.\n", "*", output.replace("[", "[[]"), flags=re.MULTILINE)
    assert fnmatch.fnmatchcase(done.stdout, pattern), done.stdout


def test_the_two_lines_that_set_everything_up() -> None:
    """CI runs the second as it stands; the first differs in nothing but the extras and the last step."""
    told = {mark: text.strip() for mark, text in blocks("sh")}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {"local", "semantic", "dev"} <= extras.keys()
    app, tests = told["run: app"], told["run: tests"]
    assert "\n" not in app + tests
    assert tests.replace("[local,dev]", "[local,semantic]").replace("pytest -n auto --dist loadfile", "quizapp") == app


def test_every_command_is_in_the_table() -> None:
    for command in COMMANDS:
        assert f"`quizapp {command}" in README, command


def test_what_is_linked_or_named_is_there() -> None:
    linked = re.findall(r"\]\(([^)#]+)\)", README)
    named = re.findall(r"`((?:docs|tests|questions|sandbox|\.ci|quizapp)/[\w/.-]+)`", README)
    assert {"docs/app.svg", "docs/json.md"} <= set(linked)
    assert [path for path in linked + named if not (ROOT / path).exists()] == []


def test_the_app_starts_in_a_terminal(tmp_path: Path) -> None:
    """What the first line starts: the home screen, in a terminal of 80x24; Ctrl+Q ends it."""
    script = "import fcntl, struct, termios; fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))\n"
    script += "from quizapp.cli.main import main; import sys; sys.argv = ['quizapp']; main()"
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(QUIZAPP_HOME=str(tmp_path), TERM="xterm-256color")
        os.execv(sys.executable, [sys.executable, "-c", script])
    seen, end = b"", time.monotonic() + 240
    status = None
    try:
        while status is None and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 65536)
                except OSError:  # the other end is closed
                    seen += b""
            if b"Preserving the intended average" in seen:
                os.write(terminal, b"\x11")
            ended, code = os.waitpid(process, os.WNOHANG)
            status = code if ended else None
    finally:
        if status is None:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        os.close(terminal)
    assert b"Preserving the intended average" in seen
    assert status == 0


def documented(command: str) -> set[str]:
    """The keys that docs/json.md lists for a command."""
    section = JSON_PAGE.partition(f"## quizapp {command}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([\w.\[\]]+)` \|", section, flags=re.MULTILINE))


def keys_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The keys of a model's JSON, written as the page writes them."""
    for name, field in model.model_fields.items():
        yield prefix + name
        outer = field.annotation
        for inner in (outer, *get_args(outer)):
            if isinstance(inner, type) and issubclass(inner, BaseModel) and name != "counterexample":
                yield from keys_of(inner, f"{prefix}{name}{'' if inner is outer or type(None) in get_args(outer) else '[]'}.")


def keys_in(value: Any, prefix: str = "") -> Iterator[str]:
    """The keys of a JSON value."""
    if isinstance(value, list):
        for entry in value:
            yield from keys_in(entry, f"{prefix[:-1]}[].")
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield prefix + key
            yield from keys_in(entry, f"{prefix}{key}.")


@pytest.mark.parametrize(("command", "model"), [("score", Score), ("submit", Verdict), ("audit", Audit)])
def test_documented_keys_are_the_model_s(command: str, model: type[BaseModel]) -> None:
    assert documented(command) == set(keys_of(model))


def test_documented_keys_of_an_item_s_audit_are_the_model_s() -> None:
    assert documented("audit --item") == {key for key in keys_of(Shown) if not key.startswith("report.")}


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("score", "why-gpus-change-loss", "--answer", "Only the learning rate."), {1}),
        (("bank", "list"), {0}),
        (("bank", "lint", "broken.yaml"), {1}),
        (("doctor",), {0, 3}),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else None,
)
def test_documented_keys_are_those_that_come(arguments: tuple[str, ...], status: set[int], tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("id: broken\n")
    done = quizapp(*arguments, "--json", cwd=tmp_path)
    assert done.returncode in status
    command = " ".join(arguments[:2] if arguments[0] == "bank" else arguments[:1])
    assert documented(command) == set(keys_in(json.loads(done.stdout)))
