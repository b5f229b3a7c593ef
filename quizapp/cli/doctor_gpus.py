"""The part of ``quizapp doctor`` that explains GPUs: driver, visible devices, container toolkit, what a worker really sees.

:func:`look` asks the machine; :func:`explain` only reads what it found, so that every state can be tested without a GPU.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass

from quizapp.cli.doctor import Finding
from quizapp.judge.runner import docker, gpus
from quizapp.judge.runner import engine as engines
from quizapp.judge.runner.worker import BackendUnavailable

TOOLKIT = "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker"


@dataclass(frozen=True, slots=True)
class Seen:
    """What this machine and its engine show."""

    names: tuple[str, ...] | None = None
    """Of the GPUs, as ``nvidia-smi`` lists them; ``None``: there is no ``nvidia-smi``."""
    driver: str = ""
    """The driver's version."""
    fault: str = ""
    """What ``nvidia-smi`` said instead."""
    module: bool = False
    """The kernel has the NVIDIA driver loaded."""
    visible: str | None = None
    """``CUDA_VISIBLE_DEVICES``."""
    runtimes: frozenset[str] | None = None
    """Of the engine; ``None``: none answers."""
    remote: bool = False
    """The engine is another machine's."""
    toolkit: bool = False
    """``nvidia-ctk`` is installed here."""
    worker_gpus: int | None = None
    """What a worker's torch counts in its container; ``None``: not tried."""
    worker_torch: str = ""
    worker_fault: str = ""
    """Why no worker came up."""


def look() -> Seen:
    """Asks driver and engine. Starts a worker where the engine has the NVIDIA runtime, which takes some seconds."""
    names, driver, fault = _driver()
    runtimes, remote = None, False
    try:
        remote = engines.find().is_remote
        runtimes = frozenset(docker.client().info().get("Runtimes") or ())
    except BackendUnavailable:
        pass
    seen = Seen(
        names=names,
        driver=driver,
        fault=fault,
        module=os.path.exists("/proc/driver/nvidia/version"),
        visible=os.environ.get(gpus.VISIBLE),
        runtimes=runtimes,
        remote=remote,
        toolkit=shutil.which("nvidia-ctk") is not None,
    )
    if runtimes is None or gpus.RUNTIME not in runtimes:
        return seen
    return _with_worker(seen)


def _driver() -> tuple[tuple[str, ...] | None, str, str]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return None, "", ""
    command = [program, "--query-gpu=driver_version,name", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return (), "", str(error)
    rows = [line.partition(",") for line in done.stdout.splitlines() if "," in line]
    if done.returncode or not rows:
        return (), "", " ".join((done.stdout + done.stderr).split())[:200] or f"exit code {done.returncode}"
    return tuple(name.strip() for _, _, name in rows), rows[0][0].strip(), ""


def _with_worker(seen: Seen) -> Seen:
    from dataclasses import replace

    try:
        worker = docker.start("submission")
        try:
            facts = worker.ready()
        finally:
            worker.close()
    except BackendUnavailable as error:
        return replace(seen, worker_fault=str(error))
    return replace(seen, worker_gpus=int(facts.get("gpus", 0)), worker_torch=str(facts.get("torch", "")))


def explain(seen: Seen) -> list[Finding]:
    """One finding for the driver, one for ``CUDA_VISIBLE_DEVICES`` where it is set, one for containers where GPUs could be had."""
    found = [_explain_driver(seen)]
    if seen.visible is not None and (seen.names or seen.remote):
        found.append(_explain_visible(seen))
    if seen.names or (seen.runtimes is not None and gpus.RUNTIME in seen.runtimes):
        found.append(_explain_containers(seen))
    return found


def _explain_driver(seen: Seen) -> Finding:
    if seen.fault:
        return Finding(
            "gpus", "broken", f"nvidia-smi says: {seen.fault}", "reinstall the NVIDIA driver, or reboot after its update"
        )
    if seen.names is None and seen.module:
        detail = "the NVIDIA driver is loaded, but nvidia-smi is missing"
        return Finding("gpus", "broken", detail, "install the driver's nvidia-utils package of the same version")
    if not seen.names:
        return Finding("gpus", "missing", "no NVIDIA driver here; ranks run on the CPU with gloo, which judges the same")
    kinds = ", ".join(dict.fromkeys(seen.names))
    count = len(seen.names)
    detail = (
        f"{count} x {kinds}, driver {seen.driver}; NCCL for labs of up to {count} rank{'s' if count > 1 else ''}, gloo for more"
    )
    return Finding("gpus", "ok", detail)


def _explain_visible(seen: Seen) -> Finding:
    name = "visible devices"
    chosen = gpus.visible({gpus.VISIBLE: seen.visible or ""})
    given = f"{gpus.VISIBLE}={seen.visible}"
    if chosen is None or chosen.devices is None:
        return Finding(name, "missing", f"{given} hides all GPUs; ranks run on the CPU", f"unset {gpus.VISIBLE}")
    count = len(seen.names or ())
    absent = [one for one in chosen.devices if one.isdecimal() and int(one) >= count] if not seen.remote else []
    if absent:
        return Finding(name, "broken", f"{given} names GPU {absent[0]}; there are {count}, from 0", f"unset {gpus.VISIBLE}")
    return Finding(name, "ok", f"{given}: {len(chosen.devices)} of {count or 'the engine'}'s GPUs" if seen.remote else given)


def _explain_containers(seen: Seen) -> Finding:
    name = "container gpus"
    if seen.runtimes is None:
        return Finding(name, "missing", "no container engine answers", "mend the container engine first")
    if gpus.RUNTIME not in seen.runtimes:
        if seen.remote:
            return Finding(name, "missing", "the remote engine has no NVIDIA runtime", f"on its machine: {TOOLKIT}")
        if seen.toolkit:
            return Finding(name, "missing", "the NVIDIA Container Toolkit is installed, but the engine doesn't know it", TOOLKIT)
        detail = "the engine has no NVIDIA runtime; containers run on the CPU"
        return Finding(name, "missing", detail, f"install the package nvidia-container-toolkit, then {TOOLKIT}")
    if seen.worker_gpus is None:
        detail, _, mend = (seen.worker_fault or "no worker was tried").partition("; ")
        return Finding(name, "broken", detail, mend or "`docker run --rm --gpus all IMAGE nvidia-smi` says more")
    if seen.worker_gpus:
        return Finding(name, "ok", f"a worker sees {seen.worker_gpus}, torch {seen.worker_torch}")
    if gpus.visible({} if seen.visible is None else {gpus.VISIBLE: seen.visible}) is None:
        return Finding(name, "missing", f"{gpus.VISIBLE} hides all GPUs", f"unset {gpus.VISIBLE}")
    if "+cu" not in seen.worker_torch:
        detail = f"the sandbox image has torch {seen.worker_torch}, which has no CUDA"
        return Finding(name, "missing", detail, "quizapp sandbox build --torch-build cu130")
    return Finding(
        name,
        "broken",
        f"a worker with torch {seen.worker_torch} sees no GPU",
        "update the NVIDIA driver to one that this CUDA release needs, or build the image with an older one (--torch-build)",
    )
