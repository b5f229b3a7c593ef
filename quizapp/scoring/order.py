"""What is said to come before what: ``unscale before you clip``, ``clip after unscaling``, ``first unscale, then clip``.

Here: order in time between the words of a few clauses. Two texts of the same words can say opposite orders.
"""

from __future__ import annotations

from collections.abc import Sequence

from quizapp.scoring.words import Word

Order = frozenset[tuple[str, str]]
"""Pairs of keys: the first comes earlier."""

NO_ORDER: Order = frozenset()
BEFORE = frozenset({"before", "prior", "ahead", "precede", "precedes", "preceding", "until"})
AFTER = frozenset({"after", "following", "follows", "behind"})
THEN = frozenset({"then", "afterwards", "afterward", "subsequently", "later", "thereafter", "second"})
FIRST = frozenset({"first", "firstly", "beforehand", "earlier"})
MARKERS = BEFORE | AFTER | THEN | FIRST
TELLING = BEFORE | AFTER | FIRST
"""Markers that are there for the order; *then* may only go on with the story."""
REACH = 3
"""Content words on each side of a marker that it puts in order."""
_BREAKS = MARKERS | {"and", "but", "while", "so", "because"}


def _left(words: Sequence[Word], at: int) -> list[str]:
    keys: list[str] = []
    if at and words[at - 1].text in ("and", "but", "or"):
        # ``clip after backward and before unscaling``: both markers speak of what stands before the first.
        others = [place for place in range(at) if words[place].text in BEFORE | AFTER]
        at = others[-1] if others else at
    for word in reversed(words[:at]):
        if word.text in MARKERS and keys:
            break
        if word.content and word.text not in MARKERS:
            keys.append(word.key)
        if len(keys) == REACH:
            break
    return keys


def _right(words: Sequence[Word], at: int) -> list[str]:
    keys: list[str] = []
    for word in words[at + 1 :]:
        if word.text in _BREAKS and keys:
            break
        if word.content and word.text not in MARKERS:
            keys.append(word.key)
        if len(keys) == REACH:
            break
    return keys


def _both(earlier: Sequence[str], later: Sequence[str]) -> set[tuple[str, str]]:
    return {(a, b) for a in earlier for b in later if a != b}


def order(words: Sequence[Word]) -> Order:
    """The order in time that the words tell; empty where they tell none."""
    found: set[tuple[str, str]] = set()
    for at, word in enumerate(words):
        if word.text not in MARKERS:
            continue
        left, right = _left(words, at), _right(words, at)
        if word.text in BEFORE or word.text in AFTER:
            if not left and right:
                left, right = right[1:] or _rest(words, at, right[0]), right[:1]
            pairs = _both(left, right) if word.text in BEFORE else _both(right, left)
            if any(other.negator for other in words[max(0, at - 4) : at]):
                pairs = {(b, a) for a, b in pairs}
            found |= pairs
        elif word.text in THEN:
            if not right:
                right, left = left[:1], left[1:]
            found |= _both(left, right)
        else:
            earlier, following = left[:1], _rest(words, at, "")
            if not earlier:
                earlier, following = right[:1], _rest(words, at, right[0] if right else "")
            found |= _both(earlier, following[:REACH])
    return frozenset(pair for pair in found if (pair[1], pair[0]) not in found)


def _rest(words: Sequence[Word], at: int, without: str) -> list[str]:
    keys = [word.key for word in words[at + 1 :] if word.content and word.text not in MARKERS and word.key != without]
    return keys[:REACH]


def reversed_in(wanted: Order, told: Order) -> bool:
    """Whether a text tells the reverse of a wanted order, and nowhere the order itself."""
    return bool(wanted) and not wanted & told and any((b, a) in told for a, b in wanted)
