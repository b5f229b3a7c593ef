"""What scorers of all kinds share about an answer: the error for one that can't be scored, and the score of a single criterion."""

from quizapp.model.score import CriterionScore, Met, Score, score_of

MAX_CHARACTERS = 20_000
"""Longest answer that any scorer reads."""


class AnswerError(ValueError):
    """The answer can't be read as an answer of its kind: a usage error that costs no attempt, not a wrong answer.

    The message is one line for the learner and says what to write instead.
    """


def single(
    id: str,
    points: int,
    max_points: int,
    reason: str,
    *,
    evidence: tuple[tuple[int, int], ...] = (),
    misconceptions: tuple[str, ...] = (),
) -> Score:
    """The score of a part with one criterion, named after the part."""
    met: Met = "met" if points == max_points else "unmet"
    criterion = CriterionScore(id=id, points=points, max_points=max_points, met=met, evidence=evidence, reason=reason)
    return score_of((criterion,), misconceptions)


def span(answer: str) -> tuple[tuple[int, int], ...]:
    """The answer without the white space around it, as evidence; empty for an empty answer."""
    text = answer.strip()
    start = answer.find(text)
    return ((start, start + len(text)),) if text else ()


def sentence(text: str) -> str:
    """The text on one line, with a full stop where it lacks an end."""
    line = " ".join(text.split())
    return line if line.endswith((".", "!", "?", ":")) else f"{line}."
