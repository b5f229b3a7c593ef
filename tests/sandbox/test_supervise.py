"""Who is stuck: places read from stacks, and processes read from the kernel."""

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp_sandbox import supervise
from quizapp_sandbox.journal import Collective, Journal, Meeting, Need

STACK = """Thread 0x00007f0 (most recent call first):
  File "/opt/venv/lib/python3.12/threading.py", line 359 in wait

Current thread 0x00007f1 (most recent call first):
  File "/opt/venv/lib/python3.12/site-packages/torch/distributed/c10d_logger.py", line 81 in wrapper
  File "answer.py", line 12 in count_tokens
  File "answer.py", line 27 in scale_loss
  File "/opt/quizapp/quizapp_sandbox/drives/loss_under_ddp.py", line 35 in drive
"""


class TestPlaceIn:
    def test_the_innermost_line_of_the_file(self) -> None:
        assert supervise.place_in(STACK, "answer.py") == {"line": 12, "function": "count_tokens"}

    def test_another_file(self) -> None:
        assert supervise.place_in(STACK, "swer.py") is None
        assert supervise.place_in("", "answer.py") is None

    def test_names_with_quotes_spaces_and_other_signs(self) -> None:
        stack = '  File "my "best" ans (2).py", line 3 in <module>\n  File "größe.py", line 4 in f\n'
        assert supervise.place_in(stack, 'my "best" ans (2).py') == {"line": 3, "function": "<module>"}
        assert supervise.place_in(stack, "größe.py") == {"line": 4, "function": "f"}

    def test_a_forged_line_number_is_no_number(self) -> None:
        assert supervise.place_in(f'  File "answer.py", line {"9" * 5000} in f\n', "answer.py") is None

    @given(st.text())
    def test_any_text(self, text: str) -> None:
        supervise.place_in(text, "answer.py")


class TestWaitsInside:
    def test_a_call_that_waits(self) -> None:
        assert supervise.waits_inside(STACK)
        assert supervise.waits_inside(
            'Thread 0x1 (most recent call first):\n  File "/x/torch/autograd/graph.py", line 1 in _engine_run_backward\n'
        )

    def test_the_learners_own_code_and_other_libraries(self) -> None:
        own = 'Current thread 0x1 (most recent call first):\n  File "answer.py", line 9 in scale_loss\n'
        assert not supervise.waits_inside(own + '  File "/x/torch/distributed/elastic.py", line 3 in f\n')
        assert not supervise.waits_inside(own.replace("answer.py", "/usr/lib/python3.12/threading.py"))
        assert not supervise.waits_inside("")

    def test_only_the_main_thread_which_comes_last(self) -> None:
        threads = STACK + '\nThread 0x00007f2 (most recent call first):\n  File "answer.py", line 27 in scale_loss\n'
        assert not supervise.waits_inside(threads)


@pytest.mark.parametrize(
    ("collective", "line"),
    [
        ("#4 all_reduce([2] float32) at line 9", 9),
        ("#4 all_reduce([2] float32) in backward", None),
        (None, None),
        ("#1 barrier at line " + "9" * 50, None),
    ],
)
def test_line_in(collective: str | None, line: int | None) -> None:
    assert supervise.line_in(collective) == line


SLEEPS = "import time; print(flush=True); time.sleep(600)"
POLLS = """
import ctypes, threading, time
def poll():
    ctypes.CDLL(None).prctl(15, b"{name}")
    print(flush=True)
    while True: pass
threading.Thread(target=poll, daemon=True).start()
time.sleep(600)
"""


def alone(rank_calls: list[int]) -> Journal:
    journal = Journal(len(rank_calls))
    for rank, calls in enumerate(rank_calls):
        journal.begin(rank)
        for _ in range(calls):
            journal.append(rank, Collective("all_reduce", "[] int64", True))
    return journal


@pytest.mark.parametrize(
    ("rows", "number"),
    [
        pytest.param(["a1 b1", "b1 a1"], None, id="two groups, in another order"),
        pytest.param(["a1 b1 a2", "a1 a2 b1"], None, id="one goes on while the other waits"),
        pytest.param(["a1 b1", "b1"], 1, id="one call is missing"),
        pytest.param(["a1 c1", "c1 d1"], 1, id="two kinds in one group"),
        pytest.param(["a1 b1", "a1 b1"], None, id="in the same order"),
    ],
)
def test_calls_in_several_groups_pair_up_in_each(rows: list[str], number: int | None) -> None:
    journal = Journal(len(rows))
    kinds = {"a": ("all_reduce", 1), "b": ("barrier", 2), "c": ("all_gather", 3), "d": ("all_gather", 1)}
    for rank, row in enumerate(rows):
        journal.begin(rank)
        for name, order in row.split():
            kind, group = kinds[name]
            journal.append(rank, Collective(kind, "", True, meeting=Meeting(Need.ALL, group, 0b11, int(order))))
    found = supervise.first_mismatch(journal)
    assert (found and found.number) == number


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
class TestWatch:
    def processes(self, code: str) -> list[subprocess.Popen[bytes]]:
        """Two, each of which has come to what it does."""
        started = [subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE) for _ in range(2)]
        for process in started:
            assert process.stdout is not None
            process.stdout.readline()
        return started

    def settles(self, watch: supervise.Watch, unfinished: list[int], finished: list[int], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if watch.stuck(unfinished, finished, time.monotonic()):
                return True
            time.sleep(0.004)
        return False

    @pytest.mark.parametrize(
        ("code", "calls", "unfinished", "finished", "stuck"),
        [
            pytest.param(SLEEPS, [1, 0], [0], [1], True, id="one waits, the other is done"),
            pytest.param(SLEEPS, [1, 1], [0], [1], False, id="asleep, and nothing is missing"),
            pytest.param(SLEEPS, [1, 0], [0, 1], [], False, id="the other may yet come"),
            pytest.param("print(flush=True)\nwhile True: pass", [1, 0], [0], [1], False, id="it computes"),
            pytest.param(POLLS.format(name="gloo_tcp_loop"), [1, 0], [0], [1], True, id="its transport looks for data"),
            pytest.param(POLLS.format(name="worker"), [1, 0], [0], [1], False, id="a thread of its own computes"),
        ],
    )
    def test_stuck(self, code: str, calls: list[int], unfinished: list[int], finished: list[int], stuck: bool) -> None:
        processes = self.processes(code)
        try:
            time.sleep(0.1)
            watch = supervise.Watch(alone(calls), [process.pid for process in processes])
            assert self.settles(watch, unfinished, finished, 60 if stuck else 1.5) is stuck
        finally:
            for process in processes:
                process.kill()
                process.communicate()

    def test_two_that_wait_in_collectives_that_do_not_pair(self) -> None:
        processes = self.processes(SLEEPS)
        try:
            time.sleep(0.1)
            journal = alone([1, 1])
            journal.append(0, Collective("barrier", "", True))
            journal.append(1, Collective("all_gather", "[] int64", True))
            watch = supervise.Watch(journal, [process.pid for process in processes])
            assert self.settles(watch, [0, 1], [], 60)
        finally:
            for process in processes:
                process.kill()
                process.communicate()

    def test_a_process_that_is_gone_does_not_seem_asleep(self) -> None:
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        assert not supervise.is_asleep(gone.pid)


class TestKeys:
    """Rank 0 waits for a key of a store, rank 1 for rank 0's collective."""

    @pytest.fixture
    def journal(self) -> Journal:
        made = Journal(2)
        for rank, need in ((0, Need.KEY), (1, Need.ALL)):
            made.begin(rank)
            meeting = Meeting(need, 0, 0b11, 1)
            made.wait_for(rank, made.append(rank, Collective("any", "", False, meeting=meeting)))
        return made

    def test_the_key_must_be_missed_by_a_look_that_began_after_all_had_called(self, journal: Journal) -> None:
        watch = supervise.Watch(journal, ())
        assert watch.stand_still([0, 1]) is None
        journal.look(0)
        assert watch.stand_still([0, 1]) is None
        journal.look(0)
        assert watch.stand_still([0, 1]) == frozenset()

    def test_looks_count_anew_once_a_rank_has_moved(self, journal: Journal) -> None:
        watch = supervise.Watch(journal, ())
        assert watch.stand_still([0, 1]) is None
        for _ in range(5):
            journal.look(0)
        journal.wait_for(1, 0)
        assert watch.stand_still([0, 1]) is None
        journal.wait_for(1, 1)
        assert watch.stand_still([0, 1]) is None
        for _ in range(2):
            journal.look(0)
        assert watch.stand_still([0, 1]) == frozenset()


class TestParted:
    """Ranks that parted ways and go on computing."""

    @staticmethod
    def watch(*calls: int) -> supervise.Watch:
        return supervise.Watch(alone(list(calls)), [])

    def test_a_collective_that_a_finished_rank_never_joins(self) -> None:
        watch = self.watch(2, 1)
        assert not watch.parted([0], [1], 100.0)
        assert not watch.parted([0], [1], 100.5)
        assert watch.parted([0], [1], 100.0 + supervise.PARTED_GRACE)

    def test_calls_that_do_not_pair_up(self) -> None:
        watch = self.watch(1, 1)
        watch.journal.append(0, Collective("barrier", "", True))
        watch.journal.append(1, Collective("all_gather", "[] int64", True))
        assert [watch.parted([0, 1], [], now) for now in (100.0, 100.5, 101.0)] == [False, False, True]

    def test_a_rank_that_may_yet_come(self) -> None:
        watch = self.watch(2, 1)
        assert not any(watch.parted([0, 1], [], now) for now in (100.0, 101.0, 150.0))

    def test_it_must_be_the_same_at_each_look(self) -> None:
        watch = self.watch(0, 0)
        for number, now in enumerate((100.0, 101.0, 102.0)):
            for rank in (0, 1):
                watch.journal.begin(rank)
                watch.journal.append(rank, Collective("all_reduce", f"[{rank + number + 1}] int64", True))
            assert not watch.parted([0, 1], [], now)
