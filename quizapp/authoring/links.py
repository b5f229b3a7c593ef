"""Markdown links that are left open or lead nowhere, found by their form; no address is visited."""

import re
from collections.abc import Iterator

_CODE = re.compile(r"((?<!`)`{3,}+|(?<!~)~{3,}+)[\s\S]*?\1|(?<!`)(`++)[^\n]*?(?<!`)\2(?!`)")
_LINK = re.compile(r"\[([^\[\]\n]*)\]\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)(\)?)")
_BARE = re.compile(r"\bhttps?:(?!//[^\s/])")
_ADDRESS = re.compile(r"(https?://[^\s/]+|mailto:[^\s@]+@|#|\.{0,2}/?[\w.-]+(/|\.|$|#))")


def broken_links(text: str) -> Iterator[tuple[int, str]]:
    """Offset of each link that is wrong, and what is wrong with it. Code in backquotes is passed over."""
    prose = _CODE.sub(lambda match: " " * len(match.group()), text)
    links = list(_LINK.finditer(prose))
    for match in links:
        label, target, closed = match.groups()
        address = target.strip()
        if not closed:
            # "f[i](x" is no link: only what looks like an address is taken for one.
            if address.startswith(("http", "www.", "#", "mailto:")):
                yield match.start(), "a link whose ) is missing"
        elif not address:
            yield match.start(), "a link without an address"
        elif "://" in address or address.startswith(("http", "www.", "mailto:")):
            if " " in re.sub(r'\s+("[^"]*"|\'[^\']*\')$', "", address):
                yield match.start(), f"a link with a space in its address ({address})"
            elif not _ADDRESS.match(address) or address.startswith("www."):
                yield match.start(), f"a link whose address is none ({address})"
            elif not label.strip():
                yield match.start(), "a link without text"
    for match in _BARE.finditer(prose):
        if not any(link.start() <= match.start() < link.end() for link in links):
            yield match.start(), "an address without its host"
