"""What the next queue of somebody with answers behind them begins with, kept while the app runs and when it is left, so that it
stands before any bank is read. It lies in the learner's file: it goes where that goes, and needs no cache.

Kept are the order of the course, what a queue must know of each item, and the questions that may be first, for a while to come.
Which of them it is follows from the answers and the moment, by the same functions as the queue itself. Where something was answered
or a bank has changed since, it is the first of them that is still to be asked and whose own file is as it was; the queue, once it
is read, begins with that. Over folders of which nothing is kept it is what a queue over others would begin with, where that lies in
these, too; else the first checkpoint of the built-in banks that has not been answered. Not here: what a sitting begins with for
somebody who has answered nothing (``quizapp.practice.opening``).
"""

from __future__ import annotations

import hashlib
import json
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from quizapp.bank.find import state
from quizapp.practice.face import STALE, Face, Standing, holds, kept, last_review, read_standing
from quizapp.practice.opening import unanswered
from quizapp.practice.order import course, needs, of_the_latest

if TYPE_CHECKING:
    from datetime import datetime

    from quizapp.bank.load import Library
    from quizapp.practice.queue import Knowledge
    from quizapp.store.record import Session
    from quizapp.store.store import Store

DAYS = 30
"""How long it is known ahead which question is first."""
MOMENTS = 60
"""At most so many moments are looked at: those at which something falls due."""
NEXT = 4
"""Of the queue as it is now, so many questions are kept: the first ones may be answered before this is found out anew."""
FILES = 3
"""They lie in so many files, where there are that many: one that changes leaves the others."""


class OutlinedPart(NamedTuple):
    kind: str


class OutlinedItem(NamedTuple):
    """What a queue asks of an item."""

    prerequisites: tuple[str, ...]
    """Items only; what lies on a cycle is cut."""
    parts: tuple[OutlinedPart, ...]
    topics: tuple[str, ...] = ()
    difficulty: int = 1


class Outline(NamedTuple):
    """Stands for a loaded item in a queue that is not narrowed to banks, topics or difficulties."""

    item: OutlinedItem
    varies: bool
    """Other numbers can be asked."""
    bank_id: str = ""


@dataclass(frozen=True, slots=True)
class Outlines:
    """Stands for a library; items in the order of the course."""

    items: Mapping[str, Outline]


def ahead(store: Store, folders: Sequence[Path]) -> Standing | None:
    """What the usual queue begins with now; ``None`` where that isn't known, or a queue is to be gone on with.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be read.
    """
    left, last = last_review(store), store.last_attempt()
    if not last or (left is not None and not _is_over(store, left)):
        return None
    own = _kept(store, _name(folders))
    if own:
        return _told_first(store, own, last, folders)
    for other in store.foreseen_elsewhere(_name(folders)):
        if (found := _told_first(store, _unpacked(other), last, folders)) is not None:
            return found
    return None if store.recommended() else unanswered(store, folders)


def _told_first(store: Store, what: bytes, last: int, folders: Sequence[Path]) -> Standing | None:
    """The first question of a queue, by what is kept of it."""
    try:
        told = json.loads(what)
        outlines = [_outline(row) for row in told["outlines"]]
        items = {str(name): outlines[which] for name, which in told["items"].items()}
        return _first(store, items, told["faces"], last, folders)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None


def _is_over(store: Store, left: Session) -> bool:
    """Whether a queue that was left isn't gone on with, nor its question taken over by the next one."""
    found = read_standing(left.position.get("standing"))
    if found is None or store.clock() - left.updated_at < STALE:
        return False
    return any(one.id > found.since for one in store.attempts(item=getattr(found.face, "item", "")))


def _first(
    store: Store, items: Mapping[str, Outline], faces: Mapping[str, object], last: int, folders: Sequence[Path]
) -> Standing | None:
    from quizapp.practice.queue import LENGTH, LONGEST, Knowledge, Plan, queue
    from quizapp.practice.schedule import memories
    from quizapp.practice.standing import as_they_stand

    # Of a library, a queue over everything reads no more than the outlines hold.
    library = cast("Library", Outlines(items))
    memory = memories(library.items, as_they_stand(store)[0])
    known = Knowledge(library, store.clock(), memory, tuple(items), (), tuple(store.recommended()))
    names = queue(Plan(length=LONGEST), known, last)
    if not names or items[names[0]].item.parts[0].kind == "code":
        return None  # a lab opens once the banks are read
    for name in names:
        found = read_standing(faces.get(name))
        if found is None or not isinstance(found.face, Face) or not holds(found, folders):
            continue
        if (found.face.seed is not None) == (name in memory and items[name].varies):
            return replace(found, steps=sum(len(items[name].item.parts) for name in names[:LENGTH]), since=last)
    return None


def _outline(row: list[Any]) -> Outline:
    kinds, varies, needs = row
    return Outline(OutlinedItem(tuple(map(str, needs)), tuple(OutlinedPart(str(kind)) for kind in kinds)), bool(varies))


def _name(folders: Sequence[Path]) -> str:
    return hashlib.sha256(json.dumps([str(folder.absolute()) for folder in folders]).encode()).hexdigest()


def _kept(store: Store, name: str) -> bytes:
    """JSON; empty where nothing is kept under that name, or something else is."""
    return _unpacked(store.foreseen(name) or b"")


def _unpacked(what: bytes) -> bytes:
    try:
        return zlib.decompress(what)
    except zlib.error:
        return b""


def keep_ahead(store: Store, library: Library, folders: Sequence[Path]) -> None:
    """Keeps it for the learner of a store, over a library that was read from these folders. What can't be kept is found out anew
    the next time."""
    keep = keeping(store, library, folders)
    if keep is not None:
        keep(lambda: False)


def keeping(store: Store, library: Library, folders: Sequence[Path]) -> Callable[[Callable[[], bool]], None] | None:
    """What keeps it; ``None`` where there is nothing to keep, or it was kept today and nothing has changed since.

    It opens the learner's file for itself, so that a thread can call it. Between two moments it asks whether it is to stop, and
    leaves the processor to others: somebody may be typing.
    """
    from quizapp.practice.review import finding
    from quizapp.practice.standing import as_they_stand
    from quizapp.store.database import StoreError
    from quizapp.store.store import Store

    path = store.path
    try:
        last, find = store.last_attempt(), finding(store, library)
        name = _name(folders)
        stands = repr((state(folders), store.clock().date(), as_they_stand(store)[0], store.recommended()))
        mark = f'{{"last": {last}, "stands": "{hashlib.sha256(stands.encode()).hexdigest()}", '.encode()
        known = _kept(store, name).startswith(mark)
    except (OSError, StoreError):
        return None
    if known or not last or not library.items:
        return None

    def keep(stop: Callable[[], bool]) -> None:
        told = _told(find(), mark, last, stop)
        if not stop() and path.is_file():
            with suppress(StoreError), Store(path) as own:
                own.foresee(name, zlib.compress(told, 1))

    return keep


def _told(found: Knowledge, mark: bytes, last: int, stop: Callable[[], bool]) -> bytes:
    faces = {name: kept(one) for name in _may_be_first(found, last, stop) if (one := _standing(found, name, last)) is not None}
    return mark + b'"faces": ' + json.dumps(faces).encode() + b", " + _outlines(found.library) + b"}"


@of_the_latest
def _outlines(library: Library) -> bytes:
    """What is kept of all items, in the order of the course."""
    from quizapp.practice.asked import varies

    before = needs(library)
    outlines: dict[tuple[object, ...], int] = {}
    items = {}
    for name in course(library):
        loaded = library.items[name]
        row = tuple(part.kind for part in loaded.item.parts), varies(loaded), before.get(name, ())
        items[name] = outlines.setdefault(row, len(outlines))  # most items are alike in this
    return json.dumps({"outlines": [*outlines], "items": items}).encode()[1:-1]


def _may_be_first(found: Knowledge, last: int, stop: Callable[[], bool]) -> list[str]:
    """The items of which one is the first that is asked: now, or at a moment to come."""
    from quizapp.practice.queue import LONGEST, Plan, queue

    plan, few = Plan(), _at_the_front(found)
    names = queue(Plan(length=LONGEST), found, last)
    of_files: dict[Path, str] = {}
    for name in names:
        of_files.setdefault(found.library.items[name].file, name)
    chosen = [*names[:NEXT], *[*of_files.values()][:FILES]]
    for moment in _moments(found):
        if stop():
            break
        time.sleep(0)
        chosen += queue(plan, replace(few, now=moment), last)[:1]
    return [*dict.fromkeys(chosen)]


def _at_the_front(found: Knowledge) -> Knowledge:
    """With no more of the course than a queue takes of it: answered items, new ones that were asked for, and the first new ones."""
    from quizapp.practice.queue import LENGTH, with_needs

    new = [name for name in found.course if name not in found.memory]
    some = {*found.memory, *new[:LENGTH], *with_needs(found.recommended, new, found)}
    return replace(found, course=[name for name in found.course if name in some])


def _moments(found: Knowledge) -> list[datetime]:
    """Each moment at which an item falls due, for a while to come."""
    from quizapp.practice.schedule import AHEAD

    due = {memory.due if memory.learning else memory.due - AHEAD for memory in found.memory.values() if not memory.done}
    coming = sorted(moment for moment in due if found.now < moment <= found.now + timedelta(days=DAYS))
    return [moment + timedelta(seconds=1) for moment in coming[:MOMENTS]]


def _standing(found: Knowledge, name: str, last: int) -> Standing | None:
    from quizapp.bank.draw import DrawError
    from quizapp.model.formula import FormulaError
    from quizapp.practice.asked import ask, varies
    from quizapp.practice.face import digest, face
    from quizapp.practice.queue import Plan, other_numbers
    from quizapp.practice.review import plan_title

    loaded = found.library.items[name]
    part = loaded.item.parts[0]
    if part.kind == "code":
        return None
    seed = other_numbers(name, last) if name in found.memory and varies(loaded) else None
    try:
        shown, file = face(ask(loaded, part.id, seed)), loaded.file.resolve()
        return Standing(shown, plan_title(Plan(), found.library), 1, 0, loaded.bank_id, last, str(file), digest(file))
    except (OSError, DrawError, FormulaError):
        return None
