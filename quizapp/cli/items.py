"""Finding the item that a command names."""

from difflib import get_close_matches

from quizapp.bank.load import Library, LoadedItem
from quizapp.cli.problem import Problem
from quizapp.cli.start import what_is_broken


def find_item(found: Library, name: str) -> LoadedItem:
    """The item of that id.

    Raises:
        Problem: there is none; names the nearest, and says when faulty files may hide it.
    """
    loaded = found.items.get(name)
    if loaded is not None:
        return loaded
    near = get_close_matches(name, found.items, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`quizapp bank list` shows them all"
    raise Problem(f"no item {name!r}; {hint}{what_is_broken(found)}")
