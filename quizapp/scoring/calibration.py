"""How likely it is that words say what a criterion asks for, beside what the same words say of the other criteria.

Here: the weights, fitted on the rubrics' own phrases (``benchmarks/fit_rubrics.py``), and the scale on which a criterion is met.
Not here: what a tier measures (``quizapp.scoring.lexical``, ``quizapp.scoring.semantic``), and polarity.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from quizapp.scoring.clauses import Window
from quizapp.scoring.lexical import ReadyCriterion, ReadyMisconception, ReadyRubric, Support, best_phrase
from quizapp.scoring.profile import Profile, alike, profile

FILE = Path(__file__).with_name("calibration.json")
LIKELY = 0.35
"""Chance, by the weights, at which support is just enough."""
STEP = 0.12
"""Support for each unit of log odds beyond that."""

LIFT = 0.2
"""What likeness and the other criteria may add to support, or take from it, at most."""

Measured = tuple[Support, tuple[float, ...]]
"""Support, and what else a tier measures of the same words."""
Raw = Callable[[ReadyCriterion, Window], Measured]
Rivals = Sequence[tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Weights:
    """``intercept + own . features + margin . (features - best of the other criteria)`` are the log odds."""

    intercept: float
    own: tuple[float, ...]
    margin: tuple[float, ...]

    def log_odds(self, features: Sequence[float], others: Rivals) -> float:
        """Log odds that a criterion is met; ``others``: the features of the rubric's other criteria on the same words."""
        value = self.intercept
        for at, (feature, own, margin) in enumerate(zip(features, self.own, self.margin, strict=True)):
            rival = max((other[at] for other in others), default=feature)
            value += own * feature + margin * (feature - rival)
        return value


@lru_cache(maxsize=1)
def weights() -> Mapping[str, Weights]:
    """Tier -> its weights."""
    found = json.loads(FILE.read_text("utf-8"))
    return {tier: Weights(w["intercept"], tuple(w["own"]), tuple(w["margin"])) for tier, w in found["tiers"].items()}


HELD = 0.3
"""Chance, by the weights, from which words state a misconception."""


class Beliefs:
    """How likely it is that a window states a misconception, beside what it says of the criteria and of the other ones."""

    def __init__(self, rubric: ReadyRubric) -> None:
        self._rubric, self._weights = rubric, weights()["misconceptions"]
        self._known: dict[tuple[int, int], dict[str, float]] = {}

    def __call__(self, known: ReadyMisconception, view: Window) -> bool:
        place = view.first, view.last
        if place not in self._known:
            self._known[place] = self.log_odds(self._rubric, view)
        return self._known[place][known.shown.id] >= math.log(HELD / (1 - HELD))

    def log_odds(self, rubric: ReadyRubric, view: Window) -> dict[str, float]:
        """Misconception -> log odds."""
        said = profile(view.words, rubric.rarity)
        beliefs = [_features(known, view, said) for known in rubric.misconceptions]
        right = [_features(known, view, said) for known in rubric.criteria]
        return {
            known.shown.id: self._weights.log_odds(beliefs[at], [*right, *beliefs[:at], *beliefs[at + 1 :]])
            for at, known in enumerate(rubric.misconceptions)
        }


def _features(known: ReadyCriterion | ReadyMisconception, view: Window, said: Profile) -> tuple[float, float]:
    return best_phrase(known.accept, view.words).strength, alike(said, known.profile)
