"""The journal of collectives: what pairs with what, order numbers past its capacity, and what the recorder sees of real calls."""

import json
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="the journal records torch's collectives; torch isn't installed here")

from quizapp_sandbox import matching, supervise
from quizapp_sandbox.journal import CAPACITY, Collective, Journal, Meeting, Need

COUNT = Collective("all_reduce", "[] int64", True, "at line 7")
BUCKET = Collective("all_reduce", "[36] float64", True, "in backward")


def journal(*rows: list[Collective]) -> Journal:
    made = Journal(len(rows))
    for rank, row in enumerate(rows):
        made.begin(rank)
        for call in row:
            made.append(rank, call)
    return made


class TestPairs:
    @pytest.mark.parametrize(
        ("one", "other", "pair"),
        [
            (COUNT, Collective("all_reduce", "[] int64", True, "at line 12"), True),
            (COUNT, BUCKET, False),
            (COUNT, Collective("all_reduce", "[1] int64", True), True),
            (Collective("broadcast", "[2, 3] [0, 2] int64", True), Collective("broadcast", "[6] [0] int64", True), True),
            (Collective("broadcast", "[2] [3] int64", True), Collective("broadcast", "[3] [2] int64", True), False),
            (COUNT, Collective("all_reduce", "[] float64", True), False),
            (COUNT, Collective("all_gather", "[] int64", True), False),
            (Collective("barrier", "", True), Collective("barrier", "", True), True),
            (
                Collective("broadcast", "[1] int64", True, manner="from rank 0"),
                Collective("broadcast", "[1] int64", True, manner="from rank 1"),
                False,
            ),
            (Collective("gather", "[2] int64", True, manner="to rank 0"), Collective("gather", "", True, manner="to rank 0"), True),
            (
                Collective("gather", "[2] int64", True, manner="to rank 0"),
                Collective("gather", "", True, manner="to rank 1"),
                False,
            ),
        ],
    )
    def test_pairs(self, one: Collective, other: Collective, pair: bool) -> None:
        assert one.pairs_with(other) is pair
        assert other.pairs_with(one) is pair

    def test_as_text(self) -> None:
        assert str(COUNT) == "all_reduce([] int64) at line 7"
        assert (
            str(Collective("broadcast", "[1] int64", True, "at line 3", "from rank 1"))
            == "broadcast([1] int64, from rank 1) at line 3"
        )
        assert str(Collective("barrier", "", True)) == "barrier"


class TestOrderNumbers:
    @given(st.lists(st.booleans(), max_size=30))
    def test_calls_come_back_as_written(self, whole: list[bool]) -> None:
        row = [
            Collective("send" if not w else "all_reduce", f"[{n}] float64", w, f"at line {n}", "", n) for n, w in enumerate(whole)
        ]
        made = journal(row)
        assert made.calls(0) == list(enumerate(row, 1))
        assert list(made.calls_of_all(0).values()) == [call for call in row if call.whole]
        assert made.issued(0) == len(row)
        assert made.issued_by_all(0) == sum(whole)

    def test_the_oldest_calls_give_way_and_numbers_stay(self) -> None:
        made = journal([COUNT] * (CAPACITY + 40))
        calls = made.calls(0)
        assert len(calls) == CAPACITY
        assert (calls[0][0], calls[-1][0]) == (41, CAPACITY + 40)
        assert min(made.calls_of_all(0)) == 41
        assert made.issued_by_all(0) == CAPACITY + 40

    def test_a_scenario_begins_anew(self) -> None:
        made = journal([COUNT] * 3)
        made.begin(0)
        assert made.calls(0) == []
        assert made.issued_by_all(0) == 0

    def test_whom_a_call_meets_and_whether_it_is_done(self) -> None:
        met = Meeting(Need.RECEIVE, 0xFFFFFFFF, 0b101, 7, 2, -3, False)
        made = journal([COUNT] * CAPACITY)
        assert made.append(0, Collective("recv", "[1] int64", False, "at line 3", "from rank 2, tag -3", 0, met)) == CAPACITY + 1
        assert made.call(0, CAPACITY + 1) == made.calls(0)[-1][1]
        assert made.calls(0)[-1][1].meeting == met
        assert made.meetings(0)[-1] == (met, False)
        made.finish(0, CAPACITY + 1)
        made.finish(0, 1)  # long written over
        assert [done for _, done in made.meetings(0)] == [False] * (CAPACITY - 1) + [True]
        assert made.call(0, 1) is None

    @given(st.binary(min_size=20, max_size=20), st.integers(0, CAPACITY - 1), st.binary(min_size=156, max_size=156))
    @settings(deadline=None, max_examples=60)
    def test_whatever_a_rank_writes_there_can_be_read(self, head: bytes, entry: int, text: bytes) -> None:
        made = journal([COUNT] * 5, [COUNT, BUCKET])
        made._memory[: len(head)] = head
        at = 20 + 156 * entry
        made._memory[at : at + 156] = text
        assert len(made.calls(0)) <= CAPACITY
        assert matching.stand_still(made, [0, 1]) is None  # rank 1 doesn't wait
        for found in (supervise.first_mismatch(made), supervise.first_crossing(made)):
            assert found is None or len(found.calls) == 2
        json.dumps([str(call) for _, call in made.calls(0)])


class TestMismatch:
    def test_none_where_all_pair(self) -> None:
        assert supervise.first_mismatch(journal([COUNT, BUCKET], [COUNT, BUCKET])) is None
        assert supervise.first_mismatch(journal([], [])) is None

    def test_the_first_that_differs(self) -> None:
        found = supervise.first_mismatch(journal([COUNT, BUCKET], [COUNT, COUNT], [COUNT, BUCKET]))
        assert found == supervise.Mismatch(2, (BUCKET, COUNT, BUCKET))

    def test_a_rank_that_issued_fewer(self) -> None:
        assert supervise.first_mismatch(journal([COUNT, BUCKET], [COUNT])) == supervise.Mismatch(2, (BUCKET, None))

    @pytest.mark.parametrize(
        ("one", "other", "came"),
        [
            pytest.param(COUNT, Collective("all_reduce", "[] float32", True, "at line 9"), True, id="another dtype"),
            pytest.param(
                COUNT, Collective("all_reduce", "[2] int64", True, "at line 7"), True, id="another shape at the same line"
            ),
            pytest.param(COUNT, BUCKET, False, id="another shape elsewhere"),
            pytest.param(COUNT, Collective("barrier", "", True, "at line 7"), False, id="another kind"),
            pytest.param(COUNT, None, False, id="no call"),
        ],
    )
    def test_whether_all_ranks_seem_to_have_come(self, one: Collective, other: Collective | None, came: bool) -> None:
        assert supervise.Mismatch(1, (one, other)).everyone_came is came

    def test_calls_of_few_ranks_are_left_out(self) -> None:
        point = Collective("send", "[1] int64", False)
        assert supervise.first_mismatch(journal([point, COUNT], [COUNT])) is None

    @pytest.mark.parametrize("more", [1, 5, CAPACITY - 1])
    def test_past_the_capacity_a_rank_that_is_ahead_is_still_matched_by_number(self, more: int) -> None:
        """Two kinds in turn: compared by place in the ring, a rank one call ahead would seem to differ everywhere."""
        row = [COUNT, BUCKET] * CAPACITY
        assert supervise.first_mismatch(journal(row[: CAPACITY + more], row[: CAPACITY + more])) is None
        found = supervise.first_mismatch(journal(row[: CAPACITY + more + 1], row[: CAPACITY + more]))
        assert found is not None
        assert found.number == CAPACITY + more + 1
        assert found.calls == (row[CAPACITY + more], None)


class TestCrossing:
    def test_none_where_ranks_stand_at_the_same_place(self) -> None:
        assert supervise.first_crossing(journal([COUNT, BUCKET], [COUNT, BUCKET])) is None

    def test_other_lines(self) -> None:
        other = Collective("all_reduce", "[] int64", True, "at line 9")
        found = supervise.first_crossing(journal([COUNT, other], [other, COUNT]))
        assert found == supervise.Mismatch(1, (COUNT, other))

    def test_other_steps_say_more_than_other_lines(self) -> None:
        first, second = (Collective("all_reduce", "[] int64", True, "at line 7", step=step) for step in (0, 1))
        other = Collective("all_reduce", "[] int64", True, "at line 9")
        found = supervise.first_crossing(journal([COUNT, first], [other, second]))
        assert found == supervise.Mismatch(2, (first, second))


RECORDED = """
import json, os, sys, tempfile, torch, torch.distributed as dist
from quizapp_sandbox import recorder
from quizapp_sandbox.journal import Journal
recorder.install()
log = Journal(1)
store = dist.FileStore(os.path.join(tempfile.mkdtemp(), "store"), 1)
dist.init_process_group("gloo", store=store, rank=0, world_size=1)
recorder.record(log, 0)
recorder.name_file("submission.py")
recorder.begin()
exec(compile(sys.stdin.read(), "submission.py", "exec"))
print(json.dumps([str(call) for _, call in log.calls(0)]))
"""


def recorded(program: str) -> list[str]:
    """What the journal holds after a program of one rank."""
    done = subprocess.run(
        [sys.executable, "-c", RECORDED], input=textwrap.dedent(program), capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_calls_of_ddp_itself_are_recorded() -> None:
    assert recorded("""
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
        log.begin(0)
        model(torch.ones(1, 2)).sum().backward()
    """) == ["all_reduce([3] float32) in backward"]


def test_calls_are_recorded_with_kind_shape_root_and_line() -> None:
    assert recorded("""
        import torch.distributed.nn, torch.distributed._functional_collectives as functional
        x = torch.ones(3, dtype=torch.float64, requires_grad=True)
        dist.all_reduce(torch.ones(2))
        dist.broadcast(torch.ones(1), src=0)
        dist.barrier()
        dist.all_gather([torch.zeros(2)], torch.ones(2))
        y = torch.distributed.nn.all_reduce(x)
        (y ** 2).sum().backward()
        functional.all_reduce(torch.ones(4), "sum", dist.group.WORLD).sum()
        dist.reduce(torch.ones(5), dst=0)
    """) == [
        "all_reduce([2] float32) at line 4",
        "broadcast([1] float32, from rank 0) at line 5",
        "barrier at line 6",
        "all_gather([2] [2] float32) at line 7",
        "all_reduce([3] float64) at line 8",
        "all_reduce([3] float64) at line 9",
        "all_reduce([4] float32) at line 10",
        "reduce([5] float32, to rank 0) at line 11",
    ]  # fmt: skip
