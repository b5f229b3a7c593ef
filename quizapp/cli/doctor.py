"""``quizapp doctor``: what works on this machine, what doesn't, and the command that mends it.

Each check tries the thing itself. Nothing is changed.
"""

import json as jsonlib
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal

from quizapp import __version__
from quizapp.cli.bank import Json
from quizapp.model.nouns import numbered

State = Literal["ok", "missing", "broken"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. ``mend``: the command, or the step, that makes it work; empty where it does."""

    name: str
    state: State
    detail: str
    mend: str = ""
    needed: bool = False
    """Without it something that everyone needs does not work."""


def _python() -> Finding:
    machine = f"{platform.system()} {platform.machine()}"
    return Finding("python", "ok", f"{platform.python_version()} on {machine}, quizapp {__version__}")


def _banks() -> Finding:
    from quizapp.bank.find import bank_folders
    from quizapp.bank.load import load

    found = load(bank_folders())
    detail = f"{numbered(len(found.items), 'item')} in {numbered(len(found.banks), 'bank')}"
    if found.faults:
        return Finding("banks", "broken", f"{detail}; {numbered(len(found.faults), 'fault')}", "quizapp bank lint")
    if not found.items:
        return Finding("banks", "broken", detail, "pip install --force-reinstall quizapp", needed=True)
    return Finding("banks", "ok", detail)


def _progress() -> Finding:
    import os

    from quizapp.store.place import home

    folder = home()
    existing = next((path for path in (folder, *folder.parents) if path.exists()), folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Finding("progress", "broken", f"{folder} can't be written", "set QUIZAPP_HOME to a folder of yours", True)
    return Finding("progress", "ok", f"kept in {folder}")


def _torch() -> Finding:
    from quizapp.judge.runner import local

    if not local.has_torch():
        return Finding("torch", "missing", "needed by the local backend only", 'pip install "quizapp[local]"')
    code = (
        "import torch; d = torch.distributed; "
        "print(torch.__version__, torch.cuda.device_count(), d.is_gloo_available(), d.is_nccl_available())"
    )
    try:
        done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=120, check=True)
    except (subprocess.SubprocessError, OSError) as error:
        said = (getattr(error, "stderr", "") or str(error)).strip().rpartition("\n")[2]
        return Finding("torch", "broken", f"can't be imported: {said}", 'pip install --force-reinstall "quizapp[local]"')
    version, gpus, gloo, nccl = done.stdout.split()[-4:]
    if gloo != "True":
        return Finding("torch", "broken", f"{version} has no gloo", 'pip install --force-reinstall "quizapp[local]"')
    plain = version.split("+")[0]
    major, minor = (int(part) for part in plain.split(".")[:2])
    if not (2, 6) <= (major, minor) < (2, 14):
        return Finding("torch", "broken", f"{version} is outside 2.6 to 2.13", 'pip install "torch>=2.6,<2.14"')
    return Finding("torch", "ok", f"{version}, gloo{', nccl' if nccl == 'True' else ''}, {gpus} GPUs")


def _bubblewrap() -> Finding:
    from quizapp.judge.runner import local

    if not sys.platform.startswith("linux"):
        return Finding("bubblewrap", "missing", "Linux only; the local backend runs code with your own rights here")
    if shutil.which("bwrap") is None:
        detail = "the local backend runs code with your own rights"
        return Finding("bubblewrap", "missing", detail, "sudo apt-get install bubblewrap")
    if local.bubblewrap() is None:
        mend = "sudo sysctl kernel.unprivileged_userns_clone=1, or use the container backend"
        return Finding("bubblewrap", "broken", "installed, but it can't make a sandbox here", mend)
    return Finding("bubblewrap", "ok", "the local backend runs in it; it limits neither memory nor processes by itself")


def _engine() -> Finding:
    from quizapp.judge.runner import docker, engine
    from quizapp.judge.runner.worker import BackendUnavailable

    try:
        version = docker.client().version()
        meant = engine.find()
    except BackendUnavailable as error:
        detail, _, mend = str(error).partition("; ")
        return Finding("container engine", "missing", detail, mend)
    return Finding("container engine", "ok", f"{version.get('Version')} on {version.get('Os')}/{version.get('Arch')}, at {meant}")


def _image() -> Finding:
    from quizapp.judge.runner import docker
    from quizapp.judge.runner.worker import BackendUnavailable

    try:
        engine = docker.client()
    except BackendUnavailable:
        return Finding("sandbox image", "missing", "not known: no engine to ask", "mend the container engine first")
    try:
        docker.require_image(engine)
    except BackendUnavailable as error:
        return Finding("sandbox image", "missing", str(error).partition(";")[0], "quizapp sandbox build")
    return Finding("sandbox image", "ok", docker.image_name())


CHECKS: tuple[Callable[[], Finding], ...] = (_python, _banks, _progress, _torch, _bubblewrap, _engine, _image)
SIGNS = {"ok": "✓", "missing": "–", "broken": "✗"}


def doctor(*, json: Json = False) -> int:
    """Say in plain words what works here, what does not, and the command that mends it."""
    from quizapp.cli import doctor_gpus

    findings = [*(check() for check in CHECKS), *doctor_gpus.explain(doctor_gpus.look())]
    state = {finding.name: finding.state for finding in findings}
    backends = [
        *(["docker"] if state["container engine"] == state["sandbox image"] == "ok" else []),
        *(["local"] if state["torch"] == "ok" else []),
    ]
    healthy = bool(backends) and not any(finding.needed and finding.state != "ok" for finding in findings)
    if json:
        print(jsonlib.dumps({"healthy": healthy, "backends": backends, "findings": [asdict(finding) for finding in findings]}))
        return 0 if healthy else 3
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        print(f"{SIGNS[finding.state]} {finding.name:<{width}}  {finding.state:<7}  {finding.detail}")
        if finding.mend:
            print(f"  {'':<{width}}           mend: {finding.mend}")
    print()
    if not backends:
        print("Questions work. Programs can't be judged here yet: mend torch (quickest), or the engine and its image.")
    else:
        print(f"Questions work. Programs are judged on: {', '.join(backends)} ({backends[0]} unless you say --backend).")
    return 0 if healthy else 3
