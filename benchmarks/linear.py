"""Ridge and logistic regression on standardised features and their products, in numpy; and the measures of graders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """``intercept + weights . expand(standardised features)``, through a sigmoid for a class."""

    mean: Numbers
    spread: Numbers
    weights: Numbers
    logistic: bool
    products: bool

    def expand(self, features: Numbers) -> Numbers:
        z = np.clip((features - self.mean) / self.spread, -4, 4)
        columns = [np.ones(len(z)), *z.T]
        if self.products:
            columns += [z[:, a] * z[:, b] / 3 for a in range(z.shape[1]) for b in range(a, z.shape[1])]
        return np.stack(columns, axis=1)

    def __call__(self, features: Numbers) -> Numbers:
        value = self.expand(features) @ self.weights
        return 1 / (1 + np.exp(-value)) if self.logistic else value

    def to_json(self) -> dict[str, Any]:
        def rounded(values: Numbers) -> list[float]:
            return [float(f"{value:.5g}") for value in values]

        return {
            "mean": rounded(self.mean),
            "spread": rounded(self.spread),
            "weights": rounded(self.weights),
            "logistic": self.logistic,
            "products": self.products,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Linear:
        arrays = (np.array(data[name]) for name in ("mean", "spread", "weights"))
        return cls(*arrays, data["logistic"], data["products"])


def fit(
    features: Numbers,
    target: Numbers,
    *,
    logistic: bool,
    products: bool,
    penalty: float,
    blocks: Sequence[str] = (),
    block_penalty: float = math.inf,
    offset: Numbers | float = 0.0,
) -> Linear:
    """Least squares, or the likeliest classes by Newton's method; both with an L2 penalty on all but the intercept.

    Least squares can give each block of rows (the answers to one question) an intercept of its own, under ``block_penalty``.
    So that one question is harder than another isn't put down to the features. A new question has none, and gets 0.
    ``offset``, of classes alone: log odds that each row has already.
    """
    empty = np.zeros(0)
    model = Linear(features.mean(axis=0), features.std(axis=0) + 1e-9, empty, logistic, products)
    x = model.expand(features)
    ridge = penalty * np.eye(x.shape[1])
    ridge[0, 0] = 0
    if not logistic:
        gram, right = x.T @ x + ridge, x.T @ target
        if len(blocks) and math.isfinite(block_penalty):
            _, block, rows = np.unique(np.asarray(blocks), return_inverse=True, return_counts=True)
            total, totals = np.zeros((len(rows), x.shape[1])), np.bincount(block, target)
            np.add.at(total, block, x)
            share = total / (rows + block_penalty)[:, None]
            gram, right = gram - share.T @ total, right - share.T @ totals
        weights = np.linalg.solve(gram, right)
    else:
        weights = np.zeros(x.shape[1])
        for _ in range(12):
            p = 1 / (1 + np.exp(-np.clip(x @ weights + offset, -30, 30)))
            slope = x.T @ (p - target) + ridge @ weights
            weights = weights - np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x + ridge + 1e-9 * np.eye(len(slope)), slope)
    return Linear(model.mean, model.spread, weights, logistic, products)


def macro_f1(truth: Sequence[bool] | Numbers, guess: Sequence[bool] | Numbers) -> float:
    """Mean of the F1 of both classes."""
    t, g = np.asarray(truth, bool), np.asarray(guess, bool)
    return float(np.mean([f1(t, g), f1(~t, ~g)]))


def f1(truth: Any, guess: Any) -> float:
    """Harmonic mean of precision and recall of the class True."""
    t, g = np.asarray(truth, bool), np.asarray(guess, bool)
    return float(2 * (t & g).sum() / max(1, t.sum() + g.sum()))


def quadratic_kappa(one: Sequence[int], other: Sequence[int], most: int) -> float:
    """Agreement of two graders, 1 for the same, 0 for chance, disagreements weighted by their square."""
    table = np.zeros((most + 1, most + 1))
    for a, b in zip(one, other, strict=True):
        table[a, b] += 1
    weights = np.array([[(a - b) ** 2 for b in range(most + 1)] for a in range(most + 1)])
    chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(1 - (weights * table).sum() / max((weights * chance).sum(), 1e-12))
