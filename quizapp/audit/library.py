"""A released library that an item shows, run again with the record's plan, in the environment that the item names.

Only ready adapters are run, never a bank's own Python. It is the caller's affair to ask the user first.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from quizapp.audit.audit import Registry, audit
from quizapp.audit.objective import OBJECTIVES, Objective
from quizapp.audit.plan import ADAPTERS, Plan
from quizapp.audit.run import CannotRun, adapter_file
from quizapp.bank.find import installed_folder
from quizapp.model.audit import Audit, ItemAudit, Record, Shown, rows_of

VARIABLE = "QUIZAPP_LIBRARY_ENVIRONMENTS"
"""Names a folder of environments."""
LOOK_SECONDS = 30.0
_ASK = """
import json, sys
from importlib import metadata
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Installed:
    """The Python in which the library is."""

    python: str


@dataclass(frozen=True)
class Missing:
    """No Python that holds what is asked for. ``reason`` says why, ``commands`` what makes one."""

    reason: str
    commands: tuple[str, ...]


def folders() -> list[Path]:
    """Where environments are looked for: in the folder of ``QUIZAPP_LIBRARY_ENVIRONMENTS``, then in quizapp's own."""
    named = os.environ.get(VARIABLE)
    return [*([Path(named).expanduser()] if named else []), installed_folder().parent / "environments"]


def _pythons(name: str) -> Iterator[str]:
    for folder in folders():
        for place in (folder / name / "bin" / "python", folder / name / "Scripts" / "python.exe"):
            if place.is_file():
                yield str(place)


def _lacks(python: str, asked: ItemAudit) -> str | None:
    """What a Python lacks of the versions asked for, and of torch; ``None`` if it has all."""
    wanted = dict(pin.split("==") for pin in asked.requires)
    try:
        command = [python, "-I", "-c", _ASK, *wanted, "torch"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LOOK_SECONDS, check=True, stdin=subprocess.DEVNULL)
        found: dict[str, str] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return f"can't be asked what is installed in it ({type(error).__name__})"
    for name, version in wanted.items():
        if found.get(name) != version:
            return f"has {name} {found[name]}, not {version}" if name in found else f"has no {name}"
    return None if "torch" in found else "has no torch"


def look_for(asked: ItemAudit, python: str | None = None) -> Installed | Missing:
    """The Python that holds the versions asked for: ``python`` where given, else the environment's, else the one that runs this."""
    own = folders()[-1] / asked.environment
    commands = (
        f"{sys.executable} -m venv {own}",
        f"{own / 'bin' / 'python'} -m pip install torch numpy {' '.join(asked.requires)}",
    )
    named = list(_pythons(asked.environment))
    lacking = ""
    for place in [python] if python else [*named, sys.executable]:
        lacks = _lacks(place, asked)
        if lacks is None:
            return Installed(place)
        lacking = lacking or f"{place} {lacks}"
    if named or python:
        return Missing(lacking, commands)
    places = " or ".join(str(folder) for folder in folders())
    return Missing(f"there is no environment {asked.environment} in {places}", commands)


def _plan(record: Record) -> Plan:
    report = record.report
    if report.trainer not in ADAPTERS:
        raise CannotRun(f"{record.name} is a record of {report.trainer}, which is no ready adapter and can't be run again", 2)
    return Plan(
        file=adapter_file(report.trainer),
        counts=report.counts,
        ranks=report.ranks,
        accumulate=report.accumulate,
        rows_per_microbatch=report.rows_per_microbatch,
        adapter=report.trainer,
        dtype=report.dtype,
        shift=report.shift,
        options=report.options,
    )


def _objective(report: Audit) -> Objective:
    known = [objective for objective in OBJECTIVES if objective.name == report.objective]
    return known[0] if known else Objective(report.objective, report.formula, report.formula)


def recorded(item: str, asked: ItemAudit, record: Record, missing: str | None = None) -> Shown:
    """The record, as it is shown. ``missing``: why it isn't a live run."""
    return Shown(
        item=item, source="recorded", date=record.date, environment=asked.environment, python=None, missing=missing,
        as_recorded=None, report=record.report,
    )  # fmt: skip


def run_again(
    item: str, asked: ItemAudit, record: Record, python: str, registry: Registry, seconds: float, stop: Callable[[], bool]
) -> Shown:
    """Runs the library with the record's plan. Blocks; ``stop`` is asked now and then.

    Raises:
        CannotRun: the library can't be run there, or it was stopped.
    """
    report = audit(_plan(record), python, _objective(record.report), registry, seconds, stop=stop)
    return Shown(
        item=item, source="live", date=date.today().isoformat(), environment=asked.environment, python=python, missing=None,
        as_recorded=same(report, record.report), report=report,
    )  # fmt: skip


def same(one: Audit, other: Audit) -> bool:
    """Whether two reports say the same: the same rows in each step, with the same weights."""
    mine, theirs = rows_of(one), rows_of(other)
    if [row[:4] for row in mine] != [row[:4] for row in theirs]:
        return False
    given = [(a, b) for row, its in zip(mine, theirs, strict=True) for a, b in zip(row[4], its[4], strict=True)]
    largest = max((abs(a) for pair in given for a in pair if a is not None), default=0.0)
    close = 10 * max(one.tolerance, other.tolerance) * largest
    return all(a is b is None or (a is not None and b is not None and abs(a - b) <= close) for a, b in given)
