"""A question as other programs know it: one prompt, one way to answer it. The form between a bank and every foreign format.

Pure data. Texts are Markdown with all slots filled in; numbers are exact.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice."""

    text: str
    key: bool
    note: str | None = None
    """What is said to someone who chose it."""


@dataclass(frozen=True, slots=True)
class Choose:
    """Choose one option, or all right ones where several are keys."""

    options: tuple[Option, ...]
    shuffle: bool = True

    @property
    def keys(self) -> tuple[Option, ...]:
        return tuple(option for option in self.options if option.key)


@dataclass(frozen=True, slots=True)
class WrongNumber:
    """A wrong number that is told apart."""

    value: Fraction
    note: str


@dataclass(frozen=True, slots=True)
class Number:
    """Give a number. ``tolerance`` is absolute, in the key's own unit."""

    key: Fraction
    tolerance: Fraction
    unit: str | None = None
    wrong: tuple[WrongNumber, ...] = ()


@dataclass(frozen=True, slots=True)
class Expression:
    """Give an expression in symbols. No foreign format marks it."""

    key: str
    symbols: tuple[tuple[str, str], ...]
    """Names and meanings."""
    wrong: tuple[tuple[str, str], ...] = ()
    """Wrong expressions and what is said about them."""


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """Type a word or a few; any of the accepted ones is right, capitals don't count, ``*`` stands for anything."""

    accepted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """What a written answer earns points for."""

    points: int
    description: str


@dataclass(frozen=True, slots=True)
class Essay:
    """Answer in words."""

    rubric: tuple[Point, ...] = ()
    follow_ups: tuple[str, ...] = ()
    model_answer: str | None = None
    """An answer that earns everything, or notes for whoever marks; only foreign files have it."""


Body: TypeAlias = Choose | Number | Expression | ShortAnswer | Essay


@dataclass(frozen=True, slots=True)
class Question:
    """One question."""

    id: str
    """As a bank writes ids; unique in a quiz."""
    stem: str
    body: Body
    title: str | None = None
    explanation: str | None = None
    points: int = 1
    hint: str | None = None
    topics: tuple[str, ...] = ()
    difficulty: int | None = None
    line: int = 1
    """Where it begins in a foreign file, from 1."""
    column: int = 1


@dataclass(frozen=True, slots=True)
class Quiz:
    """Questions on their way out."""

    id: str
    title: str
    description: str = ""
    questions: tuple[Question, ...] = field(default=())
