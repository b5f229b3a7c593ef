"""Comparing what ranks ended with to what was wanted, within tolerances derived from dtype and reduction length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quizapp.judge.scenario import Floats, Scenario, weights
from quizapp.model.lab import Lab, WeightRule

EPSILON = {"float64": float(np.finfo(np.float64).eps), "float32": float(np.finfo(np.float32).eps)}
SAFETY = 8.0
"""Over the worst-case bound of one summation: forward, backward and reduction each round, in an order that programs choose."""


class FaultyLab(Exception):
    """The lab itself is wrong: its reference disagrees with its weights, or its oracle failed."""


def relative_tolerance(dtype: str, longest_sum: int) -> float:
    """``SAFETY * n * eps``: n additions in any order err by at most n*eps of the summed magnitudes (Higham, Accuracy and
    Stability of Numerical Algorithms, section 4.2, first order)."""
    return SAFETY * longest_sum * EPSILON[dtype]


@dataclass(frozen=True)
class Frame:
    """A scenario with what the oracle says of it. ``terms`` [positions, P]: each position's own gradient; in a probe, P =
    positions and a row is R at the position itself, so that ``weights @ terms`` is what the leaves' gradients should be."""

    scenario: Scenario
    reference: Floats
    terms: Floats
    tolerance: float

    def predicted(self, rule: WeightRule, rank: int) -> tuple[Floats, Floats]:
        """What the rank would end with under a rule, and the magnitude summed into each entry."""
        given = weights(rule, self.scenario, observer=rank)
        return self._own(given @ self._terms(), rank), self._own(np.abs(given) @ np.abs(self._terms()), rank)

    def _terms(self) -> Floats:
        return self.terms

    def _own(self, gradient: Floats, rank: int) -> Floats:
        if not self.scenario.probe:
            return gradient
        return gradient[[token.rank == rank for token in self.scenario.tokens]]

    def wanted(self, rank: int) -> Floats:
        """What the rank should end with."""
        return self._own(self.reference, rank)


def probe_frame(lab: Lab, scenario: Scenario) -> Frame:
    """The frame of a probe, which needs no oracle: DDP's average makes a leaf's gradient R times its weight."""
    terms = np.eye(len(scenario.tokens)) * scenario.world_size
    wanted = np.nan_to_num(weights(lab.objective, scenario, observer=0), nan=0.0)
    return Frame(scenario, wanted @ terms, terms, relative_tolerance("float64", len(scenario.tokens) + 16))


def model_frame(lab: Lab, scenario: Scenario, reference: Floats, terms: Floats) -> Frame:
    """The frame of a scenario with a model.

    Raises:
        FaultyLab: the single-device reference isn't the wanted weights applied to the per-token gradients.
    """
    positions, parameters = terms.shape
    width = max((array.shape[-1] for own in scenario.arrays for name, array in own.items() if name.startswith("features")), default=0)
    tolerance = relative_tolerance("float64", positions + width + 4 * scenario.world_size + 16)
    frame = Frame(scenario, reference, terms, tolerance)
    if positions != len(scenario.tokens) or reference.shape != (parameters,):
        raise FaultyLab(f"scenario {scenario.name}: the oracle's shapes don't fit its {len(scenario.tokens)} positions")
    wanted, magnitude = frame.predicted(lab.objective, rank=0)
    if not matches(reference, wanted, magnitude, tolerance):
        raise FaultyLab(f"scenario {scenario.name}: the oracle's reference disagrees with the objective's weights")
    return frame


def matches(observed: NDArray[np.float64], predicted: Floats, magnitude: Floats, tolerance: float) -> bool:
    """Whether an observation is a prediction up to rounding: NaN for NaN, numbers within tolerance of the summed magnitudes."""
    if observed.shape != predicted.shape:
        return False
    missing = np.isnan(predicted)
    if np.any(missing != np.isnan(observed)):
        return False
    known = ~missing
    if not np.any(known):
        return True
    scale = float(magnitude[known].max())
    return bool(np.all(np.isfinite(observed[known])) and np.all(np.abs(observed[known] - predicted[known]) <= tolerance * scale))


def is_right(frame: Frame, lab: Lab, observed: Sequence[Floats]) -> bool:
    """Whether every rank ended with the reference."""
    for rank, gradient in enumerate(observed):
        wanted = frame.wanted(rank)
        scale = float(np.abs(frame.terms).max()) / max(1, len(frame.scenario.tokens)) if not np.any(wanted) else 0.0
        _, magnitude = frame.predicted(lab.objective, rank)
        magnitude = np.maximum(np.nan_to_num(magnitude), scale)
        if not matches(gradient, wanted, magnitude, frame.tolerance):
            return False
    return True


def relative_error(frame: Frame, observed: Sequence[Floats]) -> float | None:
    """Largest error over ranks and entries, over the reference's largest entry; ``None`` where something isn't finite."""
    scale = float(np.abs(frame.reference).max()) or float(np.abs(frame.terms).max()) or 1.0
    errors = [float(np.abs(gradient - frame.wanted(rank)).max()) for rank, gradient in enumerate(observed) if gradient.size]
    worst = max(errors, default=0.0)
    return worst / scale if np.isfinite(worst) else None


def recovered(frame: Frame, observed: Sequence[Floats]) -> Floats | None:
    """The weights that the code really gave: solves ``terms.T @ w = gradient`` by least squares, [positions].

    In a probe each leaf's gradient is R times its weight. ``None`` where the gradient is no weighting of the token losses, isn't
    finite, or the ranks ended with different ones.
    """
    world_size = frame.scenario.world_size
    if any(not np.all(np.isfinite(gradient)) for gradient in observed):
        return None
    if frame.scenario.probe:
        return np.concatenate(list(observed)) / world_size
    gradient = observed[0]
    scale = float(np.abs(gradient).max()) or 1.0
    if any(float(np.abs(other - gradient).max()) > frame.tolerance * scale for other in observed[1:]):
        return None
    solution, _, rank, singular = np.linalg.lstsq(frame.terms.T, gradient, rcond=None)
    if rank < len(frame.scenario.tokens):
        return None
    condition = float(singular[0] / singular[-1])
    residual = float(np.abs(frame.terms.T @ solution - gradient).max())
    return solution if residual <= frame.tolerance * condition * scale else None


def arrays_of(frame_arrays: Mapping[str, Floats], world_size: int, name: str) -> list[Floats] | None:
    """One observation of every rank, flat; ``None`` where a rank's is missing."""
    found = [frame_arrays.get(f"{rank}.{name}") for rank in range(world_size)]
    return None if any(array is None for array in found) else [np.asarray(array).reshape(-1) for array in found]
