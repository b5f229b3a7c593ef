"""The container backend: a worker is a hardened container of the sandbox image, spoken to over its attached streams.

No mounts and no network, so that a remote engine (``DOCKER_HOST``, contexts) works as well. The container is killed by name.
"""

import contextlib
import importlib.util
import os
import socket
import struct
import threading
import uuid
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from quizapp import __version__
from quizapp.judge.runner import engine as engines
from quizapp.judge.runner import sources
from quizapp.judge.runner.gpus import Gpus, choose
from quizapp.judge.runner.worker import BackendUnavailable, Role, Worker

REPOSITORY = "quizapp-sandbox"
LABEL = "quizapp.worker"
SOURCES_LABEL = "quizapp.sources"
"""Holds the digest of what the image was built from."""
CLIENT_SECONDS = 30
MEMORY = 2 << 30
PIDS = 128
OPEN_FILES = 512
CPUS = 4
KEEPER_CAPABILITIES = ("SETUID", "SETGID", "KILL")
"""What the keeper of a kept container needs; ranks have none of them."""
CPU_PERIOD = 100_000
"""Microseconds over which the engine counts CPU time."""
GPU_MEMORY = 16 << 30
"""A CUDA context takes some 0.5 GiB of host memory for each rank, and pinned buffers count as well."""
GPU_PIDS = 1024
GPU_OPEN_FILES = 4096
GPU_SHARED_MEMORY = 1 << 30
"""NCCL's buffers between ranks that have no direct way from GPU to GPU."""


def image_name() -> str:
    """The image that this version of quizapp runs."""
    return f"{REPOSITORY}:{__version__}"


def client() -> Any:
    """A client of the engine that ``DOCKER_HOST`` or the docker context names.

    Raises:
        BackendUnavailable: none is meant that exists, or it does not answer.
    """
    import docker

    meant = engines.find()
    try:
        engine = docker.DockerClient(timeout=CLIENT_SECONDS, **engines.options(meant))
        engine.ping()
    except BackendUnavailable:
        raise
    except Exception as error:
        raise BackendUnavailable(f"no container engine answers at {meant}: {_reason(error)}; {_mend(meant)}") from None
    return engine


def _reason(error: BaseException) -> str:
    """The innermost cause on one line: the SDK wraps a refused connection several times."""
    seen = {id(error)}
    while (inner := error.__cause__ or error.__context__) is not None and id(inner) not in seen:
        seen.add(id(inner))
        error = inner
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split())[:200] or type(error).__name__


def _mend(meant: engines.Engine) -> str:
    if str(meant.address).startswith("ssh://") and importlib.util.find_spec("paramiko") is None:
        return 'engines over ssh need `pip install "quizapp[ssh]"`'
    if meant.is_remote:
        return f"see `docker --host {meant.address} version`; `docker context use default` without DOCKER_HOST means this machine's"
    return "start Docker (sudo systemctl start docker), or use --backend local"


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


_SCRATCH = "rw,noexec,nosuid,nodev,mode=1777"


def host_options(gpus: Gpus | None = None, kept: bool = False) -> dict[str, Any]:
    """The hardening of a worker's container, as plain data. With GPUs it is wider where CUDA and NCCL need it: host memory that is
    pinned, shared memory, threads and open files. A kept one's keeper is root, that it may give each submission a user of its own,
    with the capabilities for that alone. Nothing else differs."""
    memory = MEMORY if gpus is None else GPU_MEMORY
    files = OPEN_FILES if gpus is None else GPU_OPEN_FILES
    options: dict[str, Any] = {
        "network_mode": "none",
        "read_only": True,
        "tmpfs": {"/tmp": f"{_SCRATCH},size=64m"},
        "cap_drop": ["ALL"],
        "cap_add": list(KEEPER_CAPABILITIES) if kept else [],
        "security_opt": ["no-new-privileges"],
        "pids_limit": PIDS if gpus is None else GPU_PIDS,
        "mem_limit": memory,
        "memswap_limit": memory,
        "cpu_period": CPU_PERIOD,
        "cpu_quota": CPUS * CPU_PERIOD,
        "ipc_mode": "none" if gpus is None else "private",
        "log_config": {"Type": "none", "Config": {}},
        "ulimits": [
            {"Name": "nofile", "Soft": files, "Hard": files},
            {"Name": "core", "Soft": 0, "Hard": 0},
        ],
    }
    if gpus is None:
        # Without an IPC namespace the engine mounts none, and a loader's worker processes need locks.
        options["tmpfs"]["/dev/shm"] = f"{_SCRATCH},size=16m"
    else:
        options["shm_size"] = GPU_SHARED_MEMORY
        options["ulimits"].append({"Name": "memlock", "Soft": -1, "Hard": -1})
        options["device_requests"] = [gpus.request()]
    return options


class _Container:
    """Attached streams of one container. Its output is multiplexed: 8 bytes of stream and length, then that many bytes."""

    def __init__(self, engine: Any, role: Role) -> None:
        self.name = f"quizapp-{role}-{uuid.uuid4().hex[:12]}"
        self._engine = engine
        self._errors = b""
        self._left = 0
        self._killed = threading.Event()
        api = engine.api
        options = host_options(choose(role, _info(), os.environ), role == "kept")
        self._id = api.create_container(
            image_name(),
            command=[role],
            name=self.name,
            hostname="localhost",
            user="0:0" if role == "kept" else "65534:65534",
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


@lru_cache(maxsize=1)
def _info() -> Mapping[str, Any]:
    """What the engine tells of itself."""
    return dict(_engine().info())


def start(role: Role) -> Worker:
    """Starts a worker in a container of its own; it warms up by itself.

    Raises:
        BackendUnavailable: no engine, no image, or the engine refuses the container.
    """
    engine = _engine()
    try:
        return Worker(_Container(engine, role), "container", kept=role == "kept")
    except Exception as error:
        raise BackendUnavailable(f"the container engine refused a worker: {str(error).splitlines()[0]}") from None


def can_keep() -> bool:
    """Whether containers may serve more than one submission: not where they are given GPUs, whose memory nobody clears.

    Raises:
        BackendUnavailable: no engine, or no image.
    """
    return choose("submission", _info(), os.environ) is None


def is_available() -> bool:
    """Whether an engine answers and has the image."""
    try:
        _engine()
    except BackendUnavailable:
        return False
    return True
