"""In which order new items come: what an item needs stands before it. A pure function of the banks.

Prerequisites of an item (other items, or topics) are edges that hold; what a bank says of its topics (``after``), the banks'
places and the items' kinds only decide among items that are ready.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import TYPE_CHECKING

from quizapp.bank.graph import cycles, depths
from quizapp.model.question import Checkpoint, Probe

if TYPE_CHECKING:
    from quizapp.bank.load import Library, LoadedItem


def stage(loaded: LoadedItem) -> int:
    """Checkpoints, exercises, probes, labs: 0 to 3."""
    item = loaded.item
    if any(part.kind == "code" for part in item.parts):
        return 3
    return 0 if isinstance(item, Checkpoint) else 2 if isinstance(item, Probe) else 1


def needs(library: Library) -> dict[str, tuple[str, ...]]:
    """Item -> the items that come before it. What lies on a cycle is cut there.

    A topic as a prerequisite stands for its items that are no harder than the item, and don't need the topic themselves.
    """
    edges = _edges(library.items)
    for ring in cycles(edges):
        edges[ring[-2]] = [before for before in edges[ring[-2]] if before != ring[-1]]
    found: dict[str, tuple[str, ...]] = {}
    for name in library.items:
        befores: list[str] = []
        for before in edges[name]:
            befores += [before] if before in library.items else edges[before]
        found[name] = tuple(dict.fromkeys(befores))
    return found


def _edges(items: Mapping[str, LoadedItem]) -> dict[str, list[str]]:
    """Items, and a node ``topic <= difficulty`` for each topic that an item needs, so that edges stay few."""
    by_topic: dict[str, list[LoadedItem]] = {}
    for loaded in items.values():
        for topic in loaded.item.topics:
            by_topic.setdefault(topic, []).append(loaded)
    edges: dict[str, list[str]] = {}
    for name, loaded in items.items():
        edges[name] = []
        for before in loaded.item.prerequisites:
            if before in items:
                edges[name].append(before)
            elif before in by_topic:
                node = f"{before} <= {loaded.item.difficulty}"
                edges[name].append(node)
                if node not in edges:
                    edges[node] = [
                        one.item.id
                        for one in by_topic[before]
                        if one.item.difficulty <= loaded.item.difficulty and before not in one.item.prerequisites
                    ]
    return edges


_latest: list[tuple[Library, tuple[str, ...]]] = []


def course(library: Library) -> tuple[str, ...]:
    """Every item of the library, each after what it needs; else by bank, depth of its topics, kind and place in the bank.

    The latest library's is kept: a library never changes, and it is asked for at every return to the home screen.
    """
    if not _latest or _latest[0][0] is not library:
        _latest[:] = [(library, _course(library))]
    return _latest[0][1]


def _course(library: Library) -> tuple[str, ...]:
    topics = depths({name: topic.after for name, topic in library.topics.items()})
    keys: dict[str, tuple[int, int, int, int]] = {}
    for place, bank in enumerate(library.banks):
        for position, item in enumerate(bank.bank.items):
            loaded = library.items[item.id]
            depth = max((topics.get(topic, 0) for topic in item.topics), default=0)
            keys[item.id] = (place, depth, stage(loaded), position)
    before = {name: [one for one in befores if one in keys] for name, befores in needs(library).items() if name in keys}
    waits = {name: len(befores) for name, befores in before.items()}
    after: dict[str, list[str]] = {}
    for name, befores in before.items():
        for one in befores:
            after.setdefault(one, []).append(name)
    ready = [(keys[name], name) for name in keys if not waits[name]]
    heapq.heapify(ready)
    found = []
    while ready:
        _, name = heapq.heappop(ready)
        found.append(name)
        for following in after.get(name, ()):
            waits[following] -= 1
            if not waits[following]:
                heapq.heappush(ready, (keys[following], following))
    return tuple(found)
