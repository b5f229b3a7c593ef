"""``quizapp bank calibrate``: marked answers in; thresholds, accept phrases and agreement before and after out.

Here: reading the answers, printing. What is fitted, and how it is judged, is ``quizapp.authoring.calibrate``.
"""

from __future__ import annotations

import json as json_
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.items import find_item
from quizapp.cli.problem import Problem

if TYPE_CHECKING:
    from quizapp.authoring.calibrate import Calibration, Marked


def calibrate(item: str, answers: Path, /, *, part: str | None = None, bank: Folders = (), json: Json = False) -> int:
    """Set a written question's thresholds from answers that you marked, and propose accept phrases.

    Agreement is told on answers that the thresholds were not fitted on. Nothing is written: take over what you agree with.

    Parameters
    ----------
    item
        The item's id.
    answers
        A file with one JSON object a line: `text`, and `met`, the ids of the criteria that it meets.
    part
        The part's id, for items of several parts.
    """
    from quizapp.authoring.calibrate import calibrate as fitted
    from quizapp.bank.draw import draw
    from quizapp.model.question import TextPart
    from quizapp.model.variant import fill
    from quizapp.scoring.score import filled_rubric

    loaded = find_item(library(bank), item)
    written = [entry for entry in loaded.item.parts if isinstance(entry, TextPart) and part in (None, entry.id)]
    if len(written) != 1:
        names = ", ".join(entry.id for entry in loaded.item.parts if isinstance(entry, TextPart))
        if not names:
            raise Problem(f"{item} has no part that is answered in words; thresholds are those of such parts")
        raise Problem(
            f"{item} has {'no' if not written else 'several'} written parts{' of that name' if part else ''}; name one: {names}"
        )
    values = draw(loaded.item, None).values
    stem = "\n\n".join(fill(text, values) for text in (loaded.item.stem, written[0].stem) if text)
    try:
        found = fitted(filled_rubric(written[0].rubric, values), stem, _marked(answers))
    except ValueError as error:
        raise Problem(f"{answers}: {error}") from None
    if json:
        print(json_.dumps(asdict(found)))
    else:
        _show(found, f"{loaded.file}:{loaded.line}")
    return 0


def _marked(path: Path) -> list[Marked]:
    from quizapp.authoring.calibrate import Marked

    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise Problem(f"{path}: can't be read: {reason}; name a file of marked answers") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json_.loads(line)
            text, met = row["text"], row["met"]
        except (ValueError, KeyError, TypeError):
            raise Problem(f'{path}:{number}: not a marked answer; write {{"text": ..., "met": [criterion, ...]}}') from None
        if not isinstance(text, str) or not isinstance(met, list) or not all(isinstance(id, str) for id in met):
            raise Problem(f"{path}:{number}: 'text' has to be a string and 'met' a list of criterion ids")
        found.append(Marked(text, frozenset(met)))
    return found


def _show(found: Calibration, where: str) -> None:
    print(f"{found.answers} marked answers; agreement on answers that were not fitted on, before -> after:")
    print(f"  quadratic weighted kappa of the points  {found.before.kappa:.3f} -> {found.after.kappa:.3f}")
    for proposal in found.proposals:
        id = proposal.criterion
        print(f"  {id}: F1 {found.before.f1[id]:.3f} -> {found.after.f1[id]:.3f} ({proposal.met} of {proposal.marked} meet it)")
    print(f"\nTo take over at {where}:")
    nothing = True
    for proposal in found.proposals:
        if proposal.threshold is not None:
            nothing = False
            print(f"  {proposal.criterion}:  threshold: {proposal.threshold:.2f}")
        for phrase in proposal.phrases:
            nothing = False
            print(f"  {proposal.criterion}:  accept: - {json_.dumps(phrase, ensure_ascii=False)}")
    if nothing:
        print("  nothing: the present thresholds do as well, or too few answers are marked")
