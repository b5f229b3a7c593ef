"""``quizapp grade --regrade``: a class's stored answers by the item as it is now.

Here: finding the grading and the item, printing. What changes and what holds is ``quizapp.classroom.regrade``.
"""

from __future__ import annotations

import json as json_
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizapp.cli.problem import Problem
from quizapp.cli.review import work_of
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.classroom.regrade import Change


def grade_anew(out: Path, item: str, dry_run: bool, json: bool, bank: tuple[Path, ...]) -> int:
    """Lists what scoring anew changes, and stores it unless ``dry_run``.

    Raises:
        Problem: there is no such grading, or it can't be scored anew.
    """
    from quizapp.classroom import ClassroomError
    from quizapp.classroom.files import Files
    from quizapp.classroom.journal import Journal
    from quizapp.classroom.regrade import changes, keep
    from quizapp.classroom.waiting import remember, results_of

    try:
        heading, results = results_of(out)
        if heading.item != item:
            raise Problem(f"{out} holds results of {heading.item}; give --item {heading.item}")
        work = work_of(heading, bank)
        if dry_run:
            found = changes(work, results)
        else:
            files = Files.found(out, work)
            with Journal.resume(files.journal) as journal:
                results = journal.results
                found = changes(work, results)
                keep(journal, files, work, found)
            remember(out)
    except ClassroomError as error:
        raise Problem(str(error)) from None
    told = [change for change in found if change.tells]
    if json:
        described = {"item": item, "results": len(results), "stored": not dry_run, "changes": [_as_json(one) for one in told]}
        print(json_.dumps(described))
        return 0
    for change in told:
        print(_line(change))
    print(f"{numbered(len(results), 'result')} of {item}: {len(told)} {'would change' if dry_run else 'changed'}")
    return 0


def _line(change: Change) -> str:
    before, after = change.before, change.after
    what = f"{before.points} of {before.most} -> {after.points} of {after.most} ({after.points - before.points:+d})"
    held = f"; {numbered(change.held, 'decision')} by a person kept" if change.held else ""
    lost = f"; gone with their criteria, though a person had decided: {', '.join(change.lost)}" if change.lost else ""
    return (
        f"{after.student} ({after.part}): {what}, {before.outcome or before.status} -> {after.outcome or after.status}{held}{lost}"
    )


def _as_json(change: Change) -> dict[str, Any]:
    before, after = change.before, change.after
    return {
        "student": after.student,
        "part": after.part,
        "before": {"points": before.points, "max_points": before.most, "outcome": before.outcome or None, "status": before.status},
        "after": {"points": after.points, "max_points": after.most, "outcome": after.outcome or None, "status": after.status},
        "ruled": change.held,
        "lost": list(change.lost),
    }
