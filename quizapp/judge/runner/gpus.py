"""Which of an engine's GPUs a worker's container gets: plain data, chosen without asking a GPU anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RUNTIME = "nvidia"
"""The runtime that the NVIDIA Container Toolkit registers with the engine."""
VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True, slots=True)
class Gpus:
    """At least one GPU."""

    devices: tuple[str, ...] | None = None
    """Numbers or UUIDs, as ``nvidia-smi -L`` lists them; ``None``: all that the engine has."""

    def request(self) -> dict[str, Any]:
        """The device request of the engine's API."""
        which: dict[str, Any] = {"Count": -1} if self.devices is None else {"DeviceIDs": list(self.devices)}
        return {"Driver": RUNTIME, **which, "Capabilities": [["gpu", "compute", "utility"]]}


def visible(environment: Mapping[str, str]) -> Gpus | None:
    """The GPUs that ``CUDA_VISIBLE_DEVICES`` leaves, read as CUDA reads it: all without it, none where it is empty; the list ends
    at the first entry that is no device."""
    given = environment.get(VISIBLE)
    if given is None:
        return Gpus()
    devices: list[str] = []
    for entry in (part.strip() for part in given.split(",")):
        if not (entry.isdecimal() or entry.startswith(("GPU-", "MIG-"))) or entry in devices:
            break
        devices.append(entry)
    return Gpus(tuple(devices)) if devices else None


def choose(role: str, engine_info: Mapping[str, Any], environment: Mapping[str, str]) -> Gpus | None:
    """The GPUs of a worker: for submissions, where the engine has the runtime; the oracle computes on the CPU in any case."""
    if role == "oracle" or RUNTIME not in (engine_info.get("Runtimes") or {}):
        return None
    return visible(environment)
