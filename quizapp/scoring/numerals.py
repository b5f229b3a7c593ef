"""Numbers as people type them: ``8/3``, ``2 2/3``, ``1,234.5``, ``1 234``, ``x = 2``, ``≈2.67``, ``25%``, ``2.25 tokens``.

Here: from text to an exact rational, and how exactly it was given. Not here: whether it is right. Nothing is guessed in
silence: what can be read in two ways is refused, and a reading that isn't plain is told in :attr:`Numeral.note`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction

from quizapp.model.formula import FormulaError
from quizapp.model.variant import number
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.notation import read_expression

MAX_CHARACTERS = 200
MAX_DIGITS = 60
MAX_EXPONENT = 300


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number that was typed."""

    value: Fraction
    exact: bool
    """An integer, a fraction or a sum of them: it claims no rounding."""
    place: Fraction | None
    """The value of the last digit given, for decimals and integers: 1/100 for ``2.25``."""
    start: int
    end: int
    """Where it stands in the answer, half open."""
    note: str | None = None
    """How it was read, where that isn't plain."""


_SPACES = "\u00a0\u2007\u2009\u202f\u3000"
_SIGNS = str.maketrans(
    {**dict.fromkeys(_SPACES, " "), "−": "-", "–": "-", "﹣": "-", "－": "-", "⁄": "/", "∕": "/", "＋": "+", "’": "'"}
)
_VULGAR = re.compile("[" + "".join(chr(c) for c in (*range(0xBC, 0xBF), *range(0x2150, 0x215F), 0x2189)) + "]")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_ABOUT = re.compile(r"(?:≈|≃|≅|~|∼|about|approx(?:imately)?\.?|around|roughly|circa|ca\.?)\s*", re.I)
_LEAD = re.compile(r"(?:(?:the\s+)?[A-Za-z_][A-Za-z0-9_ ()]{0,40}?\s*(?:=|:|\bis\b)|=)\s*(?!=)", re.I)
_UNSIGNED = r"(?:\d{1,3}(?:(?:,\d{3})+|(?: \d{3})+|(?:'\d{3})+)(?:\.\d+)?|\d+(?:_\d{3})+|\d+(?:\.\d*)?|\.\d+)"
_DECIMAL = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<body>{_UNSIGNED})(?:[eE](?P<e>[-+]?\d+)|\s*[×x*·⋅]\s*10\s*(?:\^|\*\*)\s*\(?(?P<ten>[-+]?\d+)\)?)?"
)
_FRACTION = re.compile(
    rf"(?P<sign>[-+]?)\s*(?:(?P<whole>\d+)(?:\s+and\s+|\s+|\s*&\s*))?(?P<top>{_UNSIGNED})\s*/\s*(?P<bottom>{_UNSIGNED})"
)
_ARITHMETIC = re.compile(r"[\d.\s()\[\]+\-*/^×·⋅÷]*[+\-*/^×·⋅÷(][\d.\s()\[\]+\-*/^×·⋅÷]*")
_GOES_ON = re.compile(r"\s*(?:\*\*|[-+*/^×·⋅÷(])\s*[-+\d(.]|\s*\^|\d|\s+[\d.]|[.,]\d")
"""The text after a number goes on with the same expression."""
_RANGE = re.compile(r"\d\s*[–—…]\s*\d|\d\s*\.\.+\s*\d")
_MAGNITUDE = {
    "k",
    "m",
    "bn",
    *("thousand", "million", "billion", "dozen", "hundred", "half", "third"),
    *("thousands", "millions", "billions", "halves", "thirds"),
}
_REFUSED = re.compile(r"\b(?:inf|infinity|nan)\b|∞", re.I)


def _refuse(text: str) -> AnswerError:
    return AnswerError(f"{text!r} can't be read as one number; write it like 2.25, 8/3 or 2 2/3.")


def _comma(text: str) -> None:
    """Refuses commas that may be decimal commas, and points that may be thousands signs."""
    for match in re.finditer(r"[\d.,]*\d,\d[\d.,]*|(?<!\d),\d+", text):
        run = match.group().rstrip(".,")
        if not re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+(\.\d+)?", run):
            dotted = run.replace(".", "").replace(",", ".") if run.count(",") == 1 else run.replace(",", "")
            raise AnswerError(
                f"{run!r} can be read in two ways: write a decimal with a point ({dotted}), "
                "and thousands either without a sign or as 1,234."
            )
    dots = re.search(r"\d+\.\d+\.\d[\d.]*", text)
    if dots:
        raise AnswerError(f"{dots.group()!r} has more than one point: write thousands without a sign, or as 1,234.")


def _tidy(body: str) -> str:
    return re.sub(r"[,'_ ]", "", body)


def _exponent(text: str | None) -> int:
    if text is None:
        return 0
    if len(text) > 6 or abs(int(text)) > MAX_EXPONENT:
        raise AnswerError("The number is too large or too small to be meant.")
    return int(text)


def _decimal(match: re.Match[str]) -> Numeral:
    body = _tidy(match["body"])
    whole, _, places = body.partition(".")
    if len(whole) + len(places) > MAX_DIGITS:
        raise AnswerError(f"The number has more than {MAX_DIGITS} digits.")
    scale = Fraction(10) ** _exponent(match["e"] or match["ten"])
    value = Fraction((whole or "0") + "." + (places or "0")) * scale * (-1 if match["sign"] == "-" else 1)
    grouped = bool(re.search(r"[,' _]", match["body"].strip()))
    return Numeral(
        value=value,
        exact=not places and scale >= 1,
        place=scale / 10 ** len(places),
        start=match.start(),
        end=match.end(),
        note=f"read as {number(value)}" if grouped else None,
    )


def _fraction(match: re.Match[str]) -> Numeral:
    if max(len(match["top"]), len(match["bottom"])) > MAX_DIGITS:
        raise AnswerError(f"The number has more than {MAX_DIGITS} digits.")
    top, bottom = Fraction(_tidy(match["top"])), Fraction(_tidy(match["bottom"]))
    if bottom == 0:
        raise AnswerError("A fraction over zero is not a number.")
    whole = match["whole"]
    value = top / bottom
    note = None
    if whole is not None:
        if value >= 1 or "." in match["top"] + match["bottom"] or len(match["top"]) == 3:
            shown = match.group().strip()
            raise AnswerError(
                f"{shown!r} can be read in two ways: write a mixed number like 2 2/3, or the fraction without spaces."
            )
        value += int(whole)
    elif re.search(r"[,' _]", match["top"] + match["bottom"]):
        note = f"read as {number(value)}"
    value = -value if match["sign"] == "-" else value
    return Numeral(
        value=value, exact="." not in match["top"] + match["bottom"], place=None, start=match.start(), end=match.end(), note=note
    )


def _arithmetic(text: str, start: int) -> Numeral:
    try:
        value = read_expression(text, ()).scalar({})
    except FormulaError as error:
        raise AnswerError(f"{text.strip()!r} has no value: {error}.") from None
    if not isinstance(value, Fraction):
        raise _refuse(text.strip())
    return Numeral(
        value=value, exact="." not in text, place=None, start=start, end=start + len(text.rstrip()), note=f"read as {number(value)}"
    )


def _head(text: str, start: int) -> Numeral:
    """The number at the start of a text without lead; ``end`` is where the rest begins."""
    for pattern, build in ((_FRACTION, _fraction), (_DECIMAL, _decimal)):
        match = pattern.match(text, start)
        if match:
            rest = text[match.end() :]
            if _GOES_ON.match(rest):
                break
            return build(match)
    whole = _ARITHMETIC.match(text, start)
    if whole and re.search(r"\d", whole.group()):
        return _arithmetic(whole.group(), start)
    raise _refuse(text.strip())


def _unit(rest: str, unit: str | None, numeral: Numeral) -> Numeral:
    """Checks what stands after the number."""
    text = rest.strip().rstrip(".;").strip()
    if text in ("%", "percent", "per cent"):
        if unit is not None and unit.strip() in ("%", "percent", "per cent"):
            return numeral
        value = numeral.value / 100
        place = None if numeral.place is None else numeral.place / 100
        return replace(numeral, value=value, place=place, exact=numeral.exact and place is None, note=f"read as {number(value)}")
    if not text:
        return numeral
    plain = text.strip("()[]").casefold()
    if unit is not None and _stem(plain) == _stem(unit):
        return numeral
    if plain in _MAGNITUDE or plain.partition(" ")[0] in _MAGNITUDE - {"m"}:
        raise AnswerError(f"Write the number in full, without {text!r}.")
    if not re.fullmatch(r"[^\W\d_][\w .²³⁻¹/·*-]{0,40}", plain) or re.search(
        r"\d(?<![²³¹])|\b(?:or|not|and|to|between|times|but|if)\b", plain
    ):
        raise AnswerError(
            f"{text!r} after the number can't be read; give one number{f' in {unit}' if unit else ''} and nothing else."
        )
    if unit is not None or plain == "e":
        raise AnswerError(f"Give the number {f'in {unit}, not in' if unit else 'without'} {text!r}.")
    return numeral


def _stem(unit: str) -> str:
    plain = " ".join(unit.casefold().split())
    return plain[:-1] if plain.endswith("s") and len(plain) > 3 else plain


def _prepared(answer: str) -> tuple[str, list[int]]:
    """The answer in plain signs, and for each of its characters the place in the answer that it came from."""
    out: list[str] = []
    origin: list[int] = []
    for place, sign in enumerate(answer):
        if _VULGAR.match(sign):
            halves = unicodedata.normalize("NFKC", sign).replace("⁄", "/")
            text = f" {halves}" if out and out[-1].isdigit() else halves
        elif sign.translate(_RAISED) != sign:
            raised = place > 0 and answer[place - 1].translate(_RAISED) != answer[place - 1]
            text = sign.translate(_RAISED) if raised else f"^{sign.translate(_RAISED)}"
        else:
            text = unicodedata.normalize("NFKC", sign.translate(_SIGNS))
        out.extend(text)
        origin.extend([place] * len(text))
    return "".join(out), [*origin, len(answer)]


def read_number(answer: str, unit: str | None = None) -> Numeral:
    """Reads one number.

    Args:
        unit: the unit that the question asks for; it may be left out, another one is refused.

    Raises:
        AnswerError: no number, more than one, one that can be read in two ways, infinite, or absurdly large.
    """
    if len(answer) > MAX_CHARACTERS:
        raise AnswerError(f"Give one number; this is longer than {MAX_CHARACTERS} characters.")
    text, origin = _prepared(answer)
    bare = text.strip().strip("`$").strip()
    if not bare:
        raise AnswerError("Give a number, like 2.25, 8/3 or 2 2/3.")
    if _REFUSED.search(text):
        raise AnswerError("Give a finite number.")
    if _RANGE.search(answer):
        raise AnswerError("Give one number, not a range.")
    _comma(text)
    position = len(text) - len(text.lstrip(" \t\r\n`$"))
    text = text.rstrip().rstrip("`$")
    numerals: list[Numeral] = []
    while True:
        for lead in (_LEAD, _ABOUT):
            match = lead.match(text, position)
            position = match.end() if match else position
        numeral = _head(text, position)
        chain = re.search(r"\s*(?:=|≈|≃|≅)", text[numeral.end :])
        stop = numeral.end + chain.start() if chain else len(text)
        numeral = _unit(text[numeral.end : stop], unit, numeral)
        numerals.append(replace(numeral, start=origin[numeral.start], end=origin[min(numeral.end, len(origin) - 1)]))
        if not chain:
            break
        position = stop + len(text[stop:]) - len(text[stop:].lstrip())
    return _agreed(numerals)


def _agreed(numerals: list[Numeral]) -> Numeral:
    """The most exact of the numbers of a chain like ``8/3 ≈ 2.667``, which must be the same number."""
    best = next((numeral for numeral in numerals if numeral.exact), numerals[0])
    for numeral in numerals:
        slack = Fraction(0) if numeral.exact else numeral.place or Fraction(0)
        if abs(numeral.value - best.value) > slack:
            raise AnswerError(f"{number(best.value)} and {number(numeral.value)} are two different numbers; give one.")
    return best
