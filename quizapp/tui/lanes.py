"""The ranks of a failed run side by side: the collectives that each issued, in order, and where each one stands. No widgets."""

import re
from collections.abc import Sequence
from itertools import combinations, zip_longest

from textual.content import Content

from quizapp.model.verdict import RankReport

GAP = " │ "
NARROWEST = 22
"""Columns of a lane below which the ranks are told one after another."""


def _split(call: str) -> tuple[int, str]:
    number, _, text = call.partition(" ")
    return (int(number[1:]) if number.startswith("#") and number[1:].isdigit() else 0), text


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def standing(rank: RankReport) -> str:
    """Where a rank stands, in a few words."""
    where = f", line {rank.place.line}" if rank.place is not None else ""
    said = {
        "finished": "✓ returned",
        "waiting": "… waits",
        "running": "▶ still runs",
        "raised": "✗ raised",
        "exited": "✗ left",
        "killed": "✗ was killed",
        "not run": "✗ not run",
    }[rank.state]
    return said + where


def lanes(ranks: Sequence[RankReport], columns: int) -> Content | None:
    """A lane per rank, a line per order number, ``≠`` where the ranks called different things; ``None`` where it can't be drawn
    within ``columns``, or there is nothing to draw. It begins where the calls of all ranks are known: each has its last ones."""
    table = _table(ranks)
    if len(ranks) < 2 or not table:
        return None
    label = len(f"#{table[-1][0]} ≠ ")
    width = (columns - label - len(GAP) * (len(ranks) - 1)) // len(ranks)
    if width < NARROWEST:
        return None
    lines = [Content.assemble(" " * label, (GAP.join(f"rank {rank.rank}".ljust(width) for rank in ranks), "bold"))]
    for number, row in table:
        differ = _differ(row)
        wrapped = zip_longest(*(_two_lines(text, width) for text in row), fillvalue="")
        for index, cells in enumerate(wrapped):
            head = (f"#{number} {'≠' if differ else ''}" if index == 0 else "").ljust(label)
            lines.append(Content.assemble((head, "bold"), (GAP.join(cell.ljust(width) for cell in cells), _look(differ))))
    lines.append(Content.assemble(" " * label, (GAP.join(_cut(standing(rank), width).ljust(width) for rank in ranks), "bold")))
    return Content("\n").join(lines)


def _table(ranks: Sequence[RankReport]) -> list[tuple[int, list[str]]]:
    """Order numbers, each with every rank's call, from where all are known: of each rank the last calls were kept."""
    calls = [dict(_split(call) for call in rank.collectives) for rank in ranks]
    first = max((min(own) for own in calls if own), default=0)
    return [(number, [own.get(number, "") for own in calls]) for number in sorted(set().union(*calls)) if number >= first]


def _differ(row: Sequence[str]) -> bool:
    """Whether two ranks that should have made one call haven't: calls among other groups of ranks are none of theirs."""
    calls = [(text.partition(" at line ")[0].partition(" in backward")[0], _members(text, len(row))) for text in row]
    return any(
        one != other and first in its and second in ours
        for (first, (one, ours)), (second, (other, its)) in combinations(enumerate(calls), 2)
    )


def _members(call: str, ranks: int) -> set[int]:
    """The ranks that a call needs; all of them where it names none."""
    found = re.search(r"among ranks ([0-9, ]+)", call)
    return set(map(int, re.findall("[0-9]{1,4}", found[1]))) if found else set(range(ranks))


def explained(ranks: Sequence[RankReport], source: str) -> str:
    """What stands in the lanes, for somebody who sees some for the first time. ``source``: the learner's file."""
    table, lines = _table(ranks), source.splitlines()
    calls = [call for _, row in table for call in row if call]

    def goes_unnamed(call: str) -> bool:
        at = re.search(r" at line (\d+)$", call)
        if at is None or not 0 < int(at[1]) <= len(lines):
            return False
        name = re.match(r"[^\W_]*", call)
        return name is not None and name[0] not in lines[int(at[1]) - 1]

    differ = any(_differ(row) for _, row in table)
    passed = next((found[0] for call in calls if (found := re.search(r"(?<!\] )\[\d[\d, ]*\] \w+", call))), None)
    aborted = any(rank.state == "killed" and rank.message == "SIGABRT" for rank in ranks)
    said = {
        "≠: not all ranks made this call; —: a rank made none.": differ,
        f"{passed}: shape and type of what a rank passes.": passed is not None,
        "[]: a single number.": any("[]" in call for call in calls),
        "In backward DDP adds up the ranks' gradients and divides by the number of ranks.": any(
            " in backward" in call for call in calls
        ),
        "A call at a line that doesn't name it is made by what that line calls, such as DDP.": any(map(goes_unnamed, calls)),
        "Calls without a line aren't made by your file, but by what runs it, or by DDP when it wraps the model.": any(
            " at line " not in call and " in backward" not in call for call in calls
        ),
        "Killed (SIGABRT): the communication library stops a rank that is sent something else than its call is for.": differ
        and aborted,
    }
    return "\n".join(text for text, holds in said.items() if holds)


def _look(differ: bool) -> str:
    return "$text-error" if differ else ""


def _two_lines(text: str, width: int) -> list[str]:
    """A call and, where it doesn't fit beside it, its place on a second line."""
    if not text:
        return ["—"]
    if len(text) <= width:
        return [text]
    for mark in (" at line ", " in backward"):
        call, found, rest = text.partition(mark)
        if found:
            return [_cut(call, width), _cut(f"  {(found + rest).strip()}", width)]
    return [_cut(text, width)]
