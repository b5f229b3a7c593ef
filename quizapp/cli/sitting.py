"""How a study sitting is begun, whatever read the command line. What a queue holds: ``quizapp.practice.queue``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.cli.problem import Problem
from quizapp.cli.start import checked, folders, needs_terminal, open_store, read_library, reading, run_app, what_is_broken

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.practice.queue import Plan
    from quizapp.store.store import Store
    from quizapp.tui.app import QuizApp


def begin(
    bank: str | None = None,
    *,
    item: str | None = None,
    topics: Sequence[str] = (),
    difficulties: Sequence[int] = (),
    length: int | None = None,
    kinds: Mapping[str, bool] | None = None,
    extra: Sequence[Path] = (),
    backend: str = "auto",
) -> int:
    """Runs the app on a sitting over one item, over a queue that the options describe, over a bank, or over the usual queue.

    ``kinds``: the kinds of queue that were asked for. Returns the exit code; raises :class:`Problem`.
    """
    needs_terminal()
    kinds = kinds or {}
    store = open_store()
    new = not (topics or difficulties or length is not None or any(kinds.values()))
    if item is not None or new:
        program = _at_once(store, bank, item, extra, backend)
        if program is not None:
            return run_app(program, folders(extra))
    from quizapp.tui.app import QuizApp

    if new and bank is None and item is None:
        from quizapp.practice.opening import QUEUE

        # Reading banks for the first time takes seconds: home says so until the queue's first question stands.
        places = folders(extra)
        return run_app(QuizApp(store, reading(places, QUEUE), start="review", backend=backend), places)
    library = read_library(extra)
    if item is not None:
        chosen = _bank_of(library, item, bank)
        return run_app(QuizApp(store, library, start="study", bank=chosen, item=item, backend=backend), folders(extra))
    bank = checked(library, bank)
    if new and bank is not None:
        from quizapp.practice.opening import keep_openings

        keep_openings(library, [bank], folders(extra))
    plan = _plan(library, bank, topics, difficulties, length, kinds)
    if plan is None and bank is not None:
        return run_app(QuizApp(store, library, start="study", bank=bank, backend=backend), folders(extra))
    if not _holds(store, library, plan):
        store.close()
        print("Nothing is left to ask here now; `quizapp` shows what falls due, and other kinds of sitting.")
        return 0
    return run_app(QuizApp(store, library, start="review", plan=plan, backend=backend), folders(extra))


def _at_once(store: Store, bank: str | None, item: str | None, extra: Sequence[Path], backend: str) -> QuizApp | None:
    """The app on the step at which the sitting was left, or which a new one begins with; ``None`` where the banks are needed to
    know what comes."""
    from quizapp.practice.ahead import ahead
    from quizapp.practice.face import last_review, left_at, open_study
    from quizapp.practice.opening import QUEUE, opening
    from quizapp.store.database import StoreError

    places = folders(extra)
    try:
        session = last_review(store) if bank is None and item is None else open_study(store, bank, item)
        found = left_at(store, session, places)
        if session is None and item is None:
            found = opening(store, bank or QUEUE, places)
        if found is None and bank is None and item is None:
            found = ahead(store, places)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    if found is None:
        return None
    from quizapp.tui.app import QuizApp

    over = bank if session is None else session.bank or None
    return QuizApp(store, reading(places), start="study", bank=over, item=item, backend=backend, left_at=found)


def _plan(
    library: Library, bank: str | None, topics: Sequence[str], levels: Sequence[int], length: int | None, kinds: Mapping[str, bool]
) -> Plan | None:
    """The queue that the options describe; ``None`` where they describe none."""
    from quizapp.practice.queue import LENGTH, LONGEST, SELECTIONS, Plan

    asked = [kind for kind in SELECTIONS if kinds.get(kind)]
    if len(asked) > 1:
        raise Problem(f"--{asked[0]} and --{asked[1]} exclude each other; give one of them")
    if not (asked or topics or levels or length is not None):
        return None
    known = {topic for loaded in library.items.values() for topic in loaded.item.topics}
    for topic in topics:
        if topic not in known:
            near = get_close_matches(topic, known, n=1)
            raise Problem(
                f"no topic {topic!r}; " + (f"did you mean {near[0]!r}? " if near else "") + "`quizapp bank list` shows them"
            )
    for level in levels:
        if not 1 <= level <= 5:
            raise Problem(f"a difficulty of {level}; it goes from 1 to 5")
    if length is not None and not 1 <= length <= LONGEST:
        raise Problem(f"a length of {length} items; it goes from 1 to {LONGEST}")
    banks = () if bank is None else (bank,)
    return Plan(asked[0] if asked else "mixed", banks, tuple(topics), tuple(levels), length=length or LENGTH)


def _holds(store: Store, library: Library, plan: Plan | None) -> bool:
    from quizapp.practice.face import open_review
    from quizapp.practice.queue import Plan, candidates
    from quizapp.practice.review import where
    from quizapp.store.database import StoreError

    try:
        if plan is None and open_review(store) is not None:
            return True
        return bool(candidates(plan or Plan(), where(store, library)))
    except StoreError as error:
        raise Problem(str(error), 3) from None


def _bank_of(library: Library, item: str, name: str | None) -> str:
    found = library.items.get(item)
    if found is None or (name is not None and found.bank_id != name):
        where = f" in the bank {name}" if name else ""
        raise Problem(f"no item {item!r}{where}; `quizapp bank list` shows them all{what_is_broken(library)}")
    return found.bank_id
