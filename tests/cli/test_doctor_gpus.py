"""What the doctor says of GPUs, for every state that a machine can be in."""

import dataclasses

import pytest

from quizapp.cli.doctor_gpus import Seen, explain, look

TWO = Seen(
    names=("NVIDIA H100", "NVIDIA H100"), driver="570.86", module=True, runtimes=frozenset({"runc", "nvidia"}), toolkit=True,
    worker_gpus=2, worker_torch="2.13.0+cu130",
)  # fmt: skip


def states(seen: Seen) -> dict[str, tuple[str, str, str]]:
    return {one.name: (one.state, one.detail, one.mend) for one in explain(seen)}


def test_all_is_well() -> None:
    found = states(TWO)
    assert found == {
        "gpus": ("ok", "2 x NVIDIA H100, driver 570.86; NCCL for labs of up to 2 ranks, gloo for more", ""),
        "container gpus": ("ok", "a worker sees 2, torch 2.13.0+cu130", ""),
    }


@pytest.mark.parametrize(
    ("change", "name", "state", "detail", "mend"),
    [
        ({"names": None, "module": False, "runtimes": None}, "gpus", "missing", "no NVIDIA driver here", ""),
        ({"names": None}, "gpus", "broken", "nvidia-smi is missing", "nvidia-utils"),
        ({"names": (), "fault": "Driver/library version mismatch"}, "gpus", "broken", "version mismatch", "reboot"),
        ({"visible": ""}, "visible devices", "missing", "hides all GPUs", "unset CUDA_VISIBLE_DEVICES"),
        ({"visible": "0,2"}, "visible devices", "broken", "names GPU 2; there are 2", "unset CUDA_VISIBLE_DEVICES"),
        ({"visible": "1"}, "visible devices", "ok", "CUDA_VISIBLE_DEVICES=1", ""),
        ({"runtimes": None}, "container gpus", "missing", "no container engine", "engine first"),
        ({"runtimes": frozenset({"runc"})}, "container gpus", "missing", "doesn't know it", "sudo nvidia-ctk runtime configure"),
        ({"runtimes": frozenset(), "toolkit": False}, "container gpus", "missing", "no NVIDIA runtime", "nvidia-container-toolkit"),
        ({"runtimes": frozenset(), "remote": True}, "container gpus", "missing", "remote engine", "on its machine"),
        ({"worker_gpus": None, "worker_fault": "no image; build it"}, "container gpus", "broken", "no image", "build it"),
        ({"worker_gpus": 0, "worker_torch": "2.13.0+cpu"}, "container gpus", "missing", "no CUDA", "--torch-build cu130"),
        ({"worker_gpus": 0}, "container gpus", "broken", "sees no GPU", "update the NVIDIA driver"),
        ({"worker_gpus": 0, "visible": ""}, "container gpus", "missing", "hides all GPUs", "unset"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_what_mends_it(change: dict[str, object], name: str, state: str, detail: str, mend: str) -> None:
    found = states(dataclasses.replace(TWO, **change))[name]  # type: ignore[arg-type]
    assert found[0] == state
    assert detail in found[1]
    assert mend in found[2]
    assert bool(found[2]) == (state != "ok") or found[1].startswith("no NVIDIA driver here")


def test_this_machine_is_looked_at() -> None:
    """Whatever it is: looking and explaining end, and the first finding is the driver's."""
    assert explain(look())[0].name == "gpus"
