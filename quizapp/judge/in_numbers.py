"""A verdict's weights in plain numbers: what mean they make of losses that anybody can check in their head. Pure; no numpy."""

from collections.abc import Sequence
from fractions import Fraction

from quizapp.model.alike import InName, in_names, place
from quizapp.model.figures import in_a_row
from quizapp.model.verdict import TokenWeight

MOST_TOKENS = 8
"""Tokens that get a loss each; of more, those of a rank share one."""
LARGEST_DENOMINATOR = 10_000
NOTHING = 1e-9
"""A weight this small, relative to the largest one, is rounding."""


def _exact(weight: float) -> Fraction:
    return Fraction(weight).limit_denominator(LARGEST_DENOMINATOR)


def said(value: Fraction, beside: Fraction | None = None) -> str:
    """``2``, ``9/4``, or a decimal where the fraction tells nothing, or that of the number ``beside`` which it stands."""
    tells = max(value.denominator, beside.denominator if beside is not None else 1) < 100
    return str(value) if tells else f"{float(value):.4g}"


def in_numbers(weights: Sequence[TokenWeight], other_terms: Sequence[str] = ()) -> str | None:
    """One sentence with both numbers, of the first step in which they differ: for the losses 1, 2, 3, … in the order of ranks, or
    1 on rank 0, 2 on rank 1, … where there are many tokens. ``None`` where they are the same, or a weight is no number.

    Args:
        other_terms: what the objective has beside token losses.
    """
    if any(w.given is None for w in weights):
        return None
    least = NOTHING * max((max(abs(w.wanted), abs(w.given or 0.0)) for w in weights), default=0.0)
    ordered = sorted(weights, key=lambda w: (w.step, w.rank, w.microbatch, not w.valid, w.token))
    counted = [w for w in ordered if abs(w.wanted) > least or abs(w.given or 0.0) > least]
    steps = sorted({w.step for w in counted})
    of_step = [f" of step {step + 1}" if len({w.step for w in weights}) > 1 else "" for step in steps]
    objective = "the token losses' part of the objective" if other_terms else "the objective"
    for step, of in zip(steps, of_step, strict=True):
        found = _of_step([w for w in counted if w.step == step], f"{objective}{of}")
        if found is not None:
            return found
    return None


def _of_step(counted: Sequence[TokenWeight], objective: str) -> str | None:
    each = len(counted) <= MOST_TOKENS
    losses = range(1, len(counted) + 1) if each else [w.rank + 1 for w in counted]
    wanted = sum((_exact(w.wanted) * loss for w, loss in zip(counted, losses, strict=True)), Fraction(0))
    given = sum((_exact(w.given or 0.0) * loss for w, loss in zip(counted, losses, strict=True)), Fraction(0))
    if wanted == given:
        return None
    names = InName(microbatch=in_names(counted).microbatch, step=False)
    if each:
        losses_were = "its loss were 1" if len(counted) == 1 else f"the losses were {_listed(counted, names)}"
    else:
        of_ranks = [f"{rank + 1} on rank {rank}" for rank in sorted({w.rank for w in counted})]
        losses_were = f"each loss were {in_a_row(of_ranks)}"
    return f"If {losses_were}, {objective} would be {said(wanted, given)}; with these weights it is {said(given, wanted)}."


def _listed(counted: Sequence[TokenWeight], names: InName) -> str:
    """The losses 1, 2, 3, … of these tokens, those of one place together: ``1 (rank 0), 2 to 5 (rank 1)``."""
    places: dict[str, list[int]] = {}
    for loss, weight in enumerate(counted, start=1):
        places.setdefault(_where(weight, names), []).append(loss)
    ends = {where: [str(its[0]), str(its[-1])][: len(its)] for where, its in places.items()}
    return ", ".join(f"{(' and ' if len(places[where]) == 2 else ' to ').join(its)} ({where})" for where, its in ends.items())


def _where(weight: TokenWeight, names: InName) -> str:
    return place(weight, names).replace(" microbatch", ", microbatch") + ("" if weight.valid else ", padding")
