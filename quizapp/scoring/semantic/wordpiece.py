"""WordPiece as BERT base uncased has it, with offsets into the text as written. Standard library only."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

VOCABULARY = Path(__file__).with_name("vocab.txt")
UNKNOWN, START, END = 100, 101, 102
LONGEST_WORD = 100


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a word."""

    id: int
    start: int
    end: int
    """Half open, in the text as written."""


@lru_cache(maxsize=1)
def vocabulary() -> Mapping[str, int]:
    """Piece -> id, in the order of the file."""
    return {line: at for at, line in enumerate(VOCABULARY.read_text("utf-8").split("\n")) if line}


def _punctuation(sign: str) -> bool:
    return (sign.isascii() and sign.isprintable() and not sign.isalnum() and sign != " ") or unicodedata.category(sign)[0] == "P"


def _ideograph(sign: str) -> bool:
    code = ord(sign)
    return 0x3400 <= code <= 0x4DBF or 0x4E00 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FA1F


def _folded(text: str) -> Iterator[tuple[str, int]]:
    """Lower case, without accents and control characters, with the place of each character."""
    for place, sign in enumerate(text):
        if sign.isascii():
            yield (sign.lower() if sign.isprintable() else " " if sign.isspace() else ""), place
            continue
        kind = unicodedata.category(sign)
        if kind in ("Cc", "Cf", "Co", "Cn", "Cs") or sign == "\ufffd":
            continue
        for plain in unicodedata.normalize("NFD", sign.lower()):
            if unicodedata.category(plain) != "Mn":
                yield (" " if plain.isspace() else plain), place


def _words(text: str) -> Iterator[tuple[str, list[int]]]:
    """Words and single signs, with the place of each of their characters."""
    word: list[str] = []
    places: list[int] = []
    for sign, place in _folded(text):
        alone = bool(sign) and (_punctuation(sign) or _ideograph(sign))
        if sign in ("", " ") or alone:
            if word:
                yield "".join(word), places
            word, places = [], []
            if alone:
                yield sign, [place]
        else:
            word.append(sign)
            places.append(place)
    if word:
        yield "".join(word), places


@lru_cache(maxsize=16384)
def _split(word: str) -> tuple[tuple[int, int, int], ...]:
    """(id, start, end) of a word's pieces: the longest one that the vocabulary holds, each time."""
    known = vocabulary()
    if len(word) > LONGEST_WORD:
        return ((UNKNOWN, 0, len(word)),)
    pieces: list[tuple[int, int, int]] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            found = known.get(word[start:end] if start == 0 else f"##{word[start:end]}")
            if found is not None:
                pieces.append((found, start, end))
                start = end
                break
        else:
            return ((UNKNOWN, 0, len(word)),)
    return tuple(pieces)


def pieces(text: str) -> tuple[Piece, ...]:
    """The pieces of a text in order, without the marks of start and end."""
    return tuple(Piece(id, places[start], places[end - 1] + 1) for word, places in _words(text) for id, start, end in _split(word))
