"""Saying in a sentence what a set of weights means."""

from collections.abc import Sequence
from fractions import Fraction

from quizapp.judge.outcome import ranks_text
from quizapp.judge.scenario import Floats, Scenario

CLOSE = 1e-6


def as_fraction(value: float) -> str:
    """A weight or a ratio as people write it: a small fraction where it is one, else three digits."""
    if value != value:
        return "NaN"
    near = Fraction(value).limit_denominator(400)
    if abs(float(near) - value) <= CLOSE * max(1e-3, abs(value)):
        return str(near)
    return f"{value:.3g}"


def _common(values: Sequence[float]) -> float | None:
    """The value that all share, if they do."""
    if not values or any(abs(value - values[0]) > CLOSE * max(abs(values[0]), 1e-9) for value in values):
        return None
    return values[0]


def _ratio_text(ratio: float) -> str:
    return f"{as_fraction(ratio)} times"


def describe(scenario: Scenario, wanted: Floats, given: Floats) -> str:
    """What the weights given mean beside those wanted, both [positions]: padding first, then ranks, then the common factor."""
    parts = []
    padding = [float(w) for token, w in zip(scenario.tokens, given, strict=True) if not token.valid]
    scale = max((abs(float(w)) for w in given), default=0.0) or 1.0
    if any(abs(w) > CLOSE * scale for w in padding):
        shared = _common(padding)
        parts.append(f"padded positions count{f' with weight {as_fraction(shared)}' if shared is not None else ''}; they should weigh 0")
    by_rank = {}
    for token, want, got in zip(scenario.tokens, wanted, given, strict=True):
        if token.valid and want:
            by_rank.setdefault(token.rank, []).append(float(got) / float(want))
    shared_by_rank = {rank: _common(ratios) for rank, ratios in by_rank.items()}
    if by_rank and all(ratio is not None for ratio in shared_by_rank.values()):
        ratios = {rank: ratio for rank, ratio in shared_by_rank.items() if ratio is not None}
        common = _common(list(ratios.values()))
        if common is not None:
            if abs(common - 1) > CLOSE:
                parts.append(f"every valid token weighs {_ratio_text(common)} what it should")
        else:
            low, high = min(ratios, key=lambda r: ratios[r]), max(ratios, key=lambda r: ratios[r])
            count = sum(scenario.counts[high])
            noun = "token" if count == 1 else f"{count} tokens"
            if abs(ratios[low]) > CLOSE:
                parts.append(
                    f"rank {high}'s {noun} count{'s' if count == 1 else ''} {_ratio_text(ratios[high] / ratios[low])} as much as rank {low}'s"
                )
            else:
                left = [rank for rank, ratio in ratios.items() if abs(ratio) <= CLOSE]
                parts.append(f"the tokens of {ranks_text(left)} don't count at all")
    elif by_rank:
        parts.append("tokens of one rank weigh differently from each other")
    return "; ".join(parts)
