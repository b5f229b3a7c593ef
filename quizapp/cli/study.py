"""``quizapp study``: a bank from front to back, one item, or a queue of what is due with new items between.

Here: what is checked before a screen is drawn, so that it can be told in one line. What a queue holds:
``quizapp.practice.queue``.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from quizapp.cli.app import (
    Backend,
    Folders,
    checked,
    folders,
    needs_terminal,
    open_store,
    read_library,
    reading,
    run_app,
    what_is_broken,
)
from quizapp.cli.problem import Problem

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.practice.queue import Plan
    from quizapp.store.store import Store
    from quizapp.tui.app import QuizApp

Flag = Parameter(negative=())


def study(
    name: Annotated[str | None, Parameter(name="BANK")] = None,
    /,
    *,
    item: str | None = None,
    topic: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    difficulty: Annotated[tuple[int, ...], Parameter(negative=())] = (),
    length: int | None = None,
    due: Annotated[bool, Flag] = False,
    wrong: Annotated[bool, Flag] = False,
    flagged: Annotated[bool, Flag] = False,
    bank: Folders = (),
    backend: Backend = "auto",
) -> int:
    """Study in the terminal app: what is due and new items between, a bank from front to back, or a choice of items.

    Without anything, a queue over all banks, gone on with where you left it today. With a bank alone, that bank from where you
    left it. With any of the options that choose, a new queue of those items.

    Parameters
    ----------
    name
        The bank's id.
    item
        Only this item, by its id.
    topic
        Only items about this topic (repeatable).
    difficulty
        Only items of this difficulty, 1 to 5 (repeatable).
    length
        At most so many items.
    due
        Only what is due now.
    wrong
        Only what was not fully right the last time.
    flagged
        Only what you have flagged.
    """
    needs_terminal()
    kinds = {"due": due, "wrong": wrong, "flagged": flagged}
    store = open_store()
    if item is not None or not (topic or difficulty or length is not None or any(kinds.values())):
        program = _left_open(store, name, item, bank, backend)
        if program is not None:
            return run_app(program)
    library = read_library(bank)
    from quizapp.tui.app import QuizApp

    if item is not None:
        chosen = _bank_of(library, item, name)
        return run_app(QuizApp(store, library, start="study", bank=chosen, item=item, backend=backend))
    name = checked(library, name)
    plan = _plan(library, name, topic, difficulty, length, kinds)
    if plan is None and name is not None:
        return run_app(QuizApp(store, library, start="study", bank=name, backend=backend))
    if not _holds(store, library, plan):
        store.close()
        print("Nothing is left to ask here now; `quizapp` shows what falls due, and other kinds of sitting.")
        return 0
    return run_app(QuizApp(store, library, start="review", plan=plan, backend=backend))


def _left_open(store: Store, name: str | None, item: str | None, extra: Folders, backend: Backend) -> QuizApp | None:
    """The app on the question at which the sitting was left; ``None`` where the banks are needed to know what comes."""
    from quizapp.practice.face import last_review, left_at, open_study
    from quizapp.store.database import StoreError

    places = folders(extra)
    try:
        session = last_review(store) if name is None and item is None else open_study(store, name, item)
        found = left_at(store, session, places)
    except StoreError as error:
        raise Problem(str(error), 3) from None
    if session is None or found is None:
        return None
    from quizapp.tui.app import QuizApp

    bank = session.bank or None
    return QuizApp(store, reading(places), start="study", bank=bank, item=item, backend=backend, left_at=found)


def _plan(
    library: Library, bank: str | None, topics: tuple[str, ...], levels: tuple[int, ...], length: int | None, kinds: dict[str, bool]
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
    return Plan(asked[0] if asked else "mixed", banks, topics, levels, length=length or LENGTH)


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
