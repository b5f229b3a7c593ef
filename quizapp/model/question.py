"""Questions as a bank holds them: checkpoint, exercise with parts, probe with follow-ups, and the bank around them.

Pure data. Reading YAML and drawing variants is ``quizapp.bank``; scoring is ``quizapp.scoring``.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SerializerFunctionWrapHandler, field_serializer

from quizapp.model.audit import ItemAudit
from quizapp.model.base import FormulaText, Id, Markdown, Model, Points, as_formula_text
from quizapp.model.misconception import Misconception
from quizapp.model.rubric import Rubric

Symbol = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
_Written = BeforeValidator(as_formula_text, json_schema_input_type=str | int | float)
FormulaOrNumber = Annotated[FormulaText, _Written]
Integers = tuple[int, ...]
MAX_TOLERANCE = Fraction(1, 5)
"""Of a numeric part, relative to its key."""


class Variable(Model):
    """A number, or a vector of numbers, that differs between variants."""

    value: int | Integers
    """The value shown when no seed is given: the canon's figures."""
    range: tuple[int, int] | None = None
    """Lowest and highest integer to draw from; without it every variant has ``value``. A vector's entries are drawn one by one."""
    distinct: bool = False
    """A vector's drawn entries differ from each other."""


class Wrong(Model):
    """A wrong value and the misconception that leads to it."""

    value: FormulaOrNumber
    misconception: Id
    note: Markdown | None = None
    """What to say to a learner who gives it, beyond the misconception's own text."""


class Choice(Model):
    """One option of a choice part. A distractor names the misconception behind it."""

    id: Id
    text: Annotated[Markdown, _Written] | None = None
    """What is shown. Absent: ``value`` is shown."""
    value: FormulaOrNumber | None = None
    """The option as a number, for options that are numbers."""
    key: bool = False
    misconception: Id | None = None
    note: Markdown | None = None
    """Why this option is right or wrong."""


class _Part(Model):
    id: Id = "main"
    points: Points = 1
    stem: Markdown | None = None
    """The part's own question; a single part may leave it to the item's stem."""
    explanation: Markdown | None = None
    hint: Markdown | None = None


class ChoicePart(_Part):
    """Choose one option, or all right ones where there are several keys."""

    kind: Literal["choice"]
    choices: Annotated[tuple[Choice, ...], Field(min_length=2, max_length=26)]
    shuffle: bool = True

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(choice.id for choice in self.choices if choice.key)


class NumericPart(_Part):
    """Give a number."""

    kind: Literal["numeric"]
    key: FormulaOrNumber
    tolerance: FormulaOrNumber = "0.0005"
    """A number or a formula over the variables, more than 0 and at most 0.2 in every variant: relative to the key's size, for
    decimals; a fraction must be exact. Shown to the learner."""
    unit: str | None = None
    wrong: tuple[Wrong, ...] = ()


class SymbolDomain(Model):
    """Where a symbol of a derivation lives; answers are compared at random points of it."""

    range: tuple[int, int]
    integer: bool = False
    meaning: Markdown
    """What the symbol stands for, as shown to the learner."""


class SymbolicPart(_Part):
    """Give an expression in the named symbols."""

    kind: Literal["symbolic"]
    symbols: Annotated[dict[Symbol, SymbolDomain], Field(min_length=1)]
    key: FormulaText
    wrong: tuple[Wrong, ...] = ()


class TextPart(_Part):
    """Explain in words; scored against the rubric, whose points are the part's points."""

    kind: Literal["text"]
    rubric: Rubric


class CodePart(_Part):
    """Write code that runs on several ranks; the folder holds ``lab.yaml`` and its programs."""

    kind: Literal["code"]
    folder: str
    """The lab's folder, relative to the bank's file."""


Part = Annotated[ChoicePart | NumericPart | SymbolicPart | TextPart | CodePart, Field(discriminator="kind")]


class _Item(Model):
    id: Id
    title: Markdown | None = None
    topics: Annotated[tuple[Id, ...], Field(min_length=1)]
    difficulty: Annotated[int, Field(ge=1, le=5)]
    prerequisites: tuple[Id, ...] = ()
    """What should be known first: ids of items, or of topics, of this or any other bank. Cycles are faults."""
    stem: Markdown
    explanation: Markdown
    """What the right answer is and why; shown after the answer."""
    sources: tuple[Markdown, ...] = ()
    audit: ItemAudit | None = None
    """A released library whose weights the stem shows, as they were recorded; where it is installed it can be run again."""
    confidence: bool = True
    """Ask for a confidence from 1 to 5 before the answer is shown."""
    variables: dict[Symbol, Variable] = Field(default_factory=dict)
    constraints: tuple[FormulaText, ...] = ()
    """Formulas over the variables that every variant keeps."""


class Checkpoint(_Item):
    """A quick question with options."""

    kind: Literal["checkpoint"]
    points: Points = 1
    choices: Annotated[tuple[Choice, ...], Field(min_length=2, max_length=26)]
    shuffle: bool = True
    hint: Markdown | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        return (ChoicePart(kind="choice", points=self.points, choices=self.choices, shuffle=self.shuffle, hint=self.hint),)


class Exercise(_Item):
    """A problem in ordered parts."""

    kind: Literal["exercise"]
    points: Points
    """The parts' points together."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]


class FollowUp(Model):
    """A further question of a probe, asked when a criterion was missed or a misconception shown; without either, always."""

    id: Id
    missed: tuple[Id, ...] = ()
    """Criteria of the probe; any one unmet or unsure calls for this follow-up."""
    shown: tuple[Id, ...] = ()
    """Misconceptions; any one shown calls for this follow-up."""
    stem: Markdown
    rubric: Rubric
    explanation: Markdown | None = None


class Probe(_Item):
    """An interview question: free text, a rubric, follow-ups."""

    kind: Literal["probe"]
    points: Points
    """The rubric's points together; follow-ups are scored on their own."""
    rubric: Rubric
    follow_ups: tuple[FollowUp, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        return (TextPart(kind="text", points=self.points, rubric=self.rubric),)


Item = Annotated[Checkpoint | Exercise | Probe, Field(discriminator="kind")]


class Reading(Model):
    """A page of notes to read before or after the items."""

    id: Id
    title: Markdown
    text: Markdown
    sources: tuple[Markdown, ...] = ()


class Topic(Model):
    """A node of the graph of topics. Banks may declare the same topic: what they say is put together."""

    title: Markdown
    after: tuple[Id, ...] = ()
    """Topics that should be known first. Cycles are faults."""


class Bank(Model):
    """One YAML file of questions."""

    id: Id
    title: Markdown
    version: Annotated[int, Field(ge=1)] = 1
    place: Annotated[int, Field(ge=1, le=1000)] = 100
    """Where the bank stands among others, lowest first: what a newcomer should take first has the lowest."""
    description: Markdown
    reading: tuple[Reading, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    """Misconceptions that this bank adds to the registry."""
    topics: dict[Id, Topic] = Field(default_factory=dict)
    """Topic id -> its title, and the topics that come before it. A bank that has this declares every topic that its items name,
    unless another bank does."""
    items: Annotated[tuple[Item, ...], Field(min_length=1)]

    @field_serializer("items", mode="wrap")
    def _whole(self, items: Iterable[Item], serializer: SerializerFunctionWrapHandler) -> object:
        # A bank that was read from the cache has another sequence here, whose items are built when they are asked for.
        return serializer(tuple(items))
