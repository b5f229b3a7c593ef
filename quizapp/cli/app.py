"""``quizapp`` and ``quizapp interview``: ways into the terminal app, and the options they share with ``quizapp study``."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from quizapp.cli.problem import Problem

Folders = Annotated[tuple[Path, ...], Parameter(name="--bank", negative=(), help="A folder of banks to add (repeatable).")]
Backend = Annotated[Literal["auto", "docker", "local"], Parameter(help="Where the lab runs your code.")]


def app(*, bank: Folders = (), backend: Backend = "auto") -> int:
    """The terminal app: banks, study, interview, lab."""
    from quizapp.cli.start import home

    return home(bank, backend)


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
    force: Annotated[bool, Parameter(negative=(), help="With --export: write over a file that is there.")] = False,
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
    from quizapp.cli.start import checked, folders, needs_terminal, open_store, read_library, run_app

    if export is not None:
        return write_last(export, read_library(bank), force)
    if force:
        raise Problem("--force goes with --export FILE: it writes over a file that is there")
    needs_terminal()
    library = read_library(bank)
    name = checked(library, name)
    setup = chosen(library, name, minutes=minutes, role=role, topics=topic, seed=seed, limit=limit, lab=lab)
    store = open_store()
    if setup is not None and seed is None:
        setup = with_next_seed(setup, store)
    from quizapp.tui.app import QuizApp

    return run_app(QuizApp(store, library, start="interview", bank=name, setup=setup, backend=backend), folders(bank))
