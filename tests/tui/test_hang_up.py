"""The real program whose terminal goes away, or that is told to end: it ends, and keeps what was typed."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from screen_text import PATIENCE
from test_killed import ENTER, Terminal, database, open_terminal, pty  # noqa: F401

from quizapp.store.record import DraftKey
from quizapp.store.store import Store
from quizapp.tui.hang_up import is_gone


def test_a_terminal_that_was_closed_is_gone() -> None:
    ours, theirs = pty.openpty()
    assert not is_gone(theirs)
    os.close(ours)
    assert is_gone(theirs)
    os.close(theirs)


@pytest.mark.parametrize("end", ["close", "SIGTERM", "SIGHUP"])
def test_ends_and_keeps_what_was_typed(open_terminal: Callable[..., Terminal], tmp_path: Path, end: str) -> None:  # noqa: F811
    program = open_terminal("study", "small")
    program.shows("Sums and counts")
    program.keys(ENTER)
    program.shows("What is the global mean?")
    program.keys("b")
    program.shows("(•)")
    if end == "close":
        program.hang_up()
    else:
        program.process.send_signal(getattr(signal, end))
    assert program.process.wait(PATIENCE) == 0 or end == "close"  # where nobody is left to tell, it may have to end the hard way
    with Store(database(tmp_path)) as store:
        assert store.draft(DraftKey("study", "pick-mean", "main", None)) is not None
