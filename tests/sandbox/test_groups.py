"""Groups of ranks, as far as no rank is needed: what is read from one that is up to something."""

import os
import threading
import time

import pytest

from quizapp_sandbox import groups


@pytest.mark.timeout(200)
def test_a_stack_that_never_ends_being_written() -> None:
    """Byte by byte: as many as are read at most would take minutes."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    ended = threading.Event()

    def drip() -> None:
        while not ended.wait(0.005):
            os.write(writing, b"x")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        assert groups._stack_from(reading, time.monotonic() + 1)
    finally:
        ended.set()
        thread.join()
        os.close(reading)
        os.close(writing)
