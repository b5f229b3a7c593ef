"""The heart of a verdict, drawn: each token's weight wanted and given, as a pair of bars. Pure functions, no widgets."""

import math
from collections.abc import Sequence

from textual.content import Content

from quizapp.model.verdict import TokenWeight

SAME = 1e-6
"""Weights closer than this, relative to the largest one, are shown as the same."""
MOST = 24
"""Tokens drawn; the smallest failing scenario has far fewer."""


def size_bar(value: float | None, largest: float, cells: int) -> str:
    """A bar in proportion to a weight's size; any weight but 0 has at least a sliver."""
    if value is None or not math.isfinite(value) or largest <= 0:
        return ""
    eighths = round(abs(value) / largest * cells * 8)
    if value and not eighths:
        eighths = 1
    full, rest = divmod(eighths, 8)
    return "█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")


def figure(value: float | None) -> str:
    """A weight in figures; a simple fraction is said as one."""
    if value is None or not math.isfinite(value):
        return "no number"
    for denominator in range(1, 25):
        numerator = value * denominator
        if abs(numerator - round(numerator)) < 1e-9:
            return str(round(numerator)) if denominator == 1 else f"{round(numerator)}/{denominator} = {value:.4g}"
    return f"{value:.4g}"


def remark(weight: TokenWeight, largest: float) -> tuple[str, str, str]:
    """Sign, words and style for one token."""
    given = weight.given
    if given is None or not math.isfinite(given):
        return "✗", "not a number", "$text-error"
    if abs(given - weight.wanted) <= SAME * largest:
        return "✓", "as wanted", "$text-success"
    if weight.wanted == 0:
        return "✗", "must not count", "$text-error"
    if abs(given) <= SAME * largest:
        return "✗", "left out", "$text-error"
    return "✗", f"{given / weight.wanted:.3g} times as wanted", "$text-error"


def token_name(weight: TokenWeight, microbatches: bool) -> str:
    """``rank 1 token 0``, with the microbatch where there are several."""
    between = f" microbatch {weight.microbatch}" if microbatches else ""
    return f"rank {weight.rank}{between} token {weight.token}"


def weight_bars(weights: Sequence[TokenWeight], columns: int) -> Content:
    """Two lines per token, wanted above given, within ``columns``. Empty where there are no weights."""
    finite = [abs(w.wanted) for w in weights] + [abs(w.given) for w in weights if w.given is not None and math.isfinite(w.given)]
    largest = max(finite, default=0.0)
    several = len({w.microbatch for w in weights}) > 1
    names = {id(w): token_name(w, several) + ("" if w.valid else " (padding)") for w in weights}
    label = max((len(name) for name in names.values()), default=0)
    cells = max(8, min(40, columns - label - 50))
    lines = []
    for weight in weights[:MOST]:
        mark, words, look = remark(weight, largest)
        wanted, given = size_bar(weight.wanted, largest, cells), size_bar(weight.given, largest, cells)
        lines.append(
            Content.assemble(
                names[id(weight)].ljust(label),
                "  wanted ",
                (wanted.ljust(cells), "$text-muted"),
                f" {figure(weight.wanted)}\n",
                " " * label,
                "  given  ",
                (given.ljust(cells), look),
                f" {figure(weight.given)}  ",
                (f"{mark} {words}", look),
            )
        )
    if len(weights) > MOST:
        lines.append(Content(f"… and {len(weights) - MOST} more tokens"))
    return Content("\n").join(lines)
