"""Whether an item's formulas make sense: names, slots in texts, ranges, constraints, and what they give at the bank's own values.

Works on the plain values of the file; what isn't a formula at all is a fault of shape (``quizapp.bank.shape``). Other variants
than the bank's own are sampled by ``quizapp.authoring.lint``.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from keyword import iskeyword
from typing import Any

from quizapp.bank.agreement import entries
from quizapp.bank.document import Document, Path_
from quizapp.bank.words import meant
from quizapp.model.base import as_formula_text
from quizapp.model.formula import Formula, FormulaError, Scalar, Value
from quizapp.model.question import MAX_TOLERANCE
from quizapp.model.variant import fill, shown, slots

SHOWN = frozenset(("title", "stem", "explanation", "hint", "text", "note", "description", "follow_up", "meaning"))
"""Keys whose text is shown with its slots filled in."""


def check_formulas(document: Document, path: Path_, item: object) -> None:
    """Adds every fault of an item's variables, constraints, formulas and slots."""
    if not isinstance(item, dict):
        return
    variables = item.get("variables")
    checker = _Checker(document, variables if isinstance(variables, dict) else {})
    checker.variables((*path, "variables"))
    checker.constraints((*path, "constraints"), item.get("constraints"))
    for where, text in shown_texts(path, item):
        checker.slots(where, text)
    checker.choices(path, item)
    for index, part in entries(item, "parts"):
        here = (*path, "parts", index)
        match part.get("kind"):
            case "choice":
                checker.choices(here, part)
            case "numeric":
                checker.numeric(here, part)
            case "symbolic":
                checker.symbolic(here, part)


def shown_texts(path: Path_, holder: Mapping[str, Any]) -> Iterator[tuple[Path_, str]]:
    """Every text below that is shown to the learner, with its path."""
    for key, value in holder.items():
        here = (*path, key)
        if isinstance(value, str) and key in SHOWN:
            yield here, value
        elif isinstance(value, dict) and key != "variables":
            yield from shown_texts(here, value)
        elif isinstance(value, tuple):
            for index, entry in enumerate(value):
                if isinstance(entry, dict):
                    yield from shown_texts((*here, index), entry)


class _Checker:
    def __init__(self, document: Document, variables: Mapping[str, Any]) -> None:
        self.document, self.declared = document, variables
        self.values: dict[str, Value] = {}
        for name, variable in variables.items():
            value = variable.get("value") if isinstance(variable, dict) else None
            if isinstance(value, int) and not isinstance(value, bool):
                self.values[name] = Fraction(value)
            elif isinstance(value, tuple) and all(map(_is_int, value)):
                self.values[name] = tuple(Fraction(entry) for entry in value)

    def variables(self, path: Path_) -> None:
        for name, variable in self.declared.items():
            here = (*path, name)
            if iskeyword(name):
                message = f"the word {name!r} can't be a variable"
                self.document.fault(here, "bad-name", message, "give the variable another name", key=True)
            if not isinstance(variable, dict):
                continue
            value, bounds = variable.get("value"), _range(variable.get("range"))
            if value == ():
                self.document.fault((*here, "value"), "bad-value", "a vector without entries", "write at least one number")
            self.range((*here, "range"), bounds)
            count = len(value) if isinstance(value, tuple) and variable.get("distinct") is True else 0
            if bounds and 0 <= bounds[1] - bounds[0] < count - 1:
                message = f"{bounds[0]}..{bounds[1]} has fewer than {count} distinct numbers"
                self.document.fault((*here, "range"), "distinct-range", message, "widen the range, or remove `distinct`")

    def range(self, path: Path_, bounds: tuple[int, int] | None) -> None:
        if bounds and bounds[0] > bounds[1]:
            message = f"the range ends ({bounds[1]}) before it begins ({bounds[0]})"
            self.document.fault(path, "range-order", message, f"write [{bounds[1]}, {bounds[0]}]")

    def constraints(self, path: Path_, constraints: object) -> None:
        for index, source in enumerate(constraints if isinstance(constraints, tuple) else ()):
            formula = self._formula((*path, index), source, self.declared)
            if formula is None or not formula.names <= self.values.keys():
                continue
            try:
                if not formula.holds(self.values):
                    message = f"the bank's own values break {formula.source!r}"
                    self.document.fault((*path, index), "constraint", message, "change the values, or the constraint")
            except FormulaError as error:
                self._no_value((*path, index), formula, error)

    def numeric(self, path: Path_, part: Mapping[str, Any]) -> None:
        key = self._scalar((*path, "key"), part.get("key"))
        self._tolerance((*path, "tolerance"), part.get("tolerance"))
        named: dict[Scalar, str] = {}
        for index, wrong in entries(part, "wrong"):
            here = (*path, "wrong", index, "value")
            value, name = self._scalar(here, wrong.get("value")), wrong.get("misconception")
            if value is None or not isinstance(name, str):
                continue
            if value == key:
                message = f"the wrong value is {shown(value)} at the bank's own values, as the key is"
                self.document.fault(here, "wrong-is-key", message, "change the variables' values, or the formula")
            elif named.setdefault(value, name) != name:
                message = f"the wrong value is {shown(value)} at the bank's own values, as that of {named[value]!r} is"
                self.document.fault(here, "same-value", message, "change the variables' values, or the formula")

    def _tolerance(self, path: Path_, source: object) -> None:
        tolerance = self._scalar(path, source)
        if tolerance is not None and not 0 < float(tolerance) <= float(MAX_TOLERANCE):
            message = f"the tolerance is {shown(tolerance)} at the bank's own values"
            mend = f"it is relative to the key: write more than 0 and at most {float(MAX_TOLERANCE):g}, such as 0.001"
            self.document.fault(path, "bad-value", message, mend)

    def symbolic(self, path: Path_, part: Mapping[str, Any]) -> None:
        symbols = part.get("symbols")
        declared = symbols if isinstance(symbols, dict) else {}
        for name, domain in declared.items():
            if iskeyword(name):
                message = f"the word {name!r} can't be a symbol"
                self.document.fault((*path, "symbols", name), "bad-name", message, "give the symbol another name", key=True)
            self.range((*path, "symbols", name, "range"), _range(domain.get("range")) if isinstance(domain, dict) else None)
        self._formula((*path, "key"), part.get("key"), declared, "symbol")
        for index, wrong in entries(part, "wrong"):
            self._formula((*path, "wrong", index, "value"), wrong.get("value"), declared, "symbol")

    def choices(self, path: Path_, holder: Mapping[str, Any]) -> None:
        seen: dict[object, Path_] = {}
        for index, choice in entries(holder, "choices"):
            here = (*path, "choices", index)
            value = self._scalar((*here, "value"), choice.get("value"))
            try:
                text = None if choice.get("text") is None else " ".join(fill(str(choice["text"]), self.values).split())
            except FormulaError:
                text = None
            for what, where in ((value, (*here, "value")), (text, (*here, "text"))):
                if what is None:
                    continue
                if what in seen:
                    first = self.document.line(seen[what])
                    words = what if isinstance(what, str) else shown(what)
                    message = f"this choice is {words!r} at the bank's own values, as the one in line {first} is"
                    self.document.fault(where, "same-value", message, "change one of them, or the variables' values")
                    break
                seen[what] = where

    def slots(self, path: Path_, text: str) -> None:
        if "{{" not in text:
            return
        rest = text
        for offset, source in slots(text):
            rest = rest[: offset - 2] + " " * (len(source) + 4) + rest[offset + len(source) + 2 :]
            before = len(source) - len(source.lstrip())
            try:
                formula = Formula.parse(source)
            except FormulaError as error:
                message = f"the slot {source.strip()!r} is not a formula: {str(error).removeprefix('not a formula: ')}"
                mend = "write a formula over the variables between {{ and }}"
                self.document.fault(path, "slot", message, mend, offset=offset + (error.offset or 0))
                continue
            known = _known(self.document, path, source, formula, self.declared, "variable", offset)
            if known and formula.names <= self.values.keys():
                try:
                    formula.value(self.values)
                except FormulaError as error:
                    self._no_value(path, formula, error, offset + before)
        if "{{" in rest:
            mend = "close it with }} in the same line, and write a formula between"
            self.document.fault(path, "slot", "a slot {{ that is empty or not closed", mend, offset=rest.index("{{"))

    def _formula(self, path: Path_, source: object, known: Collection[str], what: str = "variable") -> Formula | None:
        return formula_names(self.document, path, source, known, what)

    def _scalar(self, path: Path_, source: object) -> Scalar | None:
        formula = self._formula(path, source, self.declared)
        if formula is None or not formula.names <= self.values.keys():
            return None
        try:
            return formula.scalar(self.values)
        except FormulaError as error:
            self._no_value(path, formula, error)
            return None

    def _no_value(self, path: Path_, formula: Formula, error: FormulaError, offset: int = 0) -> None:
        message = f"{formula.source!r} has no value at the bank's own values: {error}"
        self.document.fault(path, "formula-value", message, "change the formula, or the variables' values", offset=offset)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def formula_names(document: Document, path: Path_, source: object, known: Collection[str], what: str) -> Formula | None:
    """The formula at a path if it is one and all its names are known; adds a fault for each name that isn't a ``what``."""
    text = as_formula_text(source)
    if not isinstance(text, str):
        return None
    try:
        formula = Formula.parse(text)
    except FormulaError:
        return None
    return formula if _known(document, path, text, formula, known, what, 0) else None


def _known(document: Document, path: Path_, text: str, formula: Formula, known: Collection[str], what: str, start: int) -> bool:
    strangers = sorted(formula.names - set(known))
    for name in strangers:
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        mend = meant(name, known) if known else f"declare it under `{what}s:`"
        offset = start + (found.start() if found else 0)
        document.fault(path, "formula-name", f"the formula names {name!r}, which is no {what}", mend, offset=offset)
    return not strangers


def _range(value: object) -> tuple[int, int] | None:
    return value if isinstance(value, tuple) and len(value) == 2 and all(map(_is_int, value)) else None
