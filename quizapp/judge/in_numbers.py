"""A verdict's weights in plain numbers: what mean they make of losses that anybody can check in their head. Pure; no numpy."""

from collections.abc import Sequence
from fractions import Fraction

from quizapp.model.verdict import TokenWeight

MOST_TOKENS = 8
LARGEST_DENOMINATOR = 10_000
NOTHING = 1e-9
"""A weight this small, relative to the largest one, is rounding."""


def _exact(weight: float) -> Fraction:
    return Fraction(weight).limit_denominator(LARGEST_DENOMINATOR)


def said(value: Fraction) -> str:
    """``2``, ``9/4``, or a decimal where the fraction tells nothing."""
    return str(value) if value.denominator < 100 else f"{float(value):.4g}"


def in_numbers(weights: Sequence[TokenWeight]) -> str | None:
    """One sentence with both numbers, for the losses 1, 2, 3, … in the order of ranks; ``None`` where they are the same, too many
    tokens are involved, or a weight is no number."""
    if any(w.given is None for w in weights):
        return None
    least = NOTHING * max((max(abs(w.wanted), abs(w.given or 0.0)) for w in weights), default=0.0)
    ordered = sorted(weights, key=lambda w: (w.rank, w.microbatch, w.token))
    counted = [w for w in ordered if abs(w.wanted) > least or abs(w.given or 0.0) > least]
    if not counted or len(counted) > MOST_TOKENS:
        return None
    losses = range(1, len(counted) + 1)
    wanted = sum((_exact(w.wanted) * loss for w, loss in zip(counted, losses, strict=True)), Fraction(0))
    given = sum((_exact(w.given or 0.0) * loss for w, loss in zip(counted, losses, strict=True)), Fraction(0))
    if wanted == given:
        return None
    several = len({w.microbatch for w in counted}) > 1

    def of(weight: TokenWeight, loss: int) -> str:
        where = f"rank {weight.rank}" + (f", microbatch {weight.microbatch + 1}" if several else "")
        return f"{loss} ({where}{'' if weight.valid else ', padding'})"

    told = ", ".join(of(weight, loss) for weight, loss in zip(counted, losses, strict=True))
    if len(counted) == 1:
        return f"If its loss were {told}, the objective would be {said(wanted)}; with these weights it is {said(given)}."
    return f"If the losses were {told}, the objective would be {said(wanted)}; with these weights it is {said(given)}."
