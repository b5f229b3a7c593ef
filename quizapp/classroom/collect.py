"""A class's submissions: one program per student, read from a folder or a zip, within limits.

Nothing is written and nothing is unpacked: an entry of a zip is read where it stands, so no name in it can lead anywhere.
Symbolic links are not followed. Whatever can't be read becomes a row with a reason, never an error that stops the class.
"""

import hashlib
import io
import os
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quizapp.classroom import ClassroomError

MAX_PROGRAM = 256 << 10
"""Bytes of one program, as for the judge."""
MAX_STUDENTS = 5_000
MAX_ENTRIES = 5_000
"""Files and folders of one student."""
MAX_DEPTH = 12
MAX_ZIP = 1 << 30
MAX_ZIP_ENTRIES = 60_000
MAX_DIRECTORY = 32 << 20
"""Bytes of a zip's list of entries."""
MAX_STUDENTS_ZIP = 8 << 20
"""Bytes of a zip that is one student's submission."""
NAMED = 6
"""File names shown in a reason."""
_SKIPPED = frozenset(("__MACOSX", "__pycache__"))
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Without the joiners U+200C and U+200D, which names are written with."""
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x07"


@dataclass(frozen=True, slots=True)
class Program:
    """What a student handed in, as text."""

    student: str
    file: str
    """The file's path below the student's folder."""
    source: str
    digest: str
    """SHA-256 of the file's bytes, hexadecimal."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A student without a program that could be run."""

    student: str
    status: Literal["missing", "unreadable"]
    reason: str
    file: str | None = None

    @property
    def digest(self) -> str:
        """Changes when the reason does."""
        return hashlib.sha256(f"{self.status}\0{self.reason}".encode()).hexdigest()


Handed = Program | Unusable


@dataclass(frozen=True, slots=True)
class Collection:
    """All students, by name."""

    handed: tuple[Handed, ...]
    notes: tuple[str, ...] = ()
    """What was left out that belongs to nobody."""


class _Refused(Exception):
    """Why a student's files can't be looked at."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file somewhere below a student's name."""

    path: tuple[str, ...]
    """Below the student's folder; for a single file, its name."""
    is_link: bool
    read: Callable[[int], bytes]
    """At most so many bytes. Raises OSError or ``_Refused``."""


@dataclass(frozen=True, slots=True)
class _Handed:
    """What stands under one name."""

    name: str
    is_folder: bool
    entries: Callable[[], Sequence[_Entry]]
    """Raises OSError or ``_Refused``."""


def printable(name: str) -> str:
    """A name as it can stand in any file. Control signs, bytes that are no text and signs that nobody sees are written out; spaces
    and composed letters have one form, so that names which look alike are alike."""
    text = unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "backslashreplace"))
    return " ".join(_UNSEEN.sub(lambda sign: f"\\x{ord(sign[0]):02x}", text).split())


def collect(place: Path, *, file: str | None = None, student: str | None = None) -> Collection:
    """The submissions in a folder or zip.

    Args:
        file: the name that programs have. Without it: the only ``.py`` file that a student has.
        student: the whole folder is this one student's.

    Raises:
        ClassroomError: the folder or zip itself can't be read, or holds too many students.
    """
    notes: list[str] = []
    found: list[_Handed]
    try:
        if place.is_dir():
            found = [_folder(student, place)] if student is not None else list(_in_folder(place))
        elif place.is_file() and zipfile.is_zipfile(place):
            found = list(_in_zip(place, student, notes))
        elif student is not None and place.is_file():
            found = [_file(student, place)]
        elif place.exists():
            raise ClassroomError(f"{place}: neither a folder nor a zip; give the folder that holds a file or folder per student")
        else:
            raise ClassroomError(f"{place}: no such folder")
    except OSError as error:
        raise ClassroomError(f"{place}: can't be read: {error.strerror or error}") from None
    except _Refused as error:
        raise ClassroomError(f"{place}: {error}") from None
    if len(found) > MAX_STUDENTS:
        raise ClassroomError(f"{place}: {len(found)} entries, more than {MAX_STUDENTS} students; is this the right folder?")
    return Collection(tuple(_sorted_out(found, file)), tuple(notes))


def _sorted_out(found: Sequence[_Handed], file: str | None) -> Iterator[Handed]:
    by_student: dict[str, list[_Handed]] = {}
    for one in found:
        name = one.name if one.is_folder else re.sub(r"\.(py|zip)$", "", one.name, flags=re.I)
        by_student.setdefault(printable(name), []).append(one)
    for student, several in sorted(by_student.items()):
        if len(several) > 1:
            names = ", ".join(printable(one.name) + ("/" if one.is_folder else "") for one in several[:NAMED])
            yield Unusable(student, "unreadable", f"handed in {len(several)} times: {names}; keep one of them")
            continue
        try:
            yield _pick(student, several[0], file)
        except _Refused as error:
            yield Unusable(student, "unreadable", f"{error}")
        except OSError as error:
            yield Unusable(student, "unreadable", f"can't be read: {error.strerror or error}")


def _hidden(entry: _Entry) -> bool:
    return any(part.startswith(".") or part in _SKIPPED for part in entry.path)


def _pick(student: str, one: _Handed, file: str | None) -> Handed:
    entries = [entry for entry in one.entries() if not _hidden(entry)]
    names = ", ".join(sorted(printable("/".join(entry.path)) for entry in entries)[:NAMED])
    if not one.is_folder:
        found = entries
        if not entries[0].path[-1].lower().endswith(".py"):
            return Unusable(student, "unreadable", "not a .py file", names)
    elif file is not None:
        found = [entry for entry in entries if entry.path[-1] == file]
        depth = min((len(entry.path) for entry in found), default=0)
        found = [entry for entry in found if len(entry.path) == depth]
        if not found:
            return Unusable(student, "missing", f"no file {file}" + (f"; there is: {names}" if names else "; the folder is empty"))
    else:
        found = [entry for entry in entries if entry.path[-1].lower().endswith(".py")]
        if not found:
            return Unusable(student, "missing", "no .py file" + (f"; there is: {names}" if names else "; the folder is empty"))
    if len(found) > 1:
        several = ", ".join(sorted(printable("/".join(entry.path)) for entry in found)[:NAMED])
        return Unusable(student, "unreadable", f"{len(found)} files could be the program: {several}; name one with --file")
    chosen = found[0]
    where = printable("/".join(chosen.path))
    if chosen.is_link:
        return Unusable(student, "unreadable", "a symbolic link; links are not followed", where)
    data = chosen.read(MAX_PROGRAM + 1)
    if len(data) > MAX_PROGRAM:
        return Unusable(student, "unreadable", f"larger than {MAX_PROGRAM >> 10} KiB", where)
    try:
        source = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Unusable(student, "unreadable", f"line {data.count(10, 0, error.start) + 1} is not UTF-8 text", where)
    return Program(student, where, source, hashlib.sha256(data).hexdigest())


def _read_regular(path: Path, limit: int) -> bytes:
    """Neither follows a link nor waits for a pipe."""
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _Refused("not a regular file")
        return stream.read(limit)


def _on_disk(path: Path, below: tuple[str, ...]) -> _Entry:
    return _Entry(below, path.is_symlink(), lambda limit: _read_regular(path, limit))


def _walk(folder: Path, below: tuple[str, ...] = ()) -> Iterator[_Entry]:
    if len(below) > MAX_DEPTH:
        raise _Refused(f"folders more than {MAX_DEPTH} deep")
    with os.scandir(folder) as entries:
        for entry in entries:
            here = (*below, entry.name)
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and not entry.name.startswith("."):
                    yield from _walk(folder / entry.name, here)
            else:
                yield _on_disk(folder / entry.name, here)


def _bounded(entries: Iterator[_Entry]) -> list[_Entry]:
    found: list[_Entry] = []
    for entry in entries:
        if len(found) >= MAX_ENTRIES:
            raise _Refused(f"more than {MAX_ENTRIES} files")
        found.append(entry)
    return found


def _folder(name: str, folder: Path) -> _Handed:
    return _Handed(name, True, lambda: _bounded(_walk(folder)))


def _file(name: str, path: Path) -> _Handed:
    if path.suffix.lower() == ".zip" and not path.is_symlink():
        return _Handed(name, True, lambda: _students_zip(_read_regular(path, MAX_STUDENTS_ZIP + 1)))
    return _Handed(name, False, lambda: [_on_disk(path, (path.name,))])


def _in_folder(place: Path) -> Iterator[_Handed]:
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _SKIPPED:
                continue
            path = place / entry.name
            if entry.is_dir(follow_symlinks=False):
                yield _folder(entry.name, path)
            else:
                handed = _file(entry.name, path)
                yield _Handed(path.stem, True, handed.entries) if handed.is_folder else handed


def _open_zip(stream: io.BufferedIOBase) -> zipfile.ZipFile:
    """Looks at the end of the file first: the list of entries is read whole, so its size must be known to be small."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - (1 << 16) - 64))
    tail = stream.read()
    at = tail.rfind(_END)
    if size > MAX_ZIP or at < 0 or len(tail) - at < 22:
        raise _Refused("a damaged zip, or one that is too large" if size <= MAX_ZIP else f"a zip of more than {MAX_ZIP >> 30} GiB")
    if _END_64 in tail[max(0, at - 20) : at]:
        raise _Refused("a zip64 archive; pack it again without zip64, or unpack it into a folder")
    count, directory = struct.unpack("<HI", tail[at + 10 : at + 16])
    if count > MAX_ZIP_ENTRIES or directory > MAX_DIRECTORY:
        raise _Refused(f"a zip of more than {MAX_ZIP_ENTRIES} entries")
    try:
        return zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise _Refused(f"a damaged zip ({error})") from None


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    if info.flag_bits & 1:
        raise _Refused("encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _Refused("packed by a method other than deflate; pack it again")
    try:
        with archive.open(info) as stream:
            return stream.read(limit)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise _Refused(f"damaged inside the zip ({error})") from None


def _path_in(info: zipfile.ZipInfo) -> tuple[str, ...] | None:
    """The parts of an entry's name; ``None`` for one that leads elsewhere."""
    parts = tuple(info.orig_filename.rstrip("/").split("/"))
    bad = any(part in ("", ".", "..") for part in parts) or re.search(r"[\\\0]|^[A-Za-z]:", info.orig_filename)
    return None if bad else parts


def _is_link(info: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


def _students_zip(data: bytes) -> list[_Entry]:
    if len(data) > MAX_STUDENTS_ZIP:
        raise _Refused(f"a zip of more than {MAX_STUDENTS_ZIP >> 20} MiB")
    archive = _open_zip(io.BytesIO(data))
    # Not is_dir(), which raises for a name that is empty, or is cut off before its first sign.
    paths = {info: _path_in(info) for info in archive.infolist() if not info.orig_filename.endswith("/")}
    if any(path is None for path in paths.values()):
        raise _Refused("a zip with names that lead out of it")
    return _bounded(_zipped(archive, info, path) for info, path in paths.items() if path is not None)


def _zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: tuple[str, ...]) -> _Entry:
    return _Entry(path, _is_link(info), lambda limit: _member(archive, info, limit))


def _in_zip(place: Path, student: str | None, notes: list[str]) -> Iterator[_Handed]:
    archive = _open_zip(place.open("rb"))
    paths: dict[zipfile.ZipInfo, tuple[str, ...]] = {}
    for info in archive.infolist():
        path = _path_in(info)
        if path is None:
            notes.append(f"{printable(info.orig_filename)[:100]}: a name that leads out of the zip; not read")
        elif not any(part.startswith(".") or part in _SKIPPED for part in path):
            paths[info] = path
    if student is not None:
        files = [(info, path) for info, path in paths.items() if not info.is_dir()]
        yield _Handed(student, True, lambda: _bounded(_zipped(archive, info, path) for info, path in files))
        return
    yield from _by_name(archive, _unwrapped(paths))


def _unwrapped(paths: Mapping[zipfile.ZipInfo, tuple[str, ...]]) -> Mapping[zipfile.ZipInfo, tuple[str, ...]]:
    """Without the one folder around all students that packing a folder makes; around a single file it is a student's."""
    wrapped = len({path[0] for path in paths.values()}) == 1 and all(len(path) > 1 or info.is_dir() for info, path in paths.items())
    if wrapped and len({path[1] for path in paths.values() if len(path) > 1}) > 1:
        return {info: path[1:] for info, path in paths.items() if len(path) > 1}
    return paths


def _by_name(archive: zipfile.ZipFile, paths: Mapping[zipfile.ZipInfo, tuple[str, ...]]) -> Iterator[_Handed]:
    below: dict[str, list[_Entry]] = {}
    for info, path in paths.items():
        if len(path) == 1 and not info.is_dir():
            yield _single(archive, info, path[0])
        else:
            files = below.setdefault(path[0], [])
            if not info.is_dir():
                files.append(_zipped(archive, info, path[1:]))
    for name, entries in below.items():
        yield _Handed(name, True, lambda entries=entries: _bounded(iter(entries)))  # type: ignore[misc]


def _single(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> _Handed:
    if name.lower().endswith(".zip") and not _is_link(info):
        return _Handed(name[:-4], True, lambda: _students_zip(_member(archive, info, MAX_STUDENTS_ZIP + 1)))
    return _Handed(name, False, lambda: [_zipped(archive, info, (name,))])
