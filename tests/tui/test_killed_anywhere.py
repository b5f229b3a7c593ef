"""The real program, answering, and killed with SIGKILL at random moments: every answer whose result was seen is on disk."""

import contextlib
import os
import random
import re
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from screen_text import PATIENCE
from test_killed import ENTER, Terminal, database, open_terminal, sound

from quizapp.store.store import Store

__all__ = ["open_terminal"]


class Learner:
    """Answers the same question over and over, each time with the next number."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.number = 0
        self.seen: list[int] = []
        """Answers whose result stood on the screen."""

    def work(self, terminal: Terminal, alive: Callable[[], bool]) -> None:
        """Until the program is dead."""
        at = 0

        def shows(*words: str) -> str | None:
            """Waits for one of the words in what was written since the last time; ``None`` where the program has died."""
            nonlocal at
            end = time.monotonic() + PATIENCE
            while True:
                died = not alive()
                text = terminal.text
                for word in words:
                    if (found := text.find(word, at)) >= 0:
                        at = found + len(word)
                        return word
                if died:
                    return None
                assert time.monotonic() < end, f"{words} never came:\n{text[-2000:]}"
                time.sleep(0.01)

        def keys(text: str) -> None:
            with contextlib.suppress(OSError):
                terminal.keys(text)

        stands = shows("A number", "Your answer: ")
        while stands is not None:
            if stands == "Your answer: ":
                keys("r")
                if shows("A number") is None:
                    return
            self.number += 1
            self._erase_and_type(keys)
            if shows("How sure") is None:
                return
            keys(self.dice.choice("12345"))
            if shows(f"Your answer: {self.number}") is None:
                return
            self.seen.append(self.number)
            stands = "Your answer: "

    def _erase_and_type(self, keys: Callable[[str], None]) -> None:
        # What an earlier life had typed stands there as a draft.
        keys("\x7f" * 8)
        for digit in str(self.number):
            keys(digit)
            time.sleep(self.dice.uniform(0.0, 0.02))
        keys(ENTER)


def kill_at_random(open_terminal: Callable[..., Terminal], home: Path, times: int, seed: int) -> None:
    """Moments are drawn in the program's own time, so that a slow machine is killed in the same places: after so many results,
    within the time that one takes; or while it starts."""
    dice = random.Random(seed)
    learner = Learner(dice)
    starting, answering = 1.0, 1.0
    for number in range(times):
        began = time.monotonic()
        terminal = open_terminal("study", "small", "--item", "two-ranks")
        before, results = len(learner.seen), 2 if number == 0 else dice.choice((None, 0, 0, 1, 2))
        pause = dice.uniform(0.0, starting if results is None else answering)

        def kill(terminal: Terminal = terminal, before: int = before, results: int | None = results, pause: float = pause) -> None:
            while results is not None and len(learner.seen) < before + max(results, 1) and terminal.process.poll() is None:
                time.sleep(0.005)
            time.sleep(pause)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(terminal.process.pid, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        learner.work(terminal, lambda terminal=terminal: terminal.process.poll() is None)  # type: ignore[misc]
        killer.join()
        terminal.process.wait(PATIENCE)
        took = time.monotonic() - began
        if (seen := len(learner.seen) - before) and results:
            starting, answering = took / (seen + 1), took / (seen + 1)
        if not database(home).exists():
            continue
        assert sound(home)
        with Store(database(home)) as store:
            kept = [int(attempt.text) for attempt in store.attempts()]
        late = set(map(int, re.findall(r"Your answer: (\d+)", terminal.text)))
        assert set(learner.seen) | late <= set(kept)
        assert kept == sorted(set(kept))
        assert set(kept) <= set(range(1, learner.number + 1))
    assert learner.seen


def test_killed_a_few_times(open_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    kill_at_random(open_terminal, tmp_path, 5, 3)


@pytest.mark.sweep
@pytest.mark.timeout(3600)
def test_killed_fifty_times(open_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    kill_at_random(open_terminal, tmp_path, 50, 11)
