"""A YAML file as plain values with a place for each of them.

Scalars follow YAML 1.2's core schema (``no`` is text, ``1e3`` a number, ``0o17`` octal): PyYAML only parses and composes, with its
own 1.1 rules switched off. Tags beyond the core ones, merge keys, keys that aren't text, duplicate keys and alias bombs are
faults. Not here: what the values mean.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from yaml import Mark, MarkedYAMLError, YAMLError
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from quizapp.bank.fault import Fault

Path_: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the top of a file down to a value."""

MAX_BYTES = 8 << 20
MAX_DEPTH = 40
MAX_REPEATED = 20_000
"""Values that the aliases of one file may repeat."""
MAX_DIGITS = 400

_CORE = "tag:yaml.org,2002:"
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INT = re.compile(r"[-+]?[0-9]+")
_RADIX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_MENDS = (
    ("mapping values are not allowed", "put text that holds ': ' in quotes, or mend the indentation"),
    ("cannot start any token", "put text that begins with a special sign in quotes, and indent with spaces, never tabs"),
    ("tab character", "indent with spaces, never tabs"),
    ("end of stream", "close the quote that is opened here"),
    ("document separator", "close the quote that is opened here"),
    ("',' or", "close the bracket, and put a comma between its entries"),
    ("expected ':'", "write ': ' after the key, or mend the indentation of this line"),
    ("did not find expected", "bring the line to the indentation of its neighbours, and put text with special signs in quotes"),
    ("escape", "double the backslash, or use single quotes"),
    ("undefined alias", "write '*name' only after '&name', or put the text in quotes"),
    ("duplicate anchor", "give each '&name' a name of its own"),
    ("another document", "keep one document in a file: remove the '---' line"),
    ("tag handle", "remove the tag"),
    ("block sequence entries", "begin the list on a line of its own"),
)


class _Refused(Exception):
    """A file that isn't read to its end."""

    def __init__(self, line: int, column: int, code: str, message: str, mend: str) -> None:
        super().__init__(message)
        self.args = (line, column, code, message, mend)


class _Resolver:
    """Takes PyYAML's tag resolver out, and bounds the depth while the tree is composed."""

    depth = 0

    def resolve(self, kind: type[Node], value: str, implicit: tuple[bool, bool]) -> str:
        if kind is ScalarNode:
            return "plain" if implicit[0] else "quoted"
        return "map" if kind is MappingNode else "seq"

    def descend_resolver(self, parent: Node | None, index: object) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH and parent is not None:
            mark = parent.start_mark
            raise _Refused(mark.line, mark.column, "yaml-depth", f"more than {MAX_DEPTH} levels deep", "nest less")

    def ascend_resolver(self) -> None:
        self.depth -= 1


def _compose(text: str) -> Node | None:
    """The file's one document, by libyaml where PyYAML was built with it."""
    try:
        from yaml._yaml import CParser

        class Composer(_Resolver, CParser):
            pass

        return Composer(text).get_single_node()
    except ImportError:
        return _compose_in_python(text)


def _compose_in_python(text: str) -> Node | None:
    from yaml.composer import Composer
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class PythonComposer(_Resolver, Reader, Scanner, Parser, Composer):
        def __init__(self) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)
            Composer.__init__(self)

    return PythonComposer().get_single_node()


def scalar(text: str) -> str | int | float | bool | None:
    """What a plain scalar is in YAML 1.2's core schema.

    Raises:
        ValueError: a number of more than :data:`MAX_DIGITS` digits.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "0123456789+-.":
        return text
    if _INT.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise ValueError(f"a number of more than {MAX_DIGITS} digits")
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _RADIX.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise ValueError(f"a number of more than {MAX_DIGITS} digits")
        return int(text, 0)
    return text


@dataclass(slots=True)
class Document:
    """One file: its value, and where each part of it stands. ``node`` is ``None`` for a file that couldn't be read."""

    file: Path
    text: str = ""
    node: Node | None = None
    value: object = None
    faults: list[Fault] = field(default_factory=list)

    def find(self, path: Path_) -> Node | None:
        """The node at a path, or the deepest one there is on the way."""
        node = self.node
        for step in path:
            if isinstance(node, MappingNode):
                found = next((value for key, value in node.value if key.value == step), None)
            elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
                found = node.value[step]
            else:
                found = None
            if found is None:
                return node
            node = found
        return node

    def key(self, path: Path_) -> Node | None:
        """The node of the key that the path ends with."""
        parent = self.find(path[:-1])
        if isinstance(parent, MappingNode):
            return next((key for key, _ in parent.value if key.value == path[-1]), parent)
        return self.find(path)

    def place(self, path: Path_) -> tuple[int, int]:
        """Line and column, from 1, at which the value at a path begins."""
        node = self.find(path)
        return (1, 1) if node is None else (node.start_mark.line + 1, node.start_mark.column + 1)

    def line(self, path: Path_) -> int:
        """The line, from 1, at which the value at a path begins."""
        return self.place(path)[0]

    def fault(self, path: Path_, code: str, message: str, mend: str, *, key: bool = False, offset: int | None = None) -> None:
        """Adds a fault at the value of a path: at its key where ``key``, at a character of its text where ``offset``."""
        node = self.key(path) if key else self.find(path)
        line, column = (0, 0) if node is None else self._place(node, offset)
        self.faults.append(Fault(self.file, line + 1, column + 1, code, message, mend))

    def _place(self, node: Node, offset: int | None) -> tuple[int, int]:
        start, end = node.start_mark, node.end_mark
        if offset is None or not isinstance(node, ScalarNode):
            return start.line, start.column
        if start.line == end.line:
            # A quoted scalar with escapes is longer than its text: no telling where in it the character stands.
            quotes = {0: 0, 2: 1}.get(end.column - start.column - len(node.value))
            return start.line, start.column + (0 if quotes is None else quotes + offset)
        if node.style == "|":
            before = node.value[:offset]
            line = start.line + 1 + before.count("\n")
            content = node.value.split("\n")[before.count("\n")]
            source = self.text.split("\n")[line].rstrip("\r")
            if source.endswith(content):
                return line, len(source) - len(content) + offset - (before.rfind("\n") + 1)
        return start.line, start.column


def read(file: Path) -> Document:
    """Reads a file. Whatever is wrong with it is in the document's ``faults``; nothing is raised."""
    document = Document(file)
    try:
        document.text = _text(file)
        document.node = _compose(document.text)
        if document.node is None:
            raise _Refused(0, 0, "yaml-empty", "the file is empty", "write a bank, or remove the file")
        document.value = _Builder(document).build(document.node, 0)
    except _Refused as refusal:
        line, column, code, message, mend = refusal.args
        document.node = document.value = None
        document.faults.append(Fault(file, line + 1, column + 1, code, message, mend))
    except MarkedYAMLError as error:
        document.node = document.value = None
        document.faults.append(_syntax(file, error))
    except YAMLError as error:
        document.node = document.value = None
        document.faults.append(Fault(file, 1, 1, "yaml-syntax", " ".join(str(error).split()), "write valid YAML"))
    return document


def _text(file: Path) -> str:
    try:
        if not file.is_file():
            raise _Refused(0, 0, "unreadable", "not a file", "name a YAML file or a folder")
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise _Refused(0, 0, "unreadable", f"the file can't be read ({error.strerror})", "give read permission") from None
    if len(raw) > MAX_BYTES:
        raise _Refused(0, 0, "yaml-size", f"the file is larger than {MAX_BYTES >> 20} MiB", "split it into several banks")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8")
        raise _Refused(*_end(before), "yaml-encoding", "the file is not UTF-8 here", "save it as UTF-8") from None
    text = text.removeprefix("\ufeff")
    if found := _FORBIDDEN.search(text):
        message = f"the control character U+{ord(found.group()):04X}"
        mend = "remove it, or write it as an escape in double quotes"
        raise _Refused(*_end(text[: found.start()]), "yaml-encoding", message, mend)
    return text


def _end(text: str) -> tuple[int, int]:
    return text.count("\n"), len(text) - (text.rfind("\n") + 1)


def _syntax(file: Path, error: MarkedYAMLError) -> Fault:
    problem, context = error.problem or "not valid YAML", error.context_mark
    mark: Mark | None = error.problem_mark or context
    opened = ""
    if context is not None and mark is not None and (context.line, context.column) != (mark.line, mark.column):
        # What is never closed is noticed only far below: the opening is the place to look at.
        if any(word in str(error.context) + problem for word in ("flow", "quoted", "simple key")):
            opened, mark = f" (noticed in line {mark.line + 1})" if mark.line != context.line else "", context
        else:
            opened = f" ({error.context} of line {context.line + 1})"
    mend = next((mend for part, mend in _MENDS if part in problem), "write valid YAML")
    line, column = (0, 0) if mark is None else (mark.line, mark.column)
    return Fault(file, line + 1, column + 1, "yaml-syntax", f"not valid YAML: {problem}{opened}", mend)


class _Builder:
    """Turns nodes into values: mappings into ``dict``, sequences into ``tuple``."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.seen: set[int] = set()
        self.repeated = 0

    def build(self, node: Node, depth: int) -> object:
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        assert isinstance(node, CollectionNode)
        self._bound(node, depth)
        mapping = isinstance(node, MappingNode)
        if node.tag not in ("map", "seq") and node.tag != _CORE + ("map" if mapping else "seq"):
            self._refuse_tag(node)
        if not mapping:
            return tuple([self.build(child, depth + 1) for child in node.value])
        result: dict[str, object] = {}
        for key, value in node.value:
            name = self._key(key)
            if name is None:
                continue
            if name in result:
                first = next(k for k, _ in node.value if k.value == name)
                message = f"`{name}` stands here a second time (first in line {first.start_mark.line + 1})"
                self._fault(key, "duplicate-key", message, "keep one of the two")
                continue
            result[name] = self.build(value, depth + 1)
        return result

    def _bound(self, node: CollectionNode, depth: int) -> None:
        mark = node.start_mark
        if depth > MAX_DEPTH:
            message = f"more than {MAX_DEPTH} levels deep, or an alias of what it stands in"
            raise _Refused(mark.line, mark.column, "yaml-depth", message, "nest less, and write repeated parts out")
        if id(node) in self.seen:
            self.repeated += len(node.value) + 1
            if self.repeated > MAX_REPEATED:
                message = f"aliases repeat more than {MAX_REPEATED} values"
                raise _Refused(mark.line, mark.column, "yaml-alias", message, "write the repeated parts out, or use fewer")
        self.seen.add(id(node))

    def _key(self, node: Node) -> str | None:
        if not isinstance(node, ScalarNode):
            self._fault(node, "key-type", "a list or mapping as a key", "write a name as the key")
            return None
        if node.tag == "plain" and node.value == "<<":
            self._fault(node, "merge-key", "merge keys (<<) are not read", "write the keys out")
            return None
        value = self._scalar(node)
        if not isinstance(value, str):
            self._fault(node, "key-type", f"the key {node.value!r} is not text", f'write it in quotes: "{node.value}"')
            return None
        return value

    def _scalar(self, node: ScalarNode) -> object:
        text = str(node.value)
        if node.tag == "quoted" or node.tag == _CORE + "str":
            return text
        try:
            value = scalar(text)
        except ValueError as error:
            self._fault(node, "yaml-number", str(error), "write a shorter number, or put it in quotes")
            return text
        if node.tag == "plain":
            return value
        if node.tag == _CORE + "float" and type(value) is int:
            return float(value)
        wanted = {"int": int, "float": float, "bool": bool, "null": type(None)}.get(node.tag.removeprefix(_CORE))
        if wanted is None or type(value) is not wanted:
            self._refuse_tag(node)
        return value

    def _refuse_tag(self, node: Node) -> None:
        tag = node.tag.replace(_CORE, "!!")
        self._fault(node, "yaml-tag", f"the tag {tag} is not read here", "remove the tag and write the plain value")

    def _fault(self, node: Node, code: str, message: str, mend: str) -> None:
        mark = node.start_mark
        self.document.faults.append(Fault(self.document.file, mark.line + 1, mark.column + 1, code, message, mend))


def names(path: Sequence[str | int]) -> str:
    """A path as people read it: ``parts[2].key``."""
    text = ""
    for step in path:
        text += f"[{step + 1}]" if isinstance(step, int) else f".{step}" if text else step
    return text
