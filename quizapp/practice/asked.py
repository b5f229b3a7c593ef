"""One part of one variant, as it is put to the learner, and the scoring of an answer to it. Stores nothing.

The scorers are loaded when the first answer is scored: no question waits for them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from quizapp import __version__
from quizapp.bank.draw import draw, shown_choices
from quizapp.bank.load import Library, LoadedItem
from quizapp.model.question import ChoicePart, CodePart, Part, Reading
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice, Variant, fill


def scorer() -> str:
    """Version, tier and hash of the rules: stored with each attempt, so that a later scorer knows which ones to score anew."""
    from quizapp.scoring.tier import scorer_name

    return f"quizapp {__version__} {scorer_name()}"


@dataclass(frozen=True, slots=True)
class Asked:
    """A part with its texts filled in from the variant's values."""

    loaded: LoadedItem
    part: Part
    variant: Variant
    number: int
    """Which of the item's parts, from 1."""
    of: int
    stem: str
    """The item's stem."""
    part_stem: str | None
    """The part's own question, where it has one."""
    hint: str | None
    explanation: str
    """The part's explanation where it has one, else the item's."""
    choices: tuple[ShownChoice, ...]
    """The options of a choice part, as lettered in this variant; else empty."""

    @property
    def item_id(self) -> str:
        return self.loaded.item.id

    @property
    def title(self) -> str:
        return fill(self.loaded.item.title or self.loaded.item.id, self.variant.values)

    @property
    def question(self) -> str:
        """Everything that the learner read before answering."""
        return f"{self.stem}\n\n{self.part_stem}" if self.part_stem else self.stem


def ask(loaded: LoadedItem, part_id: str, seed: int | None) -> Asked:
    """The part as the variant of that seed puts it.

    Raises:
        KeyError: the item has no such part.
        quizapp.bank.draw.DrawError: the item has no variant for this seed.
    """
    item = loaded.item
    ids = [part.id for part in item.parts]
    if part_id not in ids:
        raise KeyError(part_id)
    part = item.parts[ids.index(part_id)]
    variant = draw(item, seed)
    explanation = part.explanation or item.explanation
    return Asked(
        loaded=loaded,
        part=part,
        variant=variant,
        number=ids.index(part_id) + 1,
        of=len(ids),
        stem=fill(item.stem, variant.values) + _origin(loaded),
        part_stem=None if part.stem is None else fill(part.stem, variant.values),
        hint=None if part.hint is None else fill(part.hint, variant.values),
        explanation=fill(explanation, variant.values),
        choices=shown_choices(part, variant) if isinstance(part, ChoicePart) else (),
    )


def _origin(loaded: LoadedItem) -> str:
    """Below the weights of a released library: when they were recorded, and of which versions."""
    if loaded.item.audit is None:
        return ""
    from quizapp.bank.record import origin

    return f"\n\n*{origin(loaded.file, loaded.item.audit)}*\n"


def grade(asked: Asked, answer: str, titles: Mapping[str, str]) -> Score:
    """What an answer to a part that isn't code earns.

    Raises:
        quizapp.scoring.answer.AnswerError: the text is no answer to this part (no such option, not a number).
    """
    from quizapp.scoring.score import score_part

    return score_part(asked.part, asked.variant, asked.choices, answer, stem=asked.question, titles=titles)


def title(loaded: LoadedItem) -> str:
    """An item's title with the bank's own values, or its id where it has none."""
    return fill(loaded.item.title or loaded.item.id, draw(loaded.item, None).values)


def titles(library: Library) -> dict[str, str]:
    """Misconception id -> title."""
    return {id_: misconception.title for id_, misconception in library.registry.items()}


def varies(loaded: LoadedItem) -> bool:
    """True where other numbers can be asked: the item draws at least one variable."""
    return any(variable.range is not None for variable in loaded.item.variables.values())


def is_code(part: Part) -> bool:
    """True for a part that the judge runs."""
    return isinstance(part, CodePart)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do in a sitting: read a page, or answer one part of an item."""

    reading: Reading | None = None
    loaded: LoadedItem | None = None
    part: Part | None = None

    @property
    def id(self) -> str:
        """``reading/<id>`` or ``<item>/<part>``; stable while the bank keeps its ids."""
        if self.reading is not None:
            return f"reading/{self.reading.id}"
        assert self.loaded is not None
        assert self.part is not None
        return f"{self.loaded.item.id}/{self.part.id}"

    @property
    def title(self) -> str:
        if self.reading is not None:
            return self.reading.title
        assert self.loaded is not None
        return title(self.loaded)
