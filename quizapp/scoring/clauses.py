"""From words to clauses: where one claim ends and the next begins, and which of them deny, suppose, or only report.

Here: structure and polarity. Not here: what a rubric asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quizapp.scoring.lexicon import (
    AFTER_COMMA,
    CONDITIONAL,
    CONNECTIVES,
    DISTANCED,
    FUNCTION_WORDS,
    HANDLING,
    NO_EFFECT,
    OTHER_LANGUAGES,
    REPORTED,
    SUPPOSING,
    TAKEN_BACK,
)
from quizapp.scoring.words import Word

MAX_WINDOW_WORDS = 60
_END = re.compile(r"[.!?]+(?=[\s\"')\]]|$)|[\n;]")
_ABBREVIATION = re.compile(r"(?:\be\.g|\bi\.e|\bvs|\betc|\bapprox|\bcf)$", re.I)
_NO_EFFECT = re.compile(NO_EFFECT)
_REPORTED = re.compile(REPORTED)
_TAKEN_BACK = re.compile(TAKEN_BACK)


@dataclass(frozen=True, slots=True)
class Clause:
    """A run of words that makes one claim."""

    words: tuple[Word, ...]
    start: int
    end: int
    """Half open, in the answer as written."""
    sentence: int
    conditional: bool
    """It supposes or gives a reason, so a negation in it denies nothing."""
    supposing: bool
    """It supposes: it isn't claimed at all."""
    no_effect: bool
    """It says that something has no effect."""
    distanced: bool
    """It calls something wrong, or is reported: the learner doesn't claim it."""
    reported: bool
    """It tells what others hold, or the next clause takes it back."""

    @property
    def negators(self) -> tuple[int, ...]:
        """Positions of the words that deny what follows."""
        if self.conditional:
            return ()
        return tuple(
            at
            for at, word in enumerate(self.words)
            if word.negator and not any(other.text in HANDLING for other in self.words[at + 1 : at + 3])
        )

    @property
    def negated(self) -> bool:
        return any(word.negator for word in self.words)


@dataclass(frozen=True, slots=True)
class Window:
    """One clause, or neighbours, looked at together."""

    clauses: tuple[Clause, ...]
    first: int
    last: int
    """Positions of the first and last clause in the answer."""
    words: tuple[Word, ...]


def window(clauses: Sequence[Clause], first: int, last: int) -> Window:
    """The clauses from the first to the last position."""
    group = tuple(clauses[first : last + 1])
    return Window(group, first, last, tuple(word for clause in group for word in clause.words))


def _sentence_ends(text: str) -> list[int]:
    return [m.start() for m in _END.finditer(text) if not (m.group() == "." and _ABBREVIATION.search(text[: m.start()]))]


def split(text: str, words: Sequence[Word]) -> tuple[Clause, ...]:
    """The clauses of an answer, in order."""
    ends = _sentence_ends(text)
    clauses: list[Clause] = []
    run: list[Word] = []
    sentence = 0
    conditional = False

    def close() -> None:
        nonlocal run, conditional
        if run:
            start, end = run[0].start, run[-1].end
            lowered = text[start:end].casefold().replace("’", "'")
            if clauses and _TAKEN_BACK.search(lowered):
                clauses[-1] = replace(clauses[-1], distanced=True, reported=True)
            reported = bool(_REPORTED.search(lowered))
            clauses.append(
                Clause(
                    words=tuple(run),
                    start=start,
                    end=end,
                    sentence=sentence,
                    conditional=conditional,
                    supposing=any(word.text in SUPPOSING for word in run[:2]),
                    no_effect=bool(_NO_EFFECT.search(lowered)),
                    distanced=reported or any(word.text in DISTANCED for word in run),
                    reported=reported,
                )
            )
        run, conditional = [], False

    for at, word in enumerate(words):
        between = text[words[at - 1].end : word.start] if at else ""
        new_sentence = at > 0 and any(words[at - 1].end <= end <= word.start for end in ends)
        opens = word.text in CONNECTIVES and not (
            word.text == "so" and at + 1 < len(words) and words[at + 1].text in ("many", "much", "few")
        )
        after_comma = "," in between and (conditional or word.text in AFTER_COMMA)
        if new_sentence:
            close()
            sentence += 1
        elif opens or after_comma or ":" in between or " - " in between or "–" in between or "—" in between:
            close()
        run.append(word)
        conditional = conditional or (len(run) <= 2 and word.text in CONDITIONAL)
    close()
    return tuple(clauses)


def windows(clauses: Sequence[Clause]) -> Iterator[Window]:
    """Each clause, each two neighbours, and each sentence of three or four clauses."""
    for at in range(len(clauses)):
        yield window(clauses, at, at)
    for at in range(len(clauses) - 1):
        yield window(clauses, at, at + 1)
    for at in range(len(clauses) - 2):
        for size in (3, 4):
            group = clauses[at : at + size]
            if len(group) == size and group[0].sentence == group[-1].sentence:
                yield window(clauses, at, at + size - 1)


def is_list(text: str, words: Sequence[Word]) -> bool:
    """Terms one after the other, without sentences that say anything of them."""
    pieces = [piece for piece in re.split(r"[,;.!?\n|/]+|\s[-–—•*]\s", text) if re.search(r"\w", piece)]
    bare = [len(piece.split()) for piece in pieces if not set(re.findall(r"[\w']+", piece.casefold())) & FUNCTION_WORDS]
    short = [size for size in bare if size <= 5]
    total = sum(len(piece.split()) for piece in pieces)
    if len(short) >= 4 and sum(short) >= 0.6 * total:
        return True
    return len(words) >= 8 and sum(not word.content for word in words) <= 0.06 * len(words)


def in_another_language(words: Sequence[Word]) -> bool:
    """Whether the function words are not English ones."""
    if len(words) < 6:
        return False
    english = sum(word.text in FUNCTION_WORDS for word in words)
    other = sum(word.text in OTHER_LANGUAGES and word.text not in FUNCTION_WORDS for word in words)
    return other >= 2 and other > english
