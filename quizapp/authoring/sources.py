"""Getting banks from where somebody keeps them: a folder, a zip file or a git repository. Bounded, and never outside their place.

Only plain files are taken: no links, nothing hidden. Not here: what becomes of them (``quizapp.authoring.install``).
"""

import os
import shutil
import stat
import subprocess
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Literal

MOST_FILES = 5_000
MOST_BYTES = 64 << 20
"""Of all files together."""
MOST_FILE_BYTES = 8 << 20
MOST_DEPTH = 12
GIT_SECONDS = 300
_REMOTE = ("https://", "http://", "ssh://", "git://", "file://", "git@")
_FORBIDDEN = frozenset('<>:"|?*') | {chr(code) for code in range(32)}
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))))

Kind = Literal["folder", "zip", "git"]


class SourceError(ValueError):
    """A source that can't be read or won't be taken. The message says why, and what to do."""


def kind_of(source: str) -> Kind:
    """What a source is.

    Raises:
        SourceError: none of the three.
    """
    path = Path(source)
    if source.startswith(_REMOTE) or (source.endswith(".git") and not path.is_file()):
        return "git"
    if path.is_dir():
        return "folder"
    if path.is_file() and zipfile.is_zipfile(path):
        return "zip"
    what = "not a zip file" if path.is_file() else "no such file or folder"
    raise SourceError(f"{source}: {what}; name a folder, a zip file, or the address of a git repository")


def fetch(source: str, place: Path) -> str:
    """Puts the files of a source into an empty folder.

    Returns: the commit of a git repository or checkout, else "".

    Raises:
        SourceError: see there. OSError: ``place`` can't be written.
    """
    match kind_of(source):
        case "git":
            return _clone(source, place)
        case "zip":
            _unzip(Path(source), place)
            return ""
        case _:
            _copy(Path(source), place)
            return _head(Path(source) / ".git")


class _Bounds:
    """Counts what has been taken."""

    def __init__(self, source: str) -> None:
        self.source, self.files, self.bytes = source, 0, 0

    def take(self, name: str, size: int) -> None:
        self.files += 1
        self.bytes += size
        if self.files > MOST_FILES:
            raise SourceError(f"{self.source}: more than {MOST_FILES} files; keep banks in a folder of their own")
        if size > MOST_FILE_BYTES:
            raise SourceError(f"{self.source}: {name} is larger than {MOST_FILE_BYTES >> 20} MiB")
        if self.bytes > MOST_BYTES:
            raise SourceError(f"{self.source}: more than {MOST_BYTES >> 20} MiB in all; keep banks in a folder of their own")


def _copy(source: Path, place: Path) -> None:
    bounds = _Bounds(str(source))
    for file in _plain_files(source):
        name = file.relative_to(source)
        bounds.take(str(name), file.stat().st_size)
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place / name, follow_symlinks=False)


def _plain_files(source: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(source):
        depth = len(Path(root).relative_to(source).parts)
        folders[:] = sorted(
            name for name in folders if not _hidden(name) and depth < MOST_DEPTH and not Path(root, name).is_symlink()
        )
        for name in sorted(files):
            path = Path(root, name)
            if not _hidden(name) and not path.is_symlink() and path.is_file():
                yield path


def _hidden(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


def _unzip(source: Path, place: Path) -> None:
    bounds = _Bounds(str(source))
    try:
        with zipfile.ZipFile(source) as archive:
            for member in archive.infolist():
                name = _safe_name(member, str(source))
                if name is None:
                    continue
                bounds.take(member.filename, member.file_size)
                target = place.joinpath(*name.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as packed, target.open("xb") as stream:
                    # What the archive says of a size needn't be true.
                    data = packed.read(MOST_FILE_BYTES + 1)
                    if len(data) > MOST_FILE_BYTES:
                        raise SourceError(f"{source}: {member.filename} is larger than {MOST_FILE_BYTES >> 20} MiB")
                    stream.write(data)
    except FileExistsError as error:
        raise SourceError(f"{source}: {Path(error.filename).name} stands in it twice") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        RuntimeError,
        NotImplementedError,
        NotADirectoryError,
        IsADirectoryError,
    ) as error:
        raise SourceError(f"{source}: can't be unpacked: {' '.join(str(error).split()) or type(error).__name__}") from None


def _safe_name(member: zipfile.ZipInfo, source: str) -> PurePosixPath | None:
    """Where a member goes, below the folder; ``None`` for what isn't taken.

    Raises:
        SourceError: a name that leads out of the folder.
    """
    name = PurePosixPath(member.filename)
    parts = name.parts
    if name.is_absolute() or ".." in parts or "\\" in member.filename or any(_FORBIDDEN & set(part) for part in parts):
        raise SourceError(f"{source}: the name {member.filename!r} in it leads outside; don't install this file")
    if any(part.partition(".")[0].lower() in _DEVICES or part.endswith((".", " ")) for part in parts):
        raise SourceError(f"{source}: the name {member.filename!r} in it is none on some systems; rename the file")
    mode = member.external_attr >> 16
    link = stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR)
    if member.is_dir() or link or not parts or len(parts) > MOST_DEPTH or any(map(_hidden, parts)):
        return None
    return name


def _clone(source: str, place: Path) -> str:
    if source.startswith("-"):
        raise SourceError(f"{source}: not an address")
    if shutil.which("git") is None:
        raise SourceError(f"{source}: git isn't installed; install it, or name a folder or a zip file")
    fetched = place / ".fetched"
    command = ["git", "-c", "core.symlinks=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "clone"]
    command += ["--quiet", "--depth", "1", "--single-branch", "--no-recurse-submodules", "--", source, str(fetched)]
    quiet = os.environ | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=quiet, stdin=subprocess.DEVNULL, timeout=GIT_SECONDS)
    except subprocess.TimeoutExpired:
        raise SourceError(f"{source}: git took longer than {GIT_SECONDS} s") from None
    try:
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["git failed"])[-1]
            raise SourceError(f"{source}: {said}")
        _copy(fetched, place)
        return _head(fetched / ".git")
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def _head(folder: Path) -> str:
    """The commit that is checked out, read without running git in somebody's folder; "" where that can't be told."""
    try:
        head = (folder / "HEAD").read_text("ascii").strip()
        if not head.startswith("ref: "):
            return head[:40]
        name = head.removeprefix("ref: ")
        if (folder / name).is_file():
            return (folder / name).read_text("ascii").strip()[:40]
        packed = (folder / "packed-refs").read_text("ascii").splitlines()
        return next((line[:40] for line in packed if line.endswith(f" {name}")), "")
    except (OSError, ValueError):
        return ""
