"""What a person decided where the scorer was unsure: read from the review CSV, put into scores. The points follow from it."""

from collections.abc import Iterator, Mapping
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
        ruled = {id: met for id, met in told.items() if met is not None}
        if ruled:
            criteria = tuple(_ruled(one, ruled[one.id]) if one.id in ruled else one for one in result.score.criteria)
            words = ", ".join(f"{id} {'met' if met else 'unmet'}" for id, met in ruled.items())
            note = f"decided by a person: {words}"
            score = score_of(criteria, result.score.misconceptions, result.score.follow_up)
            earlier = f"{result.note}; " if result.note else ""
            yield result.model_copy(update={"score": score, "note": earlier + note, "at": datetime.now(UTC)})


def _ruled(criterion: CriterionScore, met: bool) -> CriterionScore:
    points = criterion.max_points if met else 0
    reason = f"{criterion.reason.rstrip('.')}; a person decided that it is {'met' if met else 'not met'}."
    return criterion.model_copy(update={"points": points, "met": "met" if met else "unmet", "reason": reason})
