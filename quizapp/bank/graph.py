"""What comes before what: the graph of topics that banks declare, and the prerequisites of items.

Here: putting together what several banks say, order, and cycles. Not here: faults with their places
(``quizapp.authoring.order``), and what a learner is asked next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quizapp.model.question import Bank, Topic

Edges = Mapping[str, Sequence[str]]
"""Node -> what comes before it."""


def merged_topics(banks: Sequence[Bank]) -> dict[str, Topic]:
    """All declared topics: the title of the first bank that declares one, and what every bank says under ``after``."""
    from quizapp.model.question import Topic

    found: dict[str, Topic] = {}
    for bank in banks:
        for name, topic in bank.topics.items():
            first = found.get(name, topic)
            found[name] = Topic(title=first.title, after=tuple(dict.fromkeys((*first.after, *topic.after))))
    return found


def cycles(edges: Edges) -> Iterator[tuple[str, ...]]:
    """Cycles, each from a node over what comes before it back to itself, until without their last edges none is left."""
    left = {node: [before for before in befores if before in edges] for node, befores in edges.items()}
    while True:
        try:
            TopologicalSorter(left).prepare()
            return
        except CycleError as error:
            ring: list[str] = error.args[1]
        # graphlib lists a ring from what comes before to what comes after.
        yield tuple(reversed(ring))
        left[ring[1]].remove(ring[0])


def depths(edges: Edges) -> dict[str, int]:
    """Node -> the longest way down to it from a node that nothing comes before. What lies on a cycle is cut there."""
    left = {node: [before for before in befores if before in edges] for node, befores in edges.items()}
    for ring in cycles(edges):
        left[ring[-2]].remove(ring[-1])
    found: dict[str, int] = {}
    for node in TopologicalSorter(left).static_order():
        found[node] = max((found[before] + 1 for before in left[node]), default=0)
    return found
