"""Variants: an item's values and the order of its options, drawn from a seed, the same for ever on every machine.

The numbers come from SHA-256 in counter mode, keyed by what is drawn and the seed: block ``i`` of a stream is the digest of
``quizapp-draw-1``, the key's words and ``i``, joined by NUL. Python's ``random`` promises no such stability across versions.
Nothing here may change what an existing seed gives: a change of method takes a new name in place of ``quizapp-draw-1``.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from hashlib import sha256

from quizapp.model.formula import Formula, FormulaError, Value
from quizapp.model.question import ChoicePart, Item, Variable
from quizapp.model.variant import ShownChoice, Variant, fill, shown

METHOD = "quizapp-draw-1"
TRIES = 2_000
"""Draws of all variables before giving up on the constraints."""


class DrawError(ValueError):
    """No variant can be drawn: the ranges and constraints leave no room, or a constraint can't be evaluated."""


class Stream:
    """An endless stream of bits, the same for the same words."""

    def __init__(self, *words: str) -> None:
        self._bytes = self._blocks("\0".join((METHOD, *words)))

    @staticmethod
    def _blocks(key: str) -> Iterator[int]:
        counter = 0
        while True:
            yield from sha256(f"{key}\0{counter}".encode()).digest()
            counter += 1

    def below(self, bound: int) -> int:
        """An integer in ``0..bound-1``, each as likely; ``bound >= 1``."""
        bits = (bound - 1).bit_length()
        size = (bits + 7) // 8
        while True:
            number = int.from_bytes(next(self._bytes) for _ in range(size)) >> (8 * size - bits)
            if number < bound:
                return number

    def shuffled(self, count: int) -> list[int]:
        """The numbers ``0..count-1`` in a random order (Fisher-Yates, from the end)."""
        order = list(range(count))
        for last in range(count - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


def own_values(variables: Mapping[str, Variable]) -> dict[str, Value]:
    """The values written in the bank, as exact rationals."""
    return {name: _exact(variable.value) for name, variable in variables.items()}


def draw(item: Item, seed: int | None) -> Variant:
    """An item's variant for a seed; ``None`` gives the bank's own values.

    Each variable has its own stream, so a variable added later leaves the others' values as they were, unless a constraint
    makes it necessary to draw again.

    Raises:
        DrawError: nothing found within :data:`TRIES`, or a constraint that has no truth value.
    """
    own = own_values(item.variables)
    if seed is None or all(variable.range is None for variable in item.variables.values()):
        return Variant(seed, own)
    constraints = [Formula.parse(source) for source in item.constraints]
    for attempt in range(TRIES):
        values = own | {
            name: _drawn(name, variable, Stream(item.id, str(seed), name, str(attempt)))
            for name, variable in item.variables.items()
            if variable.range is not None
        }
        if all(_holds(constraint, values, item.id) for constraint in constraints):
            return Variant(seed, values)
    raise DrawError(f"{item.id}: no values within the ranges satisfy the constraints ({TRIES} draws with seed {seed})")


def shown_choices(part: ChoicePart, variant: Variant) -> tuple[ShownChoice, ...]:
    """The options in the order and under the letters that this variant shows: shuffled by the seed where there is one.

    Raises:
        FormulaError: an option's value or slot that has no value in this variant.
    """
    order = list(range(len(part.choices)))
    if variant.seed is not None and part.shuffle:
        order = Stream(part.id, str(variant.seed), *(choice.id for choice in part.choices)).shuffled(len(order))
    options = []
    for letter, choice in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (part.choices[index] for index in order), strict=False):
        value = None if choice.value is None else Formula.parse(choice.value).scalar(variant.values)
        text = fill(choice.text, variant.values) if choice.text is not None else "" if value is None else shown(value)
        note = None if choice.note is None else fill(choice.note, variant.values)
        options.append(ShownChoice(letter, choice.id, text, value, choice.key, choice.misconception, note))
    return tuple(options)


def _exact(value: int | tuple[int, ...]) -> Value:
    return tuple(Fraction(entry) for entry in value) if isinstance(value, tuple) else Fraction(value)


def _drawn(name: str, variable: Variable, stream: Stream) -> Value:
    assert variable.range is not None
    low, high = variable.range
    if high < low:
        raise DrawError(f"variable {name}: the range {low}..{high} is empty")
    if not isinstance(variable.value, tuple):
        return Fraction(low + stream.below(high - low + 1))
    if variable.distinct and len(variable.value) > high - low + 1:
        raise DrawError(f"variable {name}: {len(variable.value)} distinct numbers don't fit into {low}..{high}")
    entries: list[int] = []
    while len(entries) < len(variable.value):
        entry = low + stream.below(high - low + 1)
        if not (variable.distinct and entry in entries):
            entries.append(entry)
    return _exact(tuple(entries))


def _holds(constraint: Formula, values: Mapping[str, Value], item: str) -> bool:
    try:
        return constraint.holds(values)
    except FormulaError as error:
        raise DrawError(f"{item}: the constraint {constraint} can't be evaluated: {error}") from None
