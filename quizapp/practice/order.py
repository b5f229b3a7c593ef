"""In which order new items come: what an item needs stands before it. A pure function of the banks.

An item's prerequisites that are items hold always. One that is a topic stands for its items that are no harder and don't need the
topic themselves; it holds unless items wait for each other. What a bank says of its topics (``after``), the banks' places and the
items' kinds decide among items that are ready.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from quizapp.bank.graph import cycles, depths

if TYPE_CHECKING:
    from quizapp.bank.load import Library, LoadedItem

Key = tuple[int, int, int, int]
Goal = tuple[str, int]
"""A topic, up to a difficulty."""
Made = TypeVar("Made")


def of_the_latest(make: Callable[[Library], Made]) -> Callable[[Library], Made]:
    """Keeps what was made of the latest library: a library never changes, and is asked about at every return to the home screen."""
    latest: list[tuple[Library, Made]] = []

    def made(library: Library) -> Made:
        for known, value in latest:
            if known is library:
                return value
        value = make(library)
        latest[:] = [(library, value)]
        return value

    return made


def stage(loaded: LoadedItem) -> int:
    """Checkpoints, exercises, probes, labs: 0 to 3."""
    item = loaded.item
    if item.kind == "checkpoint":
        return 0
    if any(part.kind == "code" for part in item.parts):
        return 3
    return 2 if item.kind == "probe" else 1


@of_the_latest
def needs(library: Library) -> dict[str, tuple[str, ...]]:
    """Item -> the items that are its prerequisites. What lies on a cycle is cut there."""
    edges = {
        name: [before for before in loaded.item.prerequisites if before in library.items] for name, loaded in library.items.items()
    }
    for ring in cycles(edges):
        edges[ring[-2]] = [before for before in edges[ring[-2]] if before != ring[-1]]
    return {name: tuple(dict.fromkeys(befores)) for name, befores in edges.items()}


def goals(library: Library) -> dict[str, tuple[Goal, ...]]:
    """Item -> the topics that are its prerequisites, each up to the item's own difficulty."""
    known = {topic for loaded in library.items.values() for topic in loaded.item.topics}
    found = {}
    for name, loaded in library.items.items():
        wanted = [one for one in loaded.item.prerequisites if one in known and one not in library.items]
        if wanted:
            found[name] = tuple((topic, loaded.item.difficulty) for topic in dict.fromkeys(wanted))
    return found


def serves(loaded: LoadedItem, goal: Goal) -> bool:
    """Whether an item is one of those that a topic as a prerequisite stands for."""
    topic, difficulty = goal
    item = loaded.item
    return topic in item.topics and item.difficulty <= difficulty and topic not in item.prerequisites


@of_the_latest
def course(library: Library) -> tuple[str, ...]:
    """Every item of the library, each after what it needs; else by bank, kind, depth of its topics and place in the bank."""
    from quizapp.bank.load import without_collection

    with without_collection():  # it is what builds most items
        return _Course(library).run()


def _keys(library: Library) -> dict[str, Key]:
    topics = depths({name: topic.after for name, topic in library.topics.items()})
    found: dict[str, Key] = {}
    for place, bank in enumerate(library.banks):
        for position, item in enumerate(bank.bank.items):
            depth = max((topics.get(topic, 0) for topic in item.topics), default=0)
            found[item.id] = (place, stage(library.items[item.id]), depth, position)
    return found


class _Course:
    """Takes the first item that waits for nothing, over and over; where all wait for topics only, the first of these."""

    def __init__(self, library: Library) -> None:
        self.items = library.items
        self.keys = keys = _keys(library)
        self.before = {name: [one for one in befores if one in keys] for name, befores in needs(library).items() if name in keys}
        self.waits = {name: len(befores) for name, befores in self.before.items()}
        self.after: dict[str, list[str]] = {}
        for name, befores in self.before.items():
            for one in befores:
                self.after.setdefault(one, []).append(name)
        self.goals = {name: found for name, found in goals(library).items() if name in keys}
        self.left: dict[Goal, int] = {goal: 0 for found in self.goals.values() for goal in found}
        self.levels: dict[str, list[int]] = {}
        for topic, level in self.left:
            self.levels.setdefault(topic, []).append(level)
        for name in keys:
            for goal in self._served(name):
                self.left[goal] += 1
        self.held: dict[Goal, list[str]] = {}
        self.ready = [(keys[name], name) for name, waiting in self.waits.items() if not waiting]
        self.done: set[str] = set()

    def _served(self, name: str) -> list[Goal]:
        if not self.left:
            return []
        loaded = self.items[name]
        near = ((topic, level) for topic in loaded.item.topics for level in self.levels.get(topic, ()))
        return [goal for goal in near if serves(loaded, goal)]

    def _unmet(self, name: str) -> list[Goal]:
        return [goal for goal in self.goals.get(name, ()) if self.left[goal]]

    def run(self) -> tuple[str, ...]:
        found: list[str] = []
        heapq.heapify(self.ready)
        waiting: list[tuple[Key, str]] = []
        while self.ready or waiting:
            if not self.ready:
                # All that is left waits for topics whose items wait in turn: the first goes before them.
                _, name = heapq.heappop(waiting)
                if name in self.done:
                    continue
            else:
                _, name = heapq.heappop(self.ready)
                if name in self.done:
                    continue
                if unmet := self._unmet(name):
                    self.held.setdefault(unmet[0], []).append(name)
                    heapq.heappush(waiting, (self.keys[name], name))
                    continue
            found.append(name)
            self._place(name)
        return tuple(found)

    def _place(self, name: str) -> None:
        self.done.add(name)
        for following in self.after.get(name, ()):
            self.waits[following] -= 1
            if not self.waits[following]:
                heapq.heappush(self.ready, (self.keys[following], following))
        for goal in self._served(name):
            self.left[goal] -= 1
            if not self.left[goal]:
                for held in self.held.pop(goal, ()):
                    heapq.heappush(self.ready, (self.keys[held], held))
