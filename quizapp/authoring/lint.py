"""Checking banks more deeply than loading does: the door to the checks of this room, each of which has a file of its own.

``lint`` runs no code of a bank. What only running can show (that solutions pass and known wrong programs fail) is
``quizapp.authoring.rehearsal``.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quizapp.authoring.answers import add_answer_faults
from quizapp.authoring.audited import add_audit_faults
from quizapp.authoring.follow_ups import add_follow_up_faults
from quizapp.authoring.links import broken_links
from quizapp.authoring.markdown import unshown
from quizapp.authoring.order import add_order_faults
from quizapp.authoring.programs import program_faults
from quizapp.authoring.separation import separation_faults
from quizapp.authoring.variants import add_own_value_faults, add_variant_faults
from quizapp.authoring.written import add_rubric_faults
from quizapp.bank.agreement import entries
from quizapp.bank.document import Document, Path_, read
from quizapp.bank.fault import Fault
from quizapp.bank.find import builtin_folder, role, yaml_files
from quizapp.bank.formulas import shown_texts
from quizapp.bank.lab import LabError, load_lab
from quizapp.bank.load import Library, load, without_collection
from quizapp.model.question import Bank, Item
from quizapp.scoring.cores import on_cores

_SLOT = re.compile(r"\{\{.*?\}\}")
PORTION, MANY = 25, 6
"""Items that a worker takes at a time, and portions from which workers are worth starting."""
PROSE = ("computes", "why", "cure", "description", "signature")
"""Keys whose text is Markdown, besides those that are filled in for a variant."""


@without_collection()
def lint(paths: Sequence[Path], context: Sequence[Path] | None = None, workers: int = 1) -> list[Fault]:
    """Every fault of the banks, registries and labs under some folders or files, in the order of files and lines.

    ``context``: folders (or files) that count as known: their misconceptions, topics and items. Without it, the built-in banks. A
    bank of the context with the id of one that is checked is taken for another version of it. Nothing is raised: what can't be
    read is a fault. ``workers``: processes that share the work where there is much of it, and processes can be forked.
    """
    library = load(paths, context if context is not None else [builtin_folder()])
    around = load(context if context is not None else [builtin_folder()])
    known = {**around.registry, **library.registry}
    faults = list(library.faults)
    files = list(dict.fromkeys(file for path in paths if path.exists() for file in yaml_files(path)))
    for file in files:
        if role(file) == "lab":
            faults += _lab(file.parent, known)
    documents = [read(file) for file in files if role(file) != "lab"]
    for document in documents:
        document.faults.clear()
    others = _others(around, library, files)
    add_order_faults([document for document in documents if role(document.file) == "bank"], others)
    lines = {(entry.file, entry.line): entry.item for entry in library.items.values()}
    taken = {item.id: bank.id for bank in others for item in bank.items}
    for document in documents:
        _pages(document)
        faults += document.faults
    return _sorted([*faults, *_items(_Job(documents, lines, taken), workers)])


def _sorted(faults: Sequence[Fault]) -> list[Fault]:
    order = {file: index for index, file in enumerate(dict.fromkeys(fault.file for fault in faults))}
    return sorted(dict.fromkeys(faults), key=lambda fault: (order[fault.file], fault.line, fault.column))


def _others(around: Library, library: Library, files: Sequence[Path]) -> list[Bank]:
    own = {loaded.bank.id for loaded in library.banks}
    checked = {file.resolve() for file in files}
    return [b.bank for b in around.banks if b.bank.id not in own and b.file.resolve() not in checked]


def _pages(document: Document) -> None:
    """What a bank shows besides its items."""
    value = document.value
    if not isinstance(value, dict):
        return
    _texts(document, (), {key: text for key, text in value.items() if isinstance(text, str) and key in ("title", "description")})
    for key in ("reading", "misconceptions"):
        for index, raw in entries(value, key):
            _texts(document, (key, index), raw)


@dataclass(frozen=True, slots=True)
class _Job:
    """The items of some documents. ``lines``: those without faults of loading. ``taken``: items elsewhere, and their banks."""

    documents: Sequence[Document]
    lines: Mapping[tuple[Path, int], Item]
    taken: Mapping[str, str]

    def slices(self) -> list[tuple[int, int]]:
        """Each document's position, and where in its items each portion begins."""
        counts = [len(list(entries(document.value, "items"))) for document in self.documents]
        return [(at, start) for at, count in enumerate(counts) for start in range(0, count, PORTION)]

    def portion(self, at: int, start: int) -> list[Fault]:
        """The faults of one portion of a document's items."""
        document = self.documents[at]
        document.faults.clear()
        for index, raw in list(entries(document.value, "items"))[start : start + PORTION]:
            path: Path_ = ("items", index)
            _texts(document, path, raw)
            item = self.lines.get((document.file, document.line(path)))
            if item is not None:
                if item.id in self.taken:
                    message = f"the item {item.id!r} stands already in the bank {self.taken[item.id]!r}"
                    document.fault((*path, "id"), "duplicate-id", message, "give it another id")
                _item(document, path, item, raw)
        return list(document.faults)


def _items(job: _Job, workers: int) -> list[Fault]:
    portions = job.slices()
    found = on_cores(lambda number: job.portion(*portions[number]), len(portions), workers=workers, fewest=MANY)
    return [fault for faults in found for fault in faults]


def _item(document: Document, path: Path_, item: Item, raw: Mapping[str, object]) -> None:
    add_own_value_faults(document, path, item)
    before = len(document.faults)
    add_variant_faults(document, path, item, raw)
    if len(document.faults) == before:  # a value that is missing, or another's, would be said twice
        add_answer_faults(document, path, item)
    add_rubric_faults(document, path, item)
    add_follow_up_faults(document, path, item)
    add_audit_faults(document, path, item)


def _texts(document: Document, path: Path_, raw: Mapping[str, object]) -> None:
    """Links and Markdown of everything that is shown."""
    sources = raw.get("sources")
    texts = [((*path, "sources", index), text) for index, text in enumerate(sources if isinstance(sources, tuple) else ())]
    texts += [((*path, key), raw[key]) for key in PROSE if isinstance(raw.get(key), str)]
    texts += [(where, text) for where, text in shown_texts(path, raw) if where[-1] not in PROSE or len(where) > len(path) + 1]
    for where, text in texts:
        if not isinstance(text, str):
            continue
        text = _SLOT.sub(lambda slot: "0" * len(slot.group()), text)
        for offset, message in broken_links(text):
            document.fault(where, "link", message, "write [text](https://...) with nothing left open", offset=offset)
        for offset, message in unshown(text):
            document.fault(where, "markdown", message, "close it, or put what is meant literally in backquotes", offset=offset)


def _lab(folder: Path, known: Collection[str]) -> Sequence[Fault]:
    try:
        lab = load_lab(folder, known)
    except LabError as error:
        return error.faults
    document = separation_faults(folder, lab)
    _texts(document, (), {"signature": f"`{lab.signature}`"})
    return [*program_faults(folder, lab, known), *(replace(fault) for fault in document.faults)]
