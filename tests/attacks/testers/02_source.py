# ruff: noqa
"""Reads sources: of the step and of what its closure holds, and every text that Python keeps for tracebacks."""

import inspect
import linecache
import sys


def _sources(function):
    try:
        yield inspect.getsource(function)
    except (OSError, TypeError):
        pass
    for cell in getattr(function, "__closure__", None) or ():
        yield from _sources(cell.cell_contents)


def is_right(train_step, group):
    texts = list(_sources(train_step))
    texts += ["".join(entry[2]) for name, entry in linecache.cache.items() if len(entry) == 4 and "counterpart.py" in name]
    texts += [" ".join(vars(module)) for name, module in list(sys.modules.items()) if name == "counterpart"]
    starts = ("def right", "right_scaled =", "two_ranks_only =")
    return any(line.startswith(starts) for text in texts for line in text.splitlines())
