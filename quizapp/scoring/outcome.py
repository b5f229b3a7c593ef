"""How likely it is that words say what a criterion asks for: what they say of it, beside what they say of the rest of the rubric.

Here: the model of a criterion's outcome, and the scale on which it is met. Its weights were fitted on marked answers
(``benchmarks/fit_outcomes.py``). Not here: what a tier measures (``quizapp.scoring.support``, ``quizapp.scoring.semantic``), and
polarity.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from quizapp.scoring.beliefs import Weights
from quizapp.scoring.clauses import Window
from quizapp.scoring.lexical import MET, ReadyCriterion, ReadyMisconception, ReadyRubric, Support
from quizapp.scoring.support import CONTRARY

FILE = Path(__file__).with_name("outcome.json")
LIKELY = 0.38
"""Chance, by the weights, from which a criterion is met."""
STEP = 0.12
"""Support for each unit of log odds beyond that."""
WHOLE, LIFT = 0.95, 0.2
"""Support from which a phrase is said as it stands, and what the rest of the rubric may take from it then, at most."""

Features = tuple[float, ...]
Measured = tuple[Support, Features]
"""Support, and what a tier measures of the same words."""


class Reader(Protocol):
    """One answer, measured window by window by a tier."""

    def measure(self, known: ReadyCriterion, view: Window) -> Measured:
        """What is measured for a criterion."""

    def nearness(self, known: ReadyMisconception, view: Window) -> Features:
        """What is measured for a misconception beside ``quizapp.scoring.beliefs.FEATURES``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The log odds that a criterion is met.

    ``intercept + own . features + margin . (features - best of the other criteria)``
    """

    intercept: float
    own: Features
    margin: Features
    """Nought for features that aren't compared."""
    whole: Features = ()
    """Intercept and weights of what the whole answer makes of a claim; none while they are being fitted."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Outcome:
        """From an entry of ``outcome.json``."""
        own = data["own"]
        margin = tuple(data["margin"].get(name, 0.0) for name in own)
        whole = data.get("whole")
        return cls(
            data["intercept"], tuple(own.values()), margin, (whole["intercept"], *whole["weights"].values()) if whole else ()
        )

    def log_odds(self, features: Sequence[float], others: Sequence[Features]) -> float:
        """The log odds by one window; ``others``: the features of the rubric's other criteria on the same words."""
        value = self.intercept
        for at, (feature, own, margin) in enumerate(zip(features, self.own, self.margin, strict=True)):
            value += own * feature
            if margin and others:
                value += margin * (feature - max(other[at] for other in others))
        return value


@lru_cache(maxsize=1)
def outcomes() -> Mapping[str, Outcome]:
    """Tier -> its weights."""
    found = json.loads(FILE.read_text("utf-8"))["tiers"]
    return {tier: Outcome.from_json(data) for tier, data in found.items()}


class Weighed:
    """The measure of one answer: each window is measured for all criteria at once, and remembered."""

    def __init__(self, reader: Reader, rubric: ReadyRubric, outcome: Outcome, beliefs: Weights) -> None:
        self.outcome, self.beliefs, self.nearness = outcome, beliefs, reader.nearness
        self._reader, self._criteria = reader, rubric.criteria
        self._known: dict[tuple[int, int], dict[str, Support]] = {}
        self.odds: dict[tuple[int, int], tuple[float, ...]] = {}
        """First and last clause of each window so far -> log odds of each criterion beyond what is enough, before any rule."""

    def __call__(self, known: ReadyCriterion, view: Window) -> Support:
        place = view.first, view.last
        if place not in self._known:
            self._known[place] = self._all(view)
        return self._known[place][known.criterion.id]

    def _all(self, view: Window) -> dict[str, Support]:
        measured = [self._reader.measure(known, view) for known in self._criteria]
        enough = math.log(LIKELY / (1 - LIKELY))
        out: dict[str, Support] = {}
        odds: list[float] = []
        for at, (known, (support, features)) in enumerate(zip(self._criteria, measured, strict=True)):
            others = [other for where, (_, other) in enumerate(measured) if where != at]
            odds.append(self.outcome.log_odds(features, others) - enough)
            strength = MET + STEP * odds[-1]
            if support.contrary:
                strength = min(strength, CONTRARY)
            elif support.strength >= WHOLE:
                strength = max(strength, support.strength - LIFT)
            out[known.criterion.id] = Support(max(0.0, min(1.0, strength)), support.words, support.phrase, support.contrary)
        self.odds[view.first, view.last] = tuple(odds)
        return out
