"""The door of this room: an answer to any part but code, scored by the scorer of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quizapp.model.question import ChoicePart, CodePart, NumericPart, Part, SymbolicPart
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice, Variant
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.choice import score_choice
from quizapp.scoring.numeric import score_numeric
from quizapp.scoring.symbolic import score_symbolic
from quizapp.scoring.text import score_text

__all__ = ["AnswerError", "score_part"]


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
    match part:
        case ChoicePart():
            return score_choice(part, shown, answer, titles)
        case NumericPart():
            return score_numeric(part, variant.values, answer, titles)
        case SymbolicPart():
            return score_symbolic(part, answer, titles)
        case CodePart():
            raise TypeError("a code part is run by the judge, not scored from an answer")
        case _:
            return score_text(part.rubric, stem, answer, titles)
