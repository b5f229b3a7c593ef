"""``quizapp regrade``: stored scores by the present rubrics.

Here: reading the banks and the learner's file, printing. What changes and what holds is ``quizapp.practice``.
"""

from __future__ import annotations

import json as json_
import sys
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.problem import Problem
from quizapp.cli.start import open_store
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.practice.regrade import Change

WORTH_TELLING = 500
"""Answers that take some seconds."""


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
        with open_store() as store:
            result = changes(found, store.attempts(), Opinions.of(store), told=_tell)
            if not dry_run:
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
        f"{numbered(result.looked_at, 'answer')}: {len(result.changes)} {verb}, {result.current} "
        f"{'was' if result.current == 1 else 'were'} scored by the present rubric and scorer"
    )
    if result.gone:
        print(f"{result.gone} can't be scored any more: their item, part or variant is gone, or is answered otherwise now")
    return 0


def _tell(done: int, of: int) -> None:
    """Says how far it is, to somebody who waits at a terminal."""
    if of >= WORTH_TELLING and sys.stderr.isatty():
        print(f"\r{done} of {of} answers scored", end="\r\x1b[K" if done == of else "", file=sys.stderr, flush=True)


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
