"""The heart of a verdict, drawn: each token's weight wanted and given, as a pair of bars. Pure functions, no widgets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from quizapp.model.figures import as_fraction
from quizapp.model.verdict import TokenWeight

SAME = 1e-6
"""Weights closer than this, relative to the largest one, are shown as the same."""
MOST = 24
"""Pairs drawn; the smallest failing scenario has far fewer."""

FEWEST_CELLS, MOST_CELLS = 8, 40
"""Length of the longest bar."""
BESIDE = 42
"""Columns of a line that are neither name nor bar: words, figure, remark."""


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
    if wanted == 0:
        return "✗ must not count", "$text-error"
    if abs(given) <= SAME * largest:
        return "✗ left out", "$text-error"
    return f"✗ {as_fraction(given / wanted)} x wanted", "$text-error"


@dataclass(frozen=True, slots=True)
class Alike:
    """Tokens of one rank and microbatch that want and get the same weight."""

    rank: int
    microbatch: int
    valid: bool
    wanted: float
    given: float | None
    tokens: int


def alike(weights: Sequence[TokenWeight]) -> list[Alike]:
    """Tokens put together where nothing tells them apart, in the order of ranks and microbatches; valid ones first."""
    largest = scale(weights)
    found: list[list[TokenWeight]] = []
    for weight in sorted(weights, key=lambda w: (w.rank, w.microbatch, not w.valid, w.token)):
        for group in found:
            first = group[0]
            place = (first.rank, first.microbatch, first.valid) == (weight.rank, weight.microbatch, weight.valid)
            if place and _same(first.wanted, weight.wanted, largest) and _same(first.given, weight.given, largest):
                group.append(weight)
                break
        else:
            found.append([weight])
    return [Alike(g[0].rank, g[0].microbatch, g[0].valid, g[0].wanted, g[0].given, len(g)) for g in found]


def _same(one: float | None, other: float | None, largest: float) -> bool:
    lost = [value is None or not math.isfinite(value) for value in (one, other)]
    if any(lost):
        return all(lost)
    assert one is not None
    assert other is not None
    return abs(one - other) <= SAME * largest


def scale(weights: Sequence[TokenWeight]) -> float:
    """The largest size of any weight, wanted or given; 0 without weights."""
    sizes = [abs(w.wanted) for w in weights] + [abs(w.given) for w in weights if w.given is not None and math.isfinite(w.given)]
    return max(sizes, default=0.0)


def as_wanted(weights: Sequence[TokenWeight]) -> bool:
    """Whether no weight differs from the one wanted."""
    largest = scale(weights)
    return all(_same(weight.wanted, weight.given, largest) for weight in weights)


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


def _left_out(group: Alike, largest: float) -> bool:
    return _same(group.wanted, 0.0, largest) and _same(group.given, 0.0, largest)


def bars(groups: Sequence[Alike], largest: float, columns: int) -> Content:
    """The same for tokens that have been put together already; ``largest`` is the size of the longest bar."""
    several = len({group.microbatch for group in groups}) > 1
    names = []
    for group in groups:
        between = f" microbatch {group.microbatch + 1}" if several else ""
        what = f"token{'' if group.tokens == 1 else 's'}" if group.valid else "padded"
        names.append(f"rank {group.rank}{between}: {group.tokens} {what}")
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
