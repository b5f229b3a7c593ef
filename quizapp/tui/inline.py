"""Markdown inside a line (code, bold, emphasis) as styled text, for the many short texts of a bank. Pure functions, no widgets.

Whole documents are shown by Textual's Markdown widget; this is for options, reasons, titles and descriptions.
"""

import re

from textual.content import Content

_MARKS = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|\*\*(?P<bold>\S(?:[^*]*\S)?)\*\*"
    r"|(?<![\w*)\]])\*(?P<emphasis>[A-Za-z](?:[^*\n]*[A-Za-z.!?])?)\*(?![\w*(])"
)
_STYLES = {"code": "bold $text-accent", "bold": "bold", "emphasis": "italic"}


def flowing(text: str) -> str:
    """Text with the line breaks inside paragraphs taken out; empty lines and lists stay."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n".join("\n".join(re.sub(r"[ \t]*\n(?![ \t]*(?:[-*]|\d+\.)\s)[ \t]*", " ", p).split("\n")) for p in paragraphs)


def inline(text: str, base: str = "") -> Content:
    """The text with its inline marks as styles on top of ``base``; a product such as ``R*L_r*N`` is left as it is."""
    text = flowing(text)
    parts: list[tuple[str, str]] = []
    end = 0
    for match in _MARKS.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        parts += [(text[end : match.start()], base), (match[kind], f"{base} {_STYLES[kind]}".strip())]
        end = match.end()
    parts.append((text[end:], base))
    return Content.assemble(*(part for part in parts if part[0]))
