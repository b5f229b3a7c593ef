"""What reading a file gave, kept for the next time under a name made of the file's content.

An entry is JSON and a checksum, never an object: a line with the checksum, a line that says what the file gave, and the items,
which are read one by one when they are asked for: what reads YAML is then not even imported. Whatever is wrong with an entry or its
folder, the file is read afresh. Two processes may use the cache at once: an entry is written beside its place and moved whole.
"""

import contextlib
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quizapp.bank.fault import Fault
from quizapp.bank.find import LAB_FILE, cache_folder
from quizapp.bank.loaded import FileReading, Items, LoadedItem
from quizapp.model.base import CHECKED
from quizapp.model.misconception import Misconception
from quizapp.model.question import Bank, Item

FORMAT = 1
WORTH_KEEPING = 4_096
"""Bytes of a file below which it is read faster than looked up."""
MOST_ENTRIES, KEPT_ENTRIES = 256, 192
"""Entries above which the ones longest unused are removed, and how many stay."""
_ITEM: TypeAdapter[Item] = TypeAdapter(Item)
_SOURCES = ("bank", "model")
"""Rooms whose code decides what reading a file gives."""


def bank(file: Path, registered: Collection[str]) -> FileReading:
    """As :func:`quizapp.bank.reading.read_bank`, from the cache where it has the file."""

    def read() -> FileReading:
        from quizapp.bank.reading import read_bank

        return read_bank(file, registered)

    return _cached(file, sorted(registered), read)


def registry(file: Path) -> FileReading:
    """As :func:`quizapp.bank.reading.read_registry`, from the cache where it has the file."""

    def read() -> FileReading:
        from quizapp.bank.reading import read_registry

        return read_registry(file)

    return _cached(file, None, read)


def _cached(file: Path, registered: list[str] | None, read: Callable[[], FileReading]) -> FileReading:
    try:
        content = file.read_bytes() if file.stat().st_size >= WORTH_KEEPING else b""
    except OSError:
        content = b""
    if not content:
        return read()
    key = sha256(json.dumps([FORMAT, _code(), registered]).encode())
    key.update(content)
    try:
        place = cache_folder() / f"{key.hexdigest()}.json"
    except RuntimeError:
        return read()  # nobody's home
    found = _load(place, file)
    if found is None:
        found = read()
        _store(place, found)
    return found


@cache
def _code() -> str:
    """A digest of the code that reads banks: what another version of it left is not taken."""
    digest = sha256()
    package = Path(__file__).parent.parent
    for room in _SOURCES:
        for source in sorted((package / room).glob("*.py")):
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def _load(place: Path, file: Path) -> FileReading | None:
    try:
        data = place.read_bytes()
        checksum, _, rest = data.partition(b"\n")
        if int(checksum, 16) != zlib.crc32(rest):
            return None
        head, _, body = rest.partition(b"\n")
        told: dict[str, Any] = json.loads(head)
        if any(_lab_digest(file.parent / lab) != digest for lab, digest in told["labs"].items()):
            return None
        found = _reading(file, told, body)
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, ValidationError):
        return None
    with contextlib.suppress(OSError):
        os.utime(place)
    return found


def _reading(file: Path, told: Mapping[str, Any], body: bytes) -> FileReading:
    def build(start: int, end: int) -> Callable[[], Item]:
        return lambda: _ITEM.validate_json(body[start:end], context=CHECKED)

    name = told["bank"]["id"] if told["bank"] else ""
    items = tuple(LoadedItem(build(start, end), name, file, line, digest) for _, line, digest, start, end in told["items"])
    bank_ = None
    if told["bank"]:
        # Checked when it was written; only the items, which stay unbuilt, are put in afterwards.
        first = [items[0].item] if items else []
        bank_ = Bank.model_validate({**told["bank"], "items": first}, context=CHECKED).model_copy(update={"items": Items(items)})
    return FileReading(
        file,
        bank_,
        items,
        tuple(Misconception.model_validate(entry) for entry in told["misconceptions"]),
        {(what, name): (line, column) for what, name, line, column in told["places"]},
        tuple(Fault(file.parent / at if at else file, *rest) for at, *rest in told["faults"]),
        tuple(told["labs"]),
        tuple(entry[0] for entry in told["items"]),
    )


def _store(place: Path, found: FileReading) -> None:
    body = bytearray()
    items = []
    for entry in found.items:
        start = len(body)
        body += entry.item.__pydantic_serializer__.to_json(entry.item, exclude_defaults=True)
        items.append([entry.item.id, entry.line, entry.hash, start, len(body)])
    home = found.file.parent
    told = {
        "bank": found.bank and found.bank.model_dump(mode="json", exclude={"items"}, exclude_defaults=True),
        "items": items,
        "misconceptions": [entry.model_dump(mode="json", exclude_defaults=True) for entry in found.misconceptions],
        "places": [[what, name, line, column] for (what, name), (line, column) in found.places.items()],
        "faults": [
            ["" if f.file == found.file else str(f.file.relative_to(home)), f.line, f.column, f.code, f.message, f.mend]
            for f in found.faults
        ],
        "labs": {lab: _lab_digest(home / lab) for lab in found.labs},
    }
    rest = json.dumps(told).encode() + b"\n" + bytes(body)
    put(place, f"{zlib.crc32(rest):08x}\n".encode() + rest)


def put(place: Path, data: bytes) -> None:
    """Writes an entry whole or not at all, and removes some where there are many. A disk that can't be written is no error."""
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(name, place)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        _prune(place.parent)


def _lab_digest(lab: Path) -> str | None:
    """The state of a lab that a bank's reading depends on; ``None`` where it isn't there."""
    try:
        return sha256((lab / LAB_FILE).read_bytes()).hexdigest()
    except (OSError, ValueError):
        return None


def _prune(place: Path) -> None:
    """Removes the entries longest unused where there are many, and what a killed process left half written."""
    entries = sorted(_by_age(place), reverse=True)
    if len(entries) > MOST_ENTRIES:
        for _, entry in entries[KEPT_ENTRIES:]:
            with contextlib.suppress(OSError):
                entry.unlink()


def _by_age(place: Path) -> Iterator[tuple[float, Path]]:
    for entry in place.iterdir():
        with contextlib.suppress(OSError):
            yield entry.stat().st_mtime, entry
