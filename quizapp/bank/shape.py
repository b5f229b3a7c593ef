"""Whether values have the shape that the models ask for: pydantic's errors, each at its place and in plain words.

Here: keys, types, ranges of one value. Not here: what needs two values to be wrong (``quizapp.bank.agreement``).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from quizapp.bank.document import Document, Path_, names
from quizapp.bank.schema import Described
from quizapp.bank.words import meant, said, slug
from quizapp.model.formula import Formula, FormulaError

T = TypeVar("T")
Schema = Mapping[str, Any]

_WANTED = {
    "string_type": ("text", "write text here"),
    "int_type": ("a whole number", "write a whole number, without quotes"),
    "int_from_float": ("a whole number", "write a whole number"),
    "float_type": ("a number", "write a number, without quotes"),
    "bool_type": ("true or false", "write true or false, without quotes"),
    "tuple_type": ("a list", "write its entries in [ ], or one a line after '- '"),
    "dict_type": ("keys with values", "write 'key: value' lines here"),
    "model_type": ("keys with values", "write 'key: value' lines here"),
    "model_attributes_type": ("keys with values", "write 'key: value' lines here"),
}


def shaped(adapter: TypeAdapter[T], document: Document, path: Path_, value: object) -> T | None:
    """The model made of the value at a path, or ``None`` after adding every fault of its shape to the document."""
    try:
        return adapter.validate_python(value, strict=True)
    except ValidationError as error:
        report(error, adapter, document, path, value)
        return None


def report(
    error: ValidationError, adapter: TypeAdapter[Any], document: Document, path: Path_, value: object, *, skip: str = ""
) -> None:
    """Adds the faults behind a validation error; those at or below the top-level key ``skip`` are passed over."""
    reporter = _Reporter(_schema(adapter), document, path, value)
    for detail in error.errors(include_url=False):
        if not skip or detail["loc"][:1] != (skip,):
            reporter.add(detail)


@lru_cache(maxsize=16)
def _schema(adapter: TypeAdapter[Any]) -> Schema:
    return adapter.json_schema(schema_generator=Described)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where pydantic's location leads: the path in the file, and the schema there."""

    path: Path_
    schema: Schema
    key: bool = False
    """The error is about the key itself."""
    union: Path_ | None = None
    """The path of a value that may be one thing or another, and is neither."""


class _Reporter:
    """Turns the errors of one validated value into faults of its document."""

    def __init__(self, schema: Schema, document: Document, base: Path_, value: object) -> None:
        self.schema, self.document, self.base, self.value = schema, document, base, value
        self.definitions: Schema = schema.get("$defs", {})
        self.unions: set[Path_] = set()

    def add(self, detail: ErrorDetails) -> None:
        place = self._trace(detail["loc"])
        if place.union is not None:
            entry = len(place.path) > len(place.union)
            if entry != isinstance(self._at(place.union), tuple):
                return
            if not entry and place.union not in self.unions:
                self.unions.add(place.union)
                self._wrong_type(place, "a whole number or a list of them", "write a whole number, or a list such as [2, 1, 3]")
            if not entry:
                return
        kind = detail["type"]
        if kind in _WANTED:
            self._wrong_type(place, *_WANTED[kind])
        elif kind == "missing":
            self._missing(place)
        elif kind == "extra_forbidden":
            known = self._trace(detail["loc"][:-1]).schema.get("properties", {})
            word = str(place.path[-1])
            self._fault(place, "unknown-key", f"there is no key `{word}` here", meant(word, known, "use"), key=True)
        elif kind in ("union_tag_not_found", "union_tag_invalid"):
            self._kind(place, re.findall(r"'([^']+)'", str(detail.get("ctx", {}).get("expected_tags", ""))))
        elif kind == "string_pattern_mismatch":
            self._pattern(place)
        elif kind == "value_error":
            self._formula(place, detail["msg"].removeprefix("Value error, "))
        else:
            self._bound(place, detail)

    def _trace(self, loc: tuple[int | str, ...]) -> _Place:
        """Follows a location, which also names the branch of each union, down the schema to a path in the file."""
        path: Path_ = ()
        union: Path_ | None = None
        schema = self.schema
        for step in loc:
            schema = self._plain(schema)
            if "discriminator" in schema:
                schema = {"$ref": schema["discriminator"]["mapping"].get(step, "")}
            elif "anyOf" in schema:
                union = path
                schema = next((s for s in schema["anyOf"] if (s.get("type") == "array") == str(step).startswith("tuple")), {})
            elif step == "[key]":
                return _Place(path, schema, True)
            else:
                path = (*path, step)
                schema = _child(schema, step)
        return _Place(path, self._plain(schema), union=union)

    def _plain(self, schema: Schema) -> Schema:
        """The schema behind references and behind "or null"."""
        while True:
            others = [s for s in schema.get("anyOf", ()) if s.get("type") != "null"]
            if "$ref" in schema:
                schema = self.definitions.get(schema["$ref"].rpartition("/")[2], {})
            elif len(others) == 1:
                schema = others[0] | {k: v for k, v in schema.items() if k == "description"}
            else:
                return schema

    def _at(self, path: Path_) -> object:
        value = self.value
        for step in path:
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, tuple) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    def _fault(self, place: _Place, code: str, message: str, mend: str, *, key: bool = False, offset: int | None = None) -> None:
        self.document.fault(self.base + place.path, code, message, mend, key=key or place.key, offset=offset)

    def _name(self, place: _Place) -> str:
        path = self.base + place.path
        start = max((i for i, step in enumerate(path) if isinstance(step, str)), default=0)
        return f"`{names(path[start:])}`" if path else "the file"

    def _wrong_type(self, place: _Place, wanted: str, mend: str) -> None:
        found = self._at(place.path)
        if found is None and place.path:
            mend = f"{mend}, or remove the key"
        elif wanted == "text" and isinstance(found, int | float):
            mend = "put it in quotes"
        self._fault(place, "wrong-type", f"{self._name(place)} is {said(found)} where {wanted} is wanted", mend)

    def _missing(self, place: _Place) -> None:
        parent, last = _Place(place.path[:-1], {}), place.path[-1]
        if isinstance(last, int):
            self._fault(parent, "bad-value", f"{self._name(parent)} has too few entries", "write two numbers, such as [1, 9]")
            return
        what = place.schema.get("description", "")
        self._fault(parent, "missing-key", f"`{last}` is missing", f"add `{last}:`" + (f" ({_one_line(what)})" if what else ""))

    def _kind(self, place: _Place, known: list[str]) -> None:
        found = self._at(place.path)
        if not isinstance(found, dict) or "kind" not in found:
            self._fault(place, "missing-key", "`kind` is missing", f"add `kind:` with one of {', '.join(known)}")
            return
        inner = _Place((*place.path, "kind"), {})
        given = found["kind"]
        if isinstance(given, str):
            self._fault(inner, "unknown-kind", f"there is no kind {given!r} here", meant(given, known))
        else:
            self._wrong_type(inner, "text", f"write one of {', '.join(known)}")

    def _pattern(self, place: _Place) -> None:
        found = str(place.path[-1] if place.key else self._at(place.path))
        pattern = str(place.schema.get("pattern", ""))
        if "==" in pattern:
            mend = "write name==version, such as transformers==4.45.2"
            self._fault(place, "bad-pin", f"{found!r} is not a distribution at one version", mend)
        elif "(-" in pattern or "([.-]" in pattern:
            better = slug(found)
            mend = "write lower-case words joined by hyphens" + (f", such as {better}" if better else "")
            self._fault(place, "bad-id", f"{found!r} is not an id", mend)
        else:
            mend = "write a letter, then letters, digits or underscores"
            self._fault(place, "bad-name", f"{found!r} is not a name that a formula can use", mend)

    def _formula(self, place: _Place, message: str) -> None:
        offset = 0
        text = str(self._at(place.path))
        try:
            Formula.parse(text)
        except FormulaError as error:
            message, offset = f"{text!r} is not a formula: {str(error).removeprefix('not a formula: ')}", error.offset or 0
        mend = "write + - * / **, names, numbers, [vectors] and the known functions"
        self._fault(place, "formula-syntax", message, mend, offset=offset)

    def _bound(self, place: _Place, detail: ErrorDetails) -> None:
        found, context, name = self._at(place.path), detail.get("ctx", {}), self._name(place)
        if detail["type"] == "too_short" and isinstance(found, tuple) and len(found) >= context["min_length"]:
            return  # pydantic doesn't count entries that are faulty themselves; they have been reported
        limit = next((context[k] for k in ("ge", "le", "gt", "lt", "min_length", "max_length") if k in context), "")
        message, mend = {
            "greater_than_equal": (f"is {said(found)}", f"write at least {limit}"),
            "less_than_equal": (f"is {said(found)}", f"write at most {limit}"),
            "greater_than": (f"is {said(found)}", f"write more than {limit}"),
            "less_than": (f"is {said(found)}", f"write less than {limit}"),
            "string_too_short": ("is empty", "write text here"),
            "string_too_long": ("is too long", f"write at most {limit} characters"),
            "too_short": ("has too few entries", f"write at least {limit}"),
            "too_long": ("has too many entries", f"write at most {limit}"),
            "literal_error": (f"is {said(found)}", meant(str(found), re.findall(r"'([^']+)'", str(context.get("expected", ""))))),
        }.get(detail["type"], (f"is wrong: {_one_line(detail['msg'])}", "see quizapp bank schema"))
        self._fault(place, "bad-value", f"{name} {message}", mend)


def _child(schema: Schema, step: int | str) -> Schema:
    if isinstance(step, int):
        fixed = schema.get("prefixItems", ())
        entry = fixed[step] if step < len(fixed) else schema.get("items", {})
    else:
        patterned = next(iter(schema.get("patternProperties", {}).values()), schema.get("additionalProperties"))
        entry = schema.get("properties", {}).get(step, patterned)
    return entry if isinstance(entry, dict) else {}


def _one_line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")
