"""What the scorers make of an item's own keys and wrong values, typed as answers; and keys worked out by two routes."""

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction

from quizapp.authoring.variants import parts_of, routes, written
from quizapp.bank.document import Document, Path_
from quizapp.bank.draw import DrawError, draw, shown_choices
from quizapp.model.formula import Formula, FormulaError, Value
from quizapp.model.question import ChoicePart, Item, NumericPart, SymbolicPart
from quizapp.model.variant import Variant, number
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.choice import choose
from quizapp.scoring.numeric import score_numeric
from quizapp.scoring.symbolic import score_symbolic

SEEDS = (None, 0)
"""Variants in which answers are typed."""
PROBES = 4
"""Points of a derivation's domain at which its key is worked out by two routes."""
_NOTATION = "write it in the notation that answers have"


def add_answer_faults(document: Document, path: Path_, item: Item) -> None:
    """Adds each key that isn't taken for right or has two values, and each wrong value that doesn't get its name."""
    variants = list(_variants(item))
    for where, part in parts_of(path, item):
        before = len(document.faults)
        match part:
            case NumericPart():
                _two_routes(document, (*where, "key"), part.key, [variant.values for variant in variants])
                for variant in variants:
                    if len(document.faults) == before:
                        _numbers(document, where, part, variant.values)
            case SymbolicPart():
                _two_routes(document, (*where, "key"), part.key, list(_probes(part)))
                _derivations(document, where, part)
            case ChoicePart():
                for index, choice in enumerate(part.choices):
                    if choice.key and choice.value is not None:
                        here = (*where, "choices", index, "value")
                        _two_routes(document, here, choice.value, [variant.values for variant in variants])
                _options(document, where, part, variants[0])


def _variants(item: Item) -> Iterator[Variant]:
    for seed in SEEDS:
        try:
            yield draw(item, seed)
        except DrawError:
            return  # said elsewhere


def _two_routes(document: Document, path: Path_, source: str, points: list[Mapping[str, Value]]) -> None:
    found = routes(Formula.parse(source), points)
    if found is not None:
        values, exact, rough = found
        at = f"with {written(values)}, " if values else ""
        message = f"{at}the key is {number(exact)} exactly, and {rough:.6g} in floating point"
        document.fault(path, "key-routes", message, "write the key so that it doesn't subtract numbers that are nearly equal")


def _probes(part: SymbolicPart) -> Iterator[dict[str, Value]]:
    dice = random.Random(0)
    for _ in range(PROBES):
        yield {name: Fraction(dice.randint(*domain.range)) for name, domain in part.symbols.items()}


def _numbers(document: Document, path: Path_, part: NumericPart, values: Mapping[str, Value]) -> None:
    try:
        key = number(Formula.parse(part.key).scalar(values))
        score = score_numeric(part, values, key, {})
        if score.outcome != "right":
            message = f"typed as an answer, the key {key} isn't taken for right: {score.criteria[0].reason.rstrip('.')}"
            document.fault((*path, "key"), "key-refused", message, "widen the tolerance, or change the key")
            return
        for index, wrong in enumerate(part.wrong):
            value = number(Formula.parse(wrong.value).scalar(values))
            found = score_numeric(part, values, value, {}).misconceptions
            if found != (wrong.misconception,):
                message = f"typed as an answer, {value} isn't named {wrong.misconception!r}, but {', '.join(found) or 'nothing'}"
                document.fault((*path, "wrong", index, "value"), "wrong-unnamed", message, "change the formula or the tolerance")
    except (AnswerError, FormulaError):
        return  # a value that is missing is said elsewhere


def _derivations(document: Document, path: Path_, part: SymbolicPart) -> None:
    try:
        if score_symbolic(part, part.key, {}).outcome != "right":
            document.fault((*path, "key"), "key-refused", "typed as an answer, the key isn't taken for right", _NOTATION)
    except (AnswerError, FormulaError) as error:
        message = f"typed as an answer, the key can't be scored: {' '.join(str(error).split()).rstrip('.')}"
        document.fault((*path, "key"), "key-refused", message, _NOTATION)
        return
    for index, wrong in enumerate(part.wrong):
        here = (*path, "wrong", index, "value")
        try:
            score = score_symbolic(part, wrong.value, {})
        except (AnswerError, FormulaError) as error:
            message = f"the wrong expression can't be scored: {' '.join(str(error).split()).rstrip('.')}"
            document.fault(here, "key-refused", message, _NOTATION)
            continue
        if score.outcome == "right":
            message = "the wrong expression equals the key on the whole domain"
            document.fault(here, "wrong-is-key", message, "change the expression, or remove it")
        elif score.misconceptions != (wrong.misconception,):
            message = f"the wrong expression is also that of {', '.join(score.misconceptions) or 'none'}"
            document.fault(here, "same-value", message, "keep one misconception for each expression")


def _options(document: Document, path: Path_, part: ChoicePart, variant: Variant) -> None:
    """An option's text, typed as an answer, must mean that option."""
    shown = shown_choices(part, variant)
    for index, option in enumerate(shown):
        try:
            found = [choice.id for choice in choose(shown, option.text)]
        except AnswerError as error:
            document.fault((*path, "choices", index), "choice-text", f"typed as an answer, this option is none: {error}", _TELL)
            continue
        if found != [option.id]:
            message = f"typed as an answer, the text of {option.id!r} is taken for {', '.join(map(repr, found))}"
            document.fault((*path, "choices", index), "choice-text", message, _TELL)


_TELL = "change the text, or the other option's id"
