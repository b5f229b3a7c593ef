"""Pages: Markdown with foreign text made harmless, and HTML that loads nothing from anywhere and runs no script."""

import html
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --faint: #6e7781; --line: #d0d7de; --paper: #ffffff; --good: #1a7f37;
  --bad: #cf222e; --plain: #8c959f; --accent: #0969da; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --paper: #0d1117;
  --good: #3fb950; --bad: #f85149; --plain: #7d8590; --accent: #4493f8; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 52rem; margin: 2rem auto;
  padding: 0 1rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; margin-top: 1.6em; } h1 { margin-top: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; } th, td { border-bottom: 1px solid var(--line);
  padding: .3rem .7rem .3rem 0; text-align: left; vertical-align: top; }
pre { border: 1px solid var(--line); padding: .6rem; overflow-x: auto; } code { font-size: .9em; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink, #1f2328); }
""".strip()
_SPECIAL = re.compile(r"([\\`*_\[\]<>|&~$#])")


class Picture(str):
    """An inline SVG, made by ``quizapp.classroom.picture``: the only text that a page takes over as it is."""

    __slots__ = ()


def plain(text: str) -> str:
    """Foreign text on one line of Markdown, none of its signs obeyed."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code_block(text: str) -> str:
    """Foreign text as it stands, fenced so that it can't end the block."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    kept = re.sub(r"[^\n\t\x20-\x7e\xa0-\U0010ffff]", "\ufffd", text.rstrip("\n"))
    return f"{fence}text\n{kept}\n{fence}"


@lru_cache(maxsize=1)
def _renderer() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


def rendered(markdown: str) -> str:
    """HTML of Markdown; raw HTML in it counts as text and pictures are left out."""
    return str(_renderer().render(markdown))


def assembled(blocks: Iterable[str]) -> str:
    """HTML of blocks of Markdown, and of pictures."""
    return "\n".join(block if isinstance(block, Picture) else rendered(block) for block in blocks)


def document(title: str, body: str) -> str:
    """A whole HTML page. ``body`` is HTML."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )
