"""The real program, killed with SIGKILL in the middle of an answer: answers, typed words, notes and the clock are there."""

import contextlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from test_killed import Terminal, database, open_terminal, sound

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview, open_session
from quizapp.store.store import Store

__all__ = ["open_terminal"]
F6 = "\x1b[17~"
CTRL_S = "\x13"


def draft(home: Path) -> str:
    with contextlib.closing(sqlite3.connect(database(home))) as connection:
        rows = connection.execute("SELECT text FROM draft").fetchall()
    return "|".join(str(row[0]) for row in rows)


def test_killed_in_the_middle_of_an_answer(open_terminal: Callable[..., Terminal], tmp_path: Path, library: Library) -> None:
    def opened() -> Interview:
        with Store(database(tmp_path)) as store:
            session = open_session(store, "small")
            assert session is not None
            return Interview(store, library, session, clock=lambda: 0.0)

    first = open_terminal("interview", "small", "--minutes", "15", "--no-lab", "--seed", "3")
    first.shows("Before we start")
    first.keys("I sum and count.")
    first.shows("I sum and count.")
    first.keys(CTRL_S)
    first.until(lambda: len(opened().exchanges) == 1)
    first.keys(F6)
    first.shows("kept, not scored")
    first.shows("Think aloud here")
    time.sleep(0.5)
    first.keys("slow down")
    first.until(lambda: opened().notes() == "slow down")
    first.keys(F6)
    time.sleep(0.5)
    first.keys("2")
    first.until(lambda: draft(tmp_path))
    question = opened().question
    first.kill()

    held = opened()
    assert held.question == question
    assert held.number == 2
    assert [one.text for one in held.exchanges] == ["I sum and count."]
    assert held.elapsed > 0
    assert sound(tmp_path)
    second = open_terminal("interview", "small")
    second.shows("question 2")
    second.keys(CTRL_S if question is not None and question.heard else "\r")
    second.until(lambda: len(opened().exchanges) == 2)
    assert "2" in opened().exchanges[1].text or opened().exchanges[1].question.kind == "choice"
