"""Folders to a library: registries and banks put together, ids unique over all of them. Reads through ``quizapp.bank.cache``."""

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quizapp.bank import cache
from quizapp.bank.fault import Fault
from quizapp.bank.find import builtin_folder, role, yaml_files
from quizapp.bank.graph import merged_topics
from quizapp.bank.loaded import FileReading, Items, LoadedItem
from quizapp.model.misconception import Misconception
from quizapp.model.question import Bank, Topic

__all__ = ["Library", "LoadedBank", "LoadedItem", "load", "load_registry"]


@dataclass(frozen=True, slots=True)
class LoadedBank:
    """A bank with the items that have no faults."""

    bank: Bank
    file: Path
    builtin: bool
    """It came with the app."""


@dataclass(frozen=True, slots=True)
class Library:
    """Everything that could be loaded, and why the rest could not."""

    banks: tuple[LoadedBank, ...]
    """By their place, then as their files come."""
    registry: Mapping[str, Misconception]
    """All misconceptions by id: the registries', and those that banks add."""
    faults: tuple[Fault, ...]
    items: Mapping[str, LoadedItem]
    """All items by id, in the order of folders, files and lines."""

    @property
    def topics(self) -> dict[str, Topic]:
        """All declared topics by id, with what every bank says of them."""
        return merged_topics([loaded.bank for loaded in self.banks])


def load(folders: Sequence[Path], context: Sequence[Path] = ()) -> Library:
    """Loads every bank and registry under some folders (or the files themselves).

    A file or item with faults is left out and the others load. The first of two things with the same id stays.
    ``context``: folders whose registries count as known, though nothing else of them is loaded and their faults don't matter.
    Nothing is raised: a folder that isn't there is a fault too.
    """
    with without_collection():
        return _load(folders, context)


@contextmanager
def without_collection() -> Iterator[None]:
    """For work that makes many small objects and drops none that are cyclic: to look for cycles in them takes long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _load(folders: Sequence[Path], context: Sequence[Path]) -> Library:
    faults: list[Fault] = []
    files: dict[Path, Path] = {}
    for folder in folders:
        if not folder.exists():
            faults.append(Fault(folder, 1, 1, "unreadable", "no such file or folder", "name a folder of banks"))
        else:
            for file in yaml_files(folder):
                files.setdefault(file.resolve(), file)
    found = [file for file in files.values() if role(file) == "registry"]
    registries = [cache.registry(file) for file in found]
    registered = {entry.id for reading in registries for entry in reading.misconceptions} | load_registry(context).keys()
    banks = [cache.bank(file, registered) for file in files.values() if role(file) == "bank"]
    return _together(faults, registries, banks)


def load_registry(folders: Sequence[Path]) -> dict[str, Misconception]:
    """The misconceptions of the registries under some folders by id, whatever else may be wrong there."""
    files = (file for folder in folders for file in yaml_files(folder) if role(file) == "registry")
    return {entry.id: entry for file in files for entry in cache.registry(file).misconceptions}


def _together(faults: list[Fault], registries: list[FileReading], readings: list[FileReading]) -> Library:
    registry: dict[str, Misconception] = {}
    items: dict[str, LoadedItem] = {}
    banks: dict[str, LoadedBank] = {}
    first: dict[tuple[str, str], str] = {}

    def is_new(reading: FileReading, what: str, name: str) -> bool:
        """Whether nothing so named came before; else adds the fault."""
        line, column = reading.places[what, name]
        if (what, name) not in first:
            first[what, name] = f"{reading.file}:{line}"
            return True
        message = f"the {what} {name!r} stands already in {first[what, name]}"
        faults.append(Fault(reading.file, line, column, "duplicate-id", message, "give it another id"))
        return False

    for reading in (*registries, *readings):
        faults += reading.faults
        registry |= {entry.id: entry for entry in reading.misconceptions if is_new(reading, "misconception", entry.id)}
    for reading in readings:
        if (bank := reading.bank) is None or not is_new(reading, "bank", bank.id):
            continue
        kept = {name: entry for name, entry in zip(reading.names, reading.items, strict=True) if is_new(reading, "item", name)}
        items |= kept
        if len(kept) != len(reading.items):
            bank = bank.model_copy(update={"items": Items(tuple(kept.values()))})
        if kept:
            banks[bank.id] = LoadedBank(bank, reading.file, _is_builtin(reading.file))
    ordered = sorted(banks.values(), key=lambda loaded: loaded.bank.place)
    return Library(tuple(ordered), registry, tuple(dict.fromkeys(faults)), items)


def _is_builtin(file: Path) -> bool:
    return str(file.resolve()).startswith(str(builtin_folder().resolve()) + os.sep)
