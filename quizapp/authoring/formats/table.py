"""Rows of a text table with quotes (CSV and its kin), each with its line; a quote that is never closed costs one row, not all."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LINES = 200
"""Lines that one row may have."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. ``fields`` is ``None`` where it can't be read; ``column`` is then where the trouble begins."""

    line: int
    fields: tuple[str, ...] | None
    column: int = 1


def rows(text: str, separator: str, first: int = 1) -> Iterator[Row]:
    """The rows of a table from a line on, empty ones left out.

    Args:
        separator: one character.
        first: the first line to read, from 1.
    """
    lines = text.split("\n")
    counts = [line.count('"') for line in lines]
    at = first - 1
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        end = at + 1
        quotes = counts[at]
        while quotes % 2 and end < len(lines) and end - at < MOST_LINES:
            quotes += counts[end]
            end += 1
        fields = None if quotes % 2 else _parsed(lines[at:end], separator)
        if fields is None:
            yield Row(at + 1, None, lines[at].rfind('"') + 1 or 1)
            at += 1
            continue
        yield Row(at + 1, fields)
        at = end


def _parsed(lines: list[str], separator: str) -> tuple[str, ...] | None:
    """The fields of the one row that some lines make, or ``None`` where they make none or several."""
    try:
        found = list(csv.reader([line + "\n" for line in lines], delimiter=separator))
    except csv.Error:
        return None
    return tuple(field.removesuffix("\n") for field in found[0]) if len(found) == 1 else None
