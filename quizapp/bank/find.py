"""Where banks live, and which file of a folder is what. Reads no file's content."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

Role = Literal["bank", "registry", "lab"]
"""A file's part in a folder of banks."""
VARIABLE = "QUIZAPP_BANKS"


def builtin_folder() -> Path:
    """The folder of the banks that come with the app: the source tree's, else the installed package's."""
    package = Path(__file__).resolve().parent.parent
    source = package.parent / "questions"
    return source if source.is_dir() and (package.parent / "pyproject.toml").is_file() else package / "data" / "questions"


def bank_folders(extra: Sequence[Path] = ()) -> list[Path]:
    """All folders to load: the built-in one, those of ``QUIZAPP_BANKS``, and ``extra``, in this order."""
    named = [Path(entry).expanduser() for entry in os.environ.get(VARIABLE, "").split(os.pathsep) if entry]
    return [builtin_folder(), *named, *extra]


def role(file: Path) -> Role:
    """What a YAML file is, by its name."""
    return "registry" if file.name == "misconceptions.yaml" else "lab" if file.name == "lab.yaml" else "bank"


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
