"""Plain words for faults: what stands somewhere, and which known word a mistyped one most likely means."""

from collections.abc import Iterable
from difflib import get_close_matches


def said(value: object) -> str:
    """What stands there, in words."""
    match value:
        case None:
            return "empty"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {value if len(value) <= 40 else value[:37] + '...'!r}" if value else "empty text"
        case tuple():
            return "a list"
        case _:
            return "keys with values"


def meant(word: str, known: Iterable[str], verb: str = "write") -> str:
    """What to write instead of a word that isn't known: the nearest one, else all of them where they are few."""
    words = sorted(set(known))
    if close := get_close_matches(word, words, n=1, cutoff=0.6):
        return f"did you mean {close[0]!r}?"
    if not words:
        return "remove it"
    return f"{verb} one of {', '.join(words)}" if len(words) <= 24 else f"{verb} one of the {len(words)} known ones"


def slug(text: str) -> str:
    """The id nearest to a text: lower-case words joined by hyphens."""
    letters = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in text.lower())
    return "-".join(letters.split())
