"""What a person decided about criteria, in the review CSV or by ``quizapp review``, put into scores. The points follow from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from quizapp.classroom import ClassroomError
from quizapp.classroom.result import Result
from quizapp.classroom.sheet import Question, decided, question
from quizapp.model.score import CriterionScore, score_of

WORDS = {"met": True, "unmet": False}
Decisions = Mapping[Question, bool]
"""Whether the criterion is met."""


def read_decisions(path: Path) -> Decisions:
    """The decisions in a review CSV; none where there is no such file.

    Raises:
        ClassroomError: it can't be read, or says something other than ``met`` and ``unmet``.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise ClassroomError(f"{path}: can't be read: {reason}; save it as UTF-8 CSV, or put it away") from None
    found = {}
    for key, word in decided(text).items():
        if word.strip().casefold() not in WORDS:
            raise ClassroomError(f"{path}: {key[0]}, {key[2]}: the column met says {word[:40]!r}; write met or unmet, or nothing")
        found[key] = WORDS[word.strip().casefold()]
    return found


def apply(decisions: Decisions, results: Mapping[tuple[str, str], Result]) -> Iterator[Result]:
    """The results that decisions change, changed."""
    for _, result in sorted(results.items()):
        if result.status != "review" or result.score is None:
            continue
        told = {one.id: decisions.get(question(result, one.id)) for one in result.score.criteria if one.met == "unsure"}
        ruled = {id: Ruling(met) for id, met in told.items() if met is not None}
        if ruled:
            yield rule(result, ruled)


@dataclass(frozen=True, slots=True)
class Ruling:
    """A person's word on one criterion of one answer."""

    met: bool
    note: str = ""
    """Why; the student reads it."""
    author: str = "a person"

    @property
    def word(self) -> str:
        return "met" if self.met else "unmet"

    @property
    def why(self) -> str:
        return f" ({self.note})" if self.note else ""


def rule(result: Result, rulings: Mapping[str, Ruling]) -> Result:
    """A scored answer's result with rulings in it, by criterion; the result's note keeps each, after what it said before.

    Raises:
        ClassroomError: the answer has no score, or not such a criterion.
    """
    ids = [one.id for one in result.score.criteria] if result.score is not None else []
    for id in rulings:
        if id not in ids:
            known = f"its criteria: {', '.join(ids)}" if ids else "it has no score by criteria"
            raise ClassroomError(f"{result.student} ({result.part}): no criterion {id!r}; {known}")
    assert result.score is not None
    criteria = tuple(_ruled(one, rulings[one.id]) if one.id in rulings else one for one in result.score.criteria)
    by: dict[str, list[str]] = {}
    for id, ruling in rulings.items():
        by.setdefault(ruling.author, []).append(f"{id} {ruling.word}{ruling.why}")
    notes = [f"decided by {author}: {', '.join(words)}" for author, words in by.items()]
    return result.model_copy(
        update={
            "score": score_of(criteria, result.score.misconceptions, result.score.follow_up),
            "note": "; ".join([*([result.note] if result.note else []), *notes]),
            "at": datetime.now(UTC),
        }
    )


def _ruled(criterion: CriterionScore, ruling: Ruling) -> CriterionScore:
    points = criterion.max_points if ruling.met else 0
    decided = f"{ruling.author} decided that it is {'met' if ruling.met else 'not met'}{ruling.why}."
    reason = f"{criterion.reason.rstrip('.')}; {decided}"
    return criterion.model_copy(update={"points": points, "met": ruling.word, "reason": reason})
