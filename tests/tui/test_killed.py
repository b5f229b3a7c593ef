"""The real program in a terminal of its own, killed with SIGKILL: what was answered and typed is there when it starts again."""

import contextlib
import os
import random
import re
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from screen_text import PATIENCE

from quizapp.store.record import DraftKey
from quizapp.store.store import Store

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")

BANKS = Path(__file__).parent / "banks"
ENTER = "\r"


class Terminal:
    """The program in a pseudo-terminal of 80x24, and everything that it has written."""

    def __init__(self, home: Path, *arguments: str) -> None:
        import fcntl
        import termios

        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {**os.environ, "QUIZAPP_HOME": str(home), "TERM": "xterm-256color"}
        command = [sys.executable, "-c", "from quizapp.cli.main import main; main()", *arguments, "--bank", str(BANKS)]
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True, close_fds=True
        )
        os.close(slave)
        self._written = bytearray()
        self._closing = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while not self._closing.is_set():
                if select.select([self._master], [], [], 0.1)[0]:
                    part = os.read(self._master, 65536)
                    if not part:
                        break
                    self._written += part

    def hang_up(self) -> None:
        """Closes the terminal's other end. The program leads a session of its own without one, so no signal tells it."""
        if not self._closing.is_set():
            # A reader still at it would take what the next terminal's program writes: that gets the number that is free now.
            self._closing.set()
            self._reader.join()
            os.close(self._master)

    @property
    def text(self) -> str:
        """What was written, without the terminal's control sequences."""
        return re.sub(
            r"\x1b(\[[0-9;?<>=]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()].|[=>])", "", self._written.decode(errors="replace")
        )

    def keys(self, text: str) -> None:
        os.write(self._master, text.encode())

    def ended(self) -> int:
        """Its exit code, once it has ended by itself and all that it wrote is here."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def until(self, holds: Callable[[], object], seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            assert self.process.poll() is None, f"ended with {self.process.returncode}:\n{self.text[-2000:]}"
            assert time.monotonic() < deadline, f"never came:\n{self.text[-3000:]}"
            time.sleep(0.02)

    def shows(self, words: str) -> None:
        """Waits for the words. A terminal program draws only what changed, so ask for words that appear at once."""
        self.until(lambda: words in self.text)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        self.hang_up()


@pytest.fixture
def open_terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def make(*arguments: str) -> Terminal:
        opened.append(Terminal(tmp_path, *arguments))
        return opened[-1]

    yield make
    for terminal in opened:
        if terminal.process.poll() is None:
            terminal.kill()
        terminal.hang_up()


def database(home: Path) -> Path:
    return home / "progress.sqlite3"


def sound(home: Path) -> bool:
    with contextlib.closing(sqlite3.connect(database(home))) as connection:
        return connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


def test_killed_between_answers_and_in_the_middle_of_one(open_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    first = open_terminal("study", "small")
    first.shows("Sums and counts")
    first.keys(ENTER)
    first.shows("What is the global mean?")
    first.keys("b" + ENTER)
    first.shows("How sure are you?")
    first.keys("4")
    with Store(database(tmp_path)) as store:
        first.until(lambda: store.attempts())
        first.kill()
        (attempt,) = store.attempts()
        assert (attempt.item, attempt.text, attempt.confidence) == ("pick-mean", "ranks", 4)

        second = open_terminal("study", "small")
        second.shows("you rated it 4")
        second.keys(ENTER)
        second.shows("Pick all that matter")
        second.keys("ab" + ENTER)
        second.until(lambda: len(store.attempts()) == 2)
        second.shows("2 of the 2 right options chosen")
        second.keys(ENTER)
        second.shows("What is the global token mean?")
        second.keys("2.6")
        key = DraftKey("study", "two-ranks", "mean")
        second.until(lambda: store.draft(key) == "2.6")
        second.kill()

        third = open_terminal("study", "small")
        third.shows("What is the global token mean?")
        third.shows("2.6")
        third.kill()
        assert [attempt.item for attempt in store.attempts()] == ["pick-mean", "pick-all"]
        assert len(store.unfinished("study")) == 1
    assert sound(tmp_path)


def drafted(store: Store, key: DraftKey, text: str) -> bool:
    return store.draft(key) == text


def test_killed_at_random_moments_of_typing(open_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    dice = random.Random(5)
    expected = ""
    for number in range(4):
        terminal = open_terminal("interview", "small", *(() if number else ("--minutes", "15")))
        terminal.shows("Before we start")
        time.sleep(0.3)
        words = "".join(dice.choice("abcdefgh") for _ in range(8))
        for letter in words:
            terminal.keys(letter)
            time.sleep(dice.uniform(0.02, 0.2))
        whole = expected + words
        with Store(database(tmp_path)) as store:
            (session,) = store.unfinished("interview")
            key = DraftKey("interview", "interview", f"opening@{session.uid}")
            if dice.random() < 0.5:
                terminal.until(partial(drafted, store, key, whole))
            terminal.kill()
            draft = store.draft(key) or ""
        assert draft.startswith(expected)
        assert whole.startswith(draft)
        expected = draft
    assert sound(tmp_path)
    assert len(expected) > 8


def test_two_at_once(open_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    one, other = open_terminal("study", "small", "--item", "pick-all"), open_terminal("study", "small", "--item", "two-ranks")
    one.shows("Pick all that matter")
    other.shows("What is the global token mean?")
    one.keys("ab" + ENTER)
    other.keys("2" + ENTER)
    other.shows("How sure are you?")
    other.keys("5")
    with Store(database(tmp_path)) as store:
        one.until(lambda: len(store.attempts()) == 2)
        assert {attempt.item for attempt in store.attempts()} == {"pick-all", "two-ranks"}


def test_a_file_in_the_way_is_one_line_and_exit_code_3(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    database(tmp_path).write_bytes(b"not a database, but something dear to somebody\n" * 30)
    terminal = open_terminal()
    assert terminal.ended() == 3
    lines = [line for line in terminal.text.splitlines() if line.strip()]
    assert len(lines) == 1
    assert lines[0].startswith("quizapp: ")
    assert "damaged" in lines[0]
    assert database(tmp_path).read_bytes().startswith(b"not a database")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("study", "nowhere"), "no bank 'nowhere'; banks are: "),
        (("study", "--item", "nothing"), "no item 'nothing'"),
        (("study", "intended-average", "--item", "two-ranks"), "no item 'two-ranks' in the bank intended-average"),
        (("interview", "nowhere"), "no bank 'nowhere'"),
        (("study", "--topic", "avrages"), "no topic 'avrages'; did you mean 'averages'?"),
        (("study", "--difficulty", "6"), "a difficulty of 6; it goes from 1 to 5"),
        (("study", "--due", "--wrong"), "--due and --wrong exclude each other"),
        (("study", "--length", "0"), "a length of 0 items"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], words: str, open_terminal: Callable[..., Terminal]
) -> None:
    terminal = open_terminal(*arguments)
    assert terminal.ended() == 2
    lines = [line for line in terminal.text.splitlines() if line.strip()]
    assert len(lines) == 1
    assert words in lines[0]


def test_where_nothing_is_due_it_says_so_and_draws_nothing(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal("study", "--due")
    assert terminal.ended() == 0
    assert "Nothing is left to ask here now" in terminal.text


def test_a_choice_of_items_opens_at_once(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal("study", "small", "--difficulty", "1")
    terminal.shows("What is the global mean?")
    terminal.shows("1/1")
    terminal.kill()


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    environment = {**os.environ, "QUIZAPP_HOME": str(tmp_path)}
    command = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "needs a terminal" in done.stderr
    assert done.stdout == ""
