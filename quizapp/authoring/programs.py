"""A lab's programs, read and parsed but never run: the files that a lab needs are there and define its entry."""

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

from quizapp.bank.fault import Fault
from quizapp.bank.words import meant
from quizapp.model.lab import Lab

STARTER, SOLUTION, ORACLE = "starter.py", "solution.py", "oracle.py"
VARIANT = "--"
"""Separates a misconception's id from a variant's name in ``wrong/``."""


def program_faults(folder: Path, lab: Lab, known: Collection[str]) -> Iterator[Fault]:
    """Faults of the programs beside a ``lab.yaml``. ``known``: ids of misconceptions."""
    sheet = folder / "lab.yaml"
    needed = [(STARTER, "learners begin with it"), (SOLUTION, "the lab is checked with it")]
    if lab.drive.endswith(".py"):
        needed.append((lab.drive, "`drive:` names it"))
    unpredicted = [entry.id for entry in lab.misconceptions if not entry.weights and entry.desync is None]
    if unpredicted:
        needed.append((ORACLE, f"{unpredicted[0]!r} has neither weights nor desync, so a function there predicts it"))
    for name, why in needed:
        if not (folder / name).is_file():
            yield Fault(sheet, 1, 1, "lab-file", f"{name} is missing from this folder ({why})", f"write {name} beside lab.yaml")
    right, wrong = (sorted((folder / kind).glob("*.py")) for kind in ("right", "wrong"))
    for program in (folder / STARTER, folder / SOLUTION, *right, *wrong):
        if program.is_file():
            yield from _program(program, lab.entry)
    for program in wrong:
        name = program.stem.partition(VARIANT)[0]
        if name not in known:
            mend = f"name the file <misconception id>.py; {meant(name, known)}"
            yield Fault(program, 1, 1, "unknown-misconception", f"no misconception {name!r} is registered", mend)
        elif name not in (ruled := [entry.id for entry in lab.misconceptions]):
            mend = f"add it there, or name the file after one that has a rule; {meant(name, ruled)}"
            yield Fault(program, 1, 1, "program-foretold", f"lab.yaml's `misconceptions:` has no {name!r}", mend)


def _program(file: Path, entry: str) -> Iterator[Fault]:
    try:
        tree = ast.parse(file.read_bytes())
    except SyntaxError as error:
        line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
        yield Fault(file, line, column, "lab-program", f"not valid Python: {error.msg}", "mend the line")
        return
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        yield Fault(file, 1, 1, "lab-program", f"can't be read as Python ({type(error).__name__})", "write a Python file in UTF-8")
        return
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if entry not in names:
        yield Fault(file, 1, 1, "lab-program", f"defines no {entry}", f"define {entry}, as lab.yaml's entry says")
