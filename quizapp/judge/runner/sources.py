"""What the sandbox image is made of: the Dockerfile and the sandbox package, and the digest by which a stale image is known."""

import hashlib
import importlib.util
from functools import lru_cache
from importlib.resources import files
from pathlib import Path


class SourcesMissing(Exception):
    """This installation lacks what the image is built from."""


def dockerfile() -> str:
    """The Dockerfile of the source tree, else the one that travels in the wheel."""
    source = Path(__file__).resolve().parents[3] / "Dockerfile"
    if source.is_file() and (source.parent / "pyproject.toml").is_file():
        return source.read_text(encoding="utf-8")
    return files("quizapp").joinpath("data/Dockerfile").read_text(encoding="utf-8")


def sandbox_files() -> list[tuple[str, bytes]]:
    """The ``quizapp_sandbox`` package: names below it, and contents, in order.

    Raises:
        SourcesMissing: it isn't installed.
    """
    found = importlib.util.find_spec("quizapp_sandbox")
    locations = list(found.submodule_search_locations or ()) if found else []
    if not locations:
        raise SourcesMissing("the package quizapp_sandbox isn't installed beside quizapp; install quizapp again")
    root = Path(locations[0])
    return [(path.relative_to(root).as_posix(), path.read_bytes()) for path in sorted(root.rglob("*.py"))]


@lru_cache(maxsize=1)
def digest() -> str:
    """SHA-256 over the Dockerfile and the sandbox package."""
    total = hashlib.sha256(dockerfile().encode())
    for name, content in sandbox_files():
        total.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()
