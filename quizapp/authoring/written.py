"""Rubrics, tried on their own phrases: what is said to be accepted is met, and what is said to be rejected is not."""

from collections.abc import Iterator, Sequence

from quizapp.authoring.patterns import pattern_faults
from quizapp.bank.document import Document, Path_
from quizapp.bank.draw import draw
from quizapp.model.formula import FormulaError
from quizapp.model.question import Item, Probe, TextPart
from quizapp.model.rubric import Criterion, Rubric, ShownMisconception
from quizapp.model.score import Score
from quizapp.model.variant import fill
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.score import filled_rubric
from quizapp.scoring.text import score_text

FRAMES = ("{}", "It is so: {}.", "The reason is that {}.")
"""Ways of saying a phrase; one too short to be an answer is tried in a sentence."""
FEW = 3
"""Words below which no answer is scored."""
PLACEHOLDER = "(fill in: a sentence that earns the points)"
"""What an import writes where the other format had no phrase."""
_SAY = "write the phrase as a learner would say it, or mend the criterion's other phrases"


def add_rubric_faults(document: Document, path: Path_, item: Item) -> None:
    """Adds each phrase and pattern of an item's rubrics that doesn't do what it is there for."""
    for where, rubric, stem in rubrics_of(path, item):
        for index, criterion in enumerate(rubric.criteria):
            for position, pattern in enumerate(criterion.regex):
                for code, message, mend in pattern_faults(pattern):
                    document.fault((*where, "criteria", index, "regex", position), code, message, mend)
        _phrases(document, where, rubric, stem)


def rubrics_of(path: Path_, item: Item) -> Iterator[tuple[Path_, Rubric, str]]:
    """Each rubric of an item with its path and the question as shown, at the bank's own values."""
    values = draw(item, None).values
    found: list[tuple[Path_, Rubric, str]] = []
    if isinstance(item, Probe):
        found.append(((*path, "rubric"), item.rubric, item.stem))
        found += [((*path, "follow_ups", at, "rubric"), entry.rubric, entry.stem) for at, entry in enumerate(item.follow_ups)]
    else:
        for at, part in enumerate(item.parts):
            if isinstance(part, TextPart):
                found.append(((*path, "parts", at, "rubric"), part.rubric, f"{item.stem}\n\n{part.stem or ''}"))
    for where, rubric, stem in found:
        try:
            yield where, filled_rubric(rubric, values), fill(stem, values)
        except FormulaError:
            continue  # said elsewhere


def _phrases(document: Document, path: Path_, rubric: Rubric, stem: str) -> None:
    for index, criterion in enumerate(rubric.criteria):
        here = (*path, "criteria", index)
        for position, phrase in enumerate(criterion.accept):
            if phrase == PLACEHOLDER:
                message = "an import left this phrase to be filled in"
                document.fault((*here, "accept", position), "placeholder", message, "write what earns the points")
            elif not any(_met(score, criterion) for score in _scores(rubric, stem, phrase)):
                why = _why(next(_scores(rubric, stem, phrase), None), criterion)
                message = f"scored as an answer, this accepted phrase doesn't meet {criterion.id!r}: {why}"
                document.fault((*here, "accept", position), "accept-unmet", message, _SAY)
        for position, phrase in enumerate(criterion.reject):
            if any(_met(score, criterion) for score in _scores(rubric, stem, phrase)):
                message = f"scored as an answer, this rejected phrase meets {criterion.id!r}"
                document.fault((*here, "reject", position), "reject-met", message, _SAY)
    for index, shown in enumerate(rubric.misconceptions):
        here = (*path, "misconceptions", index)
        for position, phrase in enumerate(shown.accept):
            if not any(_shows(score, shown) for score in _scores(rubric, stem, phrase)):
                message = f"scored as an answer, this phrase doesn't show {shown.id!r}"
                document.fault((*here, "accept", position), "shown-unseen", message, _SAY)
        for position, phrase in enumerate(shown.refute):
            if any(_shows(score, shown) for score in _scores(rubric, stem, phrase)):
                message = f"scored as an answer, this refutation shows {shown.id!r}"
                document.fault((*here, "refute", position), "refute-shows", message, _SAY)


def _scores(rubric: Rubric, stem: str, phrase: str) -> Iterator[Score]:
    """What the phrase scores by itself, or in a sentence where it is too short to be an answer."""
    frames: Sequence[str] = FRAMES if len(phrase.split()) < FEW else FRAMES[:1]
    for frame in frames:
        try:
            yield score_text(rubric, stem, frame.format(phrase), {})
        except AnswerError:
            continue


def _met(score: Score, criterion: Criterion) -> bool:
    return any(found.id == criterion.id and found.met == "met" for found in score.criteria)


def _shows(score: Score, shown: ShownMisconception) -> bool:
    return shown.id in score.misconceptions


def _why(score: Score | None, criterion: Criterion) -> str:
    reasons = [found.reason for found in score.criteria if found.id == criterion.id] if score else []
    return (reasons[0] if reasons else "it is no answer").rstrip(".")
