"""Writing a file that a command was told to write."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from quizapp.cli.problem import Problem


def free(file: Path, force: bool) -> None:
    """Raises :class:`Problem` where a folder is there, or a file that isn't to be written over."""
    try:
        folder, there = file.is_dir(), file.exists()
    except OSError as error:
        raise unwritable(file, error) from None
    if folder:
        raise Problem(f"{file}: a folder; name a file")
    if there and not force:
        raise Problem(f"{file} is there already; name another, or add --force to write over it")


def unwritable(file: Path, error: OSError) -> Problem:
    """What to say of a file or folder that can't be written, or not even looked at."""
    return Problem(f"{file}: {(error.strerror or 'cannot be written').lower()}; name a place to write to")


@contextmanager
def whole(file: Path) -> Iterator[BinaryIO]:
    """What is written here is the file once all of it is there; else what was there stays. A device or a pipe is just written into.

    Raises:
        Problem: it can't be written.
    """
    try:
        if file.exists() and not file.is_file():
            with file.open("wb") as out:
                yield out
            return
        beside = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            with beside.open("wb") as out:
                yield out
            beside.replace(file)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            raise
    except OSError as error:
        raise unwritable(file, error) from None
