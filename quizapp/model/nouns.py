"""Numbers of things as people write them. It loads nothing: the app's first screen needs it."""


def numbered(number: int, noun: str) -> str:
    """A number with its noun: 1 row, 2 rows, 2 passes."""
    plural = f"{noun}es" if noun.endswith(("s", "ch")) else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"


def points(earned: int, possible: int) -> str:
    """``3 of 4 points``."""
    return f"{earned} of {numbered(possible, 'point')}"
