"""What a person decided about criteria, in the review CSV or by ``quizapp review``, put into scores. The points follow from it."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from quizapp.classroom import ClassroomError
from quizapp.classroom.asked import Work
from quizapp.classroom.result import Result, Ruling
from quizapp.classroom.sheet import Question, decided, question
from quizapp.model.ruling import Word, overruled

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


def apply(work: Work, decisions: Decisions, results: Mapping[tuple[str, str], Result]) -> Iterator[Result]:
    """The results that decisions change, changed."""
    for _, result in sorted(results.items()):
        if result.status != "review" or result.score is None:
            continue
        told = {one.id: decisions.get(question(result, one.id)) for one in result.score.criteria if one.met == "unsure"}
        ruled = {id: Ruling(met=met) for id, met in told.items() if met is not None}
        if ruled:
            yield rule(work, result, ruled)


def rule(work: Work, result: Result, rulings: Mapping[str, Ruling]) -> Result:
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
    return ruled(work, result, rulings).model_copy(update={"note": note, "at": datetime.now(UTC)})


def ruled(work: Work, result: Result, rulings: Mapping[str, Ruling]) -> Result:
    """A scored answer's result with rulings on criteria that it has; the rule is ``quizapp.model.ruling``'s."""
    scored = result.scored or result.score
    assert scored is not None
    together = {**rulings_of(result), **rulings}
    words = {id: Word("met" if one.met else "unmet", _decided(one)) for id, one in together.items()}
    rubric = next((part.rubric for part in work.answers if part.id == result.part and part.kind == "text"), None)
    return result.model_copy(update={"score": overruled(scored, words, rubric), "scored": scored, "rulings": together})


def _decided(ruling: Ruling) -> str:
    return f"{ruling.author} decided that it is {'met' if ruling.met else 'not met'}{ruling.why}."


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
