"""The door of this room: an answer to any part but code, scored by the scorer of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from quizapp.model.formula import Value
from quizapp.model.question import ChoicePart, CodePart, NumericPart, Part, SymbolicPart
from quizapp.model.rubric import Rubric
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice, Variant, fill
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.choice import score_choice
from quizapp.scoring.numeric import score_numeric
from quizapp.scoring.symbolic import score_symbolic
from quizapp.scoring.text import score_text

__all__ = ["AnswerError", "filled_rubric", "score_part"]


def score_part(
    part: Part, variant: Variant, shown: Sequence[ShownChoice], answer: str, *, stem: str, titles: Mapping[str, str]
) -> Score:
    """Scores one answer to one part.

    Args:
        variant: the values that the learner saw.
        shown: the options that the learner saw; empty for other kinds than choice.
        stem: the question as shown, so that repeating it earns nothing.
        titles: misconception id -> title.

    Raises:
        AnswerError: the answer can't be read as one of this kind; nothing was scored.
        FormulaError: a formula of the bank has no value in this variant.
        TypeError: a code part, which the judge runs.
    """
    values = variant.values
    match part:
        case ChoicePart():
            return score_choice(part, [_noted(choice, values) for choice in shown], answer, titles)
        case NumericPart():
            return score_numeric(part, values, answer, titles)
        case SymbolicPart():
            return score_symbolic(part, answer, titles, values)
        case CodePart():
            raise TypeError("a code part is run by the judge, not scored from an answer")
        case _:
            return score_text(filled_rubric(part.rubric, values), stem, answer, titles)


def _noted(choice: ShownChoice, values: Mapping[str, Value]) -> ShownChoice:
    return choice if choice.note is None else replace(choice, note=fill(choice.note, values))


def filled_rubric(rubric: Rubric, values: Mapping[str, Value]) -> Rubric:
    """The rubric with the slots of its texts filled in; ``score_text`` takes it so.

    Raises:
        FormulaError: a slot without a value in this variant.
    """
    if "{{" not in repr(rubric):
        return rubric

    def texts(phrases: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(fill(phrase, values) for phrase in phrases)

    def maybe(text: str | None) -> str | None:
        return None if text is None else fill(text, values)

    criteria = tuple(
        criterion.model_copy(
            update={
                "description": fill(criterion.description, values),
                "accept": texts(criterion.accept),
                "reject": texts(criterion.reject),
                "groups": tuple(texts(group) for group in criterion.groups),
                "follow_up": maybe(criterion.follow_up),
            }
        )
        for criterion in rubric.criteria
    )
    misconceptions = tuple(
        shown.model_copy(update={"accept": texts(shown.accept), "refute": texts(shown.refute), "follow_up": maybe(shown.follow_up)})
        for shown in rubric.misconceptions
    )
    return Rubric(criteria=criteria, misconceptions=misconceptions)
