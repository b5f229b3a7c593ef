"""What is graded: an item, the parts of it that this run looks at, and the texts that feedback needs."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quizapp.bank.load import Library, LoadedItem
from quizapp.classroom import ClassroomError
from quizapp.model.lab import Lab
from quizapp.model.question import CodePart, Part

_NOT_GRADING = frozenset(("starter.py", "solution.py"))
_NOT_GRADING_FOLDERS = frozenset(("right", "wrong", "__pycache__"))


@dataclass(frozen=True, slots=True)
class Program:
    """A part that takes a program, with its lab."""

    part: CodePart
    lab: Lab
    folder: Path

    def files(self) -> Iterator[tuple[str, bytes]]:
        """The lab's files that decide how a program is judged, by path below its folder, in order."""
        for path in sorted(self.folder.rglob("*")):
            below = path.relative_to(self.folder)
            if path.is_file() and below.name not in _NOT_GRADING and not _NOT_GRADING_FOLDERS & set(below.parts):
                yield below.as_posix(), path.read_bytes()


@dataclass(frozen=True, slots=True)
class Work:
    """What one run of `quizapp grade` grades."""

    loaded: LoadedItem
    program: Program | None
    """The part that the submissions are for; ``None`` where only answers are graded."""
    answers: tuple[Part, ...]
    """The parts that the answers may be for; empty where only programs are graded."""
    titles: Mapping[str, str]
    """Misconception id -> title."""
    cures: Mapping[str, str] = field(default_factory=dict)

    @property
    def item(self) -> str:
        return self.loaded.item.id

    @property
    def hash(self) -> str:
        """Of everything that decides a grade: the item as written and its lab's own files."""
        digest = hashlib.sha256(self.loaded.hash.encode())
        if self.program is not None:
            for name, content in self.program.files():
                digest.update(f"\0{name}\0".encode() + content)
        return digest.hexdigest()


def code_part(loaded: LoadedItem, name: str | None) -> CodePart:
    """The part that takes a program.

    Raises:
        ClassroomError: there is none, or more than one and none is named.
    """
    found = [part for part in loaded.item.parts if isinstance(part, CodePart)]
    chosen = [part for part in found if name in (None, part.id)]
    names = ", ".join(part.id for part in found)
    if not found:
        raise ClassroomError(f"{loaded.item.id} takes no program; grade its answers with --answers CSV")
    if len(chosen) != 1:
        raise ClassroomError(f"{loaded.item.id}: name one part that takes a program with --part: {names}")
    return chosen[0]


def answer_parts(loaded: LoadedItem, name: str | None) -> tuple[Part, ...]:
    """The parts that take an answer, or the one named.

    Raises:
        ClassroomError: there is none.
    """
    found = tuple(part for part in loaded.item.parts if not isinstance(part, CodePart))
    chosen = tuple(part for part in found if name in (None, part.id))
    if not chosen:
        names = ", ".join(part.id for part in found)
        has = f"its parts with answers: {names}" if names else "it takes a program: give a folder of them"
        raise ClassroomError(f"{loaded.item.id} has no such part for --answers; {has}")
    return chosen


def work(library: Library, loaded: LoadedItem, program: Program | None, answers: tuple[Part, ...]) -> Work:
    """What is graded, with the library's texts."""
    titles = {id: known.title for id, known in library.registry.items()}
    return Work(loaded, program, answers, titles, {id: known.cure for id, known in library.registry.items()})
