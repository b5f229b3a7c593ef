"""``quizapp`` and ``quizapp interview``: the way into the terminal app, and what ``quizapp study`` shares with them.

Here: what is checked before a screen is drawn, so that it can be told in one line. Not here: anything that a screen shows.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from quizapp.cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from quizapp.bank.load import Library
    from quizapp.store.store import Store

Folders = Annotated[tuple[Path, ...], Parameter(name="--bank", negative=(), help="A folder of banks to add (repeatable).")]
Backend = Annotated[Literal["auto", "docker", "local"], Parameter(help="Where the lab runs your code.")]


def app(*, bank: Folders = (), backend: Backend = "auto") -> int:
    """The terminal app: banks, study, interview, lab."""
    needs_terminal()
    read = reading(folders(bank))
    from quizapp.tui.app import QuizApp

    return run_app(QuizApp(open_store(), read, backend=backend))


def reading(places: list[Path]) -> "Callable[[], Library]":
    """Reads the banks of some folders when it is called."""

    def read() -> "Library":
        from quizapp.bank.load import load

        return load(places)

    return read


def interview(
    name: Annotated[str | None, Parameter(name="BANK")] = None,
    /,
    *,
    minutes: Annotated[int | None, Parameter(help="How long: 15, 35 or 60.")] = None,
    role: Annotated[str | None, Parameter(help="What you are interviewed for; sets the topics.")] = None,
    topic: Annotated[tuple[str, ...], Parameter(negative=(), help="Only this topic (repeatable).")] = (),
    seed: Annotated[int | None, Parameter(help="The same seed and answers give the same interview.")] = None,
    limit: Annotated[int | None, Parameter(help="Minutes that one answer may take.")] = None,
    lab: Annotated[bool, Parameter(help="Ask for code too, where there is time.")] = True,
    export: Annotated[Path | None, Parameter(help="Write the last interview to this .md or .html file, and ask nothing.")] = None,
    bank: Folders = (),
    backend: Backend = "auto",
) -> int:
    """Rehearse an interview in the terminal app: cases, calculations, a lab, follow-ups, a debrief.

    With any of the options that describe it, the interview begins at once; without, an open one goes on, or you choose on screen.

    Parameters
    ----------
    name
        The bank's id; without it, all banks.
    """
    from quizapp.cli.interview import chosen, with_next_seed, write_last

    if export is not None:
        return write_last(export, read_library(bank))
    needs_terminal()
    library = read_library(bank)
    name = checked(library, name)
    setup = chosen(library, name, minutes=minutes, role=role, topics=topic, seed=seed, limit=limit, lab=lab)
    store = open_store()
    if setup is not None and seed is None:
        setup = with_next_seed(setup, store)
    from quizapp.tui.app import QuizApp

    return run_app(QuizApp(store, library, start="interview", bank=name, setup=setup, backend=backend))


def needs_terminal() -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Problem("the app needs a terminal; use `quizapp score` or `quizapp submit` in scripts", 3)


def folders(extra: tuple[Path, ...]) -> list[Path]:
    """All folders of banks, the given ones last.

    Raises:
        Problem: a given one isn't there.
    """
    from quizapp.bank.find import bank_folders

    for folder in extra:
        if not folder.exists():
            raise Problem(f"{folder}: no such file or folder; name a folder of banks")
    return bank_folders(extra)


def read_library(extra: tuple[Path, ...]) -> "Library":
    from quizapp.bank.load import load

    library = load(folders(extra))
    if not library.banks:
        raise Problem("no bank could be read; `quizapp bank lint` says why")
    return library


def open_store() -> "Store":
    from quizapp.store.database import StoreError
    from quizapp.store.place import database_path
    from quizapp.store.store import Store

    try:
        return Store(database_path())
    except StoreError as error:
        raise Problem(str(error), 3) from None


def checked(library: "Library", name: str | None) -> str | None:
    known = [entry.bank.id for entry in library.banks]
    if name is not None and name not in known:
        raise Problem(f"no bank {name!r}; banks are: {', '.join(known)}{what_is_broken(library)}")
    return name


def what_is_broken(library: "Library") -> str:
    return f" ({len(library.faults)} faults kept others from being read: `quizapp bank lint`)" if library.faults else ""


def run_app(program: object) -> int:
    from quizapp.store.database import StoreError
    from quizapp.tui.app import QuizApp

    assert isinstance(program, QuizApp)
    try:
        program.run()
    except StoreError as error:
        raise Problem(str(error), 3) from None
    finally:
        program.close()
    return program.return_code or 0
