"""Finding items by what they say, are called or are about. Pure functions over a library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quizapp.bank.draw import draw
from quizapp.model.variant import fill

if TYPE_CHECKING:
    from quizapp.bank.load import Library

NAME, TOPIC, TEXT = 0, 1, 2
"""Where a word was found, the best place first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One item, with the words by which it is found in lower case."""

    item: str
    title: str
    bank: str
    """The bank's title."""
    topics: tuple[str, ...]
    text: str
    """What it asks, with the bank's own numbers, on one line."""
    words: tuple[str, str, str]
    """Name (id and title), topics and bank, text."""


def index(library: Library) -> tuple[Entry, ...]:
    """Every item of the library, in the order of its banks."""
    entries = []
    for bank in library.banks:
        for item in bank.bank.items:
            values = draw(item, None).values
            shown = fill(item.title or item.id, values)
            texts = [item.stem, *(part.stem or "" for part in item.parts)]
            for part in item.parts:
                if part.kind == "choice":
                    texts += [choice.text or "" for choice in part.choices]
            about = f"{' '.join(item.topics)} {bank.bank.id} {bank.bank.title} {item.kind}"
            text = " ".join(fill(" ".join(texts), values).split())
            words = (f"{item.id} {shown}".lower(), about.lower(), text.lower())
            entries.append(Entry(item.id, shown, bank.bank.title, item.topics, text, words))
    return tuple(entries)


def search(entries: Sequence[Entry], query: str, most: int = 50) -> tuple[Entry, ...]:
    """The items in which every word of the query occurs: those that are called so before those that are about it, and last those
    that only say it. An empty query finds nothing."""
    words = query.lower().split()
    if not words:
        return ()
    found: list[tuple[int, int, Entry]] = []
    for place, entry in enumerate(entries):
        rank = 0
        for word in words:
            where = next((field for field in (NAME, TOPIC, TEXT) if word in entry.words[field]), None)
            if where is None:
                break
            rank += where
        else:
            found.append((rank, place, entry))
    return tuple(entry for _, _, entry in sorted(found, key=lambda one: one[:2])[:most])


def snippet(entry: Entry, query: str, columns: int) -> str:
    """A line of the item's text around the first word found in it, of at most so many columns."""
    text = entry.text
    places = [entry.words[TEXT].find(word) for word in query.lower().split()]
    start = max(0, min((place for place in places if place >= 0), default=0) - columns // 3)
    if start:
        start = text.find(" ", start) + 1
    head, cut = "… " if start else "", text[start : start + columns]
    if len(head) + len(text) - start <= columns:
        return head + cut
    return f"{head}{cut[: columns - len(head) - 1].rstrip()}…"
