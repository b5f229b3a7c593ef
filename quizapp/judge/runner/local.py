"""The local backend: a worker is a plain process of this machine, in bubblewrap where that really works.

Bubblewrap hides the user's files and the network; it limits neither memory nor the number of processes. Without it the
code runs with the user's own rights, and the app says so.
"""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import IO

from quizapp.judge.runner.worker import BackendUnavailable, Role, Worker

UNSANDBOXED = (
    "Submitted code runs as a plain process with your own rights: it can read your files and use your network. "
    "Install bubblewrap, or build the container image with `quizapp sandbox build`, to shut it in."
)
_MISSING_TORCH = 'torch is not installed here; install it with `pip install "quizapp[local]"`, or use the container backend'


class _Process:
    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            start_new_session=True,
            bufsize=0,
        )

    def write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self._process.stdin.write(view) :]

    def read(self) -> bytes:
        assert self._process.stdout is not None
        return self._process.stdout.read(1 << 16) or b""

    def kill(self) -> None:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)

    def last_words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            end = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, end - 2000))
            return self._errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        return ""


def _environment() -> dict[str, str]:
    loopback = "lo0" if sys.platform == "darwin" else "lo"
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "LANG", "TMPDIR") if name in os.environ}
    numbers = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    openblas = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_") and name not in numbers}
    return {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GLOO_SOCKET_IFNAME": loopback, **kept, **openblas, **numbers}


def _readable_folders() -> list[str]:
    """What a Python with torch needs to see: the system's libraries, this interpreter, its packages, the sandbox's code."""
    sandbox = importlib.util.find_spec("quizapp_sandbox")
    packages = list(sandbox.submodule_search_locations or ()) if sandbox else []
    paths = sysconfig.get_paths()
    wanted = [
        "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/sys",
        sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent),
        paths["purelib"], paths["platlib"], *packages,
    ]  # fmt: skip
    return list(dict.fromkeys(wanted))


def _bubblewrap(program: str) -> list[str]:
    binds = [argument for folder in _readable_folders() for argument in ("--ro-bind-try", folder, folder)]
    private = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp", "--hostname", "localhost"]
    return [program, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL", *private, *binds]


def _agent(role: Role) -> list[str]:
    return [sys.executable, "-I", "-m", "quizapp_sandbox", role]


@lru_cache(maxsize=1)
def bubblewrap() -> str | None:
    """The path of a bubblewrap that really can start this Python here; tried once."""
    program = shutil.which("bwrap")
    if program is None or not sys.platform.startswith("linux"):
        return None
    command = [*_bubblewrap(program), sys.executable, "-I", "-c", "import socket, quizapp_sandbox.wire"]
    try:
        done = subprocess.run(command, env=_environment(), capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if done.returncode == 0 else None


def has_torch() -> bool:
    """Whether this Python could import torch; it isn't imported."""
    return importlib.util.find_spec("torch") is not None


def start(role: Role) -> Worker:
    """Starts a worker on this machine; it warms up by itself.

    Raises:
        BackendUnavailable: no torch here, or no process can be started.
    """
    if not has_torch():
        raise BackendUnavailable(_MISSING_TORCH)
    program = bubblewrap()
    command = _agent(role) if program is None else [*_bubblewrap(program), *_agent(role)]
    environment = _environment()
    if program is not None:
        environment.pop("TMPDIR", None)
    try:
        return Worker(_Process(command, environment), "none" if program is None else "bubblewrap")
    except OSError as error:
        raise BackendUnavailable(f"no worker can be started: {error}") from None
