"""The real program in a real terminal, through a whole session: a queue, a slip, progress, colours, and all of it on disk."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from screen_text import PATIENCE

from quizapp.store.store import Store

TMUX = shutil.which("tmux")
BANKS = Path(__file__).parent / "banks"
PROGRAM = "from quizapp.cli.main import main; main()"

pytestmark = pytest.mark.skipif(TMUX is None, reason="needs tmux")


class Tmux:
    """One tmux server of its own, with one window of 80x24."""

    def __init__(self, home: Path) -> None:
        self.name = f"quizapp-{os.getpid()}-{home.name}"
        self.home = home

    def run(self, *arguments: str) -> str:
        assert TMUX is not None
        done = subprocess.run(
            [TMUX, "-L", self.name, "-f", "/dev/null", *arguments], capture_output=True, text=True, timeout=PATIENCE
        )
        return done.stdout

    def open(self, *arguments: str) -> None:
        command = ["env", f"QUIZAPP_HOME={self.home}", sys.executable, "-c", PROGRAM, *arguments, "--bank", str(BANKS)]
        self.run("new-session", "-d", "-x", "80", "-y", "24", *command)

    def until(self, words: str, seconds: float = PATIENCE) -> str:
        """Waits for the words on the screen; gives the screen."""
        end, screen = time.monotonic() + seconds, ""
        while time.monotonic() < end:
            screen = self.run("capture-pane", "-p")
            if words in screen:
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{words!r} never came:\n{screen}")

    def keys(self, *names: str) -> None:
        for name in names:
            self.run("send-keys", name)
            time.sleep(0.1)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Tmux]:
    opened = Tmux(tmp_path)
    yield opened
    opened.run("kill-server")


def until(holds: Callable[[], object], seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_session_from_the_first_question_to_the_figures(terminal: Tmux) -> None:
    terminal.open("study", "small", "--difficulty", "1", "--difficulty", "2", "--length", "2")
    terminal.until("What is the global mean?")
    terminal.keys("b", "Enter")
    terminal.until("How sure are you?")
    terminal.keys("5")
    terminal.until("you rated it 5, certain")
    terminal.keys("u")
    terminal.until("( ) A")
    terminal.keys("a", "Enter")
    terminal.until("How sure are you?")
    terminal.keys("4")
    terminal.until("✓ right")
    terminal.keys("Enter")
    terminal.until("Pick all that matter")
    terminal.keys("C-g")
    terminal.until("⚑ flagged")
    screen = terminal.until("The learning rate")
    letters = [re.search(rf"([A-C])  {words}", screen) for words in ("A padding mask", "Uneven counts per rank")]
    terminal.keys(*(found[1].lower() for found in letters if found is not None), "Enter")
    terminal.until("Explanation")
    terminal.keys("Enter")
    terminal.until("This sitting")
    terminal.keys("Enter")
    terminal.until("0 due now")
    terminal.keys("t", "p")
    terminal.until("Preserving the intended average ·")  # the first bank's items
    terminal.keys("4")
    terminal.until("Brier score")
    terminal.keys("Escape")
    terminal.until("0 due now")
    with Store(terminal.home / "progress.sqlite3") as store:
        assert [(mark.item, mark.withdrawn, mark.confidence) for mark in store.marks()] == [
            ("pick-mean", True, 5),
            ("pick-mean", False, 4),
            ("pick-all", False, None),
        ]
        assert store.flagged() == {"pick-all"}
        assert store.setting("theme") == "light"
        assert store.unfinished() == []
    terminal.keys("C-q")
    until(lambda: not terminal.run("list-sessions"))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "stats", "--json", "--bank", str(BANKS)],
        capture_output=True,
        text=True,
        env=os.environ | {"QUIZAPP_HOME": str(terminal.home)},
        timeout=PATIENCE,
    )
    figures = json.loads(done.stdout)
    assert (figures["answers"], figures["slips"]) == (2, 1)
    assert figures["calibration"]["answers"] == 1
