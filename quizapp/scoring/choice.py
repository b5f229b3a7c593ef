"""Scores a choice: which option an answer names, and what choosing it earns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from quizapp.model.question import ChoicePart
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice
from quizapp.scoring.answer import AnswerError, sentence, single, span
from quizapp.scoring.numerals import Numeral, read_number

MAX_CHARACTERS = 2_000
_LETTER = re.compile(r"(?:(?:option|choice|answer)[\s:]+)?[(\[]?([A-Za-z])[)\].:]?", re.I)
_BETWEEN = re.compile(r"[,;\n]|\band\b")
MAX_PIECES = 30
_TOLERANCE = Fraction(1, 2000)

__all__ = ["AnswerError", "choose", "score_choice"]


def _plain(text: str) -> str:
    """The text without what differs by accident: width, white space, Markdown's signs, a full stop at the end."""
    return re.sub(r"[\s`$]|\*\*|\.$", "", unicodedata.normalize("NFKC", text).strip())


def _numeral(text: str) -> Numeral | None:
    try:
        return read_number(text)
    except AnswerError:
        return None


def _value(choice: ShownChoice) -> Fraction | None:
    if choice.value is not None:
        return choice.value if isinstance(choice.value, Fraction) else None
    numeral = _numeral(_plain(choice.text))
    return numeral.value if numeral is not None and numeral.note is None else None


def _only(matches: Sequence[ShownChoice], answer: str) -> ShownChoice | None:
    if len(matches) > 1:
        raise AnswerError(f"{answer.strip()!r} fits more than one option; answer with a letter or id: {_options(matches)}.")
    return matches[0] if matches else None


def _options(shown: Sequence[ShownChoice]) -> str:
    return "; ".join(f"{choice.letter}) {' '.join(choice.text.split())} [{choice.id}]" for choice in shown)


def _find(shown: Sequence[ShownChoice], answer: str) -> ShownChoice | None:
    """The one option that the answer names: by exact id, then text or numeric value, then letter as shown."""
    text = answer.strip()
    for choice in shown:
        if choice.id == text:
            return choice
    plain = _plain(text)
    for fold in (str, str.casefold):
        found = _only([choice for choice in shown if plain and fold(_plain(choice.text)) == fold(plain)], text)
        if found:
            return found
    numeral = _numeral(text)
    if numeral is not None:
        numbers = [(choice, value) for choice in shown if (value := _value(choice)) is not None]
        found = _only([choice for choice, value in numbers if value == numeral.value], text)
        if found is None and not numeral.exact:
            found = _only([c for c, value in numbers if abs(value - numeral.value) <= _TOLERANCE * abs(value)], text)
        if found:
            return found
    letter = _LETTER.fullmatch(text)
    if letter:
        return next((choice for choice in shown if choice.letter.casefold() == letter[1].casefold()), None)
    return None


def _pieces(answer: str) -> list[tuple[int, int]]:
    """Start and end of what stands between commas and the like; of every letter in ``a b``."""
    if re.fullmatch(r"\s*[A-Za-z](?:\s+[A-Za-z])+\s*", answer):
        return [match.span() for match in re.finditer(r"\S", answer)]
    cuts = [(0, 0), *(match.span() for match in _BETWEEN.finditer(answer)), (len(answer), len(answer))]
    return [(start, end) for (_, start), (end, _) in pairwise(cuts) if answer[start:end].strip()]


def choose(shown: Sequence[ShownChoice], answer: str) -> tuple[ShownChoice, ...]:
    """The options that an answer names, in the order named: one option, or several parted by commas.

    A digit is never a position: ``2`` is the option whose id, text or value is 2.

    Raises:
        AnswerError: a name that fits no option, or more than one.
    """
    if len(answer) > MAX_CHARACTERS:
        raise AnswerError(f"An answer of over {MAX_CHARACTERS} characters; answer with a letter, an id or an option's text.")
    whole = _find(shown, answer)
    if whole is not None:
        return (whole,)
    pieces = _pieces(answer)
    if len(pieces) > MAX_PIECES:
        raise AnswerError(f"That is a list of {len(pieces)}; the options are: {_options(shown)}.")
    if not pieces:
        raise AnswerError(f"Choose an option: {_options(shown)}.")
    chosen: dict[str, ShownChoice] = {}
    at = 0
    while at < len(pieces):
        # An option's own text may hold a comma or an "and", so the longest run that names one counts.
        for stop in range(len(pieces), at, -1):
            found = _find(shown, answer[pieces[at][0] : pieces[stop - 1][1]])
            if found is not None:
                chosen[found.id] = found
                at = stop
                break
        else:
            raise AnswerError(f"{answer[slice(*pieces[at])].strip()!r} names no option; the options are: {_options(shown)}.")
    return tuple(chosen.values())


def _why(choice: ShownChoice, titles: Mapping[str, str]) -> str:
    """Why this option is right or wrong: its own note, else the misconception's title."""
    if choice.note:
        return sentence(choice.note)
    if choice.misconception:
        return sentence(f"Behind it stands a mistake: {titles.get(choice.misconception, choice.misconception)}")
    return ""


def score_choice(part: ChoicePart, shown: Sequence[ShownChoice], answer: str, titles: Mapping[str, str] | None = None) -> Score:
    """Scores the option or options that an answer names.

    With one key: all points or none. With several: each right option chosen earns its share, each wrong one takes a share away,
    rounded down to whole points and never below 0.

    Args:
        shown: the options of the learner's variant.
        titles: misconception id -> title.

    Raises:
        AnswerError: the answer names no option, or several where one is asked for.
    """
    titles = titles or {}
    chosen = choose(shown, answer)
    keys = [choice for choice in shown if choice.key]
    right = [choice for choice in chosen if choice.key]
    wrong = [choice for choice in chosen if not choice.key]
    misconceptions = tuple(dict.fromkeys(choice.misconception for choice in wrong if choice.misconception))
    if len(keys) == 1:
        if len(chosen) > 1:
            raise AnswerError(f"One option is asked for, and {', '.join(c.letter for c in chosen)} are {len(chosen)}.")
        verdict = f"{chosen[0].letter} is {'right' if right else 'wrong'}."
        points = part.points if right else 0
        reason = " ".join(filter(None, (verdict, _why(chosen[0], titles))))
    else:
        points = max(0, len(right) - len(wrong)) * part.points // len(keys)
        verdict = f"{len(right)} of the {len(keys)} right options chosen"
        verdict += f", and {len(wrong)} wrong, each of which takes back a right one" if wrong else ""
        reason = " ".join(filter(None, (f"{verdict}.", *(f"{c.letter}: {_why(c, titles)}" for c in wrong if _why(c, titles)))))
    return single(part.id, points, part.points, reason, evidence=span(answer), misconceptions=misconceptions)
