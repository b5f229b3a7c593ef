"""New banks, items and labs to begin with. Writes only what isn't there yet; an item is put at the end of its bank."""

import json
import os
import re
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from yaml.nodes import MappingNode, SequenceNode

from quizapp.authoring import templates
from quizapp.bank.document import Document, read
from quizapp.bank.schema import bank_schema, lab_schema
from quizapp.bank.words import slug

BANK_SCHEMA, LAB_SCHEMA = "bank.schema.json", "lab.schema.json"
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MOST_LETTERS = 60


class ScaffoldError(ValueError):
    """Something stands already where the new would go, or the bank can't take it. The message says what to do."""


def new_bank(folder: Path, taken: Collection[str]) -> list[Path]:
    """A bank with one item in a new or empty folder, and the schemas beside it for editors. ``taken``: ids of banks and items.

    Returns: the files written.

    Raises:
        ScaffoldError: the folder holds a bank already, its name makes no id, or the id is taken. OSError: it can't be written.
    """
    name = _free(slug(folder.resolve().name)[:MOST_LETTERS], taken)
    first = _free(f"{name}-1", taken)
    file = folder / "bank.yaml"
    for path in (file, folder / BANK_SCHEMA, folder / LAB_SCHEMA):
        if path.exists():
            raise ScaffoldError(f"{path} is there already; name a new folder, or add to the bank with `quizapp bank new item`")
    item = _filled(templates.CHECKPOINT, first, f"{name}-basics")
    text = templates.MODELINE.format(schema=BANK_SCHEMA) + _filled(templates.BANK, name, "") + item
    folder.mkdir(parents=True, exist_ok=True)
    return [_write(file, text), *_schemas(folder)]


def new_item(file: Path, kind: str, name: str, taken: Collection[str]) -> list[Path]:
    """An item at the end of a bank; a ``lab`` with its folder, which must not be there.

    Returns: the files written, the bank first.

    Raises:
        ScaffoldError: the id is none or taken, the bank isn't YAML or isn't laid out in lines, or the lab's folder is there.
        OSError: it can't be written.
    """
    _free(name, taken)
    document = read(file)
    if document.node is None or not isinstance(document.value, dict):
        raise ScaffoldError(str(document.faults[0]) if document.faults else f"{file}: not a bank")
    place, indent = _end_of_items(document)
    topics = document.value.get("topics")
    topic = next(iter(topics)) if isinstance(topics, dict) and topics else _first_topic(document)
    folder = file.parent / "labs" / name
    if kind == "lab" and folder.exists():
        raise ScaffoldError(f"{folder} is there already; give the lab another id")
    item = _filled(templates.ITEMS[kind], name, topic).replace("FOLDER", f"labs/{name}")
    lines = document.text.splitlines(keepends=True)
    before, after = "".join(lines[:place]), "".join(lines[place:])
    before += "" if before.endswith("\n") else "\n"
    with _beside(file, f"{before}\n{_indented(item, indent)}{after}") as made:
        if _items(read(made)) != (*_items(document), *_items(read(made))[-1:]):
            raise ScaffoldError(f"{file}: no telling where the list of items ends; write the item by hand at its end")
        written = _lab(folder, file.parent / LAB_SCHEMA) if kind == "lab" else []
        os.replace(made, file)
    return [file, *written]


def _indented(item: str, indent: int) -> str:
    """A template's item, whose dash stands in column 2, with its dash in another column."""
    return "".join(" " * indent + line[2:] if line.strip() else line for line in item.splitlines(keepends=True))


def _items(document: Document) -> tuple[object, ...]:
    items = document.value.get("items") if isinstance(document.value, dict) else None
    return items if isinstance(items, tuple) else ()


def _lab(folder: Path, schema: Path) -> list[Path]:
    head = templates.MODELINE.format(schema=os.path.relpath(schema, folder).replace(os.sep, "/")) if schema.is_file() else ""
    written = []
    for path, program in templates.PROGRAMS.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        written.append(_write(folder / path, head + program if path == "lab.yaml" else program))
    return written


def _free(name: str, taken: Collection[str]) -> str:
    if not _ID.fullmatch(name):
        better = slug(name)
        hint = f", such as {better}" if better else ""
        raise ScaffoldError(f"{name!r} is not an id; write lower-case words joined by hyphens{hint}")
    if name in taken:
        raise ScaffoldError(f"the id {name!r} is taken; choose another")
    return name


def _filled(template: str, name: str, topic: str) -> str:
    title = name.replace("-", " ").capitalize()
    return template.replace("NAME", name).replace("TITLE", title).replace("TOPIC", topic)


def _end_of_items(document: Document) -> tuple[int, int]:
    """The line after which the list of items goes on, and the columns by which its dashes are indented."""
    items = document.find(("items",))
    if not isinstance(document.node, MappingNode) or not isinstance(items, SequenceNode) or not items.value or items.flow_style:
        raise ScaffoldError(f"{document.file}: `items:` is no list of lines that begin with '- '; write the first item by hand")
    lines = document.text.split("\n")
    last = items.value[-1]
    place = _last_line(last)
    # The list's mark lies on its first dash.
    indent = items.start_mark.column
    while place < len(lines) and (not lines[place].strip() or len(lines[place]) - len(lines[place].lstrip()) > indent):
        place += 1
    while place > 0 and not lines[place - 1].strip():
        place -= 1
    return place, indent


def _last_line(node: object) -> int:
    """The line on which a node's last scalar begins, from 1."""
    while isinstance(node, MappingNode | SequenceNode) and node.value and not node.flow_style:
        node = node.value[-1][1] if isinstance(node, MappingNode) else node.value[-1]
    mark = node.end_mark if isinstance(node, MappingNode | SequenceNode) else node.start_mark  # type: ignore[attr-defined]
    return int(mark.line) + 1


def _first_topic(document: Document) -> str:
    value = document.value
    items = value.get("items") if isinstance(value, dict) else None
    first = items[0] if isinstance(items, tuple) and items else None
    topics = first.get("topics") if isinstance(first, dict) else None
    return topics[0] if isinstance(topics, tuple) and topics and isinstance(topics[0], str) else "basics"


def _schemas(folder: Path) -> list[Path]:
    made = ((BANK_SCHEMA, bank_schema()), (LAB_SCHEMA, lab_schema()))
    return [_write(folder / name, json.dumps(schema, indent=1) + "\n") for name, schema in made]


def _write(path: Path, text: str) -> Path:
    """Writes a file that isn't there yet."""
    with path.open("x", encoding="utf-8", newline="") as stream:
        stream.write(text)
    return path


@contextmanager
def _beside(path: Path, text: str) -> Iterator[Path]:
    """A file beside another, with its rights, that is gone afterwards unless it was moved."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".yaml")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        os.chmod(name, path.stat().st_mode & 0o777)
        yield Path(name)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)
