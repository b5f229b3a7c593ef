"""Where banks live, where what was read of them is kept, and which file of a folder is what. Reads no file's content."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

Role = Literal["bank", "registry", "lab"]
"""A file's part in a folder of banks."""
LAB_FILE = "lab.yaml"
"""What makes a folder a lab."""
VARIABLE = "QUIZAPP_BANKS"
RECORD = ".installed.json"
"""In each folder of installed banks: where they came from."""


def builtin_folder() -> Path:
    """The folder of the banks that come with the app: the source tree's, else the installed package's."""
    package = Path(__file__).resolve().parent.parent
    source = package.parent / "questions"
    return source if source.is_dir() and (package.parent / "pyproject.toml").is_file() else package / "data" / "questions"


def installed_folder() -> Path:
    """Where installed banks lie: below ``QUIZAPP_HOME`` where set, else below the platform's place for user data."""
    override = os.environ.get("QUIZAPP_HOME")
    if override:
        return Path(override).expanduser() / "banks"
    from platformdirs import user_data_path

    return user_data_path("quizapp", appauthor=False) / "banks"


def installed_folders() -> list[Path]:
    """The folders of installed banks, by name; none where they can't be read."""
    try:
        return sorted(entry.parent for entry in installed_folder().glob(f"*/{RECORD}") if not entry.parent.name.startswith("."))
    except (OSError, RuntimeError):
        return []


def bank_folders(extra: Sequence[Path] = ()) -> list[Path]:
    """All folders to load: the built-in one, the installed ones, those of ``QUIZAPP_BANKS``, and ``extra``, in this order."""
    named = [Path(entry).expanduser() for entry in os.environ.get(VARIABLE, "").split(os.pathsep) if entry]
    return [builtin_folder(), *installed_folders(), *named, *extra]


def cache_folder() -> Path:
    """Where what reading banks gave is kept: ``QUIZAPP_CACHE`` where set, else the platform's place for caches.

    Raises:
        RuntimeError: the user has no home.
    """
    override = os.environ.get("QUIZAPP_CACHE")
    if override:
        return Path(override).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("quizapp", appauthor=False) / "banks"


def state(folders: Sequence[Path]) -> str:
    """Names, sizes and times of all YAML files of some folders, as a hexadecimal digest: it changes when one of them does.

    Raises:
        OSError: a file can't be looked at.
    """
    digest = hashlib.sha256()
    for folder in folders:
        for file in yaml_files(folder):
            at = file.stat()
            digest.update(f"{file.absolute()}\0{at.st_size}\0{at.st_mtime_ns}\0".encode())
    return digest.hexdigest()


def role(file: Path) -> Role:
    """What a YAML file is, by its name."""
    return "registry" if file.name == "misconceptions.yaml" else "lab" if file.name == LAB_FILE else "bank"


def yaml_files(folder: Path) -> Iterator[Path]:
    """The YAML files under a folder, sorted; hidden files and folders are passed over. A file gives itself."""
    if folder.is_file():
        yield folder
        return
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith((".yaml", ".yml")) and not name.startswith("."):
                yield Path(root, name)
