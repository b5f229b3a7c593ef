"""What a new sitting begins with, and the home screen, known before any bank is read.

An opening is where somebody who has answered nothing stands, over a bank or in the queue over all banks. Those of the built-in
banks ship beside them (``python -m quizapp.practice.opening`` makes them anew), so that the very first start has them, as does a
shelf: what home shows of these banks, and their checkpoints; they are taken only while all YAML files that they follow from are
byte for byte what they were made of. Those of other banks are kept in the cache of banks between runs of the app, under a name made
of the state of all their files. Where an opening doesn't hold after all, the sitting, once read, makes it way
(``quizapp.tui.study_page``). Not here: where a sitting that was begun stands (``quizapp.practice.face``).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from quizapp import __version__
from quizapp.bank.find import builtin_folder, cache_folder, state, yaml_files
from quizapp.practice.face import Face, Standing, digest, kept, last_review, open_study, read_standing, standing

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.store.store import Store

QUEUE = ""
"""Stands for the queue over all banks where a bank's id is asked for."""
SHIPPED = "openings.json"
"""In the folder of the built-in banks."""


class Shelved(NamedTuple):
    """A bank as home shows it to somebody who has answered nothing."""

    id: str
    title: str
    description: str
    items: int
    points: int


def shelf(store: Store, folders: Sequence[Path]) -> tuple[Shelved, ...]:
    """All banks as home shows them; empty where that isn't known without reading them, or something was answered or begun.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be read.
    """
    if store.last_attempt() or store.unfinished():
        return ()
    told, known = _shipped([QUEUE], folders)
    try:
        return tuple(Shelved(*one) for one in told["shelf"]) if known else ()
    except (KeyError, TypeError):
        return ()


def opening(store: Store, bank: str, folders: Sequence[Path]) -> Standing | None:
    """What a new sitting over a bank, or the queue, begins with; ``None`` where that isn't known without reading the banks, or
    where a sitting is open.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be read.
    """
    if bank != QUEUE:
        if open_study(store, bank, None) is not None:
            return None
    elif store.last_attempt() or store.recommended() or last_review(store) is not None:
        return None
    told, known = _shipped([bank], folders)
    if known and (found := read_standing(told["openings"][bank])) is not None:
        return replace(found, file=str((builtin_folder() / found.file).resolve()))
    try:
        place = _place(bank, state(folders))
        found = read_standing(json.loads(place.read_bytes()))
    except (OSError, ValueError, RuntimeError):
        return None
    with suppress(OSError):  # a cache that can only be read
        os.utime(place)
    return found


def unanswered(store: Store, folders: Sequence[Path]) -> Standing | None:
    """A question with which a queue may begin that is otherwise not known before banks are read: the first checkpoint of the
    built-in banks that the learner hasn't answered. What is due comes after it.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be read.
    """
    told, known = _shipped(None, folders)
    if not known:
        return None
    answered = {attempt.item for attempt in store.attempts()}
    for kept_so in told.get("questions", ()):
        found = read_standing(kept_so)
        if found is not None and isinstance(found.face, Face) and found.face.item not in answered:
            return replace(found, since=store.last_attempt(), file=str((builtin_folder() / found.file).resolve()))
    return None


def keep_openings(library: Library, banks: Iterable[str], folders: Sequence[Path]) -> None:
    """Keeps the openings of some banks of a library that was read from these folders; those that ship, or are kept already, stay
    as they are."""
    wanted = list(banks)
    _, shipped = _shipped(wanted, folders)
    with suppress(OSError, RuntimeError):
        now = state(folders)
        for bank in wanted:
            place = _place(bank, now)
            if bank not in shipped and not place.exists() and (found := _begins_with(library, bank)) is not None:
                from quizapp.bank.cache import put

                put(place, json.dumps(kept(found)).encode())


def _place(bank: str, state: str) -> Path:
    return cache_folder() / f"opening-{hashlib.sha256(json.dumps([__version__, state, bank]).encode()).hexdigest()}.json"


def _begins_with(library: Library, bank: str) -> Standing | None:
    from quizapp.practice.review import NothingToAsk, Review
    from quizapp.practice.study import Study
    from quizapp.store.store import Store

    with suppress(KeyError, NothingToAsk), Store(Path(":memory:")) as nobody:
        return standing(Review(nobody, library) if bank == QUEUE else Study(nobody, library, bank))
    return None


def _shipped(banks: Sequence[str] | None, folders: Sequence[Path]) -> tuple[dict[str, Any], list[str]]:
    """What ships, and of which of some banks, or of all (``None``), it holds. The built-in folder comes first, and the first of two
    things with one id stays: no other folder changes its banks. The queue, and home, are over all folders, so it has to be the only
    one."""
    home = builtin_folder()
    try:
        told = json.loads((home / SHIPPED).read_bytes()) if folders and folders[0] == home else {"openings": {}}
        wanted = told["openings"] if banks is None else banks
        known = [bank for bank in wanted if bank in told["openings"] and (bank != QUEUE or len(folders) == 1)]
        return told, known if known and told["made_of"] == _content(home) else []
    except (OSError, ValueError, KeyError, TypeError):
        return {}, []


def _content(folder: Path) -> str:
    """A digest of all YAML files of a folder, names and bytes: a few milliseconds, where parsing them takes hundreds."""
    files = [[file.relative_to(folder).as_posix(), digest(file)] for file in yaml_files(folder)]
    return hashlib.sha256(json.dumps(files).encode()).hexdigest()


def to_ship(folder: Path) -> str:
    """The file of openings and the shelf of the banks in a folder, as it ships beside them."""
    from quizapp.bank.load import load
    from quizapp.practice.progress import library_progress

    library = load([folder])
    progress = library_progress(library, [])
    shelf = [
        Shelved(bank.id, bank.title, bank.description, len(bank.items), progress[bank.id].max_points)
        for bank in (one.bank for one in library.banks)
    ]
    openings = {}
    for bank in (QUEUE, *(one.bank.id for one in library.banks)):
        if (found := _begins_with(library, bank)) is not None:
            openings[bank] = kept(replace(found, file=Path(found.file).relative_to(folder.resolve()).as_posix()))
    shipped = {"made_of": _content(folder), "shelf": shelf, "openings": openings, "questions": _questions(library, folder)}
    return json.dumps(shipped, indent=1, ensure_ascii=False) + "\n"


def _questions(library: Library, folder: Path) -> list[dict[str, object] | None]:
    """Every checkpoint as a queue puts it for the first time, in the order of the course."""
    from quizapp.practice.asked import ask
    from quizapp.practice.face import face
    from quizapp.practice.order import course
    from quizapp.practice.queue import LENGTH, Plan
    from quizapp.practice.review import plan_title

    out = []
    for loaded in (library.items[name] for name in course(library)):
        if loaded.item.kind == "checkpoint":
            shown, file = face(ask(loaded, loaded.item.parts[0].id, None)), loaded.file.resolve()
            place = file.relative_to(folder.resolve()).as_posix()
            out.append(kept(Standing(shown, plan_title(Plan(), library), 1, LENGTH, loaded.bank_id, 0, place, digest(file))))
    return out


if __name__ == "__main__":
    (builtin_folder() / SHIPPED).write_text(to_ship(builtin_folder()), encoding="utf-8")
