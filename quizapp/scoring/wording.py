"""Some words of a text together, with what a scorer asks of them again and again: each is found once, when it is first asked for.

Here: what words are together, whatever a rubric asks. What they say of a rubric is kept with them as long as they are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

from quizapp.scoring.lexicon import INABILITY
from quizapp.scoring.order import Order, order
from quizapp.scoring.words import Word

SCOPE = 8
"""Words after a negator that it denies, at most."""
_SCOPE_ENDS = frozenset({"and", "but", "so", "because", "yet", "while", "whereas"})


def scope(words: Sequence[Word], at: int) -> list[Word]:
    """The content words that a negator denies: what follows it, up to the next thing that is said."""
    denied: list[Word] = []
    if at and words[at].text == "nothing" and words[at - 1].content:
        return denied  # ``it proves nothing``: the object ends it
    for word in words[at + 1 : at + 1 + SCOPE]:
        if word.text in _SCOPE_ENDS:
            break
        if word.content:
            denied.append(word)
    return denied


def negated(words: Iterable[Word]) -> bool:
    """Whether a negator or an inability stands anywhere in the words."""
    return any(word.negator or word.text in INABILITY for word in words)


def pairs(words: Iterable[Word]) -> frozenset[tuple[str, str]]:
    """Keys of neighbouring content words."""
    return frozenset(pairwise([word.key for word in words if word.content]))


class Wording(tuple[Word, ...]):
    """The words of a clause or of a window, in order."""

    parts: Sequence[Wording] = ()
    """The clauses of a window of several; what is known of them isn't found again."""

    @cached_property
    def held(self) -> Mapping[str, Word]:
        """The first content word of each key."""
        if not self.parts:
            return {word.key: word for word in reversed(self) if word.content}
        found: dict[str, Word] = {}
        for part in reversed(self.parts):
            found.update(part.held)
        return found

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Keys of the content words, each as often as it is said."""
        return tuple([word.key for word in self if word.content])

    @cached_property
    def negated(self) -> bool:
        """Whether a negator or an inability stands anywhere in them."""
        return any(part.negated for part in self.parts) if self.parts else negated(self)

    @cached_property
    def told(self) -> Order:
        """The order in time that they tell."""
        return order(self)

    @cached_property
    def answers(self) -> dict[object, Any]:
        """What they say of parts of a rubric, by the part, which is known by its identity."""
        return {}


def together(parts: Sequence[Wording]) -> Wording:
    """The words of some clauses as one."""
    if len(parts) == 1:
        return parts[0]
    whole = Wording(chain.from_iterable(parts))
    whole.parts = parts
    return whole


def wording(words: Iterable[Word]) -> Wording:
    """The words together; the same ones where they are together already."""
    return words if isinstance(words, Wording) else Wording(words)
