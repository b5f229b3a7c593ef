"""Reading ``lab.yaml``: the lab, or every fault of it. Running a lab is ``quizapp.judge``."""

from collections.abc import Collection
from pathlib import Path

from pydantic import TypeAdapter

from quizapp.bank.agreement import entries
from quizapp.bank.document import Document, Path_, names, read
from quizapp.bank.fault import Fault
from quizapp.bank.find import LAB_FILE
from quizapp.bank.formulas import formula_names
from quizapp.bank.shape import shaped
from quizapp.bank.words import meant
from quizapp.model.lab import OWN_DRIVE, READY_DRIVES, WEIGHT_NAMES, Lab

FILE = LAB_FILE
_LAB = TypeAdapter(Lab)


class LabError(ValueError):
    """A lab that can't be used. ``faults`` says why, each at its place."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__(str(faults[0]) if faults else "the lab can't be used")
        self.faults = faults


def load_lab(folder: Path, known: Collection[str] | None = None) -> Lab:
    """The lab in a folder. With ``known``, ids of misconceptions outside it are faults too.

    Raises:
        LabError: with every fault of the file.
    """
    document = read(folder / FILE)
    lab = None if document.node is None else shaped(_LAB, document, (), document.value)
    if document.node is not None:
        _check(document, known)
    if lab is None or document.faults:
        raise LabError(tuple(sorted(document.faults, key=lambda fault: (fault.line, fault.column))))
    return lab


def _listed(document: Document, value: dict[object, object]) -> None:
    """Whether what a verdict lists is drawn: an array that all ranks share, with one axis."""
    listed, draws = value.get("listed"), value.get("draws")
    columns = listed.get("columns") if isinstance(listed, dict) else None
    for name in columns if isinstance(columns, dict) else ():
        law = draws.get(name) if isinstance(draws, dict) else None
        shape = law.get("shape") if isinstance(law, dict) else None
        one_axis = isinstance(shape, list | tuple) and len(shape) == 1 and isinstance(shape[0], int)
        if not (isinstance(law, dict) and law.get("each") == "scenario" and one_axis):
            message = f"`draws` has no array {name!r} of one axis that all ranks share"
            document.fault(("listed", "columns", name), "unknown-draw", message, "draw it with each: scenario and shape: [NUMBER]")


def _check(document: Document, known: Collection[str] | None) -> None:
    value = document.value if isinstance(document.value, dict) else {}
    _rule(document, ("objective",), value.get("objective"))
    for key, what in (("scenarios", "name"), ("misconceptions", "id")):
        seen: dict[object, Path_] = {}
        for index, entry in entries(value, key):
            name = entry.get(what)
            here: Path_ = (key, index, what)
            if isinstance(name, str) and name in seen:
                message = f"{name!r} stands here a second time (first in line {document.line(seen[name])})"
                document.fault(here, "duplicate-id", message, f"give it another {what}, or merge the two")
            seen.setdefault(name, here)
    drive, drives = value.get("drive"), (*READY_DRIVES, OWN_DRIVE)
    if isinstance(drive, str) and drive not in drives:
        document.fault(("drive",), "bad-value", f"there is no drive {drive!r}", meant(drive, drives))
    _listed(document, value)
    for index, entry in entries(value, "misconceptions"):
        here = ("misconceptions", index)
        name = entry.get("id")
        if known is not None and isinstance(name, str) and name not in known:
            document.fault((*here, "id"), "unknown-misconception", f"no misconception {name!r} is registered", meant(name, known))
        for position, rule in entries(entry, "weights"):
            _rule(document, (*here, "weights", position), rule)
        formula_names(document, (*here, "desync"), entry.get("desync"), WEIGHT_NAMES, "name of a lab")
    sizes = value.get("sizes")
    for key, lowest in (("valid", 1), ("padding", 0), ("microbatches", 1)):
        bounds = sizes.get(key) if isinstance(sizes, dict) else None
        if not (isinstance(bounds, tuple) and len(bounds) == 2 and all(isinstance(bound, int) for bound in bounds)):
            continue
        if bounds[0] < lowest or bounds[1] < bounds[0]:
            path = ("sizes", key)
            message = f"`{names(path)}` runs from {bounds[0]} to {bounds[1]}"
            document.fault(path, "range-order", message, f"write the lowest first, and {lowest} or more")


def _rule(document: Document, path: Path_, rule: object) -> None:
    for key in ("valid", "padding", "steps"):
        source = rule.get(key) if isinstance(rule, dict) else None
        formula_names(document, (*path, key), source, WEIGHT_NAMES, "name of a lab")
