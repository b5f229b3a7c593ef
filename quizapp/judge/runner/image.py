"""Building the sandbox image: its context is the Dockerfile, the sandbox package and, offline, a folder of wheels. Nothing else."""

import importlib.util
import io
import tarfile
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import IO

from quizapp.judge.runner import docker
from quizapp.judge.runner.worker import BackendUnavailable


class BuildFailed(Exception):
    """The engine could not build the image; the text is its own last word."""


def dockerfile() -> str:
    """The Dockerfile of the source tree, else the one that travels in the wheel."""
    source = Path(__file__).resolve().parents[3] / "Dockerfile"
    if source.is_file() and (source.parent / "pyproject.toml").is_file():
        return source.read_text(encoding="utf-8")
    return files("quizapp").joinpath("data/Dockerfile").read_text(encoding="utf-8")


def sandbox_folder() -> Path:
    """The folder of the ``quizapp_sandbox`` package."""
    found = importlib.util.find_spec("quizapp_sandbox")
    locations = list(found.submodule_search_locations or ()) if found else []
    if not locations:
        raise BuildFailed("the package quizapp_sandbox isn't installed beside quizapp; install quizapp again")
    return Path(locations[0])


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    entry.mode = 0o644
    archive.addfile(entry, io.BytesIO(data))


def context(wheels: Path | None) -> IO[bytes]:
    """The build's context as a tar file, at its start."""
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    with tarfile.open(fileobj=spooled, mode="w") as archive:
        _add(archive, "Dockerfile", dockerfile().encode())
        root = sandbox_folder()
        for path in sorted(root.rglob("*.py")):
            _add(archive, f"sandbox/quizapp_sandbox/{path.relative_to(root).as_posix()}", path.read_bytes())
        _add(archive, "wheels/.keep", b"")
        for wheel in sorted(wheels.glob("*.whl")) if wheels is not None else ():
            archive.add(wheel, f"wheels/{wheel.name}")
    spooled.seek(0)
    return spooled


def build(base: str | None, wheels: Path | None, pip_args: str) -> Iterator[str]:
    """Builds the image and gives the engine's lines as they come.

    Args:
        base: the image to build on, instead of the Dockerfile's own.
        wheels: a folder of wheels; the build then uses no network.

    Raises:
        BackendUnavailable: no engine. BuildFailed: the engine refused a step.
    """
    import docker as sdk

    engine = docker.client()
    arguments = {"PIP_ARGS": pip_args} if pip_args else {}
    if wheels is not None:
        arguments["PIP_ARGS"] = f"--no-index --find-links /wheels {pip_args}".strip()
    if base:
        arguments["BASE"] = base
    try:
        with context(wheels) as tar:
            lines = engine.api.build(
                fileobj=tar,
                custom_context=True,
                encoding=None,
                tag=docker.image_name(),
                rm=True,
                forcerm=True,
                decode=True,
                buildargs=arguments,
                network_mode="none" if wheels is not None else None,
            )
            for line in lines:
                if "error" in line:
                    raise BuildFailed(str(line["error"]).strip())
                text = str(line.get("stream") or line.get("status") or "").strip()
                if text:
                    yield text
    except sdk.errors.APIError as error:
        raise BuildFailed(str(error.explanation or error)) from None


__all__ = ["BackendUnavailable", "BuildFailed", "build", "context", "dockerfile", "sandbox_folder"]
