"""From what the ranks of one scenario ended with to an outcome and its root cause. Pure functions over an agent's report."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quizapp.model.figures import in_a_row
from quizapp.model.lab import Limits
from quizapp.model.verdict import Outcome, Place, RankReport

MOST_SAID = 400
"""Characters of a rank's message that the verdict's sentence repeats; the rank's report has all that was kept."""
MOST_CALLS = 8
"""Collectives kept of each rank."""
LIMIT_SIGNALS = {signal.SIGKILL: "memory", signal.SIGXCPU: "CPU time", signal.SIGXFSZ: "file size"}


@dataclass(frozen=True, slots=True)
class Ending:
    """How a scenario ended. ``outcome`` is ``None`` where the ranks finished and their numbers decide."""

    outcome: Outcome | None
    message: str | None
    ranks: tuple[RankReport, ...]
    mismatch: str | None = None
    """What didn't pair up, where some collective didn't."""
    came_at: frozenset[str] = frozenset()
    """Where that may have been one call that all ranks made, each in its own way: the places of the program it was made at."""
    crossing: str | None = None
    """Which calls paired up from different places of the program, where some did."""
    all_spent: bool = False
    """Whether the time that was up is that of all scenarios together."""


UNRECORDED = (
    "once the ranks were done, a further call of all of them did not pair up: "
    "some rank had made a call too many, or left one out, where torch's own functions don't see it"
)

_STATES = {"observed": "finished", "peer": "waiting"}
_AS_THEY_ARE = ("waiting", "running", "exited", "killed")


_TURNS = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
"""Signs that turn the direction of what follows, by which a line reads as another one, and Unicode's own line breaks."""
_CONTROL = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*range(32), *range(127, 160), *range(0xD800, 0xE000), *_TURNS)
    if code not in (9, 10)
}


def printable(text: str) -> str:
    """Text of a submission's making without what a terminal would obey, what turns lines round, or what no encoding holds."""
    return text.replace("\r\n", "\n").translate(_CONTROL)


def on_one_line(text: str) -> str:
    """The same as part of a sentence of ours: no line of it can pass for another one of the verdict."""
    return " ".join(printable(text).split())


def _text(value: object, limit: int = 2000) -> str | None:
    return printable(value[:limit]) if isinstance(value, str) else None


def _label(value: object, limit: int = 200) -> str | None:
    return on_one_line(value[:limit]) if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else None


def _report(rank: int, given: Mapping[str, Any]) -> RankReport:
    state = str(given.get("state"))
    line = _number(given.get("line"))
    place = None
    if line is not None:
        place = Place(line=line, column=_number(given.get("column")), function=_label(given.get("function")))
    shown = _STATES.get(state, state if state in _AS_THEY_ARE else "raised")
    message = _text(given.get("message")) if state != "peer" else None
    if state == "killed":
        message = _signal_name(given)
    if state == "exited":
        message = f"exit code {given.get('code')}"
    told = given.get("collectives")
    calls = tuple(text for call in (told if isinstance(told, list) else [])[-MOST_CALLS:] if (text := _label(call)))
    last = calls[-1] if calls else None
    return RankReport(rank=rank, state=shown, collective=last, collectives=calls, place=place, message=message)  # type: ignore[arg-type]


def _signal_name(given: Mapping[str, Any]) -> str:
    number = _number(given.get("signal")) or 0
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def ranks_text(ranks: Sequence[int]) -> str:
    """``rank 1``, ``ranks 0 and 2``, ``ranks 0, 1 and 3``."""
    return f"rank{'' if len(ranks) == 1 else 's'} {in_a_row(ranks)}"


def _at(report: RankReport) -> str:
    if report.place is None:
        return ""
    column = f", column {report.place.column}" if report.place.column else ""
    return f", line {report.place.line}{column} of your file"


def _mismatch_text(mismatch: Mapping[str, Any], given: Sequence[Mapping[str, Any]]) -> str:
    number, calls = mismatch.get("number"), mismatch.get("calls") or []
    by_call: dict[str | None, list[int]] = {}
    for rank, call in enumerate(calls):
        by_call.setdefault(_label(call), []).append(rank)
    absent = by_call.pop(None, [])
    if absent and len(by_call) == 1:
        ((call, waiting),) = by_call.items()
        number = _own_number(call, [given[rank] for rank in waiting if rank < len(given)]) or number
        verb = "waits" if len(waiting) == 1 else "wait"
        missed = f"{ranks_text(absent)} never joined collective #{number}, in which {ranks_text(waiting)} {verb}: {call}"
        elsewhere = {rank: call for rank in absent if (call := _label(given[rank].get("awaits") if rank < len(given) else None))}
        return "; ".join([missed, *(f"rank {rank} waits in {call}" for rank, call in elsewhere.items())])
    parts = [f"{ranks_text(ranks)} called {call}" for call, ranks in by_call.items()]
    parts += [f"{ranks_text(absent)} called none"] if absent else []
    return f"collective #{number} differs: {'; '.join(parts)}"


def _alone_text(rank: int, report: Mapping[str, Any]) -> str | None:
    """What it says of a call in a smaller group of ranks that others of the group left out."""
    alone = report.get("alone")
    if not isinstance(alone, dict) or not isinstance(absent := alone.get("absent"), list):
        return None
    return f"{ranks_text([rank])} called {_label(alone.get('call'))}, which {ranks_text(absent)} never joined"


def _own_number(call: str | None, waiting: Sequence[Mapping[str, Any]]) -> int | None:
    """The number that the ranks' lanes give to a call in which they wait: there all calls of a rank are counted, those among other
    groups of ranks too. ``None`` where they don't agree on one."""
    found = set()
    for report in waiting:
        told = report.get("collectives")
        number, _, last = (_label(told[-1]) or "" if isinstance(told, list) and told else "").partition(" ")
        found.add(int(number[1:]) if last == call and number[1:].isdigit() else None)
    return found.pop() if len(found) == 1 else None


def _places(mismatch: Mapping[str, Any]) -> frozenset[str]:
    return frozenset((_label(call) or "").rpartition(" at ")[2] for call in mismatch.get("calls") or [])


def everyone_came(one: Ending, others: Sequence[Ending]) -> bool:
    """Whether ranks that parted ways did so in one call of the program, which none of them left out. Calls at two places are one
    unless some rank, where all went well, is seen to have made both."""

    def made_all(report: RankReport) -> bool:
        return one.came_at <= {call.rpartition(" at ")[2] for call in report.collectives}

    if len(one.came_at) < 2:
        return bool(one.came_at)
    return not any(made_all(report) for other in others if other.outcome is None for report in other.ranks)


def mixes(crossing: Mapping[str, Any], ranks: Sequence[RankReport]) -> bool:
    """Whether a collective joined calls of different steps, or of lines of which some rank made both, as far back as its calls
    are known: lines of which no rank made both are one call in two branches, such as a gather's receiving and sending side."""
    origins = {_label(origin) or "" for origin in crossing.get("origins") or []}
    if len(set(map(str, crossing.get("steps") or []))) > 1:
        return True
    made = [{origin for origin in origins if any(call.endswith(origin) for call in report.collectives)} for report in ranks]
    return any(len(report.collectives) == MOST_CALLS or len(its) > 1 for report, its in zip(ranks, made, strict=True))


def crossing_text(crossing: Mapping[str, Any]) -> str:
    """What it says of a collective in which the ranks stood at different steps, or lines."""
    steps, origins = crossing.get("steps") or [], crossing.get("origins") or []
    differ = len(set(map(str, steps))) > 1
    said = [f"in step {_number(step)}" for step in steps] if differ else [_label(origin, 80) or "elsewhere" for origin in origins]
    places: dict[str, list[int]] = {}
    for rank, place in enumerate(said):
        places.setdefault(place, []).append(rank)
    calls = ", ".join(f"{place} by {ranks_text(ranks)}" for place, ranks in places.items())
    return f"collective #{crossing.get('number')} was called {calls}, so their values were mixed"


def ending(
    end: str,
    given: Sequence[Mapping[str, Any]],
    mismatch: Mapping[str, Any] | None,
    crossing: Mapping[str, Any] | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Ending:
    """The outcome of one scenario.

    Causes are looked for in this order, so that the culprit is named and not those who waited for it: an exception of a rank's
    own, bytes that are no result, a signal other than an abort, an exit, too much output, time, collectives that don't pair up.
    """
    ranks = tuple(_report(rank, report) for rank, report in enumerate(given))
    states = [str(report.get("state")) for report in given]
    paired = None if mismatch is None else _mismatch_text(mismatch, given)
    came = _places(mismatch) if mismatch is not None and mismatch.get("everyone") is True else frozenset()

    def first(*wanted: str) -> RankReport | None:
        found = [ranks[rank] for rank, state in enumerate(states) if state in wanted]
        return next((report for report in found if report.place is not None), found[0] if found else None)

    def said(culprit: RankReport) -> str:
        text = on_one_line(culprit.message or "")
        return text if len(text) <= MOST_SAID else f"{text[:MOST_SAID].rstrip()} ..."

    if end in ("alone", "unrecorded"):
        paired = next(filter(None, map(_alone_text, range(len(given)), given)), UNRECORDED)
    if all(state == "observed" for state in states):
        return Ending(None, None, ranks, paired, came, crossing_text(crossing) if crossing and mixes(crossing, ranks) else None)
    if culprit := first("limit"):
        return Ending("limit", f"rank {culprit.rank} {said(culprit)}{_at(culprit)}", ranks, paired)
    if culprit := first("invalid"):
        return Ending("invalid", f"rank {culprit.rank} {said(culprit)}{_at(culprit)}", ranks, paired)
    if culprit := first("raised"):
        everyone = "every rank" if states.count("raised") == len(states) > 1 else f"rank {culprit.rank}"
        return Ending("error", f"{said(culprit)} ({everyone}{_at(culprit)})", ranks, paired)
    if culprit := first("forged"):
        return Ending("invalid", f"rank {culprit.rank} {said(culprit)}", ranks, paired)
    crashed = [rank for rank, report in enumerate(given) if states[rank] == "killed" and report.get("signal") != signal.SIGABRT]
    if crashed:
        number = _number(given[crashed[0]].get("signal")) or 0
        if number in LIMIT_SIGNALS:
            what = LIMIT_SIGNALS[signal.Signals(number)]
            return Ending("limit", f"rank {crashed[0]} was killed: it used more {what} than allowed", ranks, paired)
        culprit = ranks[crashed[0]]
        return Ending("error", f"rank {culprit.rank} crashed ({_signal_name(given[crashed[0]])}){_at(culprit)}", ranks, paired)
    if culprit := first("exited"):
        return Ending("error", f"rank {culprit.rank} ended its own process before it returned ({said(culprit)})", ranks, paired)
    if end == "output":
        talker = first("running") or ranks[0]
        return Ending("limit", f"printed more than allowed ({limits.output_bytes >> 10} KiB){_at(talker)}", ranks, paired)
    if end in ("timeout", "total"):
        slow = first("running") or min((r for r in ranks if r.state == "waiting"), key=lambda r: _collectives(r), default=ranks[0])
        if end == "total":
            said_so = f"the time for all scenarios together ({limits.in_all:g} s) was up before rank {slow.rank} returned"
            return Ending("timeout", f"{said_so}{_at(slow)}", ranks, paired, all_spent=True)
        return Ending("timeout", f"rank {slow.rank} did not return in time ({limits.seconds:g} s){_at(slow)}", ranks, paired)
    if paired is None and (aborted := first("killed")):
        return Ending("error", f"rank {aborted.rank} crashed ({aborted.message}){_at(aborted)}", ranks)
    return Ending(
        "desync", paired or f"the ranks wait for each other for ever: {_where_they_wait(ranks, given)}", ranks, paired, came
    )


def _where_they_wait(ranks: Sequence[RankReport], given: Sequence[Mapping[str, Any]]) -> str:
    """For each rank the call in which it stands, or else its line of the learner's file."""
    places: dict[str, list[int]] = {}
    for report, told in zip(ranks, given, strict=True):
        awaited = _label(told.get("awaits"))
        call = awaited or (report.collective or "").partition(" ")[2]
        line = f"at line {report.place.line}" if report.place else None
        if report.state == "finished":
            said = "has returned"
        elif line is None and awaited:
            said = f"in {call}"
        elif line is not None:
            said = f"in {call}" if call.endswith(f" {line}") else f"{line} of your file" + (f", for {call}" if awaited else "")
        else:
            said = f"outside of your file, after {call or 'no call'}"
        places.setdefault(said, []).append(report.rank)
    return "; ".join(f"{ranks_text(numbers)} {said}" for said, numbers in places.items())


def _collectives(report: RankReport) -> int:
    text = (report.collective or "#0").removeprefix("#").partition(" ")[0]
    return int(text) if text.isdigit() else 0
