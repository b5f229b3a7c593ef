"""Patterns of a rubric, tried on texts made to trip them: long ones that nearly match, and one that says nothing."""

import re
import time
from collections.abc import Iterator
from contextlib import suppress

import regex

REGEX_SECONDS = 0.1
"""The time that the scorer gives a pattern; what takes longer counts as not found."""
SHORT, LONG = 40, 1_000
"""Characters of the texts: enough for what doubles with each character, and a long answer for what grows with the cube of its
length. What grows with the square stays within the limit on any answer of that length."""
PATIENCE = 8
"""Times the scorer's limit that a pattern may wait for a busy processor before it is judged by what it used of it."""
NEUTRAL = "I am not sure what to say here. It depends, and I would have to look it up first."
_CLASSES = {"d": "0", "w": "a", "s": " ", "W": "-", "D": "a", "S": "a", "h": " ", "n": "\n", "t": "\t"}
_TOKEN = re.compile(
    r"\\(?:[pPxuUN]\{[^}]*\}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^()]*?[:>=!)]|\{\d*,?\d*\}|[()|*+?^$.]|.", re.DOTALL
)


def pattern_faults(pattern: str) -> Iterator[tuple[str, str, str]]:
    """Code, message and mend of each way in which a pattern can't be used; nothing for one that doesn't parse."""
    try:
        compiled = regex.compile(pattern, regex.IGNORECASE)
    except regex.error:
        return
    for text in attacks(pattern):
        if _runs_away(compiled, text):
            message = f"the pattern runs away: {len(text)} characters such as {text[:24]!r} take it over {REGEX_SECONDS:g} s"
            yield "regex-slow", message, "let no repeated group hold another repeat, and write [^.]* rather than .*"
            return
    found = compiled.search(NEUTRAL)
    if found is not None and found.group():
        yield (
            "regex-any",
            f"the pattern finds {found.group()!r} in a text that says nothing",
            "ask for words that only a right answer has",
        )
    elif compiled.search("") is not None:
        yield "regex-any", "the pattern matches the empty text", "ask for words that only a right answer has"


def _runs_away(pattern: "regex.Pattern[str]", text: str) -> bool:
    """Whether the search takes more processor time than the scorer allows."""
    try:
        pattern.search(text, timeout=REGEX_SECONDS)
        return False
    except TimeoutError:
        started = time.thread_time()
    with suppress(TimeoutError):
        pattern.search(text, timeout=REGEX_SECONDS * PATIENCE)
    return time.thread_time() - started > REGEX_SECONDS


def attacks(pattern: str) -> list[str]:
    """Texts that repeat a part of what the pattern looks for, after what comes before it, and end in what isn't wanted."""
    pieces = list(_samples(pattern))
    shapes: dict[tuple[str, str, str], None] = {}
    for at, piece in enumerate(pieces):
        before, after = "".join(pieces[:at])[-SHORT:], "".join(pieces[at + 1 :])[:SHORT]
        for pump in (piece, *piece[:1], *piece[-1:]):
            # What stands after is there too: a search for a text that lacks a word it must have ends at once.
            shapes |= dict.fromkeys(((before, pump, f"!{after}"), ("", pump, "\0" + after), ("", pump, f"!{piece[-1:]}")))
    for pump in ("a", "a ", "0", "-", " "):
        shapes["", pump, "!" + "".join(pieces[1:])[:SHORT]] = shapes["", pump, "!"] = None
    texts = (f"{start}{pump * (size // len(pump))}{end}" for start, pump, end in shapes if pump for size in (SHORT, LONG))
    return list(dict.fromkeys(texts))


def _samples(pattern: str) -> Iterator[str]:
    """A text for each piece of the pattern between brackets and bars, without its repeats."""
    piece = ""
    for token in _TOKEN.findall(pattern):
        if token[0] in "(|)":
            if piece:
                yield piece
            piece = ""
        elif token[0] == "\\":
            piece += _CLASSES.get(token[1], "" if token[1] in "bBAZzGK0123456789" else token[1])
        elif token[0] == "[":
            inner = token[1:-1]
            piece += "~" if inner.startswith("^") else _CLASSES.get(inner[1:2], inner[1:2]) if inner.startswith("\\") else inner[:1]
        elif token == ".":
            piece += "a"
        elif token[0] not in "*+?^$" and not re.fullmatch(r"\{\d*,?\d*\}", token):
            piece += token
    if piece:
        yield piece
