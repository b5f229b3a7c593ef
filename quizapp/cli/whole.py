"""Writing a file that a command was told to write."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from quizapp.cli.problem import Problem


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
        raise Problem(f"{file}: {(error.strerror or 'cannot be written').lower()}; name a place to write to") from None
