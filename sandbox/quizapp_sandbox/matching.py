"""Which calls can't be done by what the ranks have called so far: decided from the journal alone, with no regard to time.

Every answer is on the safe side: a call of which too little is known may be done.
"""

from collections.abc import Sequence

from quizapp_sandbox.journal import ANYBODY, CAPACITY, Collective, Journal, Meeting, Need

_OF_A_GROUP = frozenset((Need.NOBODY, Need.ALL, Need.PEER))


class _Rows:
    """All ranks' meetings, read once."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._rows: dict[int, list[tuple[Meeting, bool]]] = {}

    def of(self, rank: int) -> list[tuple[Meeting, bool]]:
        if rank not in self._rows:
            self._rows[rank] = self._journal.meetings(rank)
        return self._rows[rank]

    def is_complete(self, rank: int) -> bool:
        return self._journal.issued(rank) <= CAPACITY

    def collectives(self, rank: int, group: int) -> int | None:
        """How many collectives a rank has called in a group; ``None`` where that has been written over."""
        return self._highest(rank, [one for one, _ in self.of(rank) if one.need in _OF_A_GROUP and one.group == group])

    def messages(self, rank: int, need: Need, peer: int, like: Meeting) -> int | None:
        """How many messages in the group and with the tag of ``like`` a rank has sent to, or wanted from, a peer."""
        place = (need, peer, like.group, like.tag)
        return self._highest(rank, [one for one, _ in self.of(rank) if (one.need, one.peer, one.group, one.tag) == place])

    def received(self, rank: int, like: Meeting) -> int | None:
        """Messages in that group with that tag that a rank has, whoever sent them."""
        row = [done for one, done in self.of(rank) if (one.need, one.group, one.tag) == (Need.RECEIVE, like.group, like.tag)]
        return sum(row) if self.is_complete(rank) else None

    def _highest(self, rank: int, row: Sequence[Meeting]) -> int | None:
        if row:
            return max(one.number for one in row)
        return 0 if self.is_complete(rank) else None


def _members(meeting: Meeting, world_size: int) -> list[int]:
    return [rank for rank in range(world_size) if meeting.members >> rank & 1]


def _less(count: int | None, wanted: int) -> bool:
    return count is not None and count < wanted


def _never(rows: _Rows, rank: int, meeting: Meeting, world_size: int) -> bool:
    """Whether a call waits for one that hasn't been made, or for a key."""
    if meeting.need is Need.KEY:
        return True
    others = [other for other in _members(meeting, world_size) if other != rank]
    if not meeting.sure or not others or not meeting.members >> rank & 1:
        return False
    match meeting.need:
        case Need.ALL:
            return any(_less(rows.collectives(other, meeting.group), meeting.number) for other in others)
        case Need.PEER if meeting.peer in others:
            return _less(rows.collectives(meeting.peer, meeting.group), meeting.number)
        case Need.SEND if meeting.peer in others:
            named = rows.messages(meeting.peer, Need.RECEIVE, rank, meeting)
            open_to_all = rows.messages(meeting.peer, Need.RECEIVE, ANYBODY, meeting)
            return named is not None and open_to_all is not None and named + open_to_all < meeting.number
        case Need.RECEIVE if meeting.peer in others or meeting.peer == ANYBODY:
            sent = {other: rows.messages(other, Need.SEND, rank, meeting) for other in others}
            had = rows.received(rank, meeting)
            none_left = had is not None and None not in sent.values() and sum(filter(None, sent.values())) <= had
            return none_left or _less(sent.get(meeting.peer), meeting.number)
    return False


def left_alone(journal: Journal) -> tuple[int, Collective, list[int]] | None:
    """Of ranks that are all done: the first call that other ranks of its group have not made, with its rank and with theirs."""
    rows, made = _Rows(journal), dict[tuple[int, int], int | None]()
    for rank in range(journal.world_size):
        for (meeting, done), (_, call) in zip(rows.of(rank), journal.calls(rank), strict=True):
            if meeting.need is Need.KEY or not meeting.sure or not meeting.members >> rank & 1:
                continue
            absent = []
            if meeting.need in (Need.SEND, Need.RECEIVE) and not done and _never(rows, rank, meeting, journal.world_size):
                absent = [meeting.peer] if meeting.peer != ANYBODY else _members(meeting, journal.world_size)
            for other in _members(meeting, journal.world_size) if meeting.need in _OF_A_GROUP else ():
                at = (other, meeting.group)
                if at not in made:
                    made[at] = rows.collectives(*at)
                if _less(made[at], meeting.number):
                    absent.append(other)
            if absent := [other for other in absent if other != rank]:
                return rank, call, absent
    return None


def awaited(journal: Journal, rank: int) -> Collective | None:
    """The call that a rank waits for, where it is known to wait."""
    return journal.call(rank, journal.waits_for(rank))


def waits_for_key(journal: Journal, rank: int) -> bool:
    """Whether a rank is known to wait for a key of a store."""
    call = awaited(journal, rank)
    return call is not None and call.meeting is not None and call.meeting.need is Need.KEY


def stand_still(journal: Journal, unfinished: Sequence[int]) -> frozenset[int] | None:
    """Whether no unfinished rank can ever move again, because each waits for a call that nobody is left to make.

    What the ranks have called can only grow by a rank that moves. So if, by all that has been called up to some moment, none of
    their calls can be done, none ever will be. Keys are taken not to be there: each rank that waits for one must still be seen to
    look in vain (``Journal.looks``) after that moment.

    Returns:
        ``None`` if some rank may yet move. Else the ranks that the journal doesn't show waiting, and of which it must still be
        seen that they do: their last call, which can't be done either, came from within the backward, whose end waits for it.
    """
    # First who waits, then what was called: whoever waits at first, and for what isn't called by then, waits still.
    waiting = {rank: journal.waits_for(rank) for rank in unfinished}
    last = {rank: journal.issued(rank) for rank in unfinished}
    if not waiting or any(journal.unsettled(rank) for rank in range(journal.world_size)):
        return None
    rows, to_be_seen = _Rows(journal), set()
    for rank in unfinished:
        call = journal.call(rank, waiting[rank] or last[rank])
        if call is None or call.meeting is None:
            return None
        if not waiting[rank]:
            if call.origin != "in backward":
                return None
            to_be_seen.add(rank)
        if not _never(rows, rank, call.meeting, journal.world_size):
            return None
    return frozenset(to_be_seen)
