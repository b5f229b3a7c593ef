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
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import IO

from quizapp.judge.runner.worker import BackendUnavailable, Role, Worker

UNSANDBOXED = (
    "Submitted code runs as a plain process with your own rights: it can read your files and use your network. "
    "Install bubblewrap, or build the container image with `quizapp sandbox build`, to shut it in."
)
SWEEPS = 20
SCRATCH_BYTES = 64 << 20
_STARTER = ThreadPoolExecutor(1, thread_name_prefix="worker-starter")
"""Starts all workers: a worker is killed when the *thread* that started it ends, and this one lives as long as the process."""
_MISSING_TORCH = 'torch is not installed here; install it with `pip install "quizapp[local]"`, or use the container backend'


def _descendants(pid: int) -> list[int]:
    """All processes below one, its children last. Linux; none elsewhere."""
    children: dict[int, list[int]] = {}
    with contextlib.suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError, ValueError, IndexError):
                state, parent, *_ = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()
                if state != b"Z":
                    children.setdefault(int(parent), []).append(int(name))
    found, waiting = [], [pid]
    while waiting:
        waiting += (below := children.get(waiting.pop(), []))
        found += below
    return found[::-1]


class _Process:
    """A worker and its own folder, where its temporary and its relative files are, and which goes with it."""

    def __init__(self, command: list[str], environment: dict[str, str], shut_in: bool) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="quizapp-worker-", ignore_cleanup_errors=True)
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment if shut_in else {**environment, "TMPDIR": self._folder.name},
            cwd=None if shut_in else self._folder.name,
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
        if self._process.poll() is None:
            # Stopped first: while the agent stands, orphans fall to it, and none can slip away between listing and killing.
            with contextlib.suppress(OSError):
                os.kill(self._process.pid, signal.SIGSTOP)
            for _ in range(SWEEPS):
                if not (strays := _descendants(self._process.pid)):
                    break
                for pid in strays:
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.01)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                kill(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._folder.cleanup()

    def last_words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            end = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, end - 2000))
            return self._errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        return ""


def _environment() -> dict[str, str]:
    loopback = "lo0" if sys.platform == "darwin" else "lo"
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "LANG") if name in os.environ}
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


def _hidden_folders() -> list[str]:
    """What lies in those folders and is none of a submission's business: reference programs, oracles, banks' solutions."""
    found = [importlib.util.find_spec(name) for name in ("quizapp", "quizapp_oracle")]
    folders = [folder for spec in found if spec is not None for folder in spec.submodule_search_locations or ()]
    return [folder for folder in folders if any(Path(folder).is_relative_to(shown) for shown in _readable_folders())]


@lru_cache(maxsize=1)
def _bounds_scratch(program: str) -> bool:
    """Whether this bubblewrap can bound a tmpfs; versions before 0.7 can't."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        return b"--size" in subprocess.run([program, "--help"], capture_output=True, timeout=10, check=False).stdout
    return False


def _bubblewrap(program: str) -> list[str]:
    # The agent is process 1 of its namespace: no signal from inside stops or ends it, and all the rest ends with it.
    shut = ["--unshare-all", "--unshare-user", "--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    bound = ["--size", str(SCRATCH_BYTES)] if _bounds_scratch(program) else []
    private = ["--proc", "/proc", "--dev", "/dev", *bound, "--tmpfs", "/dev/shm", *bound, "--tmpfs", "/tmp"]
    binds = [argument for folder in _readable_folders() for argument in ("--ro-bind-try", folder, folder)]
    hidden = [argument for folder in _hidden_folders() for argument in ("--tmpfs", folder)]
    # Last, when all mount points are made. The root and /dev are memory that nothing bounds, and what root starts may write the
    # kernel's settings below /proc, whatever its capabilities.
    closed = [argument for folder in ("/proc", "/dev", "/") for argument in ("--remount-ro", folder)]
    closed += ["--chdir", "/tmp", "--hostname", "localhost"]
    return [program, *shut, *private, *binds, *hidden, *closed]


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
    try:
        stream = _STARTER.submit(_Process, command, environment, program is not None).result()
        return Worker(stream, "none" if program is None else "bubblewrap")
    except (OSError, RuntimeError) as error:  # RuntimeError: this process is on its way out
        raise BackendUnavailable(f"no worker can be started: {error}") from None
