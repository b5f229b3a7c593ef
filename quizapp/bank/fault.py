"""A fault of a bank's file, and nothing else: where, what is wrong, what to write instead."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``line`` and ``column`` count from 1; ``code`` is short and stable (``unknown-key``)."""

    file: Path
    line: int
    column: int
    code: str
    message: str
    mend: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}; {self.mend}"
