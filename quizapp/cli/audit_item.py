"""``quizapp audit --item``: the released library of an item is run where it is installed; else what was recorded of it is shown.

Here: finding item, record and environment, and printing. The audit is ``quizapp.audit``.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from quizapp.bank.load import LoadedItem
from quizapp.cli.bank import library
from quizapp.cli.items import find_item
from quizapp.cli.problem import Problem
from quizapp.model.audit import ItemAudit, Record, Shown, provenance


def audit_item(name: str, python: str | None, only_recorded: bool, seconds: float, json: bool, bank: Sequence[Path]) -> int:
    """Prints the weights of an item's library; live, unless ``only_recorded`` or there is no environment that holds it.

    Raises:
        Problem: the item shows no library, its record can't be read, or the Python that was named lacks what is asked for.
    """
    from quizapp.audit.library import Installed, look_for, recorded, run_again
    from quizapp.audit.run import CannotRun

    found = library(bank)
    loaded = find_item(found, name)
    asked = loaded.item.audit
    if asked is None:
        with_one = ", ".join(item.item.id for item in found.items.values() if item.item.audit is not None)
        raise Problem(f"{name} shows no library's weights; these do: {with_one or 'none'}")
    record = record_of(loaded, asked)
    place = None if only_recorded else look_for(asked, python)
    if isinstance(place, Installed):
        print(f"running {asked.requires[0].replace('==', ' ')} in {place.python}, with your rights and no sandbox", file=sys.stderr)
        try:
            shown = run_again(name, asked, record, place.python, found.registry, seconds, lambda: False)
        except CannotRun as error:
            raise Problem(str(error), code=error.code, details=error.details) from None
    elif place is not None and python:
        raise Problem(f"{place.reason}; {name} wants {', '.join(asked.requires)}", code=3)
    else:
        shown = recorded(name, asked, record, place.reason if place is not None else None)
    if json:
        print(shown.model_dump_json())
    else:
        _show(shown, () if place is None or isinstance(place, Installed) else place.commands)
    return 0 if shown.report.outcome == "right" else 1


def record_of(loaded: LoadedItem, asked: ItemAudit) -> Record:
    """The record that an item names.

    Raises:
        Problem: it can't be read.
    """
    from quizapp.bank.record import RecordError, load_record

    try:
        return load_record(loaded.file.parent / asked.record)
    except RecordError as error:
        raise Problem(f"{loaded.file}:{loaded.line}: {error}") from None


def _show(shown: Shown, commands: Sequence[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    from quizapp.audit.screen import show

    console = Console(highlight=False)
    console.print(Text(provenance(shown), style="bold"))
    if shown.missing:
        console.print(Text(f"Not run here: {shown.missing}. To make the environment:"))
        for command in commands:
            console.print(Text(f"  {command}"), soft_wrap=True)
    show(shown.report, console)
