"""``quizapp report``: what a class can do, and how good the items are. The numbers are ``quizapp.classroom``'s."""

from __future__ import annotations

import json as json_
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.problem import Problem
from quizapp.cli.whole import unwritable
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.classroom.items import Analysis
    from quizapp.model.score import Score
    from quizapp.store.record import Attempt
    from quizapp.store.store import Store

SHOWN = 5


def report(*results: Path, out: Path | None = None, bank: Folders = (), json: Json = False) -> int:
    """Report on a class: distribution, misconceptions, and how good each item is.

    Parameters
    ----------
    results
        Results of `quizapp grade`, one file for each item, and learners' exported progress, one file for each learner.
    out
        The folder for report.html, report.md and the CSVs; without it, beside the first results as NAME-report.
    """
    from quizapp.classroom import ClassroomError
    from quizapp.classroom.attempts import pool
    from quizapp.classroom.files import write
    from quizapp.classroom.items import analyse
    from quizapp.classroom.report import csv_files, html, markdown, options_of

    if not results:
        raise Problem("name results of `quizapp grade`, or files that `quizapp progress export` wrote")
    found = library(bank)
    folder = out if out is not None else results[0].with_name(f"{results[0].stem}-report")
    try:
        taken = folder.exists() and not folder.is_dir()
    except OSError as error:
        raise unwritable(folder, error) from None
    if taken:
        raise Problem(f"--out {folder}: not a folder; name one, it is made if need be")
    try:
        pooled = pool(results, found, partial(_standing, found))
        if not pooled.attempts:
            raise ClassroomError(f"{results[0]}: no results in it")
        keys = sorted({attempt.key for attempt in pooled.attempts})
        titles = {id: known.title for id, known in found.registry.items()}
        analysis = analyse(pooled.attempts, options_of(found, keys), titles)
        texts = {"report.html": html(analysis), "report.md": markdown(analysis), **csv_files(analysis)}
        for name, text in texts.items():
            write(folder / name, text, "name a folder that you can write to with --out")
    except ClassroomError as error:
        raise Problem(str(error)) from None
    for note in pooled.notes:
        print(f"note: {note}", file=sys.stderr)
    if json:
        print(json_.dumps(_described(analysis, {name: str(folder / name) for name in texts})))
    else:
        _show(analysis, folder)
    return 0


def _standing(found: Library, store: Store) -> Callable[[Attempt], Score | None]:
    from quizapp.practice.standing import Opinions, rubric_of

    opinions = Opinions.of(store)
    return lambda attempt: opinions.standing(attempt, rubric_of(found, attempt.item, attempt.part))


def _described(found: Analysis, files: dict[str, str]) -> dict[str, Any]:
    return {
        "students": [{"student": name, "share": share} for name, share in found.shares.items()],
        "alpha": found.alpha,
        "alpha_students": found.alpha_students,
        "items": [
            {
                **{name: value for name, value in asdict(one).items() if name not in ("options", "outcomes")},
                "outcomes": list(one.outcomes.items()),
                "options": [
                    {"id": rate.option.id, "key": rate.option.key, "count": rate.count, "rate": rate.rate, "rest": rate.rest}
                    for rate in one.options
                ],
            }
            for one in found.items
        ],
        "misconceptions": [
            {"id": one.id, "title": one.title, "students": list(one.students), "where": ["/".join(key) for key in one.where]}
            for one in found.misconceptions
        ],
        "look_at": [asdict(one) for one in found.look_at],
        "identical": [{"part": "/".join(key), "students": list(who)} for key, who in found.identical],
        "files": list(files.items()),
    }


def _show(found: Analysis, folder: Path) -> None:
    print(
        f"{numbered(len(found.shares), 'student')}, mean {found.mean:.0%} of the points"
        + (f", alpha {found.alpha:.2f}" if found.alpha is not None else "")
    )
    for one in found.misconceptions[:SHOWN]:
        print(f"  {len(one.students)} showed: {one.title} [{one.id}]")
    for at in found.look_at[:SHOWN]:
        print(f"  look at {at.item} ({at.part}): {at.why}")
    print(f"{folder / 'report.html'}")
