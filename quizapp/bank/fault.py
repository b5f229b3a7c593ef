"""A fault of a bank's file, and nothing else: where, what is wrong, what to write instead."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CODES: Mapping[str, str] = {
    "accept-unmet": "an accepted phrase that doesn't meet its criterion",
    "bad-id": "an id that isn't lower-case words joined by hyphens",
    "bad-name": "a variable, symbol or entry with a name that formulas or Python can't use",
    "bad-value": "a value out of its bounds, empty, or not among those there are",
    "choice-empty": "a choice with neither text nor value",
    "choice-text": "an option whose text, typed as an answer, means another or none",
    "comes-before-itself": "a topic or item that comes before itself, by whatever way round",
    "constraint": "the bank's own values break a constraint",
    "criterion-empty": "a criterion that no answer can meet",
    "distinct-range": "a range too small for a vector's distinct numbers",
    "distractor-unnamed": "a checkpoint's distractor without its misconception",
    "duplicate-id": "an id that stands twice",
    "duplicate-key": "a key that stands twice",
    "follow-up-unreachable": "a follow-up that no answer leads to",
    "formula-name": "a formula that names no variable or symbol",
    "formula-syntax": "not a formula",
    "formula-value": "a formula without a value at the bank's own values",
    "key-misconception": "a right choice that names a misconception",
    "key-refused": "a key or wrong expression that the scorer can't take as an answer",
    "key-routes": "a key that is another number exactly than in floating point",
    "key-type": "a key that isn't text",
    "lab-faulty": "a lab that can't judge anything",
    "lab-file": "a file that a lab needs and lacks",
    "lab-missing": "a code part's folder without a lab",
    "lab-program": "a lab's program that doesn't parse or defines no entry",
    "lab-separation": "wrong ideas of a lab that no scenarios tell apart",
    "link": "a Markdown link left open or leading nowhere",
    "markdown": "Markdown that isn't shown as it was meant",
    "merge-key": "a YAML merge key",
    "missing-key": "a key that must be there",
    "no-key": "choices without a right one",
    "no-variant": "ranges and constraints that leave no variant, or hardly any",
    "placeholder": "a phrase that an import left to be filled in",
    "points-sum": "points that don't add up",
    "program-foretold": "a known wrong program for whose misconception the lab has no rule",
    "program-misnamed": "a known wrong program that isn't named after its misconception",
    "program-outcome": "a lab's program that passes and shouldn't, or fails and shouldn't",
    "range-order": "a range that ends before it begins",
    "refute-shows": "a refutation that shows its misconception",
    "regex": "not a pattern",
    "regex-any": "a pattern that any text matches",
    "regex-slow": "a pattern that runs away",
    "reject-met": "a rejected phrase that meets its criterion",
    "same-value": "two choices or wrong values that can't be told apart, at the bank's own values or in some variant",
    "shown-unseen": "a misconception's phrase that doesn't show it",
    "slot": "a {{ slot }} that isn't a formula, or isn't closed",
    "too-close": "a wrong value within five tolerances of the key",
    "topic-title": "a topic with another title than another bank gives it",
    "unknown-criterion": "a criterion that the rubric lacks",
    "unknown-draw": "an array to be listed that isn't drawn as one that all ranks share",
    "unknown-key": "a key that isn't known there",
    "unknown-kind": "a kind that there isn't",
    "unknown-misconception": "a misconception that isn't registered, or that the rubric never shows",
    "unknown-prerequisite": "a prerequisite that is neither an item nor a topic",
    "unknown-topic": "a topic that no bank declares",
    "unreadable": "a file or folder that can't be read",
    "variant": "a value that is missing in some variant",
    "wrong-is-key": "a wrong value that equals the key",
    "wrong-type": "text, number, list or keys where another of them is wanted",
    "wrong-unnamed": "a wrong value that, typed as an answer, doesn't get its name",
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
