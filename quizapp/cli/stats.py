"""``quizapp stats`` and ``quizapp progress``: how it is going, in words or for other programs; all progress out, and in again.

Here: reading the banks and the learner's file, printing. What the figures mean is ``quizapp.practice.insight``.
"""

from __future__ import annotations

import csv as sheets
import sys
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.problem import Problem
from quizapp.cli.start import open_store
from quizapp.cli.whole import free, whole
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.practice.insight import Insight
    from quizapp.store.store import Store

progress_app = App(name="progress", help="Write all progress to a file, and merge such files.")
FileOrDash = Annotated[Path, Parameter(allow_leading_hyphen=True)]
Csv = Annotated[bool, Parameter(name="--csv", negative=(), help="Print rows of table, name, figure, value.")]


def _insight(bank: tuple[Path, ...]) -> Insight:
    from quizapp.practice.insight import insight
    from quizapp.practice.review import where
    from quizapp.practice.standing import as_they_stand
    from quizapp.store.database import StoreError

    found = library(bank)
    try:
        with open_store() as store:
            return insight(where(store, found), *as_they_stand(store, found))
    except StoreError as error:
        raise Problem(str(error), 3) from None


def stats(*, json: Json = False, csv: Csv = False, bank: Folders = ()) -> int:
    """Say how it is going: mastery by topic, what falls due, calibration, misconceptions, time per item."""
    if json and csv:
        raise Problem("--json and --csv exclude each other; give one of them")
    found = _insight(bank)
    if json:
        import json as writer

        print(writer.dumps(_plain(found), ensure_ascii=False))
    elif csv:
        _write_csv(found)
    else:
        _show(found)
    return 0


def _plain(found: object) -> Any:
    """Dataclasses as JSON has them; moments in ISO 8601."""
    if is_dataclass(found) and not isinstance(found, type):
        return {one.name: _plain(getattr(found, one.name)) for one in fields(found)}
    if isinstance(found, tuple):
        return [_plain(one) for one in found]
    return found.isoformat() if hasattr(found, "isoformat") else found


def _write_csv(found: Insight) -> None:
    rows = sheets.writer(sys.stdout, lineterminator="\n")
    rows.writerow(("table", "name", "figure", "value"))
    plain = _plain(found)
    for figure in ("answers", "slips", "due", "new"):
        rows.writerow(("totals", "all", figure, plain[figure]))
    for figure in ("answers", "brier", "baseline"):
        rows.writerow(("calibration", "all", figure, _cell(plain["calibration"][figure])))
    named = {"banks": "bank", "topics": "topic", "forecast": "day", "misconceptions": "id", "times": "item"}
    tables = [(name, key, plain[name]) for name, key in named.items()]
    tables.append(("calibration", "confidence", plain["calibration"]["levels"]))
    for table, key, lines in tables:
        for line in lines:
            for figure, value in line.items():
                if figure != key:
                    rows.writerow((table, line[key], figure, _cell(value)))


def _cell(value: object) -> object:
    return "" if value is None else value


def _show(found: Insight) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)

    def table(caption: str, header: tuple[str, ...], lines: list[tuple[object, ...]]) -> None:
        if lines:
            shown = Table(title=caption, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
            for name in header:
                shown.add_column(name, overflow="fold")
            for line in lines:
                shown.add_row(*(str(cell) for cell in line))
            console.print(shown)

    slips = f", {found.slips} slip{'' if found.slips == 1 else 's'} aside" if found.slips else ""
    console.print(
        f"{numbered(found.answers, 'answer')}{slips}; {numbered(found.due, 'item')} due now, {found.new} new.", markup=False
    )
    table(
        "Banks",
        ("bank", "points", "items answered"),
        [(_safe(one.title), f"{one.points}/{one.max_points}", f"{one.answered}/{one.items}") for one in found.banks],
    )
    table(
        "Topics, weakest first",
        ("topic", "mastery", "answered", "due"),
        [(_safe(one.title), f"{one.mastery:.0%}", f"{one.answered}/{one.items}", one.due) for one in found.topics if one.answered],
    )
    table("Falling due", ("day", "items"), [(one.day, one.items) for one in found.forecast if one.items])
    rated = found.calibration
    table(
        "Confidence against outcome" + (f" (Brier score {rated.brier:.3f}, 0 is perfect)" if rated.brier is not None else ""),
        ("you said", "answers", "claimed", "earned"),
        [(one.confidence, one.answers, f"{one.claimed:.0%}", f"{one.earned:.0%}") for one in rated.levels],
    )
    table(
        "Misconceptions",
        ("misconception", "state", "times", "came back"),
        [(_safe(one.title), one.state, one.times, one.came_back) for one in found.misconceptions],
    )
    table(
        "Time per answer, slowest first",
        ("item", "median", "longest", "answers"),
        [(_safe(one.title), f"{one.median:.0f} s", f"{one.longest:.0f} s", one.answers) for one in found.times[:15]],
    )


def _safe(text: str) -> str:
    from rich.markup import escape

    return escape(text)


@progress_app.command
def export(file: FileOrDash, /, *, force: Annotated[bool, Parameter(negative=())] = False) -> int:
    """Write all progress to a file: answers, sittings, drafts, flags, settings, one JSON object a line.

    Parameters
    ----------
    file
        Where to; - is the standard output.
    force
        Write over a file that is there.
    """
    from quizapp.store.database import StoreError
    from quizapp.store.transfer import export as lines_of

    to_output = _is_dash(file)
    if not to_output:
        free(file, force)
    try:
        with open_store() as store:
            if to_output:
                for line in lines_of(store):
                    print(line)
                return 0
            count = _write(file, store)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    print(f"{count} records written to {file}; `quizapp progress import {file}` merges them")
    return 0


def _is_dash(file: Path) -> bool:
    """Whether a name means the standard input or output; what looks like an option is none that there is."""
    name = str(file)
    if name.startswith("-") and name != "-":
        raise Problem(f"no option {name}; write ./{name} for a file of that name")
    return name == "-"


def _write(file: Path, store: Store) -> int:
    from quizapp.store.transfer import export as lines_of

    count = -1  # the heading is no record
    with whole(file) as out:
        for line in lines_of(store):
            out.write(f"{line}\n".encode())
            count += 1
    return count


@progress_app.command(name="import")
def import_(*files: FileOrDash, json: Json = False) -> int:
    """Merge exported progress: what is new is added, nothing that is there is lost or doubled.

    Parameters
    ----------
    files
        What `quizapp progress export` wrote; - is the standard input.
    """
    from quizapp.store.database import StoreError
    from quizapp.store.transfer import Merged, TransferError, merge

    if not files:
        raise Problem("nothing to import; name a file that `quizapp progress export` wrote")
    results: list[Merged] = []
    with open_store() as store:
        for file in files:
            try:
                if _is_dash(file):
                    results.append(merge(store, sys.stdin))
                else:
                    with file.open(encoding="utf-8") as lines:
                        results.append(merge(store, lines))
            except TransferError as error:
                raise Problem(f"{file}: {error}") from None
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
                raise Problem(f"{file}: can't be read: {reason}; give a file of `quizapp progress export`") from None
            except StoreError as error:
                raise Problem(str(error), 3) from None
    read = sum(sum(one.read.values()) for one in results)
    new = sum(sum(one.new.values()) for one in results)
    attempts = sum(one.new["attempt"] for one in results)
    if json:
        import json as writer

        print(writer.dumps({"records": read, "new": new, "tables": [asdict(one) for one in results]}))
    else:
        print(f"{numbered(read, 'record')} read, {new} of them new ({numbered(attempts, 'answer')}); the others were known")
    return 0
