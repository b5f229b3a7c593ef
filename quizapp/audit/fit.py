"""Whether a set of weights explains the gradients: compared as gradients, so that it can be said of any model.

Gradients are compared along a few dozen random directions: what differs at all differs along nearly every one of them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from quizapp.audit.observed import Observed
from quizapp.audit.recover import DenseTerms, ProbeTerms, Recovered
from quizapp.audit.weighing import Weighing
from quizapp.model.lab import WeightRule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DIRECTIONS = 64
LEAST_SCALE, MOST_SCALED = 16.0, 1e-2
"""The least loss scale that is taken for one, and the largest norm that a limit which was scaled down may have."""
SAME_NORM = 1e-5
"""Norms of steps that were clipped to one length agree to this: clipping adds 1e-6 to the norm that it divides by."""


@dataclass(frozen=True)
class Fit:
    """A run beside its objective."""

    observed: Observed
    terms: ProbeTerms | DenseTerms
    recovered: Recovered
    weighing: Weighing
    rule: WeightRule

    @cached_property
    def wanted(self) -> "Floats":
        """The objective's weights, [steps, ranks, columns]."""
        import numpy as np

        return np.nan_to_num(self.weighing.weights(self.rule))

    @cached_property
    def loose(self) -> float:
        """How far gradients that count as the same may lie apart, relative to their norm."""
        return self.observed.precision[1]

    @cached_property
    def _directions(self) -> "Floats":
        """[width, D]."""
        import numpy as np

        width = self.observed.gradients.shape[-1]
        found: Floats = np.random.default_rng(0).normal(size=(width, DIRECTIONS)) / DIRECTIONS**0.5
        return found

    @cached_property
    def _losses(self) -> "Floats":
        """[columns, D]."""
        return self.terms.projected(self._directions)

    @cached_property
    def gradients(self) -> "Floats":
        """The part of the gradients that token losses must explain, [steps, ranks, D]. Other loss terms are taken out as found."""
        import numpy as np

        with np.errstate(all="ignore"):
            whole = self.observed.gradients
            if not isinstance(self.terms, ProbeTerms) and self.recovered.others.shape[-1]:
                whole = whole - np.nan_to_num(self.recovered.others) @ self.terms.rows[self.terms.columns :]
            found: Floats = whole @ self._directions
        return found

    @cached_property
    def clipped(self) -> "NDArray[np.bool_]":
        """[steps]: the steps whose gradients were cut to one and the same norm."""
        import numpy as np

        norms = self.observed.norms
        if not norms.size or not np.isfinite(norms).all():
            return np.zeros(len(norms), dtype=bool)
        longest = float(norms.max())
        cut = np.asarray(np.abs(norms - longest).max(axis=1) <= SAME_NORM * longest)
        several = self.observed.gradients[cut][:, 0]
        # Steps over the same rows have equal norms too, but then the gradients are equal.
        unlike = len(several) > 1 and bool(np.any(np.linalg.norm(several - several[0], axis=1) > 1e-3 * np.linalg.norm(several[0])))
        found: NDArray[np.bool_] = cut if longest and (unlike or _round(longest)) else np.zeros(len(norms), dtype=bool)
        return found

    @cached_property
    def scale(self) -> float | None:
        """The power of two, 16 or more, by which all steps are longer than they should be: a loss scale."""
        from math import log2

        factors = [float(factor) for factor in self.factors(self.wanted)]
        if not factors or self.clipped.any() or min(factors) < LEAST_SCALE:
            return None
        power = 2.0 ** round(log2(factors[0]))
        return power if all(abs(factor / power - 1) <= self.loose for factor in factors) else None

    @cached_property
    def scaled_limit(self) -> float | None:
        """The power of two that makes the norm of clipped steps a limit that people write, where the norm itself is none."""
        from math import log10

        if not self.clipped.any():
            return None
        norm = float(self.observed.norms[self.clipped].max())
        if _round(norm) or norm > MOST_SCALED:
            return None
        powers = [power for exponent in range(6, 25) if _round(norm * (power := 2.0**exponent))]
        return min(powers, key=lambda power: abs(log10(norm * power) - round(log10(norm * power))), default=None)

    def total(self, weights: "Floats") -> "Floats":
        """The gradients under some weights, [steps, ranks, D]."""
        found: Floats = weights @ self._losses
        return found

    def factors(self, weights: "Floats") -> "Floats":
        """For each step the factor that brings weights nearest to what was found, on all ranks together, [steps]."""
        import numpy as np

        foretold, given = self.total(weights), self.gradients
        square = (foretold * foretold).sum(axis=(1, 2))
        found: Floats = np.divide((foretold * given).sum(axis=(1, 2)), square, out=np.ones_like(square), where=square > 0)
        return found

    def off(self, weights: "Floats", scaled: "NDArray[np.bool_]") -> "Floats":
        """[steps, ranks]: how far the gradients lie from those foretold, relative to their norm; steps that are ``scaled`` up to a
        factor. Infinite where either isn't a number."""
        import numpy as np

        with np.errstate(all="ignore"):
            factor = np.where(scaled, self.factors(weights), 1.0)[:, None, None]
            foretold = self.total(weights) * factor
            size = np.maximum(np.linalg.norm(foretold, axis=2), np.linalg.norm(self.gradients, axis=2))
            distance = np.linalg.norm(foretold - self.gradients, axis=2)
            relative = np.divide(distance, size, out=np.zeros_like(distance), where=size > 0)
        return np.asarray(np.where(np.isfinite(distance), relative, np.inf))

    def explains(self, weights: "Floats") -> bool:
        """Whether weights explain every step on every rank."""
        import numpy as np

        if np.isnan(weights).any() or not len(weights):
            return False
        return bool((self.off(weights, self.clipped) <= self.loose).all())

    def unlike_wanted(self, weights: "Floats") -> bool:
        """Whether weights differ from the objective's in a step, beyond what clipping hides."""
        import numpy as np

        foretold, wanted = self.total(weights), self.total(self.wanted)
        size = np.maximum(np.linalg.norm(wanted, axis=(1, 2)), 1e-300)
        scale = np.linalg.norm(foretold, axis=(1, 2)) / size
        foretold = np.where(self.clipped[:, None, None], foretold / np.maximum(scale, 1e-300)[:, None, None], foretold)
        return bool((np.linalg.norm(foretold - wanted, axis=(1, 2)) > 3 * self.loose * size).any())


def _round(value: float) -> bool:
    """Whether a norm is a number that people write as a limit: one digit that isn't 0."""
    from math import floor, log10

    digits = value / 10.0 ** floor(log10(value))
    return abs(digits - round(digits)) < SAME_NORM * digits
