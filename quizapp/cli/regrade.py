"""``quizapp regrade`` and ``quizapp review``: stored scores by the present rubrics, and an instructor's word on single criteria.

Here: reading the banks and the learner's file, printing. What changes and what holds is ``quizapp.practice``.
"""

from __future__ import annotations

import getpass
import json as json_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.problem import Problem

if TYPE_CHECKING:
    from quizapp.practice.regrade import Change
    from quizapp.practice.standing import Waiting
    from quizapp.store.store import Store

review_app = App(name="review", help="Answers that wait for a person: disputed and unsure criteria; confirm or override them.")
SHOWN_WORDS = 100


def _store() -> Store:
    from quizapp.store.database import StoreError
    from quizapp.store.place import database_path
    from quizapp.store.store import Store

    try:
        return Store(database_path())
    except StoreError as error:
        raise Problem(str(error), 3) from None


def regrade(
    *,
    dry_run: Annotated[bool, Parameter(negative=(), help="Only list what would change; store nothing.")] = False,
    json: Json = False,
    bank: Folders = (),
) -> int:
    """Score stored answers anew, by the present rubrics and scorer.

    Each change is listed. Old scores are kept beside the new ones, and an instructor's rulings stay over both. Code isn't run.
    """
    from quizapp.practice.regrade import changes, keep
    from quizapp.practice.standing import Opinions
    from quizapp.store.database import StoreError

    found = library(bank)
    try:
        with _store() as store:
            result = changes(found, store.attempts(), Opinions.of(store))
            if not dry_run and result.changes:
                keep(store, result)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    if json:
        told = {"answers": result.looked_at, "current": result.current, "gone": result.gone, "stored": not dry_run}
        print(json_.dumps({**told, "changes": [_as_json(change) for change in result.changes]}))
        return 0
    for change in result.changes:
        print(_line(change))
    verb = "would change" if dry_run else "changed"
    print(
        f"{result.looked_at} answers: {len(result.changes)} {verb}, {result.current} were scored by the present rubric and scorer"
    )
    if result.gone:
        print(f"{result.gone} can't be scored any more: their item, part or variant is gone, or is answered otherwise now")
    return 0


def _line(change: Change) -> str:
    before, after, attempt = change.before, change.after, change.attempt
    step = after.points - before.points
    what = f"{before.points} -> {after.points} of {after.max_points} ({step:+d})"
    which = ", ".join(change.criteria) or "misconceptions"
    held = f"; {change.held} ruled by hand stay" if change.held else ""
    return f"{attempt.id}  {attempt.item}/{attempt.part}  {what}  {before.outcome} -> {after.outcome}: {which}{held}"


def _as_json(change: Change) -> dict[str, Any]:
    return {
        "attempt": change.attempt.id,
        "item": change.attempt.item,
        "part": change.attempt.part,
        "before": {"points": change.before.points, "outcome": change.before.outcome},
        "after": {"points": change.after.points, "outcome": change.after.outcome},
        "max_points": change.after.max_points,
        "criteria": list(change.criteria),
        "ruled": change.held,
    }


@review_app.default
def review(*, json: Json = False) -> int:
    """List what waits: disputed criteria first, then those of which the scorer is unsure."""
    from quizapp.practice.standing import Opinions, queue
    from quizapp.store.database import StoreError

    try:
        with _store() as store:
            waiting = queue(store.attempts(), Opinions.of(store))
    except StoreError as error:
        raise Problem(str(error), 3) from None
    if json:
        print(json_.dumps({"waiting": [_waiting_json(entry) for entry in waiting]}))
        return 0
    for entry in waiting:
        print(_waiting_text(entry))
    if not waiting:
        print("nothing waits")
    return 0


@review_app.command
def rule(
    attempt: int,
    criterion: str,
    met: Literal["met", "unmet"],
    /,
    *,
    note: Annotated[str, Parameter(help="Why; the learner reads it.")] = "",
    author: Annotated[str | None, Parameter(name="--by", help="Who rules; your login name otherwise.")] = None,
) -> int:
    """Confirm or override one criterion of one answer; this holds whatever a scorer says.

    Parameters
    ----------
    attempt
        The answer's number, as `quizapp review` lists it.
    criterion
        The criterion's id.
    met
        Whether the answer meets it.
    """
    from quizapp.practice.standing import Opinions
    from quizapp.store.database import StoreError
    from quizapp.store.opinion import rule as keep_ruling

    try:
        with _store() as store:
            found = next((entry for entry in store.attempts() if entry.id == attempt), None)
            score = None if found is None else Opinions.of(store).automatic(found)
            if found is None or score is None:
                raise Problem(f"no written answer {attempt}; `quizapp review` lists those that wait")
            ids = [entry.id for entry in score.criteria]
            if criterion not in ids:
                raise Problem(f"answer {attempt} has no criterion {criterion!r}; its criteria: {', '.join(ids)}")
            keep_ruling(store, attempt, criterion, met, note, author or getpass.getuser())
            after = Opinions.of(store).standing(found)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    assert after is not None
    print(f"answer {attempt} stands at {after.points} of {after.max_points} points")
    return 0


def _waiting_json(entry: Waiting) -> dict[str, Any]:
    return {
        "attempt": entry.attempt.id,
        "item": entry.attempt.item,
        "part": entry.attempt.part,
        "criterion": entry.criterion.id,
        "met": entry.criterion.met,
        "max_points": entry.criterion.max_points,
        "reason": entry.criterion.reason,
        "answer": entry.attempt.text,
        "disputed": None if entry.dispute is None else list(entry.dispute.span),
    }


def _waiting_text(entry: Waiting) -> str:
    attempt, criterion = entry.attempt, entry.criterion
    why = "unsure"
    if entry.dispute is not None:
        start, end = entry.dispute.span
        why = f"the learner did say it: “{_short(attempt.text[start:end])}”"
    head = f"{attempt.id}  {attempt.item}/{attempt.part}  {criterion.id} ({criterion.max_points} points): {why}"
    return f"{head}\n    {criterion.reason}\n    answer: {_short(attempt.text, 4 * SHOWN_WORDS)}"


def _short(text: str, most: int = SHOWN_WORDS) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
