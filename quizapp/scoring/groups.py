"""How many of a criterion's concept groups some words cover, one term of each close together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quizapp.scoring.wording import wording
from quizapp.scoring.words import Word

MAX_SPREAD = 26
"""Words over which the groups of one claim may be spread."""

Keys = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Groups:
    """The concept groups of a criterion."""

    terms: tuple[tuple[Keys, ...], ...] = ()
    """Group -> terms -> keys in a row."""

    def __len__(self) -> int:
        return len(self.terms)

    @cached_property
    def opening(self) -> Mapping[str, Sequence[tuple[int, Keys]]]:
        """Key -> the terms that begin with it, each with the number of its group."""
        found: dict[str, list[tuple[int, Keys]]] = {}
        for number, group in enumerate(self.terms):
            for term in group:
                found.setdefault(term[0], []).append((number, term))
        return found


def cover_groups(groups: Groups, words: Sequence[Word]) -> tuple[float, tuple[Word, ...]]:
    """The share of the groups that the words cover, and the words: the tightest ones where all groups are covered."""
    words = wording(words)
    found: tuple[float, tuple[Word, ...]] | None = words.answers.get(groups)
    if found is None:
        found = words.answers[groups] = _cover(groups, words)
    return found


def _cover(groups: Groups, words: Sequence[Word]) -> tuple[float, tuple[Word, ...]]:
    if not groups:
        return 0.0, ()
    opening = groups.opening
    hits = sorted(
        {
            (at, number)
            for at, word in enumerate(words)
            if word.key in opening
            for number, term in opening[word.key]
            if _stands(words, term, at)
        }
    )
    first: dict[int, int] = {}
    for at, number in hits:
        first.setdefault(number, at)
    if len(first) < len(groups):
        return len(first) / len(groups), tuple(words[at] for at in sorted(set(first.values())))
    best: tuple[int, list[int]] | None = None
    for index, (start, _) in enumerate(hits):
        seen: list[tuple[int, int]] = []
        for at, number in hits[index:]:
            if at - start > MAX_SPREAD or (best is not None and at - start >= best[0]):
                break
            seen.append((at, number))
            chosen = _one_each(seen, len(groups))
            if chosen is not None:
                best = at - start, sorted(chosen)
                break
    if best is None:
        return (len(groups) - 1) / len(groups), ()
    return 1.0, tuple(words[at] for at in best[1])


def _stands(words: Sequence[Word], term: Keys, at: int) -> bool:
    """Whether a term begins at a word of its first key: its keys in a row, function words between them allowed."""
    matched, position = 1, at + 1
    while matched < len(term) and position < len(words):
        if words[position].key == term[matched]:
            matched += 1
        elif words[position].content:
            return False
        position += 1
    return matched == len(term)


def _one_each(hits: Sequence[tuple[int, int]], groups: int) -> list[int] | None:
    """A word of its own for each group, since one word can't stand for two concepts; ``None`` where there is no such choice."""
    if len({number for _, number in hits}) < groups:
        return None
    taken: dict[int, int] = {}

    def place(number: int, tried: set[int]) -> bool:
        for at, owner in hits:
            if owner == number and at not in tried:
                tried.add(at)
                if at not in taken or place(taken[at], tried):
                    taken[at] = number
                    return True
        return False

    return list(taken) if all(place(number, set()) for number in range(groups)) else None
