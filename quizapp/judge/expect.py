"""What a scenario should end with, and what each wrong idea would make of it. From the oracle's arrays; nothing is run here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from quizapp.judge.outcome import ranks_text
from quizapp.judge.scenario import Floats, Scenario, steps_of, weights
from quizapp.judge.tolerance import rounding, tolerance
from quizapp.model.formula import Formula
from quizapp.model.lab import ArrayWords, Lab, OtherTerm, WeightRule
from quizapp.model.verdict import ListedRow, Listing, counted

GRADIENTS, STEPS = "gradients", "steps"
"""Observations that weights explain: [windows, P] float64; and the number of optimizer steps, where a lab counts them."""

MOST_LISTED = 12
"""Valid positions of a scenario whose numbers are listed."""
Observed = Mapping[str, Floats]
"""What one rank ended with: name -> array."""


class FaultyLab(Exception):
    """The lab itself is wrong: its reference disagrees with its weights, or its oracle failed."""


@dataclass(frozen=True)
class Expected:
    """A scenario with its reference.

    ``terms`` [rows, P] holds each position's own gradient, positions first, then those of other loss terms, if any. In a probe
    P = positions and row t is R at t, since DDP's average makes a leaf's gradient R times its weight.
    ``wanted`` [windows, positions] are the weights of the objective. ``predictions``: what functions of ``oracle.py`` foretell.
    """

    scenario: Scenario
    reference: tuple[Observed, ...]
    terms: Floats | None = None
    wanted: Floats | None = None
    predictions: Mapping[str, Sequence[tuple[Observed, ...]]] = field(default_factory=dict)
    longest_sum: int = 64
    size: str | None = None
    """What the scenario's counts are, in the lab's words."""
    words: Mapping[str, ArrayWords] = field(default_factory=dict)
    listing: Listing | None = None
    other_terms: tuple[OtherTerm, ...] = ()
    other_wanted: Floats | None = None
    """[windows, rows] of the terms after the token losses, where the oracle gives them."""
    unit: str = "valid tokens"
    """What is counted, in the lab's words."""
    _solutions: dict[bytes, Floats | None] = field(default_factory=dict, compare=False)
    _cache: dict[tuple[WeightRule, int], tuple[Observed, Observed]] = field(default_factory=dict, compare=False)

    @property
    def tolerance(self) -> float:
        return tolerance(self.longest_sum)

    @property
    def rounding(self) -> float:
        return rounding(self.longest_sum)

    @property
    def other_sizes(self) -> list[int]:
        """Rows of each of the other terms."""
        microbatches = len(self.scenario.counts) * len(self.scenario.window_of)
        return [microbatches if term.units == "microbatches" else len(self.scenario.valid) for term in self.other_terms]

    def own(self, gradients: Floats, rank: int) -> Floats:
        """In a probe, the entries of a rank's own leaf; else all."""
        if not self.scenario.probe:
            return gradients
        return gradients[:, [token.rank == rank for token in self.scenario.tokens]]

    def applied(self, given: Floats, rank: int) -> tuple[Floats, Floats]:
        """The gradients [windows, P] under weights [windows, positions], and the magnitude summed into each entry. Other loss
        terms count as the reference has them."""
        assert self.terms is not None
        assert self.wanted is not None
        rows = self.terms[: len(self.scenario.tokens)]
        gradients, magnitude = self.own(given @ rows, rank), self.own(np.abs(given) @ np.abs(rows), rank)
        if len(self.terms) > len(rows):
            others = self.reference[rank][GRADIENTS] - self.own(self.wanted @ rows, rank)
            gradients, magnitude = gradients + others, magnitude + np.abs(others)
        return gradients, magnitude

    def predicted(self, rule: WeightRule, rank: int) -> tuple[Observed, Observed]:
        """What a rank ends with under a rule, and the magnitudes that went into it."""
        observer = rank if "q" in Formula.parse(rule.valid).names | Formula.parse(rule.padding).names else -1
        key = (rule, rank if self.scenario.probe else observer)
        if key not in self._cache:
            gradients, magnitude = self.applied(weights(rule, self.scenario, max(observer, 0)), rank)
            steps = np.array([float(steps_of(rule, self.scenario))])
            self._cache[key] = (
                {**self.reference[rank], GRADIENTS: gradients, **({STEPS: steps} if STEPS in self.reference[rank] else {})},
                {**self.magnitude(rank), GRADIENTS: magnitude},
            )
        return self._cache[key]

    def magnitude(self, rank: int) -> Observed:
        """The size against which rounding of the reference is measured."""
        sizes = {name: np.abs(array) for name, array in self.reference[rank].items()}
        if self.terms is not None and self.wanted is not None and GRADIENTS in sizes:
            _, summed = self.applied(np.nan_to_num(self.wanted), rank)
            least = float(np.abs(self.terms).max(initial=0.0)) / max(1, len(self.scenario.tokens))
            sizes[GRADIENTS] = np.maximum(summed, least)
        return sizes


def size_of(lab: Lab, scenario: Scenario) -> str | None:
    """What the scenario's counts are, in the lab's words."""
    if not lab.size:
        return None
    steps = scenario.windows if len(scenario.windows) > 1 else ()
    padded = [
        [(len(mask) - int(mask.sum())) * any(own) for mask in row] for row, own in zip(scenario.masks, scenario.counts, strict=True)
    ]
    return lab.size.format(
        counts=counted(scenario.counts, steps),
        total=int(scenario.valid.sum()),
        empty=_empty_on(scenario),
        padding=counted(padded, steps),
    )


def listing_of(lab: Lab, scenario: Scenario) -> Listing | None:
    """The numbers of a scenario that the lab lists, where they are few."""
    valid = [token for token in scenario.tokens if token.valid]
    if lab.listed is None or not 0 < len(valid) <= MOST_LISTED:
        return None
    arrays = [scenario.shared[name] for name in lab.listed.columns]
    if any(len(array) < len(valid) for array in arrays):
        return None
    rows = tuple(
        ListedRow(rank=token.rank, microbatch=token.microbatch, values=tuple(float(array[place]) for array in arrays))
        for place, token in enumerate(valid)
    )
    return Listing(each=lab.listed.each, columns=tuple(lab.listed.columns.values()), rows=rows, note=lab.listed.note)


def _empty_on(scenario: Scenario) -> str:
    """``on rank 1 in window 1 and on ranks 0 and 2 in window 2``: where a rank has no valid token."""
    bounds = np.cumsum([0, *scenario.windows])
    found = []
    for window, (start, end) in enumerate(pairwise(bounds)):
        if empty := [rank for rank, row in enumerate(scenario.counts) if not any(row[start:end])]:
            found.append(f"on {ranks_text(empty)}" + (f" in window {window + 1}" if len(scenario.windows) > 1 else ""))
    return " and ".join(found) or "on no rank"


def probe(lab: Lab, scenario: Scenario) -> Expected:
    """A probe's reference, which needs no oracle."""
    assert lab.objective is not None
    terms = np.eye(len(scenario.tokens)) * scenario.world_size
    wanted = np.nan_to_num(weights(lab.objective, scenario, observer=0))
    bare = Expected(scenario, (), terms, wanted)
    reference = tuple({GRADIENTS: bare.own(wanted @ terms, rank)} for rank in range(scenario.world_size))
    return Expected(
        scenario, reference, terms, wanted, longest_sum=len(scenario.tokens) + 16, size=size_of(lab, scenario), unit=lab.unit
    )


def with_model(
    lab: Lab,
    scenario: Scenario,
    reference: tuple[Observed, ...],
    terms: Floats | None,
    wanted: Floats | None,
    predictions: Mapping[str, Sequence[tuple[Observed, ...]]],
) -> Expected:
    """A scenario's reference as the oracle gave it.

    Raises:
        FaultyLab: shapes don't fit, or the single-device reference isn't the wanted weights applied to the per-token gradients.
    """
    if wanted is None and lab.objective is not None:
        wanted = np.nan_to_num(weights(lab.objective, scenario, observer=0))
    widest = max((array.shape[-1] for own in scenario.arrays for array in own.values() if array.ndim == 2), default=0)
    longest = len(scenario.tokens) + widest + 4 * scenario.world_size + 16
    positions, others = len(scenario.valid), None
    if wanted is not None and terms is not None and wanted.shape[-1] == len(terms) > positions:
        wanted, others = wanted[:, :positions], wanted[:, positions:]
    size = size_of(lab, scenario)
    listing = listing_of(lab, scenario)
    expected = Expected(
        scenario, reference, terms, wanted, predictions, longest, size, lab.arrays, listing, lab.other_terms, others, lab.unit
    )
    if lab.observation != "gradients":
        return expected
    where = f"scenario {scenario.name}"
    if terms is None or wanted is None:
        raise FaultyLab(f"{where}: the oracle gives no terms, or neither lab.yaml nor the oracle says which weights are wanted")
    shape = (len(scenario.windows), terms.shape[-1])
    if len(terms) < len(scenario.tokens) or wanted.shape != (shape[0], len(scenario.tokens)):
        raise FaultyLab(f"{where}: the oracle's shapes don't fit its {len(scenario.tokens)} positions and {shape[0]} windows")
    for rank, own in enumerate(reference):
        if own.get(GRADIENTS, np.empty(0)).shape != shape:
            raise FaultyLab(f"{where}: the reference must hold {GRADIENTS} of shape {list(shape)}")
        gradients, magnitude = expected.applied(wanted, rank)
        if not matches(own[GRADIENTS], gradients, magnitude, expected.rounding):
            raise FaultyLab(f"{where}: the oracle's reference disagrees with the weights wanted")
    return expected


def matches(observed: Floats, predicted: Floats, magnitude: Floats, relative: float) -> bool:
    """Whether an observation is a prediction up to rounding: NaN for NaN, numbers within ``relative`` of the magnitudes."""
    if observed.shape != predicted.shape:
        return False
    missing = np.isnan(predicted)
    if np.any(missing != np.isnan(observed)):
        return False
    known = ~missing
    scale = float(magnitude[known].max(initial=0.0))
    return bool(np.all(np.isfinite(observed[known])) and np.all(np.abs(observed[known] - predicted[known]) <= relative * scale))


def agrees(expected: Expected, observed: Sequence[Observed], predicted: Sequence[Observed], magnitude: Sequence[Observed]) -> bool:
    """Whether every rank ended with a prediction, in every array."""

    def one_rank(own: Observed, foretold: Observed, sizes: Observed) -> bool:
        if own.keys() != foretold.keys():
            return False
        return all(
            matches(own[name], array, sizes.get(name, np.abs(array)), expected.tolerance) for name, array in foretold.items()
        )

    return all(one_rank(*row) for row in zip(observed, predicted, magnitude, strict=True))


def is_right(expected: Expected, observed: Sequence[Observed]) -> bool:
    """Whether every rank ended with the reference."""
    return agrees(expected, observed, expected.reference, [expected.magnitude(rank) for rank in range(len(observed))])


def relative_error(expected: Expected, observed: Sequence[Observed]) -> float | None:
    """Largest error over ranks, arrays and entries, each over its reference's largest entry; ``None`` where it isn't finite."""
    worst = 0.0
    for rank, own in enumerate(observed):
        sizes = expected.magnitude(rank)
        for name, wanted in expected.reference[rank].items():
            if own[name].size:
                scale = float(np.abs(wanted).max()) or float(sizes[name].max()) or 1.0
                error = float(np.abs(own[name] - wanted).max()) / scale
                worst = max(worst, error) if error == error else float("nan")
                if worst != worst:
                    return None
    return worst if np.isfinite(worst) else None


def ranks_agree(expected: Expected, observed: Sequence[Observed]) -> bool:
    """Whether all ranks ended with the same gradients."""
    if expected.scenario.probe:
        return True
    first = observed[0][GRADIENTS]
    scale = float(np.abs(first).max(initial=0.0)) or 1.0
    return all(matches(own[GRADIENTS], first, np.full_like(first, scale), expected.rounding) for own in observed[1:])


def recovered(expected: Expected, observed: Sequence[Observed]) -> Floats | None:
    """The weights that the code really gave, [windows, positions]: solves ``terms.T @ w = gradient`` for each step. Where there are
    more positions than entries of a gradient, one factor for all alike positions of a microbatch is found.

    ``None`` where a gradient is no weighting of the losses, isn't finite, or the ranks ended with different ones.
    """
    if expected.terms is None or any(not np.all(np.isfinite(own[GRADIENTS])) for own in observed):
        return None
    if expected.scenario.probe:
        return np.concatenate([own[GRADIENTS] for own in observed], axis=1) / expected.scenario.world_size
    if not ranks_agree(expected, observed):
        return None
    return token_weights(expected, observed[0][GRADIENTS])


def token_weights(expected: Expected, gradients: Floats) -> Floats | None:
    """The weights [windows, positions] that make one rank's gradients, if any do."""
    solved, spread = _solved(expected, gradients), _spread(expected)
    return None if solved is None else solved[:, : len(spread)] @ spread


def other_weights(expected: Expected, observed: Sequence[Observed]) -> Floats | None:
    """The weights that the code gave the terms after the token losses, [windows, rows]. ``None`` as in :func:`recovered`, and where
    the lab says nothing of those terms, or a crowd has fewer rows of them."""
    if expected.terms is None or expected.other_wanted is None or recovered(expected, observed) is None:
        return None
    rows = sum(expected.other_sizes)
    if expected.other_wanted.shape[1] != rows or len(expected.terms) != len(expected.scenario.valid) + rows:
        return None
    solved = _solved(expected, observed[0][GRADIENTS])
    return None if solved is None else solved[:, -rows:]


def _solved(expected: Expected, gradients: Floats) -> Floats | None:
    """Weights [windows, positions or cells, then other rows] that make the gradients, if any do. Worked out once."""
    key = gradients.tobytes()
    if key not in expected._solutions:
        expected._solutions[key] = _solve(expected, gradients)
    return expected._solutions[key]


def _solve(expected: Expected, gradients: Floats) -> Floats | None:
    assert expected.terms is not None
    positions = len(expected.scenario.valid)
    rows = np.concatenate([_spread(expected) @ expected.terms[:positions], expected.terms[positions:]])
    sizes = np.abs(rows).max(axis=1)
    shown = sizes > expected.rounding * sizes.max(initial=0.0)  # a term without a gradient may weigh anything
    solution, _, rank, singular = np.linalg.lstsq(rows[shown].T, gradients.T, rcond=None)
    if rank < int(shown.sum()) or not shown[: len(rows) - len(expected.terms) + positions].all():
        return None
    condition = float(singular[0] / singular[-1])
    scale = float(np.abs(gradients).max(initial=0.0)) or 1.0
    if float(np.abs(rows[shown].T @ solution - gradients.T).max(initial=0.0)) > expected.rounding * condition * scale:
        return None
    found = np.full((len(gradients), len(rows)), np.nan)
    found[:, shown] = solution.T
    return found


def _spread(expected: Expected) -> Floats:
    """How the numbers that are solved for are dealt out to positions: one for each, or, in a crowd, one for each rank, microbatch
    and kind of position, [cells, positions], in proportion to what they should weigh, or evenly where that is nothing."""
    scenario = expected.scenario
    assert expected.terms is not None
    if len(scenario.valid) <= expected.terms.shape[1]:
        return np.eye(len(scenario.valid))
    assert expected.wanted is not None
    due = expected.wanted[scenario.windows_of_positions, np.arange(len(scenario.tokens))]
    kinds, of = np.unique(scenario.cells, return_inverse=True)
    found = np.zeros((len(kinds), len(due)))
    found[of, np.arange(len(due))] = np.where(due == 0, 1.0, due)
    return found
