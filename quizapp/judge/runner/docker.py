"""The container backend: a worker is a hardened container of the sandbox image, spoken to over its attached streams.

No mounts and no network, so that a remote engine (``DOCKER_HOST``, contexts) works as well. The container is killed by name.
"""

import contextlib
import socket
import struct
import threading
import uuid
from functools import lru_cache
from typing import Any

from quizapp import __version__
from quizapp.judge.runner import sources
from quizapp.judge.runner.worker import BackendUnavailable, Role, Worker

REPOSITORY = "quizapp-sandbox"
LABEL = "quizapp.worker"
SOURCES_LABEL = "quizapp.sources"
"""Holds the digest of what the image was built from."""
MEMORY = 2 << 30
PIDS = 128
CPUS = 4
CPU_PERIOD = 100_000
"""Microseconds over which the engine counts CPU time."""


def image_name() -> str:
    """The image that this version of quizapp runs."""
    return f"{REPOSITORY}:{__version__}"


def client() -> Any:
    """A client of the engine that the environment names.

    Raises:
        BackendUnavailable: no engine answers.
    """
    import docker

    try:
        engine = docker.from_env(timeout=30)
        engine.ping()
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BackendUnavailable(f"no container engine answers ({reason}); start Docker, or use --backend local") from None
    return engine


def require_image(engine: Any) -> None:
    """Raises ``BackendUnavailable`` where the sandbox image isn't built, or was built from other sources than these."""
    import docker

    try:
        image = engine.images.get(image_name())
    except docker.errors.ImageNotFound:
        raise BackendUnavailable(f"the image {image_name()} isn't built; build it with `quizapp sandbox build`") from None
    if image.labels.get(SOURCES_LABEL) != sources.digest():
        raise BackendUnavailable(
            f"the image {image_name()} was built from other sources than this quizapp; build it again with `quizapp sandbox build`"
        )


def gpu_requests(engine: Any) -> list[Any]:
    """All GPUs, where the engine has the NVIDIA runtime; none elsewhere."""
    import docker

    if "nvidia" not in (engine.info().get("Runtimes") or {}):
        return []
    return [docker.types.DeviceRequest(count=-1, capabilities=[["gpu"]])]


def host_options(with_gpus: bool) -> dict[str, Any]:
    """The hardening of a worker's container."""
    import docker

    return {
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {"/tmp": "rw,noexec,nosuid,nodev,size=64m,mode=1777"},
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "pids_limit": PIDS if not with_gpus else 1024,
        "mem_limit": MEMORY if not with_gpus else 16 << 30,
        "memswap_limit": MEMORY if not with_gpus else 16 << 30,
        "cpu_period": CPU_PERIOD,
        "cpu_quota": CPUS * CPU_PERIOD,
        "ipc_mode": "private" if with_gpus else "none",
        "log_config": docker.types.LogConfig(type="none"),
        "ulimits": [
            docker.types.Ulimit(name="nofile", soft=512 if not with_gpus else 4096, hard=512 if not with_gpus else 4096),
            docker.types.Ulimit(name="core", soft=0, hard=0),
        ],
    }


class _Container:
    """Attached streams of one container. Its output is multiplexed: 8 bytes of stream and length, then that many bytes."""

    def __init__(self, engine: Any, role: Role) -> None:
        self.name = f"quizapp-{role}-{uuid.uuid4().hex[:12]}"
        self._engine = engine
        self._errors = b""
        self._left = 0
        self._killed = threading.Event()
        gpus = gpu_requests(engine)
        api = engine.api
        options = host_options(bool(gpus))
        if gpus:
            options["device_requests"] = gpus
        self._id = api.create_container(
            image_name(),
            command=[role],
            name=self.name,
            hostname="localhost",
            user="65534:65534",
            stdin_open=True,
            labels={LABEL: role},
            environment={"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"},
            host_config=api.create_host_config(auto_remove=True, **options),
        )["Id"]
        attached = api.attach_socket(self._id, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
        self._socket: socket.socket = getattr(attached, "_sock", attached)
        self._socket.settimeout(None)
        api.start(self._id)

    def write(self, data: bytes) -> None:
        self._socket.sendall(data)

    def _exactly(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self._socket.recv(count - len(parts))
            if not part:
                return b""
            parts += part
        return bytes(parts)

    def read(self) -> bytes:
        while True:
            if self._left:
                part = self._socket.recv(min(self._left, 1 << 16))
                self._left -= len(part)
                return part
            header = self._exactly(8)
            if not header:
                return b""
            stream, length = struct.unpack(">BxxxI", header)
            if stream == 1:
                self._left = length
            else:
                self._errors = (self._errors + self._exactly(length))[-2000:]

    def kill(self) -> None:
        if self._killed.is_set():
            return
        self._killed.set()
        with contextlib.suppress(Exception):
            self._engine.api.remove_container(self.name, force=True, v=True)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def last_words(self) -> str:
        return self._errors.decode(errors="replace").strip().rpartition("\n")[2]


@lru_cache(maxsize=1)
def _engine() -> Any:
    engine = client()
    require_image(engine)
    return engine


def start(role: Role) -> Worker:
    """Starts a worker in a container of its own; it warms up by itself.

    Raises:
        BackendUnavailable: no engine, no image, or the engine refuses the container.
    """
    engine = _engine()
    try:
        return Worker(_Container(engine, role), "container")
    except Exception as error:
        raise BackendUnavailable(f"the container engine refused a worker: {str(error).splitlines()[0]}") from None


def is_available() -> bool:
    """Whether an engine answers and has the image."""
    try:
        _engine()
    except BackendUnavailable:
        return False
    return True
