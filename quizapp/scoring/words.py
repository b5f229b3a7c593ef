"""From text to words: offsets into the text as written, stems, concepts, spelling slips.

Here: what the words are. Not here: clauses and polarity (``quizapp.scoring.clauses``), and what a rubric asks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from quizapp.scoring.lexicon import (
    ATTRIBUTES,
    CONCEPTS,
    CONTENT_ANYWAY,
    EXACT,
    EXTENT_BEFORE,
    FOIL_ENDS,
    FOIL_OPENS,
    FUNCTION_WORDS,
    GRANTS_DIFFERENCE,
    HARMLESS_AFTER,
    INABILITY,
    NEGATORS,
    NOT_ONLY,
    NOUN_BEFORE,
    OPPOSITE,
    OTHER_LANGUAGES,
    PLACES,
    PROTECTED,
    VERBS_BEFORE_NOT,
)
from quizapp.scoring.signs import ABBREVIATIONS, SIGN, letter

SHORTEST_SLIP = 4
"""Shortest word that is taken for a misspelling."""
_WORD = re.compile(SIGN.pattern + r"|[^\W\d_]+(?:['’ʼ][^\W\d_]+)?|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?<!\bNa)(?=[A-Z])")  # but for NaN
NO_SYNC = "~nosync"
_ORDERS = frozenset({"must", "should", "shall", "may"})
_FILLERS = frozenset(
    {"the", "a", "an", "all", "exactly", "always", "quite", "really", "be", "have", "of", "any", "at", "to", "necessarily", "in"}
)
_VERB_MEAN = frozenset(
    {"that", "more", "less", "fewer", "you", "we", "it", "they", "there", "some", "the", "a", "an", "one", "each", "every"}
)
_NOT_COMPARING = {
    "even": {"though", "if", "when", "one", "a", "the", "more", "less", "with", "then", "so", "after"},
    "same": {
        "problem",
        "thing",
        "reason",
        "issue",
        "way",
        "effect",
        "error",
        "mistake",
        "holds",
        "applies",
        "goes",
        "happens",
        "bug",
        "logic",
    },
}
"""*even* and *same* compare nothing before these words."""
_QUOTED = re.compile('["“][^"“”\\n]{1,60}["”]')
FOIL = 6
"""Words after a *not* without a verb that it sets against what is said, at most."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, or a few that mean one thing together."""

    text: str
    """In lower case, without accents, slips mended."""
    key: str
    """What it is compared by: a concept (``~rank``), else its stem."""
    start: int
    end: int
    """Half open, in the text as written."""
    content: bool
    negator: bool = False
    """Denies what follows it in its clause."""
    foil: bool = False
    """Named only to be set against what is said: *sum, not mean*."""
    turned: bool = False
    """A negator has been read into it: *not the same*."""


def fold(text: str) -> tuple[str, list[int]]:
    """The text with compatible characters unified and accents taken off, and where each of its characters stood; the end too."""
    if text.isascii():
        return text, [*range(len(text) + 1)]
    out: list[str] = []
    origin: list[int] = []
    for place, sign in enumerate(text):
        plain = (
            sign
            if sign.isascii() or sign == "≠"
            else "".join(c for c in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(c))
        )
        out.append(plain)
        origin.extend([place] * len(plain))
    return "".join(out), [*origin, len(text)]


@lru_cache(maxsize=1)
def _stemmer() -> object:
    import snowballstemmer  # type: ignore[import-untyped]

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The Snowball stem of a lower-case word."""
    return str(_stemmer().stemWord(word.replace("’", "'")))  # type: ignore[attr-defined]


@lru_cache(maxsize=1)
def _concepts() -> tuple[dict[str, str], dict[str, list[tuple[tuple[str, ...], str]]]]:
    """Stem -> concept, and for entries of several words: first word -> (words, concept), longest first."""
    singles: dict[str, str] = {}
    several: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for concept, entries in CONCEPTS.items():
        for entry in entries:
            words = tuple(entry.split())
            if len(words) == 1:
                singles.setdefault(stem(words[0]), concept)
            else:
                several.setdefault(words[0], []).append((words, concept))
    for entries_of_word in several.values():
        entries_of_word.sort(key=lambda entry: -len(entry[0]))
    return singles, several


def _is_negator(text: str) -> bool:
    plain = text.replace("’", "'")
    return plain in NEGATORS or (plain.endswith("n't") and plain not in INABILITY)


@lru_cache(maxsize=16384)
def _meaning(text: str) -> tuple[str, bool, bool]:
    """What a word is compared by, whether it carries content, and whether it negates."""
    if text in EXACT:
        return EXACT[text], True, False
    negates = _is_negator(text)
    content = (text not in FUNCTION_WORDS or text in CONTENT_ANYWAY) and not text.replace("’", "'").endswith("n't") and not negates
    return _concepts()[0].get(stem(text), stem(text)), content, negates


def _word(text: str, start: int, end: int) -> Word:
    key, content, negates = _meaning(text)
    return Word(text, key, start, end, content, negates)


@lru_cache(maxsize=16384)
def _pieces(written: str) -> tuple[tuple[int, str], ...]:
    """The words that are written as one (``noSync``): letters of each, and how it is read."""
    found = []
    for piece in _CAMEL.split(written):
        plain = piece.casefold().replace("’", "'").replace("ʼ", "'")
        found.append((len(piece), ABBREVIATIONS.get(plain, plain)))
    return tuple(found)


def _bare(text: str) -> list[Word]:
    folded, origin = fold(text)
    words: list[Word] = []
    for match in _WORD.finditer(folded):
        start = match.start()
        said = match.lastgroup or letter(folded, start, match.end())
        if said:
            words.append(_word(said, origin[start], origin[match.end() - 1] + 1))
            continue
        named = "_" in (folded[start - 1 : start], folded[match.end() : match.end() + 1])
        for letters, plain in _pieces(match.group()):
            word = _word(plain, origin[start], origin[start + letters - 1] + 1)
            # A piece of a program's name (no_sync, not_equal) says nothing by itself.
            words.append(replace(word, negator=False, content=True) if named and word.negator else word)
            start += letters
    return words


@dataclass(frozen=True)
class Vocabulary:
    """The words that a misspelling may be meant for."""

    words: tuple[str, ...]
    stems: frozenset[str]

    @cached_property
    def _alike(self) -> Mapping[tuple[str, int], Sequence[str]]:
        """First letter and length -> the words."""
        found: dict[tuple[str, int], list[str]] = {}
        for word in self.words:
            found.setdefault((word[0], len(word)), []).append(word)
        return found

    def mend(self, word: Word) -> Word:
        """The word that was meant, where one is near enough; else the word."""
        text = word.text
        if len(text) < SHORTEST_SLIP or not word.content or text in PROTECTED or word.key in self.stems or word.key.startswith("~"):
            return word
        meant = self._nearest(text)
        return word if meant is None else replace(_word(meant, word.start, word.end), text=meant)

    def _nearest(self, text: str) -> str | None:
        from rapidfuzz.distance import OSA

        allowed = 1 if len(text) < 7 else 2
        best: tuple[int, str] | None = None
        for length in range(len(text) - allowed, len(text) + allowed + 1):
            for candidate in self._alike.get((text[0], length), ()):
                if len(text) == SHORTEST_SLIP and sorted(candidate) != sorted(text):
                    continue
                distance = OSA.distance(text, candidate, score_cutoff=allowed)
                if distance <= allowed and (best is None or (distance, candidate) < best):
                    best = distance, candidate
        return None if best is None else best[1]


def vocabulary(texts: Iterable[str]) -> Vocabulary:
    """The content words of some texts, and the field's own."""
    found = {word.text for text in texts for word in _bare(text) if word.content and len(word.text) >= SHORTEST_SLIP}
    own = {entry for entries in CONCEPTS.values() for entry in entries if " " not in entry and len(entry) >= SHORTEST_SLIP}
    words = tuple(sorted(found | own))
    return Vocabulary(words, frozenset(stem(word) for word in words))


def _is_verb(words: Sequence[Word], at: int) -> bool:
    """``more GPUs means more work``: here *means* is no average."""
    if words[at].text not in ("mean", "means", "meaning"):
        return False
    following = words[at + 1].text if at + 1 < len(words) else ""
    before = words[at - 1].text if at else ""
    return (
        words[at].text == "meaning"
        or (following in _VERB_MEAN and before not in NOUN_BEFORE)
        or before in ("not", "would", "does", "doesn't")
    )


def _denies(words: Sequence[Word], at: int, concept: str) -> bool:
    """``no sync`` names the context manager inside, under or out of it; elsewhere it says that nothing is synchronised."""
    return concept == NO_SYNC and words[at].negator and (at == 0 or words[at - 1].text not in PLACES)


def _joined(words: Sequence[Word]) -> list[Word]:
    """Puts word pairs that are one concept together."""
    several = _concepts()[1]
    out: list[Word] = []
    at = 0
    while at < len(words):
        for parts, concept in several.get(words[at].text, ()):
            if tuple(word.text for word in words[at : at + len(parts)]) == parts and not _denies(words, at, concept):
                last = words[at + len(parts) - 1]
                out.append(Word(" ".join(parts), concept, words[at].start, last.end, content=True))
                at += len(parts)
                break
        else:
            word = words[at]
            following = words[at + 1].text if at + 1 < len(words) else ""
            if _is_verb(words, at) or following in _NOT_COMPARING.get(word.text, ()):
                word = replace(word, key=f"({word.text})", content=False)
            out.append(word)
            at += 1
    return out


def _polarised(words: Sequence[Word]) -> list[Word]:
    """``not the same`` is *differ*, ``never differ`` is *same*: the negator goes into the concept. ``not only`` denies nothing.

    Who asks *whether* counts are the same, or says that it is right *only if* they are, speaks of their difference.
    """
    out = list(words)
    for at, word in enumerate(words):
        if not word.negator:
            continue
        following = at + 1
        reach, between = 5, 0
        if following < len(words) and words[following].text in HARMLESS_AFTER - {"necessarily", "longer"}:
            rest = {other.text for other in words[following : following + 30]}
            if words[following].text in NOT_ONLY and not rest & {"but", "also", "too", "it", "they"}:
                continue
            out[at] = replace(word, negator=False)
            continue
        if word.text in ("nothing", "none", "no", "zero") and at and words[at - 1].text in EXTENT_BEFORE:
            out[at] = replace(word, negator=False)
            continue
        while following < len(words) and following - at <= reach:
            other = words[following]
            if other.key in OPPOSITE and at and words[at - 1].text in _ORDERS:
                break  # ``must not be the same`` forbids it
            if other.key in OPPOSITE and (between == 0 or other.key == "~same"):
                out[at] = replace(word, negator=False, content=False)
                out[following] = replace(other, key=OPPOSITE[other.key], start=word.start, content=True, turned=True)
                break
            between += other.text not in _FILLERS and other.text != "two"
            if between > 1 or other.negator:
                break
            following += 1
        if following < len(words) and words[following].text == "necessarily":
            out[at] = replace(word, negator=False)
    for at, word in enumerate(words):
        supposed = word.text in GRANTS_DIFFERENCE or (
            word.text in ("if", "when") and at and words[at - 1].text in ("only", "right", "fine")
        )
        for following in range(at + 1, min(at + 14, len(words))) if supposed else ():
            if out[following].key == "~same":
                out[following] = replace(out[following], key="~differ")
                break
            if out[following].turned and word.text in ("if", "when"):
                out[following] = replace(out[following], key="~same")  # ``right only if they are not equal``
                break
    return out


def _set_against(text: str, words: Sequence[Word]) -> list[Word]:
    """``sum, not mean``: a *not* that follows no verb names what isn't meant, and denies nothing else.

    Quoted words, and a property (``with no labels``), deny nothing.
    """
    out = list(words)
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    for at, word in enumerate(words):
        if not word.negator:
            continue
        if any(start <= word.start < end for start, end in quoted) or (
            word.text in ATTRIBUTES and at and words[at - 1].text == "with"
        ):
            out[at] = replace(word, negator=False)
        if word.text != "not" or at == 0:
            continue
        joins = words[at - 1].text == "and"
        verb = (words[at - 1].text in VERBS_BEFORE_NOT and not joins) or words[at - 1].text.endswith("ly")
        if verb and "," not in text[words[at - 1].end : word.start]:
            continue
        following = words[at + 1 : at + 1 + FOIL]
        if not following or not (
            following[0].text in FOIL_OPENS
            or ((words[at - 1].content or joins) and (following[0].content or following[0].text in ("mean", "means")))
        ):
            continue
        if len(following) > 1 and following[0].text == "to" and text[words[at - 1].end : word.start].strip() == "":
            continue
        out[at] = replace(word, negator=False, foil=True)
        for place, other in enumerate(following, at + 1):
            between = text[words[place - 1].end : other.start]
            if (place > at + 1 and re.search(r"[,.;:()\n]", between)) or other.text in FOIL_ENDS or other.negator:
                break
            out[place] = replace(out[place], foil=True)
    return out


def read_words(text: str, spelling: Vocabulary | None = None) -> tuple[Word, ...]:
    """The words of a text in order, with offsets into it as written."""
    words = _bare(text)
    if spelling is not None:
        words = [spelling.mend(word) for word in words]
    return tuple(_set_against(text, _polarised(_joined(words))))


@lru_cache(maxsize=8192)
def read_phrase(text: str) -> tuple[Word, ...]:
    """The words of a rubric's phrase; remembered."""
    return read_words(text)


def in_another_language(words: Sequence[Word]) -> bool:
    """Whether the function words are not English ones."""
    if len(words) < 6:
        return False
    english = sum(word.text in FUNCTION_WORDS for word in words)
    other = sum(word.text in OTHER_LANGUAGES and word.text not in FUNCTION_WORDS for word in words)
    return other >= 2 and other > english
