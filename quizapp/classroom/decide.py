"""What a person decided about criteria, in the review CSV or by ``quizapp review``, put into scores. The points follow from it."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from quizapp.classroom import ClassroomError
from quizapp.classroom.result import Result, Ruling
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
        ruled = {id: Ruling(met=met) for id, met in told.items() if met is not None}
        if ruled:
            yield rule(result, ruled)


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
    by: dict[str, list[str]] = {}
    for id, ruling in rulings.items():
        by.setdefault(ruling.author, []).append(f"{id} {ruling.word}{ruling.why}")
    notes = [f"decided by {author}: {', '.join(words)}" for author, words in by.items()]
    note = "; ".join([*([result.note] if result.note else []), *notes])
    return ruled(result, rulings).model_copy(update={"note": note, "at": datetime.now(UTC)})


def ruled(result: Result, rulings: Mapping[str, Ruling]) -> Result:
    """A scored answer's result with rulings on criteria that it has.

    Where a person has ruled, the scorer's reason, evidence and question go: they may say the contrary.
    """
    assert result.score is not None
    criteria = tuple(_ruled(one, rulings[one.id]) if one.id in rulings else one for one in result.score.criteria)
    score = score_of(criteria, result.score.misconceptions, None if rulings else result.score.follow_up)
    return result.model_copy(update={"score": score, "rulings": {**result.rulings, **rulings}})


def _ruled(criterion: CriterionScore, ruling: Ruling) -> CriterionScore:
    points = criterion.max_points if ruling.met else 0
    decided = f"{ruling.author} decided that it is {'met' if ruling.met else 'not met'}{ruling.why}."
    return criterion.model_copy(update={"points": points, "met": ruling.word, "reason": decided, "evidence": ()})


_DECIDED = re.compile(r"(?:.*; )?(?P<author>.+?) decided that it is (?P<met>not )?met(?: \((?P<note>.*)\))?\.", re.DOTALL)


def rulings_of(result: Result) -> Mapping[str, Ruling]:
    """The rulings in a result. Older journals have them in the criteria's reasons alone."""
    if result.rulings or result.score is None or "decided by " not in (result.note or ""):
        return result.rulings
    said = {one.id: _DECIDED.fullmatch(one.reason) for one in result.score.criteria}
    return {
        id: Ruling(met=found["met"] is None, note=found["note"] or "", author=found["author"])
        for id, found in said.items()
        if found is not None
    }
