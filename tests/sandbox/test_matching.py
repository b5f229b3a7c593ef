"""Who can never move again, by the journal alone: against a model of ranks that send, receive and reduce, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quizapp_sandbox.journal import ANYBODY, CAPACITY, Collective, Journal, Meeting, Need
from quizapp_sandbox.matching import awaited, left_alone, stand_still

SIZE = 3
GROUPS = ((0, 1, 2), (0, 1), (1, 2))


@dataclass(frozen=True)
class Op:
    """What a rank does: post ``send`` or ``recv`` to or from a peer with a tag, ``all`` reduce in a group; and wait for it now, in
    a later step, or never (``wait``: in so many steps; -1)."""

    what: str
    peer: int
    tag: int
    wait: int


@dataclass
class Posted:
    rank: int
    number: int
    op: Op
    done: bool = False


@dataclass
class Model:
    """Ranks whose messages meet as gloo's do: a send is done when a receive has taken it; each takes the earliest that fits."""

    programs: Sequence[Sequence[Op]]
    journal: Journal = field(default_factory=lambda: Journal(SIZE))
    posted: list[Posted] = field(default_factory=list)
    counts: dict[tuple[object, ...], int] = field(default_factory=dict)
    at: list[int] = field(default_factory=lambda: [0] * SIZE)
    waits: list[Posted | None] = field(default_factory=lambda: [None] * SIZE)
    due: list[tuple[int, Posted]] = field(default_factory=list)
    """Waits that a rank has yet to make: at which of its steps, and for what."""

    def __post_init__(self) -> None:
        for rank in range(SIZE):
            self.journal.begin(rank)

    def _count(self, *key: object) -> int:
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key]

    def finished(self, rank: int) -> bool:
        mine = any(posted.rank == rank for _, posted in self.due)
        return self.waits[rank] is None and not mine and self.at[rank] >= len(self.programs[rank])

    def unfinished(self) -> list[int]:
        return [rank for rank in range(SIZE) if not self.finished(rank)]

    def can_step(self, rank: int) -> bool:
        waiting = self.waits[rank]
        return not self.finished(rank) and (waiting is None or waiting.done)

    def step(self, rank: int) -> None:
        waiting = self.waits[rank]
        if waiting is not None:
            self.journal.finish(rank, waiting.number)
            self.journal.wait_for(rank, 0)
            self.waits[rank] = None
            return
        ready = [(step, posted) for step, posted in self.due if posted.rank == rank and step <= self.at[rank]]
        left = self.at[rank] >= len(self.programs[rank])
        now = ready or [(step, posted) for step, posted in self.due if posted.rank == rank and left]
        if now:
            self.due.remove(now[0])
            self._wait(now[0][1])
            return
        op = self.programs[rank][self.at[rank]]
        self.at[rank] += 1
        posted = self._post(rank, op)
        if op.wait == 0:
            self._wait(posted)
        elif op.wait > 0:
            self.due.append((self.at[rank] + op.wait, posted))

    def _wait(self, posted: Posted) -> None:
        self.waits[posted.rank] = posted
        self.journal.wait_for(posted.rank, posted.number)

    def _post(self, rank: int, op: Op) -> Posted:
        members = GROUPS[op.peer] if op.what == "all" else GROUPS[0]
        mask, group = sum(1 << member for member in members), op.peer if op.what == "all" else 0
        if op.what == "all":
            need, meeting_number, peer = Need.ALL, self._count(rank, "all", group), 0
        else:
            need, peer = (Need.SEND if op.what == "send" else Need.RECEIVE), op.peer
            meeting_number = self._count(rank, need, peer, op.tag)
        meeting = Meeting(need, group, mask, meeting_number, peer, op.tag if op.what != "all" else 0)
        number = self.journal.append(rank, Collective(op.what, "", False, meeting=meeting))
        posted = Posted(rank, number, op)
        self.posted.append(posted)
        self._match(posted)
        return posted

    def _match(self, new: Posted) -> None:
        if new.op.what == "all":
            members = GROUPS[new.op.peer]
            mine = [p for p in self.posted if p.op.what == "all" and p.op.peer == new.op.peer]
            rows = {rank: [p for p in mine if p.rank == rank] for rank in members}
            for together in zip(*rows.values(), strict=False):
                for one in together:
                    one.done = True
            return
        for old in self.posted:
            sends, takes = (old, new) if new.op.what == "recv" else (new, old)
            if {old.op.what, new.op.what} != {"send", "recv"} or old.done or sends.op.tag != takes.op.tag:
                continue
            if sends.op.peer == takes.rank and takes.op.peer in (sends.rank, ANYBODY):
                old.done = new.done = True
                return


def ops(rank: int, peers: Sequence[int]) -> st.SearchStrategy[Op]:
    others = [other for other in range(SIZE) if other != rank]
    groups = [index for index, members in enumerate(GROUPS) if rank in members]
    tag, wait = st.integers(0, 1), st.sampled_from([0, 0, 0, 1, 2, -1])
    return st.one_of(
        st.builds(Op, st.just("send"), st.sampled_from(others), tag, wait),
        st.builds(Op, st.just("recv"), st.sampled_from([*others, *peers]), tag, wait),
        st.builds(Op, st.just("all"), st.sampled_from(groups), st.just(0), wait),
    )


def programs(peers: Sequence[int]) -> st.SearchStrategy[tuple[list[Op], ...]]:
    return st.tuples(*(st.lists(ops(rank, peers), max_size=5) for rank in range(SIZE)))


def run(model: Model, turns: Sequence[int]) -> None:
    """Steps ranks in that order, then in turn until none can; whoever is said to stand still must."""
    order = iter(turns)
    while movable := [rank for rank in range(SIZE) if model.can_step(rank)]:
        assert stand_still(model.journal, model.unfinished()) is None
        turn = next(order, 0)
        model.step(movable[turn % len(movable)])


@given(programs([ANYBODY]), st.lists(st.integers(0, SIZE - 1), max_size=30))
@settings(max_examples=150, deadline=None)
def test_nobody_who_may_move_is_said_to_stand_still(drawn: tuple[list[Op], ...], turns: list[int]) -> None:
    run(Model(drawn), turns)


@given(programs([]), st.lists(st.integers(0, SIZE - 1), max_size=30))
@settings(max_examples=150, deadline=None)
def test_all_who_stand_still_are_known_at_once(drawn: tuple[list[Op], ...], turns: list[int]) -> None:
    model = Model(drawn)
    run(model, turns)
    left = model.unfinished()
    assert stand_still(model.journal, left) == (frozenset() if left else None)


def send(peer: int, tag: int = 0, wait: int = 0) -> Op:
    return Op("send", peer, tag, wait)


def recv(peer: int, tag: int = 0, wait: int = 0) -> Op:
    return Op("recv", peer, tag, wait)


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(([recv(1)], [recv(0)], []), id="both receive"),
        pytest.param(([send(1)], [send(0)], []), id="both send"),
        pytest.param(([send(1, 1)], [recv(0, 2)], []), id="another tag"),
        pytest.param(([recv(2), send(1)], [recv(0), send(2)], [recv(1), send(0)]), id="a ring in which all receive first"),
        pytest.param(([recv(ANYBODY)], [recv(ANYBODY)], []), id="from any rank"),
        pytest.param(([send(1), recv(ANYBODY)], [recv(ANYBODY), recv(0)], []), id="from any rank, once more than sent"),
        pytest.param(([recv(1, 0, 1), recv(2, 0, 1)], [], []), id="posted first, awaited later"),
    ],
)
def test_stand_still(drawn: tuple[list[Op], ...]) -> None:
    model = Model(drawn)
    run(model, [])
    assert model.unfinished()
    assert stand_still(model.journal, model.unfinished()) == frozenset()


def everybody(group: int, wait: int = 0) -> Op:
    return Op("all", group, 0, wait)


@pytest.mark.parametrize(
    ("drawn", "alone"),
    [
        pytest.param(([everybody(1, -1)], [], []), (0, "all", [1]), id="in a smaller group"),
        pytest.param(([everybody(1)], [everybody(1), everybody(2, -1)], []), (1, "all", [2]), id="in another one"),
        pytest.param(([], [everybody(0, -1)], [everybody(0, -1)]), (1, "all", [0]), id="left out by one"),
        pytest.param(([send(1, 0, -1)], [], []), (0, "send", [1]), id="a message that nobody takes"),
        pytest.param(([recv(1, 2, -1)], [send(0, 1, -1)], []), (0, "recv", [1]), id="of another tag"),
        pytest.param(([send(1), recv(1)], [recv(ANYBODY), send(0)], []), None, id="there and back"),
        pytest.param(([send(1, 0, -1)], [recv(0, 0, -1)], []), None, id="taken, and nobody waited"),
        pytest.param(([everybody(1), everybody(0)], [everybody(1), everybody(0)], [everybody(0)]), None, id="in two groups"),
    ],
)
def test_calls_that_were_left_alone(drawn: tuple[list[Op], ...], alone: tuple[int, str, list[int]] | None) -> None:
    model = Model(drawn)
    run(model, [])
    assert not model.unfinished()
    found = left_alone(model.journal)
    assert (found and (found[0], found[1].kind, found[2])) == alone


@given(programs([ANYBODY]), st.lists(st.integers(0, SIZE - 1), max_size=30))
@settings(max_examples=100, deadline=None)
def test_where_all_calls_have_met_none_is_left_alone(drawn: tuple[list[Op], ...], turns: list[int]) -> None:
    model = Model(drawn)
    run(model, turns)
    if all(posted.done for posted in model.posted):
        assert left_alone(model.journal) is None


IN_BACKWARD = Collective(
    "all_reduce", "[36] float64", True, "in backward", meeting=Meeting(Need.ALL, 9, 0b111, 1)
)  # fmt: skip


class TestBackward:
    def stands(self) -> Journal:
        """Rank 0 waits for a message, ranks 1 and 2 have called what their backward waits for."""
        journal = Model(([recv(1)], [], [])).journal
        number = journal.append(0, Collective("recv", "", False, meeting=Meeting(Need.RECEIVE, 0, 0b111, 1, 1)))
        journal.wait_for(0, number)
        for rank in (1, 2):
            journal.append(rank, IN_BACKWARD)
        return journal

    def test_ranks_in_a_backward_that_cannot_end_are_still_to_be_seen_there(self) -> None:
        journal = self.stands()
        assert stand_still(journal, [0, 1, 2]) == {1, 2}
        found = awaited(journal, 0)
        assert found is not None
        assert found.kind == "recv"
        assert awaited(journal, 1) is None

    def test_one_that_may_end_lets_all_move(self) -> None:
        journal = self.stands()
        journal.append(0, IN_BACKWARD)
        assert stand_still(journal, [0, 1, 2]) is None

    def test_a_call_of_the_learners_own_may_be_followed_by_anything(self) -> None:
        journal = self.stands()
        journal.append(1, Collective("all_reduce", "[1] int64", True, "at line 9", meeting=Meeting(Need.ALL, 9, 0b111, 2)))
        assert stand_still(journal, [0, 1, 2]) is None


class TestTooLittleIsKnown:
    def two(self, meeting: Meeting, other: Meeting | None = None, before: int = 0) -> Journal:
        journal = Journal(2)
        for rank in (0, 1):
            journal.begin(rank)
        for _ in range(before):
            journal.append(1, Collective("barrier", "", True))
        if other is not None:
            journal.append(1, Collective("all_reduce", "", True, meeting=other))
        journal.wait_for(0, journal.append(0, Collective("all_reduce", "", True, meeting=meeting)))
        return journal

    def test_the_rank_that_returned_never_comes(self) -> None:
        assert stand_still(self.two(Meeting(Need.ALL, 1, 0b11, 1)), [0]) == frozenset()

    @pytest.mark.parametrize(
        "meeting",
        [
            pytest.param(Meeting(Need.NOBODY, 1, 0b11, 1), id="it may be done without others"),
            pytest.param(Meeting(Need.ALL, 1, 0b11, 1, sure=False), id="nothing to transport"),
            pytest.param(Meeting(Need.ALL, 1, 0b01, 1), id="alone in its group"),
            pytest.param(Meeting(Need.ALL, 1, 0, 1), id="members unknown"),
            pytest.param(Meeting(Need.RECEIVE, 1, 0b11, 1, 7), id="a peer that isn't there"),
            pytest.param(Meeting(Need.PEER, 1, 0b11, 1, 0), id="its own root"),
        ],
    )
    def test_calls_that_may_be_done(self, meeting: Meeting) -> None:
        assert stand_still(self.two(meeting), [0]) is None

    def test_a_root_that_has_not_called(self) -> None:
        assert stand_still(self.two(Meeting(Need.PEER, 1, 0b11, 1, 1)), [0]) == frozenset()
        called = Meeting(Need.NOBODY, 1, 0b11, 1, 1)
        assert stand_still(self.two(Meeting(Need.PEER, 1, 0b11, 1, 1), called), [0]) is None

    def test_calls_that_were_written_over(self) -> None:
        meeting = Meeting(Need.RECEIVE, 1, 0b11, 1, 1)
        assert stand_still(self.two(meeting, before=CAPACITY), [0]) == frozenset()
        assert stand_still(self.two(meeting, before=CAPACITY + 1), [0]) is None

    def test_a_message_of_an_earlier_scenario(self) -> None:
        journal = self.two(Meeting(Need.RECEIVE, 1, 0b11, 1, 1))
        journal.begin(1, unsettled=1)
        assert stand_still(journal, [0]) is None

    def test_nobody_is_left(self) -> None:
        assert stand_still(Journal(2), []) is None
