"""Building the sandbox image: its context is the Dockerfile, the sandbox package and, offline, a folder of wheels. Nothing else."""

import io
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from quizapp.judge.runner import docker, sources
from quizapp.judge.runner.worker import BackendUnavailable


class BuildFailed(Exception):
    """The engine could not build the image; the text is its own last word."""


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    entry.mode = 0o644
    archive.addfile(entry, io.BytesIO(data))


def context(wheels: Path | None) -> IO[bytes]:
    """The build's context as a tar file, at its start."""
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    with tarfile.open(fileobj=spooled, mode="w") as archive:
        _add(archive, "Dockerfile", sources.dockerfile().encode())
        for name, content in sources.sandbox_files():
            _add(archive, f"sandbox/quizapp_sandbox/{name}", content)
        _add(archive, "wheels/.keep", b"")
        for wheel in sorted(wheels.glob("*.whl")) if wheels is not None else ():
            archive.add(wheel, f"wheels/{wheel.name}")
    spooled.seek(0)
    return spooled


def build(base: str | None, wheels: Path | None, pip_args: str, torch_build: str = "") -> Iterator[str]:
    """Builds the image and gives the engine's lines as they come.

    Args:
        base: the image to build on, instead of the Dockerfile's own.
        wheels: a folder of wheels; the build then uses no network.
        torch_build: ``cpu``, ``cu130`` or the like; the image is refused if torch is another build. Empty: any.

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
    if torch_build:
        arguments["TORCH_BUILD"] = torch_build
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
                labels={docker.SOURCES_LABEL: sources.digest()},
                network_mode="none" if wheels is not None else None,
            )
            for line in lines:
                if "error" in line:
                    raise BuildFailed(str(line["error"]).strip())
                text = str(line.get("stream") or line.get("status") or "").strip()
                # The last line that comes is what a failure is explained with; this one follows every step.
                if text and not text.startswith(("\x1b[0m", "Removing intermediate container")):
                    yield text
    except sdk.errors.APIError as error:
        raise BuildFailed(str(error.explanation or error)) from None
    except sources.SourcesMissing as error:
        raise BuildFailed(str(error)) from None


__all__ = ["BackendUnavailable", "BuildFailed", "build", "context"]
