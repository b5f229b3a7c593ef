"""The heart of a verdict, drawn: each token's weight wanted and given, as a pair of bars. Pure functions, no widgets."""

import math
from collections.abc import Sequence

from textual.content import Content

from quizapp.model.alike import SAME, Alike, alike, in_names, named, same, scale
from quizapp.model.figures import as_fraction
from quizapp.model.verdict import TokenWeight

MOST = 24
"""Pairs drawn; the smallest failing scenario has far fewer."""

FEWEST_CELLS, MOST_CELLS = 8, 40
"""Length of the longest bar."""
BESIDE = 42
"""Columns of a line that are neither name nor bar: words, figure, remark."""
LONGEST_FACTOR = 8
"""Characters of a factor in a remark: ``-399/400``. A longer one is written with two digits."""


def size_bar(value: float | None, largest: float, cells: int) -> str:
    """A bar in proportion to a weight's size; any weight but 0 has at least a sliver."""
    if value is None or not math.isfinite(value) or largest <= 0:
        return ""
    if abs(value) <= SAME * largest:
        return ""
    eighths = max(1, round(abs(value) / largest * cells * 8))
    full, rest = divmod(eighths, 8)
    return "█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")


def figure(value: float | None, largest: float) -> str:
    """A weight in figures; a simple fraction is said as one."""
    if value is None or not math.isfinite(value):
        return "no number"
    if abs(value) <= SAME * largest:
        return "0"
    return as_fraction(value)


def remark(wanted: float, given: float | None, largest: float) -> tuple[str, str]:
    """Sign with words, and style, for one pair."""
    if given is None or not math.isfinite(given):
        return "✗ not a number", "$text-error"
    if abs(given - wanted) <= SAME * largest:
        return "✓ as wanted", "$text-success"
    if abs(wanted) <= SAME * largest:
        return "✗ must not count", "$text-error"
    if abs(given) <= SAME * largest:
        return "✗ left out", "$text-error"
    factor = as_fraction(given / wanted)
    short = factor if len(factor) <= LONGEST_FACTOR and "e" not in factor else f"{given / wanted:.2g}"
    return f"✗ {short} x wanted", "$text-error"


def as_wanted(weights: Sequence[TokenWeight]) -> bool:
    """Whether no weight differs from the one wanted."""
    largest = scale(weights)
    return all(same(weight.wanted, weight.given, largest) for weight in weights)


def weight_bars(weights: Sequence[TokenWeight], columns: int) -> Content:
    """Two lines for tokens that are alike, wanted above given, within ``columns``; the name above them where it is narrow. Padding
    that is left out, as it should be, takes one line in all.

    Empty where there are no weights.
    """
    largest, groups = scale(weights), alike(weights)
    telling = [group for group in groups if group.valid or not _left_out(group, largest)]
    quiet = sum(group.tokens for group in groups) - sum(group.tokens for group in telling)
    drawn = bars(telling, largest, columns)
    if not quiet:
        return drawn
    line = Content.assemble(
        f"padding: {quiet} position{'' if quiet == 1 else 's'}  wanted 0, given 0  ", ("✓ as wanted", "$text-success")
    )
    return Content("\n").join([drawn, line] if telling else [line])


def rank_bars(by_rank: Sequence[Sequence[TokenWeight]], columns: int) -> Content:
    """Tokens that are alike in every rank's gradient: the weight wanted, and below it the one that each rank's gradient gives.
    Padding that is left out on all ranks isn't drawn.

    Args:
        by_rank: for each rank the weights in its own gradient, of the same tokens in the same order.
    """
    largest = max((scale(weights) for weights in by_rank), default=0.0)
    found: dict[tuple[object, ...], list[tuple[TokenWeight, ...]]] = {}
    unit = largest or 1.0
    for row in zip(*by_rank, strict=True):
        one, given = row[0], tuple(None if w.given is None else round(w.given / unit, 6) for w in row)
        if one.valid or any(given):
            found.setdefault((one.step, one.rank, one.valid, round(one.wanted / unit, 6), given), []).append(row)
    groups = [alike([row[0] for row in rows])[0] for rows in found.values()]
    said = in_names(groups)
    label = len(f"rank {len(by_rank) - 1} has")
    cells = max(FEWEST_CELLS, min(MOST_CELLS, columns - label - BESIDE + len("wanted")))
    most, lines = 2 * MOST // (len(by_rank) + 1), []
    for group, rows in list(zip(groups, found.values(), strict=True))[:most]:
        bar = size_bar(group.wanted, largest, cells).ljust(cells)
        parts: list[str | tuple[str, str]] = [f"{named(group, said)}\n  {'wanted':{label}} ", (bar, "$foreground-muted")]
        parts.append(f" {figure(group.wanted, largest)}")
        for rank, weight in enumerate(rows[0]):
            words, look = remark(group.wanted, weight.given, largest)
            parts += [f"\n  {f'rank {rank} has':{label}} ", (size_bar(weight.given, largest, cells).ljust(cells), look)]
            parts += [f" {figure(weight.given, largest)}  ", (words, look)]
        lines.append(Content.assemble(*parts))
    if len(groups) > most:
        lines.append(Content(f"… and {len(groups) - most} more"))
    return Content("\n").join(lines)


def _left_out(group: Alike, largest: float) -> bool:
    return same(group.wanted, 0.0, largest) and same(group.given, 0.0, largest)


def bars(groups: Sequence[Alike], largest: float, columns: int) -> Content:
    """The same for tokens that have been put together already; ``largest`` is the size of the longest bar."""
    said = in_names(groups)
    names = [named(group, said) for group in groups]
    label = max((len(name) for name in names), default=0)
    stacked = columns - label - BESIDE < FEWEST_CELLS
    indent = 0 if stacked else label
    cells = max(FEWEST_CELLS, min(MOST_CELLS, columns - indent - BESIDE))
    lines = []
    for name, group in zip(names[:MOST], groups, strict=False):
        words, look = remark(group.wanted, group.given, largest)
        wanted, given = size_bar(group.wanted, largest, cells), size_bar(group.given, largest, cells)
        lines.append(
            Content.assemble(
                f"{name}\n" if stacked else name.ljust(label),
                "  wanted ",
                (wanted.ljust(cells), "$foreground-muted"),
                f" {figure(group.wanted, largest)}\n{' ' * indent}  given  ",
                (given.ljust(cells), look),
                f" {figure(group.given, largest)}  ",
                (words, look),
            )
        )
    if len(groups) > MOST:
        lines.append(Content(f"… and {len(groups) - MOST} more"))
    return Content("\n").join(lines)
