"""How likely it is that words say what a criterion asks for: what they say of it, beside what they say of the rest of the rubric.

Here: the model of a criterion's outcome, and the scale on which it is met. Its weights were fitted on marked answers
(``benchmarks/fit_outcomes.py``). Not here: what a tier measures (``quizapp.scoring.support``, ``quizapp.scoring.semantic``), and
polarity.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from quizapp.scoring.clauses import Window
from quizapp.scoring.lexical import MET, ReadyCriterion, ReadyRubric, Support
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
Raw = Callable[[ReadyCriterion, Window], Measured]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The log odds that a criterion is met.

    ``intercept + own . features + margin . (features - best of the other criteria) + beside . (others' support - usual)``
    """

    intercept: float
    own: Features
    margin: Features
    """Nought for features that aren't compared."""
    beside: float
    """Weight of the mean support that the answer has for the other criteria, anywhere."""
    usual: float
    """The mean of that among the answers of the fit."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Outcome:
        """From an entry of ``outcome.json``."""
        own = data["own"]
        margin = tuple(data["margin"].get(name, 0.0) for name in own)
        return cls(data["intercept"], tuple(own.values()), margin, data["beside"], data["usual"])

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

    def __init__(self, raw: Raw, rubric: ReadyRubric, outcome: Outcome) -> None:
        self._raw, self._criteria, self._outcome = raw, rubric.criteria, outcome
        self._known: dict[tuple[int, int], dict[str, Support]] = {}
        self._most = dict.fromkeys((known.criterion.id for known in rubric.criteria), 0.0)
        self._plain: dict[tuple[int, int], dict[str, float]] = {}

    def __call__(self, known: ReadyCriterion, view: Window) -> Support:
        place, id = (view.first, view.last), known.criterion.id
        if place not in self._known:
            self._known[place] = self._all(view)
        self._most[id] = max(self._most[id], self._plain[place][id])
        return self._known[place][id]

    def beside(self, known: ReadyCriterion) -> float:
        """What the rest of the answer adds to a criterion's support, or takes from it.

        Whoever says one thing rightly is likelier to mean another.
        """
        others = [most for id, most in self._most.items() if id != known.criterion.id] or list(self._most.values())
        return STEP * self._outcome.beside * (sum(others) / len(others) - self._outcome.usual)

    def _all(self, view: Window) -> dict[str, Support]:
        measured = [self._raw(known, view) for known in self._criteria]
        self._plain[view.first, view.last] = {
            known.criterion.id: support.strength for known, (support, _) in zip(self._criteria, measured, strict=True)
        }
        enough = math.log(LIKELY / (1 - LIKELY))
        out: dict[str, Support] = {}
        for at, (known, (support, features)) in enumerate(zip(self._criteria, measured, strict=True)):
            others = [other for where, (_, other) in enumerate(measured) if where != at]
            strength = MET + STEP * (self._outcome.log_odds(features, others) - enough)
            if support.contrary:
                strength = min(strength, CONTRARY)
            elif support.strength >= WHOLE:
                strength = max(strength, support.strength - LIFT)
            out[known.criterion.id] = Support(max(0.0, min(1.0, strength)), support.words, support.phrase, support.contrary)
        return out
