"""XML as a tree in which every element knows its place. No document type, no entities of its own, bounded size and depth.

Parsing is expat's through defusedxml. A document that breaks off gives what was complete before, and the place of the break.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

MAX_DEPTH = 64
MAX_ELEMENTS = 500_000


@dataclass(slots=True)
class Element:
    """An element: ``line`` and ``column`` count from 1, ``text`` is its own text without its children's."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    text: str = ""
    children: list[Element] = field(default_factory=list)
    closed: bool = False

    def all(self, tag: str) -> Iterator[Element]:
        """The children of that tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child of that tag."""
        return next(self.all(tag), None)

    def value(self, *path: str) -> str:
        """The text at a path of tags below, without white space around it; empty where there is nothing."""
        found: Element | None = self
        for tag in path:
            found = found.first(tag) if found is not None else None
        return found.text.strip() if found is not None else ""


class BrokenXml(Exception):
    """XML that ends early: what was read of it, where it breaks, why, and the mend."""

    def __init__(self, root: Element | None, line: int, column: int, message: str, mend: str) -> None:
        super().__init__(message)
        self.root, self.line, self.column, self.message, self.mend = root, line, column, message, mend


def parse(text: str) -> Element:
    """The root of a document.

    Raises:
        BrokenXml: malformed, with a document type or entities, or beyond the limits.
    """
    from xml.sax import SAXParseException
    from xml.sax.handler import feature_external_ges
    from xml.sax.xmlreader import InputSource

    from defusedxml.common import DefusedXmlException
    from defusedxml.expatreader import create_parser

    builder = _builder()
    reader = create_parser(forbid_dtd=True, forbid_entities=True, forbid_external=True)
    reader.setFeature(feature_external_ges, False)
    reader.setContentHandler(builder)
    source = InputSource()
    # The text was decoded before: what the file says of its encoding no longer counts.
    source.setByteStream(BytesIO(text.encode("utf-8")))
    source.setEncoding("utf-8")
    try:
        reader.parse(source)
    except SAXParseException as error:
        line, column = error.getLineNumber() or 1, (error.getColumnNumber() or 0) + 1
        raise BrokenXml(builder.root, line, column, f"not valid XML: {error.getMessage()}", "mend the XML here") from None
    except DefusedXmlException:
        line, column = _declaration(text)
        mend = "remove <!DOCTYPE and <!ENTITY, and write &lt; &gt; &amp; or characters"
        raise BrokenXml(None, line, column, "XML with a document type or entities of its own", mend) from None
    except _Bound as error:
        raise BrokenXml(builder.root, *error.args) from None
    root: Element = builder.root
    return root


class _Bound(Exception):
    """Beyond a limit: line, column, message, mend."""


def _declaration(text: str) -> tuple[int, int]:
    from quizapp.authoring.formats.source import place

    return place(text, max(text.find("<!DOCTYPE"), 0))


def _builder() -> Any:
    from xml.sax.handler import ContentHandler

    class Builder(ContentHandler):
        """Builds the tree while the parser reads."""

        def __init__(self) -> None:
            super().__init__()
            self.root: Element | None = None
            self.open: list[Element] = []
            self.pieces: list[list[str]] = []
            self.count = 0

        def _here(self) -> tuple[int, int]:
            locator = self._locator  # type: ignore[attr-defined]
            return locator.getLineNumber() or 1, (locator.getColumnNumber() or 0) + 1

        def startElement(self, name: str, attrs: Any) -> None:
            line, column = self._here()
            self.count += 1
            if len(self.open) >= MAX_DEPTH:
                raise _Bound(line, column, f"XML nested more than {MAX_DEPTH} levels deep", "nest less")
            if self.count > MAX_ELEMENTS:
                raise _Bound(line, column, f"XML of more than {MAX_ELEMENTS} elements", "split the file")
            element = Element(name, dict(attrs.items()), line, column)
            if self.open:
                self.open[-1].children.append(element)
            else:
                self.root = element
            self.open.append(element)
            self.pieces.append([])

        def endElement(self, name: str) -> None:
            element = self.open.pop()
            element.text = "".join(self.pieces.pop())
            element.closed = True

        def characters(self, content: str) -> None:
            if self.pieces:
                self.pieces[-1].append(content)

    return Builder()
