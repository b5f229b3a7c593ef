"""Names of students that may be one person's."""

from collections.abc import Iterable


def alike(names: Iterable[str]) -> list[str]:
    """A note for each name that stands there in several spellings, by capitals or spaces alone."""
    spellings: dict[str, set[str]] = {}
    for name in names:
        spellings.setdefault(" ".join(name.casefold().split()), set()).add(name)
    return [
        f"{' and '.join(map(repr, sorted(several)))} count as {len(several)} students; if they are one, write the name alike"
        for _, several in sorted(spellings.items())
        if len(several) > 1
    ]
