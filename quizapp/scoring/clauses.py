"""From words to clauses: where one claim ends and the next begins, and which of them deny, suppose, or only report.

Here: structure and polarity. Not here: what a rubric asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from quizapp.scoring.lexicon import (
    ADVERSE,
    AFTER_COMMA,
    CONDITIONAL,
    CONNECTIVES,
    DISTANCED,
    EMPTY,
    INABILITY,
    KNOWING,
    MACHINERY,
    MODALS,
    NAMES_TOPICS,
    NEEDLESS,
    NO_EFFECT,
    REFUSED,
    REPORTED,
    SUPPOSING,
    TAKEN_BACK,
    TO_THE_GRADER,
    VERDICTS,
    WORKING,
)
from quizapp.scoring.wording import Wording, scope, together
from quizapp.scoring.words import Word

MAX_WINDOW_WORDS = 60
MOSTLY = 0.6
"""Share of a text's sentences that deny something, from which all that it says is read with care."""
FEWEST_BEFORE_COLON = 3
_END = re.compile(r"[.!?]+(?=[\s\"')\]]|$)|[\n;]|:(?=\s)")
_ABBREVIATION = re.compile(r"(?:\be\.g|\bi\.e|\bvs|\betc|\bapprox|\bcf)$", re.I)
_NO_EFFECT = re.compile(f"{NO_EFFECT}|{NEEDLESS}")
_REFUSED = re.compile(REFUSED)
_REPORTED = re.compile(REPORTED)
_TAKEN_BACK = re.compile(TAKEN_BACK)
_VERDICTS = tuple(re.compile(pattern) for pattern in VERDICTS)
_NAMES_TOPICS = re.compile(NAMES_TOPICS)
_TO_THE_GRADER = re.compile(TO_THE_GRADER)
FORBIDS_ONLY = frozenset({"if", "when", "unless", "until"})
_COMPLEMENT = frozenset({"whether", "if", "how", "that", "when", "where", "which", "what"})
"""Words that open what a clause before them is about."""


_PERSONS = frozenset({"i", "we", "you", "he", "she", "one"})
_RELATIVE = frozenset({"that", "which", "who", "whose"})
_DETERMINERS = frozenset({"a", "an", "the", "any", "every", "each", "some", "all", "those"})


@dataclass(frozen=True, eq=False)
class Clause:
    """A run of words that makes one claim. What follows from its words is found once."""

    words: Wording
    start: int
    end: int
    """Half open, in the answer as written."""
    sentence: int
    breath: int
    """Number of the sentences that colons join, which are said in one breath."""
    conditional: bool
    """It supposes or gives a reason, so a negation in it denies nothing."""
    supposing: bool
    """It supposes: it isn't claimed at all."""
    no_effect: bool
    """It says that something has no effect, or isn't called for."""
    distanced: bool
    """It calls something wrong, or is reported: the learner doesn't claim it."""
    reported: bool
    """It tells what others hold, the next clause takes it back, or it is addressed to whoever grades."""
    verdict: bool = False
    """It calls its whole sentence wrong: ``it is wrong that ...``."""
    harm: bool = False
    """What follows in its sentence tells of harm: a negation in it states the problem."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of its content words."""
        return frozenset(self.words.held)

    @cached_property
    def negators(self) -> tuple[int, ...]:
        """Positions of the words that deny what follows."""
        found = (at for at, word in enumerate(self.words) if word.negator and not self._states_a_failure(at))
        return tuple(at for at in found if not self.conditional or self._modal(at))

    @cached_property
    def meant(self) -> Wording:
        """Its words without those that are named only to be set against them."""
        foils = any(word.foil for word in self.words)
        return Wording(word for word in self.words if not word.foil) if foils else self.words

    @cached_property
    def as_meant(self) -> Clause:
        """The clause without those words."""
        return self if self.meant is self.words else replace(self, words=self.meant)

    def _modal(self, at: int) -> bool:
        """``must not``, ``shouldn't``: what is asked for is denied, wherever it stands."""
        return self.words[at].text in MODALS or (at > 0 and self.words[at - 1].text in MODALS)

    def _states_a_failure(self, at: int) -> bool:
        """Whether the negation says that a program or a framework fails to do something: that is a problem, no denial."""
        following = [other.text for other in self.words[at + 1 : at + 3]]
        if self._modal(at):
            return False
        if any(text in KNOWING for text in following):
            return True
        before = self.words[:at]
        machine = any(other.key == "~framework" or other.text in MACHINERY for other in before)
        return (machine and any(text in WORKING for text in following)) or self.harm

    @cached_property
    def denied(self) -> tuple[Word, ...]:
        """The content words that its negators deny."""
        return tuple(word for at in self.negators for word in scope(self.words, at))

    @cached_property
    def doubted(self) -> tuple[Word, ...]:
        """The content words that any negator or inability denies, but for what somebody fails to know, and what is told aside."""
        return self._scopes(aside=False)

    @cached_property
    def doubted_aside(self) -> tuple[Word, ...]:
        """The same of what only tells which one is meant: ``a length that isn't divisible``."""
        return self._scopes(aside=True)

    def _scopes(self, *, aside: bool) -> tuple[Word, ...]:
        found = (
            at for at, word in enumerate(self.words) if (word.negator or word.text in INABILITY) and self._which_one(at) == aside
        )
        return tuple(
            word
            for at in found
            if self._modal(at) or not self._unaware(at)
            for word in scope(self.words, at)
            if word.key not in EMPTY
        )

    def _unaware(self, at: int) -> bool:
        """``DDP does not know``; what a person doesn't see is denied."""
        aware = any(other.text in KNOWING for other in self.words[at + 1 : at + 3])
        return aware and not any(other.text in _PERSONS for other in self.words[:at])

    @cached_property
    def open_denial(self) -> bool:
        """Whether it ends in a negation: ``it may not be:`` denies what comes next."""
        return any(
            word.negator and word.text != "nothing" and not any(other.content for other in self.words[at + 1 :])
            for at, word in enumerate(self.words)
        )

    def _which_one(self, at: int) -> bool:
        for place in range(max(2, at - 4), at):
            if self.words[place].text in _RELATIVE and (
                self.words[place].text != "that" or any(word.text in _DETERMINERS for word in self.words[max(0, place - 3) : place])
            ):
                return True
        return False

    @cached_property
    def negated(self) -> bool:
        return any(word.negator for word in self.words)

    @cached_property
    def turned(self) -> bool:
        """Whether a negator has been read into one of its words."""
        return any(word.turned for word in self.words)

    @cached_property
    def hollow(self) -> bool:
        """Whether it names nothing itself: it speaks of what was said before it."""
        return not any(word.content and word.key not in EMPTY for word in self.words)


@dataclass(frozen=True, slots=True)
class Window:
    """One clause, or neighbours, looked at together."""

    clauses: tuple[Clause, ...]
    first: int
    last: int
    """Positions of the first and last clause in the answer."""
    words: Wording


def says_needless(text: str) -> bool:
    """Whether a phrase says that something has no effect, or isn't called for."""
    return bool(_NO_EFFECT.search(text.casefold()))


def window(clauses: Sequence[Clause], first: int, last: int) -> Window:
    """The clauses from the first to the last position."""
    group = tuple(clauses[first : last + 1])
    return Window(group, first, last, together([clause.meant for clause in group]))


def _sentence_ends(text: str) -> list[int]:
    ends: list[int] = []
    for match in _END.finditer(text):
        if match.group() == "." and _ABBREVIATION.search(text[: match.start()]):
            continue
        # After some words a colon opens what follows from them; after one or two it names whoever speaks.
        if match.group() == ":" and len(text[ends[-1] if ends else 0 : match.start()].split()) < FEWEST_BEFORE_COLON:
            continue
        ends.append(match.start())
    return ends


def split(text: str, words: Sequence[Word]) -> tuple[Clause, ...]:
    """The clauses of an answer, in order."""
    ends = _sentence_ends(text)
    clauses: list[Clause] = []
    run: list[Word] = []
    sentence = breath = 0
    conditional = False

    def close() -> None:
        nonlocal run, conditional
        if run:
            start, end = run[0].start, run[-1].end
            lowered = _plain(text[start:end])
            reported = bool(_REPORTED.search(lowered))
            clauses.append(
                Clause(
                    words=Wording(run),
                    start=start,
                    end=end,
                    sentence=sentence,
                    breath=breath,
                    conditional=conditional,
                    supposing=any(word.text in SUPPOSING for word in run[:2]),
                    no_effect=bool(_NO_EFFECT.search(lowered)),
                    distanced=reported or any(word.text in DISTANCED for word in run),
                    reported=reported,
                )
            )
        run, conditional = [], False

    coming = iter([*ends, len(text) + 1])
    end = next(coming)
    for at, word in enumerate(words):
        between = text[words[at - 1].end : word.start] if at else ""
        while at and end < words[at - 1].end:
            end = next(coming)
        new_sentence = at > 0 and end <= word.start
        opens = word.text in CONNECTIVES and not _measures(words, at)
        after_comma = "," in between and (conditional or word.text in AFTER_COMMA)
        if new_sentence:
            close()
            sentence += 1
            breath += not re.match(r"[\"')\]]*:", between)
        elif opens or after_comma or ":" in between or " - " in between or "–" in between or "—" in between:
            close()
        run.append(word)
        conditional = conditional or (len(run) <= 2 and word.text in CONDITIONAL)
    close()
    return tuple(_related(text, clauses))


def _measures(words: Sequence[Word], at: int) -> bool:
    """``so many``, and ``it is not so that``: there *so* opens no clause."""
    many = any(word.text in ("many", "much", "few") for word in words[at + 1 : at + 2])
    return words[at].text == "so" and (many or (at > 0 and words[at - 1].negator))


def _related(text: str, clauses: Sequence[Clause]) -> list[Clause]:
    """What a clause says of the one before or after it: that it has no effect, is taken back, does harm, or is for the grader."""
    out = list(clauses)
    sentences: dict[int, list[int]] = {}
    for at, clause in enumerate(clauses):
        sentences.setdefault(clause.sentence, []).append(at)
    for same in sentences.values():
        lowered = _plain(text[clauses[same[0]].start : clauses[same[-1]].end])
        for pattern, at in zip(_VERDICTS, (same[0], same[-1]), strict=True):
            if pattern.search(lowered):
                out[at] = replace(out[at], verdict=True)
    aside = {number for number, same in sentences.items() if _is_aside(text[clauses[same[0]].start : clauses[same[-1]].end])}
    for at, clause in enumerate(clauses):
        after = clauses[at + 1 : at + 2]
        if clause.negated and after and after[0].sentence == clause.sentence and after[0].words[0].text in FORBIDS_ONLY:
            out[at] = replace(out[at], conditional=True)  # ``don't step if it isn't finite`` forbids it in one case only
        same = sentences[clause.sentence]
        lowered = _plain(text[clause.start : clause.end])
        if clause.sentence in aside:
            out[at] = replace(out[at], distanced=True, reported=True)
        if _TAKEN_BACK.search(lowered):
            for other in _before(clauses, at):
                out[other] = replace(out[other], distanced=True, reported=True)
        if _REFUSED.search(lowered):
            opened = text[clauses[same[-1]].end :].lstrip().startswith(":")
            listed = [other for other in range(len(clauses)) if opened and clauses[other].sentence == clause.sentence + 1]
            for other in (other for other in (*same, *listed) if other >= at):
                out[other] = replace(out[other], no_effect=True, conditional=False)
        if clause.no_effect:
            following = at + 1
            if following in same and clauses[following].words[0].text in _COMPLEMENT:
                out[following] = replace(out[following], no_effect=True, conditional=False)
            elif clause.hollow and not clause.supposing:
                for other in _before(clauses, at):
                    out[other] = replace(out[other], no_effect=True)
        if out[at].distanced and at + 1 in same and "that" in [word.text for word in clauses[at + 1].words[:2]]:
            out[at + 1] = replace(out[at + 1], distanced=True)
        later = [other for other in same if other > at][:2]
        if any(harmful(clauses[other]) for other in later):
            out[at] = replace(out[at], harm=True)
    return out


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")


def _is_aside(sentence: str) -> bool:
    """Whether a sentence is for the grader, or only names topics."""
    lowered = _plain(sentence)
    return bool(_TO_THE_GRADER.search(lowered) or _NAMES_TOPICS.search(lowered))


def harmful(clause: Clause) -> bool:
    """Whether it tells of something gone wrong, and doesn't deny that."""
    words = clause.words
    too = any(excess(words, at) for at in range(len(words)))
    return (too or any(adverse(word) for word in words)) and not clause.negated


def excess(words: Sequence[Word], at: int) -> bool:
    """``too large``, ``too much``."""
    following = words[at + 1 : at + 2]
    return words[at].text == "too" and any(word.content or word.text in ("much", "many", "few", "little") for word in following)


def adverse(word: Word) -> bool:
    """Whether a word tells of harm."""
    return word.text in ADVERSE or word.key in ADVERSE


def _before(clauses: Sequence[Clause], at: int) -> list[int]:
    """Positions of what a clause refers back to: the rest of its sentence before it, or the whole sentence before that."""
    sentence = clauses[at].sentence
    same = [other for other in range(at) if clauses[other].sentence == sentence and not clauses[other].hollow]
    return same or [other for other in range(at) if clauses[other].sentence == sentence - 1]


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


@lru_cache(maxsize=4)
def mostly_denies(clauses: tuple[Clause, ...]) -> frozenset[int]:
    """The numbers of the sentences that deny something, where most sentences of a text do; else none."""
    sentences = {clause.sentence for clause in clauses}
    denying = {clause.sentence for clause in clauses if clause.no_effect or clause.negators}
    return frozenset(denying) if len(sentences) > 1 and len(denying) >= MOSTLY * len(sentences) else frozenset()
