"""``quizapp review``: answers that wait for a person, a learner's own and a class's, and an instructor's word on single criteria.

Here: finding the answer that is meant, printing. What waits, and what a ruling changes, is for ``practice`` and ``classroom``.
"""

from __future__ import annotations

import getpass
import json as json_
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.items import find_item
from quizapp.cli.problem import Problem
from quizapp.cli.start import open_store
from quizapp.model.nouns import numbered, points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quizapp.classroom.asked import Work
    from quizapp.classroom.journal import Heading
    from quizapp.classroom.waiting import Waiting as OfClass
    from quizapp.model.score import CriterionScore
    from quizapp.practice.standing import Waiting

review_app = App(name="review", help="Answers that wait for a person: disputed and unsure criteria; confirm or override them.")
SHOWN_WORDS = 100


@review_app.default
def review(*results: Path, bank: Folders = (), json: Json = False) -> int:
    """List what waits: disputed criteria first, then those of which the scorer is unsure, then those of classes.

    Parameters
    ----------
    results
        Only what waits in these gradings: the CSV files that `quizapp grade --out` wrote.
    """
    from quizapp.classroom import ClassroomError
    from quizapp.classroom.waiting import remembered, waiting
    from quizapp.practice.standing import Opinions, queue
    from quizapp.store.database import StoreError

    own: list[Waiting] = []
    of_class: list[OfClass] = []
    try:
        if not results:
            with open_store() as store:
                own = queue(store.attempts(), Opinions.of(store))
            for path in remembered():
                with suppress(ClassroomError):
                    of_class += waiting(path)
        for path in results:
            of_class += waiting(path)
    except (StoreError, ClassroomError) as error:
        raise Problem(str(error), 3 if isinstance(error, StoreError) else 2) from None
    if json:
        print(json_.dumps({"waiting": [*map(_own_json, own), *map(_class_json, of_class)]}))
        return 0
    for entry in own:
        print(_own_text(entry))
    for one in of_class:
        print(_class_text(one))
    if not own and not of_class:
        print("nothing waits")
        return 0
    ways = [
        *(["quizapp review rule NUMBER CRITERION met|unmet --note WHY"] if own else []),
        *(
            [f"quizapp review rule STUDENT CRITERION met|unmet --results CSV --note WHY{_banks(of_class, bank)}"]
            if of_class
            else []
        ),
    ]
    print("\nDecide with: " + "\n         or: ".join(ways))
    return 0


def _banks(of_class: Sequence[OfClass], bank: tuple[Path, ...]) -> str:
    """The --bank that a ruling needs where an item lies in none of the usual folders: pages are written anew from it."""
    if bank:
        return "".join(f" --bank {shlex.quote(str(folder))}" for folder in bank)
    known = library(()).items
    return "" if all(one.result.item in known for one in of_class) else " --bank FOLDER"


@review_app.command
def rule(
    answer: str,
    criterion: str,
    met: Literal["met", "unmet"],
    /,
    *,
    note: Annotated[str, Parameter(help="Why; the learner reads it.")] = "",
    author: Annotated[str | None, Parameter(name="--by", help="Who rules; your login name otherwise.")] = None,
    results: Path | None = None,
    part: str | None = None,
    bank: Folders = (),
) -> int:
    """Confirm or override one criterion of one answer; this holds whatever a scorer says.

    Parameters
    ----------
    answer
        The answer's number, as `quizapp review` lists it; or, for a class, the student's name.
    criterion
        The criterion's id.
    met
        Whether the answer meets it.
    results
        The class's CSV that `quizapp grade` wrote; it and the student's pages are written anew.
    part
        The part of the item, where a student's answers to several have this criterion.
    """
    words = (met, " ".join(note.split()), author or getpass.getuser())
    if results is not None or not answer.isdecimal():
        return _rule_of_class(results, answer, part, criterion, words, bank)
    return _rule_own(int(answer), criterion, *words)


def _rule_own(attempt: int, criterion: str, met: Literal["met", "unmet"], note: str, author: str) -> int:
    from quizapp.practice.standing import Opinions
    from quizapp.store.database import StoreError
    from quizapp.store.opinion import rule as keep_ruling

    try:
        with open_store() as store:
            found = next((entry for entry in store.attempts() if entry.id == attempt), None)
            score = None if found is None else Opinions.of(store).automatic(found)
            if found is None or score is None:
                raise Problem(
                    f"no written answer {attempt}; `quizapp review` lists those that wait; for a student of that name, "
                    "give the class's --results"
                )
            ids = [entry.id for entry in score.criteria]
            if criterion not in ids:
                raise Problem(f"answer {attempt} has no criterion {criterion!r}; its criteria: {', '.join(ids)}")
            keep_ruling(store, attempt, criterion, met, note, author)
            after = Opinions.of(store).standing(found)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    assert after is not None
    print(f"answer {attempt} stands at {points(after.points, after.max_points)}")
    return 0


def _rule_of_class(
    results: Path | None, student: str, part: str | None, criterion: str, words: tuple[str, str, str], bank: tuple[Path, ...]
) -> int:
    from quizapp.classroom import ClassroomError
    from quizapp.classroom.result import Ruling
    from quizapp.classroom.run import keep_ruling
    from quizapp.classroom.waiting import find, remember, remembered

    met, note, author = words
    try:
        found = find([results] if results is not None else remembered(), student, part, criterion)
        ruling = Ruling(met=met == "met", note=note, author=author)
        result = keep_ruling(found.results, work_of(found.heading, bank), found.key, {criterion: ruling})
        remember(found.results)
    except ClassroomError as error:
        raise Problem(str(error)) from None
    print(f"{student} ({result.part}) stands at {points(result.points, result.most)}, in {found.results} and on their page")
    return 0


def work_of(heading: Heading, bank: tuple[Path, ...]) -> Work:
    """What was graded, as the bank has it now: for the student's pages."""
    from quizapp.classroom import ClassroomError, asked
    from quizapp.cli.submit import lab_of
    from quizapp.model.question import CodePart

    found = library(bank)
    loaded = find_item(found, heading.item)
    parts = [part for part in loaded.item.parts if part.id in heading.parts]
    if len(parts) < len(heading.parts):
        raise ClassroomError(f"{heading.item} has no part {', '.join({*heading.parts} - {part.id for part in parts})} any more")
    programs = [asked.Program(part, *lab_of(loaded, part)) for part in parts if isinstance(part, CodePart)]
    answers = tuple(part for part in parts if not isinstance(part, CodePart))
    return asked.work(found, loaded, programs[0] if programs else None, answers)


def _own_json(entry: Waiting) -> dict[str, Any]:
    attempt = entry.attempt
    return {
        "attempt": attempt.id,
        "results": None,
        "student": None,
        "item": attempt.item,
        "part": attempt.part,
        **_criterion_json(entry.criterion),
        "answer": attempt.text,
        "disputed": None if entry.dispute is None else list(entry.dispute.span),
    }


def _class_json(entry: OfClass) -> dict[str, Any]:
    result = entry.result
    return {
        "attempt": None,
        "results": str(entry.results),
        "student": result.student,
        "item": result.item,
        "part": result.part,
        **_criterion_json(entry.criterion),
        "answer": result.answer,
        "disputed": None,
    }


def _criterion_json(criterion: CriterionScore) -> dict[str, Any]:
    return {"criterion": criterion.id, "met": criterion.met, "max_points": criterion.max_points, "reason": criterion.reason}


def _own_text(entry: Waiting) -> str:
    attempt = entry.attempt
    why = "unsure"
    if entry.dispute is not None:
        start, end = entry.dispute.span
        why = f"the learner did say it: “{_short(attempt.text[start:end])}”"
    return _text(f"{attempt.id}  {attempt.item}/{attempt.part}", entry.criterion, why, attempt.text)


def _class_text(entry: OfClass) -> str:
    result = entry.result
    return _text(f"{entry.results}: {result.student}  {result.item}/{result.part}", entry.criterion, "unsure", result.answer or "")


def _text(head: str, criterion: CriterionScore, why: str, answer: str) -> str:
    head = f"{head}  {criterion.id} ({numbered(criterion.max_points, 'point')}): {why}"
    return f"{head}\n    {criterion.reason}\n    answer: {_short(answer, 4 * SHOWN_WORDS)}"


def _short(text: str, most: int = SHOWN_WORDS) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
