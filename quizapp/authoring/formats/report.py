"""What became of the questions on the way: losses, faults with their places, and what an author still has to write. Pure data."""

from dataclasses import dataclass
from typing import Literal

Fate = Literal["lost", "changed"]


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the other side has no place for."""

    item: str | None
    """The question's id; ``None``: all of them, or the bank itself."""
    what: str
    """One word of a fixed set (``docs/interchange.md`` lists them): tools count by it."""
    fate: Fate
    """``changed``: it is there, in another form."""
    detail: str

    def __str__(self) -> str:
        return f"{self.item or '(all)'}: {self.what} {self.fate}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that can't be read. Line and column count from 1."""

    file: str
    line: int
    column: int
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}; {self.mend}"


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that a bank needs and the foreign file didn't have; ``line`` is that of the written bank."""

    item: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.item} (line {self.line}): {self.what}"


class Unreadable(Exception):
    """Nothing of a file can be read. ``trouble`` says where and why."""

    def __init__(self, file: str, line: int, column: int, message: str, mend: str) -> None:
        self.trouble = Trouble(file, line, column, message, mend)
        super().__init__(str(self.trouble))
