"""Wrong ideas as weight formulas, under the ids of ``questions/misconceptions.yaml``; and which of them explains what was found.

A name is given only if one formula foretells the gradients of every step on every rank, and differs from the objective in one.
Formulas of different ideas that foretell the same in a plan can't be told apart by it: then no name is given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quizapp.audit.observed import Observed
from quizapp.model.lab import WeightRule

if TYPE_CHECKING:
    from quizapp.audit.fit import Fit


@dataclass(frozen=True)
class Idea:
    """One way in which wrong ideas show in weights."""

    ids: tuple[str, ...]
    rule: WeightRule
    zero: bool = False
    """Padding is held against class 0, which its -100 was made into, and not against a target of its own."""
    needs: str = ""
    """Letters of what a plan must have for the formula to mean what it says: R several ranks, K accumulation, B several rows in a
    microbatch, T a short window, W several windows, S shifted labels, P
    microbatches of different lengths in a window."""


def _idea(ids: str, valid: str, needs: str = "", padding: str = "0", zero: bool = False) -> Idea:
    return Idea(tuple(ids.split()), WeightRule(valid=valid, padding=padding), zero, needs)


def _forgotten(zero: bool) -> Sequence[Idea]:
    """Padding in the loss, under every denominator."""
    return (
        _idea("mask-forgotten", "1/T", "", "1/T", zero),
        _idea("mask-forgotten", "1/(R*t_r)", "R", "1/(R*t_r)", zero),
        _idea("mask-forgotten", "1/(R*K_w*t_rk)", "K", "1/(R*K_w*t_rk)", zero),
        _idea("mask-forgotten planned-microbatches", "1/(R*K*t_rk)", "KT", "1/(R*K*t_rk)", zero),
        _idea("mask-forgotten", "1/N", "", "1/N", zero),
    )


IDEAS: Sequence[Idea] = (
    _idea("mean-of-rank-means", "1/(R*n_r)", "R"),
    _idea("mean-of-microbatch-means", "1/(R*K_w*n_rk)", "K"),
    _idea("mean-of-microbatch-means", "1/(K_w*n_k)", "RK"),
    _idea("mean-of-microbatch-means planned-microbatches", "1/(R*K*n_rk)", "KT"),
    _idea("mean-of-microbatch-means planned-microbatches", "1/(K*n_k)", "RKT"),
    _idea("mean-of-rank-means planned-microbatches", "K_w/(K*R*n_r)", "RKT"),
    _idea("microbatch-means-added-up", "1/(R*n_rk)", "K"),
    _idea("microbatch-means-added-up", "1/n_k", "RK"),
    _idea("means-summed", "1/n_r", "R"),
    _idea("means-summed microbatch-means-added-up", "1/n_rk", "RK"),
    _idea("means-summed mean-of-microbatch-means", "1/(K_w*n_rk)", "RK"),
    _idea("raw-sum", "1"),
    _idea("raw-sum", "1/R", "R"),
    _idea("pieces-as-denominator", "1/(R*K_w)", "K"),
    _idea("pieces-as-denominator", "1/K_w", "RK"),
    _idea("pieces-as-denominator planned-microbatches", "1/(R*K)", "KT"),
    _idea("padding-counted", "1/T"),
    _idea("padding-counted", "1/(R*t_r)", "R"),
    _idea("padding-counted", "1/(R*K_w*t_rk)", "K"),
    _idea("padding-counted planned-microbatches", "1/(R*K*t_rk)", "KT"),
    *_forgotten(zero=False),
    *_forgotten(zero=True),
    _idea("planned-microbatches", "K_w/(K*N)", "KT"),
    _idea("forgot-world-size-factor", "1/(R*N)", "R"),
    _idea("factor-upside-down", "1/(R*R*N)", "R"),
    _idea("world-size-factor-twice", "R/N", "R"),
    _idea("count-weight-on-a-sum", "n_r/N", "R"),
    _idea("count-weight-on-a-sum", "n_r/(R*N)", "R"),
    _idea("one-rank-count-for-all", "1/(R*n[0])", "R"),
    _idea("one-rank-count-for-all", "1/n[0]", "R"),
    _idea("one-rank-alone", "(r == 0)/n_r", "R"),
    _idea("phantom-tokens", "1/(N + 1)"),
    _idea("phantom-tokens", "1/(N + R)", "R"),
    _idea("labels-counted-before-the-shift", "1/L", "S"),
    _idea("labels-counted-before-the-shift", "1/(R*l_r)", "RS"),
    _idea("labels-counted-before-the-shift", "1/(R*K_w*l_rk)", "KS"),
    _idea("divided-again-by-microbatches", "1/(K_w*N)", "K"),
    _idea("divided-again-by-microbatches", "1/(K*N)", "K"),
    _idea("divided-again-by-microbatches mean-of-microbatch-means", "1/(R*K*K_w*n_rk)", "K"),
    _idea("divided-again-by-microbatches mean-of-microbatch-means", "1/(R*K*K*n_rk)", "K"),
    _idea("divided-again-by-microbatches mean-of-rank-means", "1/(R*K*n_r)", "RK"),
    _idea("padded-size-weights", "t_rk/(R*t_r*n_rk)", "KP"),
    _idea("padded-size-weights", "t_rk/(T*n_rk)", "RKP"),
    _idea("only-last-microbatch", "(k == K_w - 1)/N", "K"),
    _idea("only-last-microbatch", "(k == K_w - 1)/n_k", "K"),
    _idea("only-last-microbatch mean-of-rank-means", "(k == K_w - 1)/(R*n_rk)", "RK"),
    _idea("last-microbatch-dropped", "(k < K_w - 1)/N", "K"),
    _idea("gradients-not-reduced", "(r == q)*R/N", "R"),
    _idea("gradients-not-reduced", "(r == q)/N", "R"),
    _idea("gradients-not-reduced", "(r == q)/n_r", "R"),
    _idea("gradients-not-reduced", "(r == q)/(K_w*n_rk)", "RK"),
    _idea("gradients-not-reduced", "(r == q)/(K*n_rk)", "RKT"),
    _idea("gradients-not-reduced", "(K_w == K)/N + (K_w < K)*(r == q)*R/N", "RKT"),
    _idea("gradients-not-reduced", "(K_w == K)/(R*K*n_rk) + (K_w < K)*(r == q)/(K*n_rk)", "RKT"),
    _idea("only-last-reduced", "(k < K_w - 1)*(r == q)*R/N + (k == K_w - 1)/N", "RK"),
    _idea("only-last-reduced", "(k < K_w - 1)*(r == q)/(K*n_rk) + (k == K_w - 1)/(R*K*n_rk)", "RK"),
    _idea("reduced-too-early", "(k == 0)/N + (k > 0)*(r == q)*R/N", "RK"),
    _idea("reduced-in-the-loop", "R**(K_w - 1 - k)/N", "RK"),
    _idea("result-on-one-rank", "(q == 0)/N + (q > 0)*(r == q)/N", "R"),
    _idea("gradients-not-cleared", "(w <= s)/N", "W"),
    _idea("gradients-not-cleared", "(w <= s)*R**(s - w)/N", "RW"),
    _idea("gradients-not-cleared mean-of-rank-means", "(w <= s)/(R*n_r)", "RW"),
    _idea("gradients-not-cleared mean-of-microbatch-means", "(w <= s)/(R*K*n_rk)", "KW"),
    _idea("count-of-another-window", "1/N_0", "W"),
    _idea("another-mean-than-stated", "1/(S*n_s)", "B"),
    _idea("another-mean-than-stated", "1/(R*S_r*n_s)", "RB"),
    _idea("another-mean-than-stated", "1/(R*K_w*S_rk*n_s)", "KB"),
    _idea("another-mean-than-stated", "1/S", "B"),
    _idea("another-mean-than-stated", "1/N"),
    _idea("another-mean-than-stated", "1/(R*K_w*S_rk)", "KB"),
)


def has(observed: Observed) -> set[str]:
    """The letters of :attr:`Idea.needs` that a run has."""
    plan, found = observed.plan, set()
    windows: dict[tuple[int | None, int], int] = {}
    for use in observed.uses:
        windows[use.step, use.rank] = max(windows.get((use.step, use.rank), 0), use.microbatch + 1)
    if plan.ranks > 1:
        found.add("R")
    if plan.accumulate > 1:
        found.add("K")
    if any(len(use.rows) > 1 for use in observed.uses):
        found.add("B")
    if any(length < plan.accumulate for (step, _), length in windows.items() if step is not None):
        found.add("T")
    if observed.steps > 1:
        found.add("W")
    lengths: dict[int | None, set[int]] = {}
    for use in observed.uses:
        lengths.setdefault(use.step, set()).add(len(use.places))
    if any(len(own) > 1 for own in lengths.values()):
        found.add("P")
    if plan.shift:
        found.add("S")
    return found


def fitting(observed: Observed, fit: "Fit") -> list[Idea]:
    """The ideas whose weights explain every step on every rank, and aren't the objective's."""
    there = has(observed)
    found = []
    for idea in IDEAS:
        if set(idea.needs) <= there:
            weights = fit.weighing.weights(idea.rule, idea.zero)
            if fit.explains(weights) and fit.unlike_wanted(weights):
                found.append(idea)
    return found
