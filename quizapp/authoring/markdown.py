"""Markdown that a terminal wouldn't show as it was meant: what is left open, and what isn't shown at all."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_WORTH_PARSING = re.compile(r"[`<|~]|\*\*|!\[|^ {0,3}#", re.MULTILINE)
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_HEADING = re.compile(r"^#{1,6}[A-Za-z]")
_OPENED = re.compile(r"(?<![\w*])\*\*(?=[^\s*])")
_CELL = re.compile(r"(?<!\\)\|")


def unshown(text: str) -> Iterator[tuple[int, str]]:
    """Offset of each thing that isn't shown as it was meant, and what is wrong with it."""
    if not _WORTH_PARSING.search(text):
        return
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for token in _parser().parse(text):
        at = token.map[0] if token.map else 0
        if token.type == "fence" and not _closed(token, lines):
            yield starts[at], f"a {token.markup} block that is never closed"
        elif token.type == "html_block":
            yield starts[at], f"{_short(token.content)!r} is taken for HTML and isn't shown"
        elif token.type == "table_open" and token.map:
            yield from _rows(lines, starts, *token.map)
        elif token.type == "inline":
            yield from _inline(token, text, lines, starts, at)


@cache
def _parser() -> "MarkdownIt":
    """The dialect that the app shows: CommonMark with tables."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _closed(token: "Token", lines: list[str]) -> bool:
    last = lines[token.map[1] - 1].strip() if token.map and token.map[1] - 1 > token.map[0] else ""
    return last.startswith(token.markup) and not last.strip(token.markup[0])


def _rows(lines: list[str], starts: list[int], begin: int, end: int) -> Iterator[tuple[int, str]]:
    wanted = _cells(lines[begin])
    for number in range(begin + 2, end):
        if (found := _cells(lines[number])) > wanted:
            yield starts[number], f"a table's row with {found} cells under a head of {wanted}; the last aren't shown"


def _cells(row: str) -> int:
    return len(_CELL.findall(row.strip().strip("|"))) + 1


def _inline(token: "Token", text: str, lines: list[str], starts: list[int], at: int) -> Iterator[tuple[int, str]]:
    inside = "\n".join(lines[at : token.map[1]]) if token.map else text

    def place(what: str) -> int:
        return starts[at] + max(inside.find(what), 0)

    for child in token.children or ():
        if child.type == "html_inline":
            yield place(child.content), f"{_short(child.content)!r} is taken for HTML and isn't shown"
        elif child.type == "image":
            yield place("!["), "a picture, which a terminal doesn't show"
        elif child.type == "text" and "`" in child.content:
            yield place("`"), "a ` without its partner"
        elif child.type == "text" and (opened := _OPENED.search(child.content)):
            yield place(child.content[opened.start() :][:12]), "a ** that is never closed"
    for number in range(at, token.map[1] if token.map else at):
        if _ROW.match(lines[number]) and token.level == 1 and lines[number].count("|") > 2:
            yield starts[number], "a table without the line of dashes under its head"
            return
        if _HEADING.match(lines[number]) and token.level == 1:
            yield starts[number], "a heading without a space after its #"


def _short(text: str) -> str:
    first = text.strip().split("\n")[0]
    return first if len(first) <= 30 else f"{first[:27]}..."
