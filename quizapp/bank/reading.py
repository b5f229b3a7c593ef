"""Reading one bank file, or one registry: the entries that stand, and every fault of those that don't.

What comes of a file depends on its content, the known misconceptions and its labs alone, so that it can be kept in a cache.
Putting files together is ``quizapp.bank.load``.
"""

import json
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from quizapp.bank.agreement import check_item, entries, unique
from quizapp.bank.document import Document, Path_, read
from quizapp.bank.fault import Fault
from quizapp.bank.formulas import check_formulas
from quizapp.bank.lab import FILE, LabError, load_lab
from quizapp.bank.loaded import FileReading, LoadedItem
from quizapp.bank.shape import report, shaped
from quizapp.model.misconception import Misconception
from quizapp.model.question import Bank, Item, Reading

T = TypeVar("T")
_BANK, _READING = TypeAdapter(Bank), TypeAdapter(Reading)
_ITEM: TypeAdapter[Item] = TypeAdapter(Item)
_MISCONCEPTION = TypeAdapter(Misconception)


def read_registry(file: Path) -> FileReading:
    """Reads a ``misconceptions.yaml``."""
    reader = _Reader(read(file))
    document, value = reader.document, reader.value
    if document.node is not None:
        for key in value.keys() - {"misconceptions"}:
            document.fault((key,), "unknown-key", f"there is no key `{key}` here", "keep `misconceptions:` alone", key=True)
        if not isinstance(value.get("misconceptions"), tuple):
            message = "a registry is a list under `misconceptions:`"
            document.fault(("misconceptions",), "missing-key", message, "write `misconceptions:` and its entries below")
    return reader.result(None, (), reader.entries(_MISCONCEPTION, "misconceptions", "the misconception"))


def read_bank(file: Path, registered: Collection[str]) -> FileReading:
    """Reads a bank. ``registered``: the ids of the registry."""
    reader = _Reader(read(file))
    document, value = reader.document, reader.value
    if document.node is None:
        return reader.result(None, (), [])
    if not isinstance(document.value, dict):
        document.fault((), "wrong-type", "a bank is keys with values", "write `id:`, `title:`, `description:` and `items:`")
        return reader.result(None, (), [])
    own = [entry["id"] for _, entry in entries(value, "misconceptions") if isinstance(entry.get("id"), str)]
    misconceptions = reader.entries(_MISCONCEPTION, "misconceptions", "the misconception")
    pages = reader.entries(_READING, "reading", "the page")
    reader.known = {*registered, *own}
    items = reader.entries(_ITEM, "items", "the item", reader.check_item)
    bank = reader.bank(items, pages, misconceptions)
    if bank is None:
        return reader.result(None, (), misconceptions)
    lines = (document.line(("items", index)) for index, _ in items)
    hashes = (_digest(value["items"][index]) for index, _ in items)
    models = (item for _, item in items)
    loaded = [LoadedItem(item, bank.id, file, line, digest) for item, line, digest in zip(models, lines, hashes, strict=True)]
    return reader.result(bank, loaded, misconceptions)


class _Reader:
    """One file on its way from a document to what stands of it."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.value: dict[str, Any] = document.value if isinstance(document.value, dict) else {}
        self.marred = [(fault.line, fault.column) for fault in document.faults]
        """Places of the faults of YAML itself; the entry that holds one is left out."""
        self.known: Collection[str] = ()
        self.lab_faults: list[Fault] = []
        self.labs: list[str] = []

    def entries(
        self, adapter: TypeAdapter[T], key: str, what: str, check: Callable[[Path_, object], None] | None = None
    ) -> list[tuple[int, T]]:
        """The entries of the list at a key that have no fault, each with its index."""
        found = self.value.get(key)
        result: list[tuple[int, T]] = []
        unique(self.document, (), self.value, key, what)
        seen: set[str] = set()
        for index, raw in enumerate(found if isinstance(found, tuple) else ()):
            before = len(self.document.faults) + len(self.lab_faults)
            name = raw.get("id") if isinstance(raw, dict) else None
            model = shaped(adapter, self.document, (key, index), raw)
            if check is not None:
                check((key, index), raw)
            sound = len(self.document.faults) + len(self.lab_faults) == before and not self._mars((key, index))
            if model is not None and sound and name not in seen:
                result.append((index, model))
            if isinstance(name, str):
                seen.add(name)
        return result

    def check_item(self, path: Path_, raw: object) -> None:
        check_item(self.document, path, raw, self.known)
        check_formulas(self.document, path, raw)
        for index, part in entries(raw, "parts"):
            folder = part.get("folder")
            if part.get("kind") == "code" and isinstance(folder, str):
                self._lab((*path, "parts", index, "folder"), folder)

    def bank(
        self, items: list[tuple[int, Item]], pages: list[tuple[int, Reading]], misconceptions: list[tuple[int, Misconception]]
    ) -> Bank | None:
        """The bank around the entries that stand; unknown keys are reported and passed over."""
        value = dict(self.value)
        for key, models in (("items", items), ("reading", pages), ("misconceptions", misconceptions)):
            if isinstance(value.get(key), tuple):
                value[key] = tuple(model for _, model in models)
        # That nothing is left of the items has been said, item by item.
        emptied = "items" if self.value.get("items") and not items and isinstance(value["items"], tuple) else ""
        try:
            return _BANK.validate_python(value, strict=True)
        except ValidationError as error:
            report(error, _BANK, self.document, (), self.value, skip=emptied)
            for detail in error.errors():
                if detail["type"] != "extra_forbidden":
                    return None
                value.pop(str(detail["loc"][0]))
            return _BANK.validate_python(value, strict=True)

    def result(
        self, bank: Bank | None, items: Sequence[LoadedItem], misconceptions: list[tuple[int, Misconception]]
    ) -> FileReading:
        document = self.document
        faults = [*sorted(document.faults, key=lambda fault: (fault.line, fault.column)), *dict.fromkeys(self.lab_faults)]
        places: dict[tuple[str, str], tuple[int, int]] = {}
        for what, key in (("item", "items"), ("misconception", "misconceptions")):
            for index, entry in entries(self.value, key):
                places.setdefault((what, str(entry.get("id"))), document.place((key, index, "id")))
        places["bank", str(self.value.get("id"))] = document.place(("id",))
        models, labs = tuple(model for _, model in misconceptions), tuple(dict.fromkeys(self.labs))
        names = tuple(entry.item.id for entry in items)
        return FileReading(document.file, bank, tuple(items), models, places, tuple(faults), labs, names)

    def _mars(self, path: Path_) -> bool:
        node = self.document.find(path)
        if node is None or not self.marred:
            return False
        start, end = node.start_mark, node.end_mark
        return any((start.line + 1, start.column + 1) <= place <= (end.line + 1, end.column + 1) for place in self.marred)

    def _lab(self, path: Path_, folder: str) -> None:
        self.labs.append(folder)
        home = self.document.file.parent / folder
        if "\0" in folder or not (home / FILE).is_file():
            missing = "no such folder" if "\0" in folder or not home.is_dir() else f"no {FILE}"
            mend = f"name a folder that holds {FILE}, relative to this file"
            self.document.fault(path, "lab-missing", f"{folder!r}: {missing}", mend)
            return
        try:
            load_lab(home, self.known)
        except LabError as error:
            self.lab_faults += error.faults


def _digest(raw: object) -> str:
    return sha256(json.dumps(raw, sort_keys=True).encode()).hexdigest()
