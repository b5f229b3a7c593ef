"""``quizapp bank preview``: the way into the author's preview."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from quizapp.cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quizapp.bank.fault import Fault
    from quizapp.bank.load import Library


def preview(
    file: Annotated[Path, Parameter(name="FILE")],
    item: Annotated[str | None, Parameter(name="ITEM")] = None,
    /,
) -> int:
    """Show a bank's items as learners see them, and again each time a file is saved.

    Parameters
    ----------
    file
        A bank's file, or a folder of banks.
    item
        The id of the item to begin with.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Problem("the preview needs a terminal; `quizapp bank lint` checks a bank without one", 3)
    from quizapp.bank.find import bank_folders, yaml_files
    from quizapp.bank.load import load

    if not file.exists():
        raise Problem(f"{file}: no such file or folder")
    if not any(True for _ in yaml_files(file)):
        raise Problem(f"{file}: no bank in this folder (no .yaml file)")

    def read() -> "Library":
        return load([file], bank_folders())

    def check() -> "Sequence[Fault]":
        from quizapp.authoring.lint import lint

        return lint([file], bank_folders())

    found = read()
    if item is not None and item not in found.items:
        known = ", ".join(found.items) or "none that can be read"
        raise Problem(f"{file}: no item {item!r} in it; items are: {known}")
    from quizapp.tui.preview import PreviewApp

    PreviewApp(file, item, read, check).run()
    return 0
