"""What ``quizapp interview`` checks and writes without a screen: its choices, and the last interview as a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from quizapp.cli.problem import Problem
from quizapp.cli.whole import free, whole

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.practice.interview_plan import Setup
    from quizapp.store.store import Store


def chosen(
    library: "Library",
    bank: str | None,
    *,
    minutes: int | None,
    role: str | None,
    topics: tuple[str, ...],
    seed: int | None,
    limit: int | None,
    lab: bool,
) -> "Setup | None":
    """The interview that the options describe; ``None`` where there are none: then the learner chooses on screen.

    Raises:
        Problem: an option that names nothing, or choices that leave nothing to ask.
    """
    from quizapp.practice.interview_dialogue import Dialogue
    from quizapp.practice.interview_plan import LENGTHS, ROLES, Setup, subjects

    if minutes not in (None, *LENGTHS):
        raise Problem(f"--minutes {minutes}: an interview takes {', '.join(map(str, LENGTHS[:-1]))} or {LENGTHS[-1]} minutes")
    if role is not None and role not in [one.id for one in ROLES]:
        raise Problem(f"no role {role!r}; roles are: {', '.join(one.id for one in ROLES)}")
    if limit is not None and limit < 0:
        raise Problem(f"--limit {limit}: give minutes from 1 on, or 0 for none")
    known = subjects(library, bank)
    for topic in topics:
        if topic not in known:
            raise Problem(f"no topic {topic!r}; topics are: {', '.join(known)}")
    plain = Setup()
    setup = Setup(bank, minutes or plain.minutes, role or plain.role, topics, seed or 0, limit or 0, lab)
    try:
        Dialogue(library, setup)
    except LookupError as error:
        raise Problem(str(error.args[0])) from None
    given = (minutes, role, seed, limit) != (None, None, None, None) or bool(topics) or not lab
    return setup if given else None


def with_next_seed(setup: "Setup", store: "Store") -> "Setup":
    """The same interview with a seed that the last one didn't have.

    Raises:
        Problem: the learner's file can't be read.
    """
    from dataclasses import replace

    from quizapp.practice.interview import next_seed
    from quizapp.store.database import StoreError

    try:
        return replace(setup, seed=next_seed(store))
    except StoreError as error:
        raise Problem(str(error), 3) from None


def write_last(file: Path, library: "Library", force: bool = False) -> int:
    """Writes the interview that was answered last to a file, as Markdown or HTML by its ending.

    Raises:
        Problem: no interview yet, another ending, a file that is there already without ``force``, or a place that can't be written.
    """
    from quizapp.practice.interview import Interview, last_session
    from quizapp.practice.interview_debrief import debrief
    from quizapp.practice.interview_export import html, markdown
    from quizapp.store.database import StoreError
    from quizapp.store.place import database_path
    from quizapp.store.store import Store

    writers = {".md": markdown, ".html": html}
    if file.suffix not in writers:
        raise Problem(f"{file}: name a file that ends in .md or .html")
    free(file, force)
    try:
        with Store(database_path()) as store:
            session = last_session(store)
            if session is None:
                raise Problem("there is no interview to write yet; `quizapp interview` holds one")
            try:
                found = debrief(Interview(store, library, session))
            except LookupError:
                raise Problem(
                    "the last interview can't be written: its questions are in no bank that is known here, or another version of "
                    "quizapp held it; name the folder of its bank with --bank FOLDER"
                ) from None
    except StoreError as error:
        raise Problem(str(error), 3) from None
    with whole(file) as out:
        out.write(writers[file.suffix](found).encode())
    return 0
