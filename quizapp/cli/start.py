"""What starts the terminal app has in common: its folders, its banks, its store, and running it.

Here: what is checked before a screen is drawn, so that it can be told in one line. Not here: a command's options, nor an import of
what parses them, which takes as long as a third of what it takes to show a question.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.cli.problem import Problem
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.store.store import Store


def home(extra: Sequence[Path] = (), backend: str = "auto") -> int:
    """Runs the app from its home screen."""
    needs_terminal()
    places = folders(extra)
    store = open_store()
    from quizapp.practice.opening import shelf
    from quizapp.store.database import StoreError
    from quizapp.tui.app import QuizApp

    try:
        shown = shelf(store, places)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    return run_app(QuizApp(store, reading(places), backend=backend, shelf=shown), places)


def reading(places: list[Path], *sittings: str) -> Callable[[], Library]:
    """Reads the banks of some folders when it is called, and keeps what new sittings over them begin with: ``sittings``, or all."""

    def read() -> Library:
        from quizapp.bank.load import load
        from quizapp.practice.opening import QUEUE, keep_openings

        library = load(places)
        keep_openings(library, sittings or [QUEUE, *(bank.bank.id for bank in library.banks)], places)
        return library

    return read


def needs_terminal() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Problem("the app needs a terminal; use `quizapp score` or `quizapp submit` in scripts", 3)


def folders(extra: Sequence[Path]) -> list[Path]:
    """All folders of banks, the given ones last.

    Raises:
        Problem: a given one isn't there.
    """
    from quizapp.bank.find import bank_folders

    for folder in extra:
        if not folder.exists():
            raise Problem(f"{folder}: no such file or folder; name a folder of banks")
    return bank_folders(extra)


def read_library(extra: Sequence[Path]) -> Library:
    from quizapp.bank.load import load

    library = load(folders(extra))
    if not library.banks:
        raise Problem("no bank could be read; `quizapp bank lint` says why")
    return library


def open_store() -> Store:
    from quizapp.store.database import StoreError
    from quizapp.store.place import database_path
    from quizapp.store.store import Store

    try:
        return Store(database_path())
    except StoreError as error:
        raise Problem(str(error), 3) from None


def checked(library: Library, name: str | None) -> str | None:
    known = [entry.bank.id for entry in library.banks]
    if name is not None and name not in known:
        raise Problem(f"no bank {name!r}; banks are: {', '.join(known)}{what_is_broken(library)}")
    return name


def what_is_broken(library: Library) -> str:
    return f" ({numbered(len(library.faults), 'fault')} kept others from being read: `quizapp bank lint`)" if library.faults else ""


def run_app(program: object, places: Sequence[Path]) -> int:
    """Runs the app over banks from some folders; gives its exit code."""
    from quizapp.store.database import StoreError
    from quizapp.tui.app import QuizApp

    assert isinstance(program, QuizApp)

    def keeper(library: Library) -> Callable[[Callable[[], bool]], None] | None:
        from quizapp.practice.ahead import keeping

        return keeping(program.store, library, places)

    program.keeper = keeper
    try:
        program.run()
        if program.library is not None:
            from quizapp.practice.ahead import keep_ahead

            keep_ahead(program.store, program.library, places)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    finally:
        program.close()
    return program.return_code or 0
