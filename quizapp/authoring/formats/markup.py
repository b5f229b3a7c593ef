"""Texts between Markdown, which banks use, and HTML, which most other programs use.

HTML that comes in is never kept: it becomes Markdown, and what Markdown can't say (images, scripts) is named. HTML that goes out
is made from Markdown alone, in which raw HTML counts as text.
"""

import html
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from markdown_it import MarkdownIt

MAX_DEPTH = 200
"""Nested elements of a text that comes in."""

MAX_TEXT = 200_000
"""Characters of a text that comes in."""

_VANISHING = ("img", "svg", "video", "audio", "iframe", "object", "embed", "script", "style", "input", "math", "canvas")
_ENTITY = re.compile(r"&(?=#?[A-Za-z0-9]+;)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_LINE_START = re.compile(r"(?m)^([ \t]*)(>|#(?=#*(?:\s|$))|[-+](?=\s|$)|[-=](?=[-=]*\s*$)|~(?=~~)|\d+(?=[.)](?:\s|$)))")
_UNDERSCORE = re.compile(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_TAGS_IN = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*?(/?)>")
_COMMENT = re.compile(r"<!--(?:(?!-->).)*(?:-->|\Z)", re.S)
_OPEN_TAG = re.compile(r"<(?![^<>]*>)")
_EMPTY = frozenset(("br", "hr", "img", "input", "col", "embed", "source", "wbr", "meta", "link"))


class TooMuch(ValueError):
    """A text beyond :data:`MAX_DEPTH` or :data:`MAX_TEXT`."""


@lru_cache(maxsize=1)
def _renderer() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def to_html(text: str) -> str:
    """Markdown as HTML. Raw HTML in it is shown as it stands, and links to scripts are no links."""
    return str(_renderer().render(text)).strip()


def to_html_line(text: str) -> str:
    """Markdown as HTML without a paragraph around it where it is a single one."""
    rendered = to_html(text)
    inner = rendered.removeprefix("<p>").removesuffix("</p>")
    return inner if rendered.startswith("<p>") and rendered.endswith("</p>") and "<p>" not in inner else rendered


def from_plain(text: str) -> str:
    """Markdown that shows a plain text as it stands.

    Raises:
        TooMuch: larger than :data:`MAX_TEXT`.
    """
    if len(text) > MAX_TEXT:
        raise TooMuch(f"a text of more than {MAX_TEXT} characters")
    lines = (_escaped(line) for line in text.strip().split("\n"))
    return without_slots("  \n".join(line.rstrip() for line in lines).replace("\n  \n", "\n\n"))


def without_slots(text: str) -> str:
    """Text in which ``{{`` opens no slot of ours: a backslash parts the braces, in code a space.

    Raises:
        TooMuch: larger than :data:`MAX_TEXT`.
    """
    if len(text) > MAX_TEXT:
        raise TooMuch(f"a text of more than {MAX_TEXT} characters")
    if "{{" not in text:
        return text

    pieces = re.split(r"((?<!`)```(?!`)(?:(?!```).)*```|(?<!`)`[^`\n]+`)", text, flags=re.S)
    return "".join(re.sub(r"\{(?=\{)", "{ " if piece.startswith("`") else r"{\\", piece) for piece in pieces)


def from_html(text: str) -> tuple[str, tuple[str, ...]]:
    """HTML as Markdown, and the names of the elements in it that Markdown has no place for.

    Raises:
        TooMuch: larger than :data:`MAX_TEXT`, or nested beyond :data:`MAX_DEPTH`.
    """
    if len(text) > MAX_TEXT:
        raise TooMuch(f"a text of more than {MAX_TEXT} characters")
    if "<" not in text and "&" not in text:
        return without_slots(_escaped(" ".join(text.split()))), ()
    # What opens and never closes makes Python's parser search to the end again and again.
    text = _OPEN_TAG.sub("&lt;", _COMMENT.sub("", text))
    _check_depth(text)
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(text, "html.parser")
    gone: list[str] = []
    for element in soup.find_all(_VANISHING):
        gone.append(element.name)
        said = " ".join(str(element.get("alt") or element.get("title") or "").split())
        element.replace_with(f"[{said}]" if said else "")
    _unite_emphasis(soup)
    try:
        found = _converter().convert_soup(soup)
    except RecursionError:
        raise TooMuch("HTML is nested too deeply") from None
    lines = [line if line.endswith("  ") and line.strip() else line.rstrip() for line in found.strip().split("\n")]
    return without_slots(re.sub(r"\n{3,}", "\n\n", "\n".join(lines))), tuple(dict.fromkeys(gone))


def _unite_emphasis(soup: "BeautifulSoup") -> None:
    """Makes one of emphasis in or right beside emphasis of the same kind: it looks the same, and Markdown has no signs for it."""
    from bs4 import Tag

    for kind in (["em", "i"], ["strong", "b"]):
        for element in soup.find_all(kind):
            if element.find_parent(kind) is not None:
                element.unwrap()
        for element in soup.find_all(kind):
            before = element.previous_sibling
            if isinstance(before, Tag) and before.name in kind:
                for child in reversed(before.contents):
                    element.insert(0, child)
                before.decompose()


def _check_depth(text: str) -> None:
    depth = 0
    for match in _TAGS_IN.finditer(text):
        closing, name, alone = match.groups()
        if not alone and name.lower() not in _EMPTY:
            depth += -1 if closing else 1
            if depth > MAX_DEPTH:
                raise TooMuch(f"HTML with more than {MAX_DEPTH} nested elements")


def _escaped(text: str) -> str:
    """Plain text with a backslash before each sign that Markdown would take for markup."""
    text = re.sub(r"([\\`*\[\]])", r"\\\1", text)
    text = _TAG.sub(r"\\<", _ENTITY.sub(r"\\&", text))
    text = _UNDERSCORE.sub(r"\\_", text)
    return _LINE_START.sub(_start, text)


def _start(match: "re.Match[str]") -> str:
    space, sign = match.groups()
    return f"{space}{sign}\\" if sign.isdigit() else f"{space}\\{sign}"


def _fence(code: str, fewest: int) -> str:
    """More backticks in a row than there are in the code."""
    return "`" * max(fewest, *(len(run) + 1 for run in ("", *re.findall("`+", code))))


def _code_span(code: str) -> str:
    """Code within a line. Markdown takes one space from both ends where both have one and there is more than spaces."""
    if not code:
        return ""
    pad = " " if "`" in (code[0], code[-1]) or (code[0] == code[-1] == " " and code.strip(" ")) else ""
    fence = _fence(code, 1)
    return f"{fence}{pad}{code}{pad}{fence}"


def _is_second(element: Any) -> bool:
    """Whether a list is the second, fourth and so on of lists of its kind that follow one another."""
    before = element.find_previous_sibling() if element is not None else None
    return before is not None and before.name == element.name in ("ul", "ol") and not _is_second(before)


def _other_sign(match: "re.Match[str]") -> str:
    return "+" if match[0] == "-" else f"{match[0][:-1]})"


@lru_cache(maxsize=1)
def _converter() -> Any:
    from markdownify import MarkdownConverter

    class Converter(MarkdownConverter):  # type: ignore[misc, unused-ignore]
        """Escapes only what would be markup, so that formulas in texts stay readable."""

        def escape(self, text: str, parent_tags: Any) -> str:
            return _escaped(text)

        def convert_code(self, element: Any, text: str, parent_tags: Any) -> str:
            return text if "_noformat" in parent_tags else _code_span(text.replace("\n", " "))

        def convert_li(self, element: Any, text: str, parent_tags: Any) -> str:
            entry = str(super().convert_li(element, text, parent_tags))  # type: ignore[misc, unused-ignore]
            # Other signs begin another list; with the same ones a list right below a list would be one with it.
            return re.sub(r"^(?:-|\d+\.)", _other_sign, entry, count=1) if _is_second(element.parent) else entry

        def convert_pre(self, element: Any, text: str, parent_tags: Any) -> str:
            # A line break right after <pre> is none; one after <code> in it is.
            code = text.removesuffix("\n") if element.find("code") else text.strip("\n")
            fence = _fence(code, 3)
            return "\n".join(("\n", f"{fence}{language(element)}", *([code] if code else []), fence, "\n"))

    def language(element: Any) -> str:
        code = element.find("code")
        classes = [*(element.get("class") or ()), *((code.get("class") or ()) if code else ())]
        return next((name.removeprefix("language-") for name in classes if name.startswith("language-")), "")

    return Converter(heading_style="ATX", bullets="-")


def escape(text: str) -> str:
    """Plain text for HTML and XML."""
    return html.escape(text, quote=True)


def to_plain(text: str) -> str:
    """Markdown as plain text: marks are dropped, lines and code stay."""
    from bs4 import BeautifulSoup

    return str(BeautifulSoup(to_html(text), "html.parser").get_text()).strip()
