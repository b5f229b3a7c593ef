"""A fault of a bank's file, and nothing else: where, what is wrong, what to write instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CODES: Mapping[str, str] = {
    "bad-id": "an id that isn't lower-case words joined by hyphens",
    "bad-name": "a variable, symbol or entry with a name that formulas or Python can't use",
    "bad-value": "a value out of its bounds, empty, or not among those there are",
    "choice-empty": "a choice with neither text nor value",
    "constraint": "the bank's own values break a constraint",
    "criterion-empty": "a criterion that no answer can meet",
    "distinct-range": "a range too small for a vector's distinct numbers",
    "distractor-unnamed": "a checkpoint's distractor without its misconception",
    "duplicate-id": "an id that stands twice",
    "duplicate-key": "a key that stands twice",
    "formula-name": "a formula that names no variable or symbol",
    "formula-syntax": "not a formula",
    "formula-value": "a formula without a value at the bank's own values",
    "key-misconception": "a right choice that names a misconception",
    "key-refused": "a key or wrong expression that the scorer can't take as an answer",
    "key-type": "a key that isn't text",
    "lab-file": "a file that a lab needs and lacks",
    "lab-missing": "a code part's folder without a lab",
    "lab-program": "a lab's program that doesn't parse or defines no entry",
    "link": "a Markdown link left open or leading nowhere",
    "merge-key": "a YAML merge key",
    "missing-key": "a key that must be there",
    "no-key": "choices without a right one",
    "no-variant": "ranges and constraints that leave no variant",
    "points-sum": "points that don't add up",
    "range-order": "a range that ends before it begins",
    "regex": "not a pattern",
    "same-value": "two choices or wrong values that can't be told apart",
    "slot": "a {{ slot }} that isn't a formula, or isn't closed",
    "unknown-criterion": "a criterion that the rubric lacks",
    "unknown-key": "a key that isn't known there",
    "unknown-kind": "a kind that there isn't",
    "unknown-misconception": "a misconception that isn't registered, or that the rubric never shows",
    "unreadable": "a file or folder that can't be read",
    "variant": "a variant without a value, or in which options or wrong values can't be told apart",
    "wrong-is-key": "a wrong value that equals the key",
    "wrong-type": "text, number, list or keys where another of them is wanted",
    "yaml-alias": "aliases that repeat too much",
    "yaml-depth": "too many levels",
    "yaml-empty": "an empty file",
    "yaml-encoding": "not UTF-8, or a control character",
    "yaml-number": "a number with too many digits",
    "yaml-size": "a file that is too large",
    "yaml-syntax": "not YAML",
    "yaml-tag": "a YAML tag beyond the core ones",
}
"""Every code and what it means. Codes are stable: tools sort and filter by them."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``line`` and ``column`` count from 1; ``code`` is one of :data:`CODES`."""

    file: Path
    line: int
    column: int
    code: str
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}; {self.mend}"
