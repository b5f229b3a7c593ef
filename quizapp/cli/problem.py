"""What a command raises when it can't go on through no fault of the program: one line, and the exit code that says which kind."""

from collections.abc import Sequence
from typing import Literal


class Problem(Exception):
    """Ends a command with one line on standard error.

    ``code``: 2 for wrong usage, or a file or item that can't be read; 3 where the environment can't do what was asked.

    ``details``: lines for below that one, where what went wrong is code of the user's own.
    """

    def __init__(self, message: str, code: Literal[2, 3] = 2, details: Sequence[str] = ()) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code
        self.details = tuple(details)
