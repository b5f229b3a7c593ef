"""Notices that the terminal has gone, or that the program is told to end, so that the app ends as if somebody had quit.

A terminal that closes sends SIGHUP, but not to every program (one begun in a session of its own gets none): then only the file
says so, and Textual would read its end over and over.
"""

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Callable

SECONDS = 1.0
"""Between two looks at whether the terminal is there."""
PATIENCE = 20.0
"""Seconds that the app has to end by itself once its terminal is gone."""
SIGNALS = ("SIGHUP", "SIGTERM")


def is_gone(terminal: int) -> bool:
    """Whether a terminal, given as its file descriptor, has been closed at the other end. False where the system can't tell."""
    if sys.platform == "darwin" or not hasattr(select, "poll"):
        return False  # macOS's poll knows no devices: it calls every terminal an invalid file
    poll = select.poll()
    poll.register(terminal, 0)  # a hang-up is told without being asked for
    return any(events & (select.POLLHUP | select.POLLNVAL) for _, events in poll.poll(0))


def end_surely() -> None:
    """Ends the program after a while, whatever it is doing then: what Textual still writes to a closed terminal can block it."""
    last = threading.Timer(PATIENCE, os._exit, (1,))
    last.daemon = True
    last.start()


def on_signals(end: Callable[[], None]) -> None:
    """Has ``end`` called in the running loop where the program is told to hang up or to end, as far as the system knows that."""
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        if hasattr(signal, name):
            try:
                loop.add_signal_handler(getattr(signal, name), end)
            except (NotImplementedError, RuntimeError, ValueError):
                return  # no such thing here, or not in this thread
