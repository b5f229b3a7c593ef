"""What a new sitting begins with, kept between runs of the app: it stands on the screen before any bank is read.

An opening is where somebody who has answered nothing stands, over a bank or in the queue over all banks. It lies in the cache of
banks, under a name made of the state of all their files. Where an opening doesn't hold after all, the sitting, once read, makes it
way (``quizapp.tui.study_page``). Not here: where a sitting that was begun stands (``quizapp.practice.face``).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from quizapp import __version__
from quizapp.bank.find import cache_folder, state
from quizapp.practice.face import Standing, kept, last_review, open_study, read_standing, standing

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.store.store import Store

QUEUE = ""
"""Stands for the queue over all banks where a bank's id is asked for."""


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
    try:
        place = _place(bank, state(folders))
        found = read_standing(json.loads(place.read_bytes()))
        os.utime(place)
    except (OSError, ValueError, RuntimeError):
        return None
    return found


def keep_openings(library: Library, banks: Iterable[str], folders: Sequence[Path]) -> None:
    """Keeps the openings of some banks of a library that was read from these folders; those that are kept already stay."""
    with suppress(OSError, RuntimeError):
        now = state(folders)
        for bank in banks:
            place = _place(bank, now)
            if not place.exists():
                _keep(place, library, bank)


def _place(bank: str, state: str) -> Path:
    return cache_folder() / f"opening-{hashlib.sha256(json.dumps([__version__, state, bank]).encode()).hexdigest()}.json"


def _keep(place: Path, library: Library, bank: str) -> None:
    from quizapp.bank.cache import put
    from quizapp.practice.review import NothingToAsk, Review
    from quizapp.practice.study import Study
    from quizapp.store.store import Store

    with suppress(KeyError, NothingToAsk), Store(Path(":memory:")) as nobody:
        found = standing(Review(nobody, library) if bank == QUEUE else Study(nobody, library, bank))
        if found is not None:
            put(place, json.dumps(kept(found)).encode())
