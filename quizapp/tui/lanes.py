"""The ranks of a failed run side by side: the collectives that each issued, in order, and where each one stands. No widgets."""

from collections.abc import Sequence
from itertools import zip_longest

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
    }[rank.state]
    return said + where


def lanes(ranks: Sequence[RankReport], columns: int) -> Content | None:
    """A lane per rank, a line per order number, ``≠`` where the ranks called different things; ``None`` where it can't be drawn
    within ``columns``, or there is nothing to draw."""
    calls = [dict(_split(call) for call in rank.collectives) for rank in ranks]
    numbers = sorted(set().union(*calls))
    if len(ranks) < 2 or not numbers:
        return None
    label = len(f"#{numbers[-1]} ≠ ")
    width = (columns - label - len(GAP) * (len(ranks) - 1)) // len(ranks)
    if width < NARROWEST:
        return None
    lines = [Content.assemble(" " * label, (GAP.join(f"rank {rank.rank}".ljust(width) for rank in ranks), "bold"))]
    for number in numbers:
        row = [own.get(number, "") for own in calls]
        names = {text.partition(" at line ")[0].partition(" in backward")[0] for text in row}
        differ = len(names) > 1
        wrapped = zip_longest(*(_two_lines(text, width) for text in row), fillvalue="")
        for index, cells in enumerate(wrapped):
            head = (f"#{number} {'≠' if differ else ''}" if index == 0 else "").ljust(label)
            lines.append(Content.assemble((head, "bold"), (GAP.join(cell.ljust(width) for cell in cells), _look(differ))))
    lines.append(Content.assemble(" " * label, (GAP.join(_cut(standing(rank), width).ljust(width) for rank in ranks), "bold")))
    return Content("\n").join(lines)


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
