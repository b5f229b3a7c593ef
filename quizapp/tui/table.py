"""Small tables of plain text: columns as wide as their content, the last one taking the rest. Pure functions, no widgets."""

from collections.abc import Sequence

from textual.content import Content

GAP = "  "


def rows(header: Sequence[str], body: Sequence[Sequence[tuple[str, str]]]) -> Content:
    """A table whose cells are ``(text, style)``; the header is bold."""
    widths = [len(title) for title in header]
    for line in body:
        for column, (text, _) in enumerate(line):
            widths[column] = max(widths[column], len(text))

    def cells(line: Sequence[tuple[str, str]]) -> Content:
        last = len(line) - 1
        parts: list[tuple[str, str]] = []
        for column, (text, look) in enumerate(line):
            parts.append((text if column == last else text.ljust(widths[column]) + GAP, look))
        return Content.assemble(*parts)

    return Content("\n").join([cells([(title, "bold") for title in header]), *(cells(line) for line in body)])
