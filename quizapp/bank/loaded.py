"""What a file gives: its items, each as it was loaded, and where it stands. Made from the cache, an item is built when it is first
asked for. Imports nothing that reads YAML."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from quizapp.bank.fault import Fault
from quizapp.model.misconception import Misconception
from quizapp.model.question import Bank, Item


class LoadedItem:
    """An item without faults, and where it stands. Doesn't change."""

    __slots__ = ("_item", "bank_id", "file", "hash", "line")

    def __init__(self, item: Item | Callable[[], Item], bank_id: str, file: Path, line: int, hash: str) -> None:
        """``item``: the item, or what builds it. ``hash``: hexadecimal digest of the item as written; comments and the order of
        keys don't count."""
        self._item = item
        self.bank_id, self.file, self.line, self.hash = bank_id, file, line, hash

    @property
    def item(self) -> Item:
        """The item itself."""
        if callable(self._item):
            self._item = self._item()
        return self._item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoadedItem) and self._place() == other._place() and self.item == other.item

    def __hash__(self) -> int:
        return hash(self._place())

    def __repr__(self) -> str:
        return f"LoadedItem({self.bank_id}, {self.file}:{self.line})"

    def _place(self) -> tuple[str, Path, int, str]:
        return self.bank_id, self.file, self.line, self.hash


class Items(Sequence[Item]):
    """A bank's items, standing in for a tuple of them: each is built when it is first asked for."""

    def __init__(self, loaded: Sequence[LoadedItem]) -> None:
        self._loaded = loaded

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        if isinstance(index, slice):
            return tuple(entry.item for entry in self._loaded[index])
        return self._loaded[index].item

    def __iter__(self) -> Iterator[Item]:
        return (entry.item for entry in self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Items | tuple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


@dataclass(frozen=True, slots=True)
class FileReading:
    """What one file gives."""

    file: Path
    bank: Bank | None
    """Only with the entries that have no faults; ``None`` where the bank itself has one, or nothing of it is left."""
    items: tuple[LoadedItem, ...]
    misconceptions: tuple[Misconception, ...]
    places: Mapping[tuple[str, str], tuple[int, int]]
    """Line and column of each id; keys are ``("bank", id)``, ``("item", id)`` and ``("misconception", id)``."""
    faults: tuple[Fault, ...]
    labs: tuple[str, ...] = ()
    """The folders of the labs that it names, relative to the file's."""
    names: tuple[str, ...] = ()
    """The ids of the items."""
