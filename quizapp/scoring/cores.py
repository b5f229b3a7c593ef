"""Much scoring of one kind, shared by forked processes: they inherit banks and rubrics that are read already."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

Given = TypeVar("Given")

_works: list[Callable[[int], Any]] = []
"""What forked workers inherit."""


def _inherited(number: int) -> Any:
    return _works[-1](number)


def on_cores(work: Callable[[int], Given], portions: int, *, workers: int, fewest: int) -> Iterator[Given]:
    """What some work gives for each portion, by its number, in their order.

    Args:
        workers: processes, at most.
        fewest: portions from which they are worth starting. Where processes can't be forked, there are none.
    """
    # A process with threads can't be forked safely.
    if workers < 2 or portions < fewest or sys.platform != "linux" or threading.active_count() > 1:
        yield from map(work, range(portions))
        return
    _works.append(work)
    try:
        with ProcessPoolExecutor(min(workers, portions), mp_context=get_context("fork")) as pool:
            yield from pool.map(_inherited, range(portions))
    finally:
        _works.pop()
