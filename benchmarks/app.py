"""How soon the first question stands on the screen, and how soon a key shows, in a real terminal with 5,000 items.

    python benchmarks/app.py [--quick] [--json]

Baseline: an app that shows the same widgets, with the same keys in the footer and the same style sheets, but with texts written
into it, started the same way in the same run. It reads no bank, keeps nothing and grades nothing. Both are programs in a
pseudo-terminal of 80 columns and 24 rows; times run from the program's start, or the key, to the bytes that arrive.

A question stands when its stem and the line of keys have arrived. ``first_question``: of a sitting that was left at an unanswered
question. ``very_first``: ``quizapp study`` over the built-in banks alone, on a machine that has neither a cache nor a learner's
file; ``very_first_home``: the list of banks of ``quizapp`` there; ``very_first_page``: the first page of ``quizapp study`` with a
built-in bank there, beside the same page hard-coded. ``new_sitting``: of one that has to be begun, by somebody who has answered
nothing, over banks that were read once before. ``queue``: ``quizapp study`` of somebody with answers behind them, whose last visit
ended by quitting. All of these stand before any bank is read. ``queue_after_kill``: ``queue`` after a visit in which something was
answered and that was then killed, some seconds later or (``queue_killed_at_once``) at once. ``queue_after_change``: ``queue`` after
an edit of the bank of the question that would have been first. ``queue_moved``: ``queue`` with the learner's file moved elsewhere.
``queue_lost_cache``: ``queue`` with the cache lost. ``queue_unprepared``: ``queue`` where nothing is known ahead, as in a file of
answers that was just imported: it begins with a question that ships. ``from_home``: from Enter on a bank of the home screen.
Everything runs from compiled bytecode, as it does where it is installed.
"""

import argparse
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import hard_coded

ITEMS = 5_000
BANKS = 10
STEM = "Two ranks hold {} and 3 examples. Which mean was meant?"
MARK = b"Which mean was meant?"
BUILTIN = "intended-average"
"""A bank that comes with the app."""
KEYS = b"Skip"
"""Stands in the line of keys, the last thing of a question to be drawn."""
AFTER_ANSWER = 8.0
"""Seconds for which somebody looks at a result before the app is killed."""
AT_ONCE = 0.1
ANSWERED = 40
"""Items that somebody with answers behind them has answered."""


def bank(number: int, items: int) -> str:
    """A bank's YAML, without reading notes: its first step is a question."""
    lines = [f"id: bank-{number}", f"title: Bank {number}", f"place: {number + 1}", "description: Numbers.", "items:"]
    for item in range(items):
        lines += [
            "  - kind: checkpoint",
            f"    id: q-{number}-{item}",
            "    topics: [mean]",
            "    difficulty: 1",
            "    confidence: false",
            f"    stem: {STEM.format(item + 1)}",
            "    explanation: Because.",
            "    choices:",
            "      - {id: one, value: 1, key: true}",
            "      - {id: two, value: 2, misconception: mean-of-rank-means}",
            "      - {id: three, value: 3, misconception: mean-of-rank-means}",
        ]
    return "\n".join(lines) + "\n"


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**environment, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(theirs)
        self._end = ours
        self.seen = b""

    def until(self, *marks: bytes, seconds: float = 60.0) -> float:
        """Seconds from the start until all the words have arrived."""
        deadline = time.perf_counter() + seconds
        while not all(mark in self.seen for mark in marks):
            if not self._read(deadline - time.perf_counter()):
                raise SystemExit(f"{marks!r} did not appear; the screen holds {self.seen[-500:]!r}")
        return time.perf_counter() - self.started

    def _read(self, seconds: float) -> bool:
        readable, _, _ = select.select([self._end], [], [], max(0.0, seconds))
        if not readable:
            return False
        try:
            self.seen += os.read(self._end, 1 << 16)
        except OSError:
            raise SystemExit(f"the program ended: {self.seen[-500:]!r}") from None
        return True

    def quiet(self, seconds: float = 0.3) -> None:
        """Waits until nothing has arrived for a while."""
        while self._read(seconds):
            pass

    def key(self, keys: bytes) -> float:
        """Seconds from a key to the first bytes that it brings."""
        start = time.perf_counter()
        os.write(self._end, keys)
        if not self._read(5.0):
            raise SystemExit(f"the key {keys!r} brought nothing")
        return time.perf_counter() - start

    def ended(self) -> None:
        """Waits until the program has ended by itself."""
        while self._process.poll() is None:
            if select.select([self._end], [], [], 0.1)[0]:
                try:
                    os.read(self._end, 1 << 16)
                except OSError:
                    break
        self._process.wait()
        os.close(self._end)

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._end)


def first_question(command: list[str], environment: dict[str, str], *marks: bytes) -> float:
    terminal = Terminal(command, environment)
    try:
        return terminal.until(*(marks or (MARK, KEYS)))
    finally:
        terminal.close()


def first_page() -> tuple[str, str, list[str]]:
    """Title, text and sources of the first page of a built-in bank."""
    from quizapp.bank.find import bank_folders
    from quizapp.bank.load import load

    reading = next(one.bank.reading[0] for one in load(bank_folders()).banks if one.bank.id == BUILTIN)
    return reading.title, reading.text, list(reading.sources)


def from_home(command: list[str], environment: dict[str, str]) -> float:
    """Seconds from Enter on the marked bank to its first question."""
    terminal = Terminal(command, environment)
    try:
        terminal.until(b"Bank 0")
        terminal.quiet(1.0)
        pressed = time.perf_counter()
        os.write(terminal._end, b"\r")
        terminal.until(MARK, KEYS)
        return time.perf_counter() - pressed
    finally:
        terminal.close()


def with_answers(home: Path, banks: Path, study: list[str], environment: dict[str, str]) -> None:
    """Makes the file of a learner who has answered some items, opened a bank and quit."""
    from quizapp.bank.find import bank_folders
    from quizapp.bank.load import load
    from quizapp.practice.study import Study
    from quizapp.store.store import Store

    library = load(bank_folders([banks]))
    with Store(home / "progress.sqlite3") as store:
        for item in [name for name in library.items if name.startswith("q-")][:: ITEMS // ANSWERED]:
            one = Study(store, library, library.items[item].bank_id, item)
            one.record("one", one.grade("one"), 4)
            one.finish()
    terminal = Terminal(study, environment)
    terminal.until(MARK, KEYS)
    os.write(terminal._end, b"\x1b")
    terminal.until(b"due now")  # the banks are read
    os.write(terminal._end, b"\x11")  # Ctrl+Q
    terminal.ended()


def killed(study: list[str], environment: dict[str, str], after: float) -> None:
    """A visit to a bank in which a question is answered, and that is killed so many seconds later."""
    terminal = Terminal(study, environment)
    terminal.until(MARK, KEYS)
    terminal.quiet(1.0)
    os.write(terminal._end, b"a\r")
    terminal.until(b"Explanation")
    terminal.quiet(after)
    terminal.close()


def edited(home: Path, banks: Path) -> None:
    """Adds a comment to the bank of the question that a learner's queue would begin with."""
    from quizapp.bank.find import bank_folders
    from quizapp.practice.ahead import ahead
    from quizapp.store.store import Store

    with Store(home / "progress.sqlite3") as store:
        first = ahead(store, bank_folders([banks]))
    assert first is not None
    with Path(first.file).open("a", encoding="utf-8") as bank:
        bank.write("# Looked through.\n")


def unprepared(home: Path) -> None:
    """Takes what a learner's file says of the next queue out of it."""
    with sqlite3.connect(home / "progress.sqlite3") as connection:
        connection.execute("DELETE FROM ahead")


def keys(command: list[str], environment: dict[str, str], times: int) -> list[float]:
    """Of arrow keys in a bank's list of steps."""
    terminal = Terminal(command, environment)
    try:
        terminal.until(b"Bank 0")
        terminal.quiet(1.0)
        os.write(terminal._end, b"o")
        terminal.quiet(1.0)
        seconds = []
        for _ in range(times):
            seconds.append(terminal.key(b"\x1b[B"))
            terminal.quiet(0.05)
        return seconds
    finally:
        terminal.close()


def p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def measure(times: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "banks").mkdir()
        for number in range(BANKS):
            (folder / "banks" / f"bank-{number}.yaml").write_text(bank(number, ITEMS // BANKS), encoding="utf-8")
        (folder / "shown.py").write_text(hard_coded.question(), encoding="utf-8")
        environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "QUIZAPP_HOME": str(folder / "home"),
            "QUIZAPP_BANKS": "",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        quizapp = [str(Path(sys.executable).with_name("quizapp"))]
        study = [*quizapp, "study", "bank-0", "--bank", str(folder / "banks")]
        queue = [*quizapp, "study", "--bank", str(folder / "banks")]
        home = [*quizapp, "--bank", str(folder / "banks")]
        first_question(study, environment)  # fills caches: what a learner meets each day but the first
        learner = {**environment, "QUIZAPP_HOME": str(folder / "learner")}
        with_answers(folder / "learner", folder / "banks", study, learner)
        shutil.copytree(folder / "learner", folder / "as-left")
        shutil.copytree(folder / "banks", folder / "edited")
        os.environ["XDG_CACHE_HOME"] = environment["XDG_CACHE_HOME"]
        at_once, after_edit = ({**environment, "QUIZAPP_HOME": str(folder / name)} for name in ("at-once", "after-edit"))
        with_answers(folder / "at-once", folder / "banks", study, at_once)
        with_answers(folder / "after-edit", folder / "edited", [*study[:-1], str(folder / "edited")], after_edit)
        kill = {**environment, "QUIZAPP_HOME": str(folder / "killed")}
        shutil.copytree(folder / "learner", folder / "killed")
        killed(study, kill, AFTER_ANSWER)
        killed(study, at_once, AT_ONCE)
        for name in ("killed", "at-once", "after-edit"):
            shutil.copytree(folder / name, folder / f"{name}-as-left")
        edited(folder / "after-edit", folder / "edited")
        shutil.copytree(folder / "as-left", folder / "nothing-ahead")
        unprepared(folder / "nothing-ahead")
        (folder / "page.py").write_text(hard_coded.page(*(notes := first_page())), encoding="utf-8")
        on_page = b" ".join(notes[1].encode().split()[:3]), b"Next"
        plain, page, ours, fresh, chosen = [], [], [], [], []
        rows: dict[str, list[float]] = {}
        for number in range(times):
            plain.append(first_question([sys.executable, str(folder / "shown.py")], environment))
            ours.append(first_question(study, environment))
            anew = {**environment, "QUIZAPP_HOME": str(folder / f"fresh-{number}")}
            fresh.append(first_question(study, anew))
            page.append(first_question([sys.executable, str(folder / "page.py")], environment, *on_page))
            for row, command, marks in (
                ("very_first", [*quizapp, "study"], (KEYS,)),
                ("very_first_page", [*quizapp, "study", BUILTIN], on_page),
                ("very_first_home", quizapp, (b"Preserving the intended average", b"Quit")),
            ):
                new = {"QUIZAPP_HOME": str(folder / f"{row}-{number}"), "XDG_CACHE_HOME": str(folder / f"{row}-cache-{number}")}
                rows.setdefault(row, []).append(first_question(command, {**environment, **new}, *marks))
            for row, name, left, folder_of_banks in (
                ("queue", "learner", "as-left", "banks"),
                ("queue_after_kill", "killed", "killed-as-left", "banks"),
                ("queue_killed_at_once", "at-once", "at-once-as-left", "banks"),
                ("queue_after_change", "after-edit", "after-edit-as-left", "edited"),
                ("queue_moved", f"another-{number}", "as-left", "banks"),
                ("queue_lost_cache", "learner", "as-left", "banks"),
                ("queue_unprepared", "learner", "nothing-ahead", "banks"),
            ):
                shutil.rmtree(folder / name, ignore_errors=True)
                shutil.copytree(folder / left, folder / name)  # the queue that the last run began is no more
                at = {**environment, "QUIZAPP_HOME": str(folder / name)}
                if row == "queue_lost_cache":
                    at["XDG_CACHE_HOME"] = str(folder / f"lost-{number}")
                command = [*queue[:-1], str(folder / folder_of_banks)]
                rows.setdefault(row, []).append(first_question(command, at, KEYS))
            chosen.append(from_home(home, {**environment, "QUIZAPP_HOME": str(folder / f"home-{number}")}))
        pressed = keys(home, environment, 10 * times)
    return {
        "hard_coded_seconds": statistics.median(plain),
        "first_question_seconds": statistics.median(ours),
        "first_question_vs_hard_coded": statistics.median(ours) / statistics.median(plain),
        "new_sitting_seconds": statistics.median(fresh),
        "new_sitting_vs_hard_coded": statistics.median(fresh) / statistics.median(plain),
        **{
            f"{row}_vs_hard_coded": statistics.median(taken) / statistics.median(page if row == "very_first_page" else plain)
            for row, taken in rows.items()
        },
        "from_home_ms": 1000 * statistics.median(chosen),
        "key_to_paint_p50_ms": 1000 * statistics.median(pressed),
        "key_to_paint_p95_ms": 1000 * p95(pressed),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--json", action="store_true", help="print one object")
    given = parser.parse_args()
    result = measure(3 if given.quick else 10)
    if given.json:
        print(json.dumps({name: round(value, 4) for name, value in result.items()}))
        return
    print(f"{ITEMS} items in {BANKS} banks beside the built-in ones; baseline: the same widgets hard-coded, in this run")
    for name, value in result.items():
        print(f"{name:32} {value:9.3f}")


if __name__ == "__main__":
    main()
