"""Foreign files as text: size limits, encodings, and text files inside a zip. Nothing is ever unpacked to disk.

Not here: what the text means.
"""

import codecs
import re
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

from quizapp.authoring.formats.report import Unreadable

MAX_BYTES = 32 << 20
"""Of one file, and of all files of a zip together, unpacked."""
MAX_MEMBERS = 1_000
MAX_RATIO = 200
"""How many times larger than packed a zip's file may be."""
TEXTS = frozenset((".gift", ".txt", ".xml", ".aiken", ".csv", ".tsv"))

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Source:
    """One file's text. Lines end with a line feed."""

    name: str
    """As the user knows it; a zip's member as ``quiz.zip/questions.gift``."""
    text: str


def sources(file: Path, encoding: str | None = None) -> list[Source]:
    """The text of a file, or the texts inside a zip.

    Raises:
        Unreadable: no such file, too large, not text, an encoding that doesn't fit, or a zip that isn't safe to open.
    """
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise Unreadable(str(file), 1, 1, reason, "name a readable file") from None
    if len(raw) > MAX_BYTES:
        raise Unreadable(str(file), 1, 1, f"the file is larger than {MAX_BYTES >> 20} MiB", "split it")
    if raw.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _members(str(file), raw, encoding)
    return [Source(str(file), decoded(str(file), raw, encoding))]


def decoded(name: str, raw: bytes, encoding: str | None = None) -> str:
    """Bytes as text: by ``encoding``, else by the byte order mark, else by an XML declaration, else UTF-8.

    Raises:
        Unreadable: at the place of the first byte that doesn't fit.
    """
    mark, marked = next((pair for pair in _MARKS if raw.startswith(pair[0])), (b"", ""))
    declared = _DECLARED.match(raw) if not marked else None
    chosen = encoding or marked or (declared[1].decode("ascii") if declared else "utf-8")
    try:
        text = raw[len(mark) :].decode(chosen)
    except LookupError:
        raise Unreadable(name, 1, 1, f"there is no encoding {chosen!r}", "name one such as latin-1 or utf-16") from None
    except UnicodeDecodeError as error:
        before = raw[len(mark) : len(mark) + error.start].decode(chosen, "replace")
        line, column = place(before, len(before))
        mend = "save it as UTF-8, or name its encoding, such as --encoding latin-1"
        raise Unreadable(name, line, column, f"the file is not {chosen.upper()} here", mend) from None
    if not text.isascii():
        # A file in another encoding named by mistake can hold halves of characters that no file can be written with.
        text = text.encode("utf-8", "replace").decode("utf-8")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line, column = place(text, text.index("\0"))
        mend = "export the questions as text; for UTF-16 without a byte order mark, add --encoding utf-16-le"
        raise Unreadable(name, line, column, "not a text file: a zero byte", mend)
    return _CONTROL.sub(" ", text)


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of a character."""
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def _members(name: str, raw: bytes, encoding: str | None) -> list[Source]:
    def refused(message: str, mend: str) -> Unreadable:
        return Unreadable(name, 1, 1, message, mend)

    try:
        archive = zipfile.ZipFile(BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise refused(f"not a zip that can be opened ({error})", "make the zip again") from None
    with archive:
        entries = archive.infolist()
        names = {entry.filename for entry in entries}
        if names & {"collection.anki2", "collection.anki21", "collection.anki21b"}:
            raise refused("an Anki package", "in Anki, export 'Notes in Plain Text (.txt)' and import that")
        if "imsmanifest.xml" in names:
            raise refused("a QTI package, which is written but not read", "export Moodle XML or GIFT there and import that")
        if len(entries) > MAX_MEMBERS:
            raise refused(f"a zip of more than {MAX_MEMBERS} files", "zip only the question files")
        for entry in entries:
            parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
            if ".." in parts or entry.filename.startswith(("/", "\\")) or ":" in entry.filename:
                raise refused(f"a zip with the path {entry.filename!r}, which leads out of it", "make the zip again")
        wanted = [entry for entry in entries if PurePosixPath(entry.filename.lower()).suffix in TEXTS]
        if not wanted:
            raise refused("a zip without a question file", f"zip files named {', '.join(sorted(TEXTS))}")
        left = MAX_BYTES
        found = []
        for entry in wanted:
            if entry.file_size > left or entry.file_size > MAX_RATIO * max(entry.compress_size, 512):
                raise refused(f"{entry.filename!r} in it unpacks to {entry.file_size} bytes", "zip smaller files")
            try:
                with archive.open(entry) as stream:
                    # The size in the directory is only a claim.
                    content = stream.read(left + 1)
            except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError) as error:
                raise refused(f"{entry.filename!r} in it can't be unpacked ({error})", "make the zip again, unencrypted") from None
            left -= len(content)
            if left < 0:
                raise refused(f"it unpacks to more than {MAX_BYTES >> 20} MiB", "zip smaller files")
            inner = f"{name}/{entry.filename}"
            found.append(Source(inner, decoded(inner, content, encoding)))
    return found
