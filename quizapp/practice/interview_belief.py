"""What the interviewer thinks that the candidate may be wrong about, and what a question would bring to light. Pure functions.

Each misconception is held or not, independently of the others: people hold several. A question that can show one is a test with
known rates of hits and false alarms, and a sentence that voices one has it for its only source; Bayes' rule puts them together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
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
EXPLAINS = 1e3
"""Weight of a named misconception as the source of a sentence, against one that wasn't tested."""
SUSPECTED, LIKELY = 0.12, 0.35
"""From these probabilities on, a suspicion is worth leaving the plan for, and worth being asked about straight out."""
WORTH_SAYING = 0.4
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


Heard = Mapping[str, float]
"""Of a sentence: misconception -> probability that this is the one it voices; what is missing to 1: it voices none."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that speaks for and against each misconception."""

    misconceptions: tuple[str, ...]
    """What can be found out."""
    tests: Mapping[str, float] = field(default_factory=dict)
    """Misconception -> how many times likelier its tests came out so for somebody who holds it; 1 where it is missing."""
    heard: tuple[Heard, ...] = ()
    named: frozenset[str] = frozenset()

    def after_answer(self, shows: Iterable[str], kind: Kind, *, named: Iterable[str], right: bool) -> "Evidence":
        """With an answer to a question that can show some misconceptions."""
        tests, known, said = dict(self.tests), rates(kind), frozenset(named)
        outcome: Outcome = "right" if right else "wrong"
        for id_ in frozenset(shows) - said:
            tests[id_] = tests.get(id_, 1.0) * known.held[outcome] / known.not_held[outcome]
        return replace(self, tests=tests, named=self.named | said)

    def after_words(self, sentences: Iterable[Heard]) -> "Evidence":
        """With sentences that may voice a misconception."""
        return replace(self, heard=(*self.heard, *sentences))

    def belief(self) -> dict[str, float]:
        """How likely each misconception is held.

        By the tests alone, or because a sentence voices it: a sentence has one source, so that what a test rules out makes the
        sentence's other sources likelier, and what was named explains it.
        """
        prior = min(0.2, HELD / max(len(self.misconceptions), 1))
        free = dict.fromkeys(self.misconceptions, 1.0)
        for id_ in self.misconceptions:
            odds = self._test(id_) * prior / (1 - prior)
            free[id_] = 1 / (1 + odds)
        for heard in self.heard:
            weights = {id_: weight * self._test(id_) for id_, weight in heard.items()}
            whole = sum(weights.values()) + 1 - sum(heard.values())
            for id_, weight in weights.items():
                if id_ in free:
                    free[id_] *= 1 - weight / whole
        found = {id_: min(max(1 - left, LOWEST), HIGHEST) for id_, left in free.items()}
        return found | {id_: NAMED for id_ in self.misconceptions if id_ in self.named}

    def _test(self, id_: str) -> float:
        return EXPLAINS if id_ in self.named else self.tests.get(id_, 1.0)


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
