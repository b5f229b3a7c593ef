"""Which container engine is meant: found the way the ``docker`` command finds it. Asking it anything is the client's part.

In order: ``DOCKER_HOST``; the context that ``DOCKER_CONTEXT`` names; the current one of ``docker context use``; this machine's own.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quizapp.judge.runner.worker import BackendUnavailable

NETWORK_SCHEMES = ("tcp://", "http://", "https://", "ssh://")
SCHEMES = ("unix://", "npipe://", *NETWORK_SCHEMES)


@dataclass(frozen=True, slots=True)
class Certificates:
    """What a context says of TLS. Empty paths: it brings none."""

    ca: str = ""
    cert: str = ""
    key: str = ""
    verify: bool = True


@dataclass(frozen=True, slots=True)
class Engine:
    """Where an engine answers, and who said so."""

    address: str | None
    """``None``: the machine's usual socket."""
    named_by: str
    """For messages: ``DOCKER_HOST``, or the context."""
    certificates: Certificates | None = None
    """``None``: those of ``DOCKER_CERT_PATH`` and ``DOCKER_TLS_VERIFY``, if any."""

    @property
    def is_remote(self) -> bool:
        return self.address is not None and self.address.startswith(NETWORK_SCHEMES)

    def __str__(self) -> str:
        return f"{self.address or 'the usual socket'} ({self.named_by})"


def find(environment: Mapping[str, str] | None = None) -> Engine:
    """The engine that the environment and docker's own settings name.

    Raises:
        BackendUnavailable: they name a context that isn't there or can't be read, or an address that is none.
    """
    environment = os.environ if environment is None else environment
    if host := environment.get("DOCKER_HOST"):
        return Engine(_checked(host, "DOCKER_HOST"), "DOCKER_HOST")
    folder = Path(environment.get("DOCKER_CONFIG") or Path.home() / ".docker")
    name, named_by = environment.get("DOCKER_CONTEXT"), "DOCKER_CONTEXT"
    if not name:
        name, named_by = _current(folder / "config.json"), str(folder / "config.json")
    if not name or name == "default":
        return Engine(None, "no DOCKER_HOST and no docker context")
    return _context(folder / "contexts", name, named_by)


def _checked(address: str, named_by: str) -> str:
    if not address.startswith(SCHEMES):
        known = ", ".join(SCHEMES)
        raise BackendUnavailable(
            f"{named_by} is {address!r}, which is no address of a container engine; it begins with one of {known}"
        )
    return address


def _current(path: Path) -> str | None:
    """The context that docker's settings name. Like ``docker``, it goes on without settings that can't be read."""
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    name = settings.get("currentContext") if isinstance(settings, dict) else None
    return name if isinstance(name, str) else None


def _context(contexts: Path, name: str, named_by: str) -> Engine:
    """A context's engine. Docker keeps it below ``meta`` and ``tls``, in folders named by the digest of its name."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    meta = contexts / "meta" / digest / "meta.json"
    try:
        endpoint = json.loads(meta.read_text(encoding="utf-8"))["Endpoints"]["docker"]
        address, skip = endpoint.get("Host") or None, bool(endpoint.get("SkipTLSVerify"))
    except FileNotFoundError:
        raise BackendUnavailable(
            f"{named_by} names the docker context {name!r}, which does not exist; `docker context ls` shows those that do, "
            "`docker context use NAME` takes one"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BackendUnavailable(
            f"the docker context {name!r} can't be read from {meta}; make it anew with `docker context create`"
        ) from None
    if address is not None:
        _checked(str(address), f"the host of the docker context {name!r}")
    tls = contexts / "tls" / digest / "docker"
    paths = {part: str(tls / f"{part}.pem") if (tls / f"{part}.pem").is_file() else "" for part in ("ca", "cert", "key")}
    return Engine(address, f"docker context {name}", Certificates(**paths, verify=not skip))


def options(engine: Engine) -> dict[str, Any]:
    """What the SDK's client is made with, as keyword arguments.

    Raises:
        BackendUnavailable: certificates are named that aren't there.
    """
    import docker
    import docker.utils

    if engine.certificates is None:
        try:
            return dict(docker.utils.kwargs_from_env())
        except docker.errors.TLSParameterError as error:
            raise BackendUnavailable(
                f"DOCKER_CERT_PATH: {str(error).partition('.')[0]}; it needs ca.pem, cert.pem and key.pem"
            ) from None
    given = engine.certificates
    chosen: dict[str, Any] = {} if engine.address is None else {"base_url": engine.address}
    if given.ca or given.cert:
        pair = (given.cert, given.key) if given.cert and given.key else None
        chosen["tls"] = docker.tls.TLSConfig(client_cert=pair, ca_cert=given.ca or None, verify=given.verify)
    return chosen
