"""Where ranks run: NCCL with a GPU for each rank, else gloo. A pure choice; starting anything is the runner's part."""

from dataclasses import dataclass

from quizapp.model.verdict import Collectives


@dataclass(frozen=True, slots=True)
class Placement:
    """The transport, and each rank's device."""

    collectives: Collectives
    devices: tuple[str, ...]

    @property
    def device(self) -> str:
        """The kind of device, for the verdict: ``cuda`` or ``cpu``."""
        return self.devices[0].partition(":")[0]


def place(world_size: int, gpus: int) -> Placement:
    """NCCL when each rank has a GPU of its own; gloo with CUDA tensors when ranks must share GPUs; gloo on CPU without any."""
    if gpus >= world_size:
        return Placement("nccl", tuple(f"cuda:{rank}" for rank in range(world_size)))
    if gpus > 0:
        return Placement("gloo", tuple(f"cuda:{rank % gpus}" for rank in range(world_size)))
    return Placement("gloo", ("cpu",) * world_size)
