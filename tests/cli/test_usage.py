"""How commands end: exit codes, one line for every mistake, and nothing loaded that isn't needed."""

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quizapp import __version__
from quizapp.cli.main import COMMANDS

QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
HEAVY = ("textual", "pydantic", "numpy", "torch", "docker", "rich", "yaml", "cyclopts")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*QUIZAPP, *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=240)


def loaded_by(*arguments: str) -> set[str]:
    """The heavy libraries that a command loads."""
    script = (
        f"import sys; sys.argv = ['quizapp', *{arguments!r}]\nfrom quizapp.cli.main import main\n"
        f"try: main()\nexcept SystemExit: pass\nprint('LOADED', *(m for m in {HEAVY!r} if m in sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=240)
    return set(result.stdout.splitlines()[-1].split()[1:])


def test_the_package_runs_as_a_module() -> None:
    result = subprocess.run([sys.executable, "-m", "quizapp", "--version"], capture_output=True, text=True, timeout=240)
    assert (result.returncode, result.stdout) == (0, f"quizapp {__version__}\n")


def test_version_loads_nothing() -> None:
    result = run("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"quizapp {__version__}\n", "")
    assert loaded_by("--version") == set()


def test_what_is_typed_most_loads_no_parser() -> None:
    assert loaded_by("study", "a-bank", "--bank", ".") == set()
    assert "cyclopts" in loaded_by("study", "a-bank", "--due")


def test_help_lists_every_command_and_loads_none() -> None:
    result = run("--help")
    assert result.returncode == 0
    for name in COMMANDS:
        assert any(line.lstrip("│ ").startswith(f"{name} ") for line in result.stdout.splitlines()), name
    assert loaded_by("--help") <= {"cyclopts", "rich"}


def test_every_command_has_a_line_of_help() -> None:
    assert all(path.startswith("quizapp.cli.") and line.endswith(".") for path, line in COMMANDS.values())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "no command 'nonsense'"),
        (["submitt"], "did you mean 'submit'?"),
        (["bank", "nonsense"], "nonsense"),
        (["bank", "list", "--colour"], "--colour"),
        (["bank", "list", "--bank"], "--bank"),
        (["bank", "list", "extra"], "extra"),
        (["bank", "list", "--bank", "/no/such/folder"], "/no/such/folder"),
        (["bank", "lint", "/no/such/folder"], "/no/such/folder"),
    ],
)
def test_wrong_usage_is_one_line_and_code_2(arguments: list[str], said: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("quizapp: ")
    assert result.stderr.count("\n") == 1
    assert said in result.stderr


def test_a_reader_that_leaves_early_is_no_error() -> None:
    process = subprocess.Popen([*QUIZAPP, "bank", "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait(240) != 0
    assert process.stderr.read() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_quietly_with_130() -> None:
    script = (
        "import signal, time, quizapp.cli.bank as bank, quizapp.cli.main as main, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "bank.load = lambda *_: (print('ready', flush=True), time.sleep(60))\n"
        "sys.argv = ['quizapp', 'bank', 'list']\nmain.main()"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=240)
    assert (process.returncode, errors) == (130, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["bank", "list"], ["score", "two-rank-mean", "--answer", "D"]])
def test_output_that_finds_no_room_is_told_in_a_line(arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run([*QUIZAPP, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=240)
    assert (result.returncode, result.stderr.count("\n")) == (3, 1), result.stderr
    assert "standard output can't be written: No space left on device" in result.stderr


def test_output_that_the_caller_has_closed_is_no_fault() -> None:
    line = f"{shlex.join(QUIZAPP)} score two-rank-mean --answer D >&-"
    result = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True, timeout=240)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("command", ["submit", "watch", "grade"])
def test_a_seed_of_scenarios_is_not_negative(command: str, tmp_path: Path) -> None:
    result = run(command, *(["--item"] if command == "grade" else []), "scale-local-loss", tmp_path, "--seed", "-5")
    assert result.returncode == 2
    assert "Must be >= 0" in result.stderr
    assert "Traceback" not in result.stderr
