"""What the interviewer thinks that the candidate may be wrong about, and what a question would bring to light. Pure functions.

Each misconception is held or not, independently of the others: people hold several. A question that can show one is a test with
known rates of hits and false alarms, and Bayes' rule turns its outcome into a belief.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from quizapp.practice.interview_plan import Ask, Kind

Belief = Mapping[str, float]
"""Misconception -> probability that the candidate holds it."""
Outcome = Literal["named", "right", "wrong"]
"""Of a question, for one misconception: named, or answered in full without it, or neither."""
HELD = 2.0
"""How many misconceptions a candidate is expected to bring, before a word is said."""
NAMED = 0.97
"""A misconception that an answer showed is no guess any more, but a scorer can err."""
LOWEST, HIGHEST = 1e-4, 0.95
SUSPECTED, LIKELY = 0.12, 0.35
"""From these probabilities on, a suspicion is worth leaving the plan for, and worth being asked about straight out."""
WORTH_SAYING = 0.25
"""From this probability on, a suspicion that was never confirmed is told in the debrief."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How often each outcome comes: of somebody who holds the misconception, and of somebody who doesn't."""

    held: Mapping[Outcome, float]
    not_held: Mapping[Outcome, float]


EXACT = Rates({"named": 0.88, "right": 0.04, "wrong": 0.08}, {"named": 0.02, "right": 0.78, "wrong": 0.20})
"""Numbers, expressions and options: a wrong one that has a name is recognized whenever it is given."""
SPOKEN = Rates({"named": 0.45, "right": 0.08, "wrong": 0.47}, {"named": 0.02, "right": 0.48, "wrong": 0.50})
"""Words: half of the time a wrong idea is said in a way that the scorer doesn't know."""


CONFIRMED = Rates({"named": 0.90, "right": 0.08, "wrong": 0.02}, {"named": 0.04, "right": 0.94, "wrong": 0.02})
"""Asked straight out, people mostly say what they think; ``right`` is a no."""


def rates(kind: Kind) -> Rates:
    """The rates that hold for a kind of question."""
    if kind == "confirm":
        return CONFIRMED
    return EXACT if kind in ("number", "expression", "choice") else SPOKEN


def prior(misconceptions: Iterable[str]) -> dict[str, float]:
    """The same for all of them."""
    ids = list(misconceptions)
    return dict.fromkeys(ids, min(0.2, HELD / max(len(ids), 1)))


def _bounded(probability: float) -> float:
    return min(max(probability, LOWEST), HIGHEST)


def after_answer(belief: Belief, shows: Iterable[str], kind: Kind, *, named: Iterable[str], right: bool) -> dict[str, float]:
    """The belief after an answer to a question that can show some misconceptions."""
    found, known = dict(belief), rates(kind)
    said = frozenset(named)
    for id_ in shows:
        if id_ in found and id_ not in said:
            outcome: Outcome = "right" if right else "wrong"
            held, not_held = found[id_] * known.held[outcome], (1 - found[id_]) * known.not_held[outcome]
            found[id_] = _bounded(held / (held + not_held))
    for id_ in said:
        if id_ in found:
            found[id_] = NAMED
    return found


def after_words(belief: Belief, likeness: Mapping[str, float]) -> dict[str, float]:
    """The belief after hearing words. ``likeness``: how many times likelier they are from somebody who holds it."""
    found = dict(belief)
    for id_, ratio in likeness.items():
        if id_ in found and found[id_] < NAMED:
            odds = found[id_] / (1 - found[id_]) * ratio
            found[id_] = _bounded(odds / (1 + odds))
    return found


def expected_namings(belief: Belief, ask: Ask) -> float:
    """How many misconceptions an answer to this question is expected to bring to light; those named before count no more.

    Not the expected information: that would rather rule out six faint guesses than test the one that is near certain.
    """
    hit = rates(ask.kind).held["named"]
    return sum(hit * belief[id_] for id_ in sorted(ask.shows) if belief.get(id_, NAMED) < NAMED)


def suspects(belief: Belief) -> list[str]:
    """Misconceptions that are thought likely and not named yet, the likeliest first: worth leaving the plan for."""
    found = [id_ for id_, held in belief.items() if SUSPECTED <= held < NAMED]
    return sorted(found, key=lambda id_: (-belief[id_], id_))
