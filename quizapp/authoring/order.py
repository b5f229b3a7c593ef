"""Topics and prerequisites: what is named is there, titles agree, and nothing comes before itself. Looks at all banks at once."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from quizapp.bank.agreement import entries
from quizapp.bank.document import Document, Path_
from quizapp.bank.graph import cycles
from quizapp.bank.words import meant
from quizapp.model.question import Bank

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
Place = tuple[int, Document, Path_]
"""The document's position among those looked at, and a path in it."""
Named = Mapping[str, Sequence[tuple[str, Place]]]
"""Node -> each node that it names as coming before it, and where."""


def add_order_faults(documents: Sequence[Document], others: Sequence[Bank]) -> None:
    """Adds the faults to the documents. ``others``: banks that aren't among them and count as known."""
    titles = {name: (topic.title, "") for bank in others for name, topic in bank.topics.items()}
    items = {item.id for bank in others for item in bank.items}
    used = {topic for bank in others for item in bank.items for topic in item.topics}
    for document in documents:
        for _, item in _entries(document, "items"):
            items |= set(_texts((item.get("id"),)))
            used |= set(_texts(item.get("topics")))
        for name, topic in _topics(document):
            _title(document, name, topic, titles)
    for document in documents:
        own = bool(list(_topics(document)))
        for index, item in _entries(document, "items"):
            for position, name in enumerate(_texts(item.get("topics"))):
                if own and name and name not in titles:
                    message = f"no bank declares the topic {name!r}"
                    document.fault(("items", index, "topics", position), "unknown-topic", message, meant(name, titles))
            for position, name in enumerate(_texts(item.get("prerequisites"))):
                if name and name not in items and name not in titles and name not in used:
                    message = f"there is neither an item nor a topic {name!r}"
                    mend = meant(name, (*items, *titles, *used))
                    document.fault(("items", index, "prerequisites", position), "unknown-prerequisite", message, mend)
        for name, topic in _topics(document):
            for position, before in enumerate(_texts(topic.get("after"))):
                if before and before not in titles:
                    message = f"no bank declares the topic {before!r}"
                    document.fault(("topics", name, "after", position), "unknown-topic", message, meant(before, titles))
    _rings(_named_topics(documents), {name: topic.after for bank in others for name, topic in bank.topics.items()}, "topic")
    _rings(_named_items(documents), {item.id: item.prerequisites for bank in others for item in bank.items}, "item")


def _title(document: Document, name: str, topic: Mapping[str, object], titles: dict[str, tuple[str, str]]) -> None:
    title = topic.get("title")
    if not isinstance(title, str):
        titles.setdefault(name, ("", ""))
        return
    path: Path_ = ("topics", name, "title")
    first, where = titles.setdefault(name, (title.strip(), f"{document.file}:{document.line(path)}"))
    if first and first != title.strip():
        message = f"another bank titles the topic {name!r} {first!r}" + (f" ({where})" if where else "")
        document.fault(path, "topic-title", message, "give it the same title, or another id")


def _named_topics(documents: Sequence[Document]) -> Named:
    found: dict[str, list[tuple[str, Place]]] = {}
    for order, document in enumerate(documents):
        for name, topic in _topics(document):
            for position, before in enumerate(_texts(topic.get("after"))):
                if before:
                    found.setdefault(name, []).append((before, (order, document, ("topics", name, "after", position))))
    return found


def _named_items(documents: Sequence[Document]) -> Named:
    found: dict[str, list[tuple[str, Place]]] = {}
    for order, document in enumerate(documents):
        for index, item in _entries(document, "items"):
            name = item.get("id")
            for position, before in enumerate(_texts(item.get("prerequisites"))):
                if before and isinstance(name, str):
                    place: Place = (order, document, ("items", index, "prerequisites", position))
                    found.setdefault(name, []).append((before, place))
    return found


def _rings(named: Named, others: Mapping[str, Sequence[str]], what: str) -> None:
    """One fault for each ring, at the last of the places that make it."""
    edges = {name: [before for before, _ in befores] for name, befores in named.items()}
    for name, befores in others.items():
        edges[name] = [*edges.get(name, ()), *befores]
    for before in [before for befores in edges.values() for before in befores]:
        edges.setdefault(before, [])
    for ring in cycles(edges):
        steps = list(pairwise(ring))
        places = [place for name, before in steps for named_, place in named.get(name, ()) if named_ == before]
        if not places:
            continue
        _, document, path = max(places, key=lambda place: (place[0], place[1].place(place[2])))
        way = " after ".join(ring)
        document.fault(path, "comes-before-itself", f"the {what} {ring[0]!r} comes before itself: {way}", "remove one of these")


def _entries(document: Document, key: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    return entries(document.value, key)


def _topics(document: Document) -> Iterator[tuple[str, Mapping[str, object]]]:
    found = document.value.get("topics") if isinstance(document.value, dict) else None
    for name, topic in found.items() if isinstance(found, dict) else ():
        if isinstance(topic, dict):
            yield name, topic


def _texts(value: object) -> tuple[str, ...]:
    """The ids of a list, at their places; what is none (a fault of shape) is empty."""
    return (
        tuple(entry if isinstance(entry, str) and _ID.fullmatch(entry) else "" for entry in value)
        if isinstance(value, tuple)
        else ()
    )
