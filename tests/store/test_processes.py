"""Several processes at once, and processes that are killed in the middle."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quizapp.store.record import DraftKey
from quizapp.store.store import Store

WRITER = """
import sys
from pathlib import Path
from quizapp.store.record import DraftKey
from quizapp.store.store import Store
from stored_samples import answer
store = Store(Path(sys.argv[1]))
session = store.start("study", "intended-average", {"step": 0})
print("session", session.id, flush=True)
for number in range(int(sys.argv[2])):
    store.save_draft(DraftKey("study", sys.argv[3], "main"), f"draft {number}")
    store.add(answer(session=session.id, text=f"{sys.argv[3]} {number}"))
    store.move(session.id, {"step": number + 1})
    print(number, flush=True)
"""
HERE = Path(__file__).parent


def _writer(path: Path, count: int, name: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(path), str(count), name]
    return subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_four_processes_open_a_new_file_and_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "progress.sqlite3"
    writers = [_writer(path, 25, f"writer-{index}") for index in range(4)]
    for writer in writers:
        _, errors = writer.communicate(timeout=240)
        assert errors == ""
        assert writer.returncode == 0
    with Store(path) as store:
        texts = [attempt.text for attempt in store.attempts()]
        assert sorted(texts) == sorted(f"writer-{index} {number}" for index in range(4) for number in range(25))
        assert len(store.unfinished()) == 4


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_loses_nothing_that_it_said_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "progress.sqlite3"
    dice = random.Random(11)
    said: list[str] = []
    for turn in range(6):
        writer = _writer(path, 100_000, f"turn-{turn}")
        assert writer.stdout is not None
        _, *lines = [writer.stdout.readline() for _ in range(dice.randint(2, 12))]
        time.sleep(dice.uniform(0.0, 0.1))
        writer.kill()
        # communicate() would lose what readline() has read ahead.
        out = "".join(lines) + writer.stdout.read()
        writer.wait(240)
        numbers = [int(line) for line in out.split("\n")[:-1]]
        said += [f"turn-{turn} {number}" for number in numbers]
        with Store(path) as store:
            assert set(said) <= {attempt.text for attempt in store.attempts()}
            session = store.unfinished()[0]
            stored = len(store.attempts(session=session.id))
            assert stored in (len(numbers), len(numbers) + 1)
            assert session.position["step"] in (stored, stored - 1)
            draft = store.draft(DraftKey("study", f"turn-{turn}", "main"))
            assert not stored or draft in (f"draft {stored - 1}", f"draft {stored}")
    assert len(said) > 20
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
