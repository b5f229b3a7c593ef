"""One submission, one worker: it is thrown away with all that was started in it, also where the user calls it off."""

import os
import threading
import time
from pathlib import Path

import pytest
from benches import Watched

from quizapp.judge.bench import Cancelled
from quizapp.model.lab import Lab, Limits

BOUND = 120.0
SLEEPS = "import time\n\n\ndef scale_loss(token_losses, mask):\n    time.sleep(600)\n"


def test_cancel_is_prompt_and_the_next_submission_is_judged(bench: Watched, two: Lab, folder: Path, solution: str) -> None:
    cancel, running = threading.Event(), threading.Event()
    ends: list[BaseException] = []

    def judge() -> None:
        try:
            bench.judge(
                two.model_copy(update={"limits": Limits(seconds=BOUND)}),
                folder,
                SLEEPS,
                progress=lambda text: running.set() if "running" in text else None,
                cancel=cancel,
            )
        except BaseException as error:
            ends.append(error)

    thread = threading.Thread(target=judge)
    thread.start()
    assert running.wait(BOUND)
    time.sleep(0.3)
    cancel.set()
    thread.join(BOUND / 2)
    assert [type(error) for error in ends] == [Cancelled]
    assert bench.judge(two, folder, solution).outcome == "pass"


def test_cancelled_before_it_ran(bench: Watched, two: Lab, folder: Path, solution: str) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        bench.judge(two, folder, solution, cancel=cancel)
    assert bench.judge(two, folder, solution).outcome == "pass"


def test_two_threads_may_ask_at_once(bench: Watched, two: Lab, folder: Path, solution: str) -> None:
    starter = (folder / "starter.py").read_text("utf-8")
    outcomes: dict[str, str] = {}

    def judge(name: str, source: str) -> None:
        outcomes[name] = bench.judge(two, folder, source).outcome

    threads = [threading.Thread(target=judge, args=pair) for pair in (("right", solution), ("wrong", starter))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * BOUND)
    assert outcomes == {"right": "pass", "wrong": "wrong"}


STRAYS = """
    if dist.get_rank() == 0 and os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            beat = os.path.join(BEAT, "beat")
            while True:
                with open(beat, "a") as file:
                    file.write(".")
                time.sleep(0.05)
        os._exit(0)
    while not os.path.exists(os.path.join(BEAT, "beat")):
        time.sleep(0.05)
"""


def test_nothing_that_a_submission_started_lives_on(bench: Watched, two: Lab, folder: Path, solution: str, tmp_path: Path) -> None:
    """A grandchild in a session of its own. Where it can write to a file of ours, the file stops growing."""
    os.chmod(tmp_path, 0o777)
    place = str(tmp_path) if bench.name == "unsandboxed" else "/tmp"
    stray = solution.replace("    count = ", f"    import os, time\n    BEAT = {place!r}{STRAYS}    count = ", 1)
    verdict = bench.judge(two, folder, stray)
    assert verdict.outcome == "pass", verdict.summary
    assert bench.left_behind() == []
    if bench.name == "unsandboxed":
        beat = tmp_path / "beat"
        assert beat.stat().st_size > 0
        time.sleep(0.5)
        size = beat.stat().st_size
        time.sleep(0.5)
        assert beat.stat().st_size == size
    assert bench.judge(two, folder, solution).outcome == "pass"


def test_what_one_submission_leaves_in_its_folders_the_next_does_not_see(
    bench: Watched, two: Lab, folder: Path, solution: str
) -> None:
    mark = (
        "\nimport pathlib, tempfile\n\nmarks = [pathlib.Path(place, 'left-by-another') for place in (tempfile.gettempdir(), '.')]\n"
    )
    leaves = mark + "for mark in marks:\n    try:\n        mark.touch()\n    except OSError:\n        pass\n"
    looks = mark + "assert not any(mark.exists() for mark in marks)\n"
    before = len(bench.started)
    assert bench.judge(two, folder, solution + leaves).outcome == "pass"
    verdict = bench.judge(two, folder, solution + looks)
    assert verdict.outcome == "pass", verdict.summary
    assert bench.left_behind() == []
    assert len(bench.started) >= before + 2
