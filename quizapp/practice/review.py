"""A sitting over a queue: its items are fixed when it starts, kept with it, and resumed where it was left.

What earned less than half its points comes once more at the end, with other numbers where it has any. Draws nothing on a screen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from quizapp.bank.load import Library, LoadedBank
from quizapp.practice.asked import Step, is_code, titles, varies
from quizapp.practice.face import Face, Standing, kept, last_review, open_review, standing
from quizapp.practice.queue import Knowledge, Plan, Selection, candidates, knowledge, other_numbers, plan_from, queue
from quizapp.practice.schedule import LAPSE
from quizapp.practice.standing import as_they_stand
from quizapp.practice.study import Study, find_bank
from quizapp.store.record import Attempt
from quizapp.store.store import Store

TITLES: Mapping[Selection, str] = {
    "mixed": "Due and new",
    "due": "Due",
    "wrong": "What I get wrong",
    "new": "New",
    "flagged": "Flagged",
}
"""What each kind of sitting is called."""


class NothingToAsk(LookupError):
    """The plan holds no item; the message says so."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One item of the queue."""

    item: str
    seed: int | None
    """Of its numbers; ``None``: the bank's own."""
    since: int = 0
    """Only answers stored after that of this id belong to it."""
    parts: tuple[str, ...] = ()
    """The parts that are asked; empty: all."""
    again: bool = False
    """It comes a second time in this sitting."""

    def stored(self, since: str) -> list[object]:
        """As a session keeps it; ``since``: that answer's name, as its number is another answer's on another machine."""
        return [self.item, self.seed, since, list(self.parts), self.again]


def _entry(value: object, number: Callable[[str], int]) -> Entry | None:
    """``number``: an answer's, by its name. Earlier versions kept the number."""
    match value:
        case [str(item), (int() | None) as seed, (int() | str()) as since, list(parts), bool(again)]:
            after = since if isinstance(since, int) else number(since)
            return Entry(item, seed, after, tuple(str(part) for part in parts), again)
    return None


def finding(store: Store, library: Library) -> Callable[[], Knowledge]:
    """What finds out where the learner stands now. It doesn't use the store any more, so that a thread can call it.

    Raises:
        quizapp.store.database.StoreError: the learner's file can't be read.
    """
    marks, now, flagged, recommended = as_they_stand(store)[0], store.clock(), store.flagged(), tuple(store.recommended())
    return lambda: knowledge(library, marks, now, flagged, recommended)


def where(store: Store, library: Library) -> Knowledge:
    """Where the learner stands now. Raises :class:`~quizapp.store.database.StoreError`."""
    return finding(store, library)()


def plan_title(plan: Plan, library: Library) -> str:
    """What a sitting over a plan is called."""
    names = [bank.bank.title for bank in library.banks if bank.bank.id in plan.banks]
    levels = [f"difficulty {', '.join(str(level) for level in plan.difficulties)}"] if plan.difficulties else []
    return " · ".join([TITLES[plan.selection], *plan.topics, *levels, *names])


class Review(Study):
    """A sitting over a queue."""

    def __init__(
        self,
        store: Store,
        library: Library,
        plan: Plan | None = None,
        found: Knowledge | None = None,
        shown: Standing | None = None,
    ) -> None:
        """Starts a sitting over a plan's queue, ending the one left open; without a plan, resumes that one, else takes the usual
        plan, and begins with what a queue left too long ago stood at, else with the question that is ``shown`` already, if that is
        still due or new. ``found``: where the learner stands, if that is known already; it takes a while to find out.

        Raises:
            NothingToAsk: the plan holds no item.
            quizapp.store.database.StoreError: the learner's file can't be used.
        """
        self.store = store
        self.library = library
        self.titles = titles(library)
        self._seeds = {}
        left = open_review(store)
        self.entries: tuple[Entry, ...] = ()
        self.resumed = False
        if left is not None and plan is None:
            self.session = left
            self.plan = plan_from(left.position.get("plan"))
            self.entries = self._read(left.position.get("entries"))
            self.resumed = bool(self.entries)
        if not self.entries:
            self.plan = plan or Plan()
            first = None if plan is not None else self._left_at() or self._first(shown)
            self.entries = self._queued(self.plan, found or where(store, library), first)
            if not self.entries:
                raise NothingToAsk("nothing is left to ask here; choose another kind of sitting, topic or difficulty")
            for old in store.unfinished("review"):
                store.finish(old.id)
            self.session = store.start("review", "", {"plan": self.plan.stored()})
        self._lay_out()
        at = self.session.position.get("step")
        self.index = min(max(at, 0), len(self.steps) - 1) if isinstance(at, int) else 0
        if not self.resumed:
            self._keep()

    def _queued(self, plan: Plan, found: Knowledge, first: Entry | None) -> tuple[Entry, ...]:
        last = self.store.last_attempt()
        items = queue(plan, found, last)
        entries = [Entry(item, self._other_numbers(item, last) if item in found.memory else None, last) for item in items]
        if first is not None and first.item in candidates(plan, found):
            entries = [first, *(entry for entry in entries if entry.item != first.item)][: plan.length]
        return tuple(entries)

    def _left_at(self) -> Entry | None:
        """Where the queue left unfinished last stood, if its item wasn't answered since."""
        left = last_review(self.store)
        if left is None:
            return None
        entries, at = self._read(left.position.get("entries")), left.position.get("step")
        places = [entry for entry in entries for _ in entry.parts or self.library.items[entry.item].item.parts]
        if not isinstance(at, int) or not 0 <= at < len(places):
            return None
        entry = places[at]
        answered = any(one.id > entry.since for one in self.store.attempts(item=entry.item))
        return None if answered else replace(entry, parts=(), again=False)

    def _first(self, shown: Standing | None) -> Entry | None:
        face = None if shown is None else shown.face
        if not isinstance(face, Face) or face.item not in self.library.items:
            return None
        return Entry(face.item, face.seed, self.store.last_attempt())

    def _other_numbers(self, item: str, *what: object) -> int | None:
        loaded = self.library.items[item]
        return other_numbers(item, *what) if varies(loaded) else None

    def _read(self, value: object) -> tuple[Entry, ...]:
        """Entries as they were kept; items and parts that an edited bank has lost are passed over."""
        found: list[Entry] = []
        number = cache(self.store.number)
        for one in value if isinstance(value, list) else ():
            entry = _entry(one, number)
            if entry is not None and entry.item in self.library.items:
                found.append(entry)
        return tuple(found)

    def _lay_out(self) -> None:
        laid: list[tuple[Step, Entry]] = []
        for entry in self.entries:
            loaded = self.library.items[entry.item]
            parts = [part for part in loaded.item.parts if not entry.parts or part.id in entry.parts] or list(loaded.item.parts)
            laid += [(Step(loaded=loaded, part=part), entry) for part in parts]
        self.steps = tuple(step for step, _ in laid)
        self._of = tuple(entry for _, entry in laid)

    @property
    def entry(self) -> Entry:
        """The present step's item in the queue."""
        return self._of[self.index]

    @property
    def bank(self) -> LoadedBank:
        assert self.step.loaded is not None
        return find_bank(self.library, self.step.loaded.bank_id)

    @property
    def title(self) -> str:
        return plan_title(self.plan, self.library)

    def seed(self, item_id: str) -> int | None:
        return self.entry.seed

    @property
    def since(self) -> int:
        return self.entry.since

    def _take_seed(self, item_id: str, seed: int) -> None:
        """Other numbers for the present item: from here on they are the entry's own."""
        self._change(self.entry, replace(self.entry, seed=seed))

    def _change(self, old: Entry, new: Entry) -> None:
        self.entries = tuple(new if entry is old else entry for entry in self.entries)
        self._lay_out()

    def _add(self, text: str, **how: Any) -> Attempt:
        attempt = super()._add(text, **how)
        part = self.step.part
        if (
            part is not None
            and not is_code(part)
            and attempt.share < LAPSE
            and attempt.outcome != "unsure"
            and not self.entry.again
        ):
            self._ask_again(attempt)
        return attempt

    def _ask_again(self, attempt: Attempt) -> None:
        """Puts a part that was missed at the end of the queue."""
        waiting = next((entry for entry in self.entries if entry.again and entry.item == attempt.item), None)
        if waiting is None:
            seed = self._other_numbers(attempt.item, attempt.id)
            self.entries = (*self.entries, Entry(attempt.item, seed, attempt.id, (attempt.part,), True))
        elif attempt.part not in waiting.parts:
            self.entries = tuple(
                replace(entry, since=attempt.id, parts=(*entry.parts, attempt.part)) if entry is waiting else entry
                for entry in self.entries
            )
        self._lay_out()
        self._keep()

    def withdraw(self) -> Attempt | None:
        """As :meth:`Study.withdraw`; what was to come again because of the slip doesn't."""
        attempt = super().withdraw()
        if attempt is not None and not self.entry.again:
            kept: list[Entry] = []
            for entry in self.entries:
                if entry.again and entry.item == attempt.item:
                    parts = tuple(part for part in entry.parts if part != attempt.part)
                    kept += [replace(entry, parts=parts)] if parts else []
                else:
                    kept.append(entry)
            self.entries = tuple(kept)
            self._lay_out()
            self._keep()
        return attempt

    def _keep(self) -> None:
        name = cache(self.store.name)
        position = {
            "plan": self.plan.stored(),
            "entries": [entry.stored(name(entry.since)) for entry in self.entries],
            "step": self.index,
            "standing": kept(standing(self)),
        }
        self.store.move(self.session.id, position)
