"""An item in other variants than the bank's own: values that are missing, and options and wrong values that come too near.

Every variant is looked at where there are few. Else many are picked (``quizapp.authoring.points``), looked over in floating
point, and what seems wrong is worked out exactly before it is said; some are drawn from seeds, as a learner's are.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from quizapp.authoring.points import Floats, Points, points
from quizapp.bank.document import Document, Path_
from quizapp.bank.draw import TRIES, DrawError, draw
from quizapp.bank.formulas import shown_texts
from quizapp.judge.columns import evaluate
from quizapp.model.formula import Formula, FormulaError, Scalar, Value
from quizapp.model.question import Choice, ChoicePart, CodePart, Item, NumericPart, Part
from quizapp.model.variant import fill, number, slots
from quizapp.scoring.numeric import tolerance_of

SEEDS = range(1)
"""Seeds of the variants that are drawn, besides those that are picked."""
APART = 5
"""Tolerances that lie between a key and each wrong value, at least."""
RARE = 10 / TRIES
"""Share of draws that keep the constraints, below which some seed may find no variant."""
_NEAR = 1e-9
_PARTIAL = ("/", "%", "log", "sqrt", "**", "[")
"""What can leave a formula without a value."""

Wrong = tuple[Path_, str, str]
"""Where, a code, and what is wrong."""
_MENDS = {
    "variant": "change it, or add a constraint that keeps such values away",
    "too-close": "change the formula or the tolerance, or add a constraint that keeps such values away",
    "same-value": "change the formula, or add a constraint that keeps such values away",
}


def add_own_value_faults(document: Document, path: Path_, item: Item) -> None:
    """Adds each variable whose own value is none of those that may be drawn."""
    for name, variable in item.variables.items():
        if variable.range is None:
            continue
        low, high = variable.range
        own = variable.value if isinstance(variable.value, tuple) else (variable.value,)
        if outside := [number for number in own if not low <= number <= high]:
            message = f"{outside[0]} is outside the range {low}..{high}"
            document.fault((*path, "variables", name, "value"), "bad-value", message, "change the value, or widen the range")


def add_variant_faults(document: Document, path: Path_, item: Item, raw: Mapping[str, object]) -> None:
    """Adds what is wrong in some variant; of each thing, only the first variant in which it is."""
    said: set[Path_] = set()

    def say(found: Iterator[Wrong], values: Mapping[str, Value], which: str) -> None:
        for where, code, message in found:
            if where not in said:
                said.add(where)
                document.fault(where, code, f"{which}, {message}", _MENDS[code])

    own = draw(item, None).values
    say(_wrong_in(path, item, raw, own), own, "at the bank's own values")
    if not any(variable.range for variable in item.variables.values()):
        return
    constraints = [Formula.parse(source) for source in item.constraints]
    picked = points(item.variables, constraints)
    if not _has_variants(document, path, item, picked):
        return
    for seed in SEEDS:
        try:
            values = draw(item, seed).values
        except DrawError as error:
            _no_variant(document, path, item, str(error))
            return
        say(_wrong_in(path, item, raw, values), values, f"with seed {seed} ({written(values)})")
    for index in _suspicious(path, item, raw, picked):
        values = picked.exact(index)
        if all(_holds(constraint, values) for constraint in constraints):
            say(_wrong_in(path, item, raw, values), values, f"in the variant with {written(values)}")


def parts_of(path: Path_, item: Item) -> Iterator[tuple[Path_, Part]]:
    """An item's parts with their paths, without code; a checkpoint's options lie in the item itself."""
    if item.kind == "exercise":
        for index, part in enumerate(item.parts):
            if not isinstance(part, CodePart):
                yield (*path, "parts", index), part
    else:
        yield from ((path, part) for part in item.parts)


def rational(value: Scalar) -> Fraction:
    """The value, or 50 digits of it."""
    return value if isinstance(value, Fraction) else Fraction(str(value))


def _has_variants(document: Document, path: Path_, item: Item, picked: Points) -> bool:
    if picked.undecided is not None:
        for index, source in enumerate(item.constraints):
            try:
                Formula.parse(source).holds(picked.undecided)
            except FormulaError as error:
                message = f"with {written(picked.undecided)}, the constraint can't be decided: {error}"
                mend = "write it so that it has a value for every draw, such as `n > 0 and S/n < 9`"
                document.fault((*path, "constraints", index), "no-variant", message, mend)
                return False
    if picked.share < RARE:
        share = "no draw keeps" if picked.share == 0 else f"only about {picked.share:.2%} of all draws keep"
        _no_variant(document, path, item, f"{share} the constraints, so that a seed may find no variant in {TRIES} tries")
        return False
    return True


def _no_variant(document: Document, path: Path_, item: Item, message: str) -> None:
    where = (*path, "constraints" if item.constraints else "variables")
    document.fault(where, "no-variant", message, "widen the ranges, or loosen the constraints", key=True)


def _holds(constraint: Formula, values: Mapping[str, Value]) -> bool:
    try:
        return constraint.holds(values)
    except FormulaError:
        return False


def _wrong_in(path: Path_, item: Item, raw: Mapping[str, object], values: Mapping[str, Value]) -> Iterator[Wrong]:
    for where, text in shown_texts(path, raw):
        if "{{" in text:
            try:
                fill(text, values)
            except FormulaError as error:
                yield where, "variant", f"a slot has no value: {error}"
    for where, part in parts_of(path, item):
        if isinstance(part, NumericPart):
            yield from _numeric(where, part, values)
        elif isinstance(part, ChoicePart):
            yield from _choices(where, part, values)


def _numeric(path: Path_, part: NumericPart, values: Mapping[str, Value]) -> Iterator[Wrong]:
    try:
        key = Formula.parse(part.key).scalar(values)
    except FormulaError as error:
        yield (*path, "key"), "variant", f"the key has no value: {error}"
        return
    try:
        least = APART * tolerance_of(part, values) * (abs(rational(key)) or 1)
    except FormulaError as error:
        yield (*path, "tolerance"), "variant", f"the tolerance can't be used: {error}"
        return
    seen: dict[Scalar, str] = {}
    for index, wrong in enumerate(part.wrong):
        where = (*path, "wrong", index, "value")
        try:
            value = Formula.parse(wrong.value).scalar(values)
        except FormulaError as error:
            yield where, "variant", f"the wrong value is none: {error}"
            continue
        if abs(rational(value) - rational(key)) < least:
            near = "is the key" if value == key else f"is within {APART} tolerances of the key {number(key)}"
            yield where, "too-close", f"the wrong value {number(value)} {near}"
        elif seen.setdefault(value, wrong.misconception) != wrong.misconception:
            yield (
                where,
                "same-value",
                f"the wrong value {number(value)} is also that of {seen[value]!r}, so that neither can be named",
            )


def _choices(path: Path_, part: ChoicePart, values: Mapping[str, Value]) -> Iterator[Wrong]:
    seen: dict[object, str] = {}
    for index, choice in enumerate(part.choices):
        where = (*path, "choices", index)
        try:
            value = None if choice.value is None else Formula.parse(choice.value).scalar(values)
            text = None if choice.text is None else " ".join(fill(choice.text, values).split())
        except FormulaError as error:
            yield where, "variant", f"the choice has no value: {error}"
            continue
        for what in (value, text):
            if what is not None and seen.setdefault(what, choice.id) != choice.id:
                yield where, "same-value", f"the choices {seen[what]!r} and {choice.id!r} are the same"


def _suspicious(path: Path_, item: Item, raw: Mapping[str, object], picked: Points) -> list[int]:
    """Points at which something seems wrong, one for each thing."""
    found: list[int] = []

    def first(where: NDArray[np.bool_] | None) -> None:
        if where is not None and where.any():
            found.append(int(np.argmax(where)))

    for _, text in shown_texts(path, raw):
        for _, source in slots(text):
            if any(sign in source for sign in _PARTIAL):
                first(_missing(picked.values(Formula.parse(source))))
    for _, part in parts_of(path, item):
        if isinstance(part, NumericPart):
            for where in _seeming_numeric(part, picked):
                first(where)
        elif isinstance(part, ChoicePart):
            options = [
                (_template(choice), [picked.values(Formula.parse(source)) for source in _sources(choice)])
                for choice in part.choices
            ]
            for _, columns in options:
                for column in columns:
                    first(_missing(column))
            for (template, mine), (other, theirs) in combinations(options, 2):
                if template == other and mine:
                    near = [where for a, b in zip(mine, theirs, strict=True) if (where := _near(a, b)) is not None]
                    first(np.all(near, axis=0) if len(near) == len(mine) else None)
    return list(dict.fromkeys(found))


def _sources(choice: Choice) -> list[str]:
    """The formulas that tell an option from others: its value, or the slots of its text."""
    return [choice.value] if choice.value is not None else [source for _, source in slots(choice.text or "")]


def _template(choice: Choice) -> str:
    """What is the same of an option in all variants; options of different templates are never alike but by chance."""
    if choice.value is not None:
        return "{{}}"
    text = choice.text or ""
    for _, source in slots(text):
        text = text.replace("{{" + source + "}}", "{{}}")
    return " ".join(text.split())


def _seeming_numeric(part: NumericPart, picked: Points) -> Iterator[NDArray[np.bool_] | None]:
    key, tolerance = picked.values(Formula.parse(part.key)), picked.values(Formula.parse(part.tolerance))
    if key is None or tolerance is None:
        return
    yield _missing(key)
    with np.errstate(all="ignore"):
        yield ~(tolerance > 0) | ~(tolerance <= 0.2)
        least = APART * tolerance * np.where(key == 0, 1.0, np.abs(key)) * (1 + _NEAR)
        columns: list[tuple[str, Floats]] = []
        for wrong in part.wrong:
            value = picked.values(Formula.parse(wrong.value))
            if value is None:
                continue
            yield _missing(value)
            yield np.abs(value - key) < least
            yield from (_near(value, other) for name, other in columns if name != wrong.misconception)
            columns.append((wrong.misconception, value))


def _missing(column: Floats | None) -> NDArray[np.bool_] | None:
    return None if column is None else ~np.isfinite(column)


def _near(a: Floats | None, b: Floats | None) -> NDArray[np.bool_] | None:
    if a is None or b is None:
        return None
    with np.errstate(all="ignore"):
        near: NDArray[np.bool_] = np.abs(a - b) <= _NEAR * np.maximum(np.abs(a), np.abs(b))
    return near


def written(values: Mapping[str, Value]) -> str:
    def one(value: Value) -> str:
        return f"[{', '.join(map(number, value))}]" if isinstance(value, tuple) else number(value)

    return ", ".join(f"{name} = {one(value)}" for name, value in values.items())


def routes(formula: Formula, points_: Sequence[Mapping[str, Value]]) -> tuple[Mapping[str, Value], Scalar, float] | None:
    """The first point at which exact and floating-point evaluation of a formula disagree, with both values.

    The second route is ``quizapp.judge.columns``, which shares no arithmetic with the first.
    """
    for values in points_:
        columns = {name: np.array(_floats(value), dtype=np.float64) for name, value in values.items()}
        try:
            exact = formula.scalar(values)
            rough = float(evaluate(formula, columns, 1)[0])
            size = abs(float(exact)) or 1.0
            apart = abs(float(exact) - rough)
        except (FormulaError, ValueError, IndexError, OverflowError):
            continue
        if not np.isnan(rough) and not apart <= _NEAR * size:
            return values, exact, rough
    return None


def _floats(value: Value) -> list[float] | list[list[float]]:
    return [[float(entry)] for entry in value] if isinstance(value, tuple) else [float(value)]
