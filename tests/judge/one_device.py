"""References for the judge's unit tests: the standard classifier in numpy, on one device, without a worker."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quizapp.judge.expect import Expected, Observed, with_model
from quizapp.judge.scenario import Scenario, fill, weights
from quizapp.model.lab import Lab, WeightRule

Floats = NDArray[np.float64]


def terms(scenario: Scenario) -> Floats:
    """Each position's own gradient of the cross-entropy over ``features @ weight``, [positions, P]."""
    weight = scenario.shared["weight"]
    rows = []
    for own in scenario.arrays:
        for k in range(len(scenario.window_of)):
            features, targets = own[f"features.{k}"], own[f"targets.{k}"]
            logits = features @ weight
            chances = np.exp(logits - logits.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            chances[np.arange(len(targets)), targets] -= 1
            rows += [np.outer(x, p).reshape(-1) for x, p in zip(features, chances, strict=True)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def gradients_under(scenario: Scenario, given: Floats) -> tuple[Observed, ...]:
    """What all ranks end with under weights [windows, positions]."""
    return ({"gradients": given @ terms(scenario), "steps": np.array([float(len(scenario.windows))])},) * scenario.world_size


def expected(lab: Lab, scenario: Scenario) -> Expected:
    """The scenario with the reference of the lab's objective."""
    assert lab.objective is not None
    wanted = np.nan_to_num(weights(lab.objective, scenario, observer=0))
    return with_model(lab, scenario, gradients_under(scenario, wanted), terms(scenario), None, {})


def observed(scenario: Scenario, rule: WeightRule) -> tuple[Observed, ...]:
    """What all ranks end with under a rule of weights."""
    return gradients_under(scenario, weights(rule, scenario, observer=0))


def scenario(
    lab: Lab, counts: Sequence[Sequence[int]], windows: tuple[int, ...] = (1,), seed: int = 1, padding: int = 1
) -> Scenario:
    """A scenario with these valid counts per rank and microbatch, and as much padding after them each."""
    masks = tuple(tuple(np.repeat(np.array([1, 0], dtype=np.int64), [n, padding]) for n in row) for row in counts)
    return fill(lab, Scenario("made", len(counts), max(windows), windows, False, masks), np.random.default_rng(seed))
