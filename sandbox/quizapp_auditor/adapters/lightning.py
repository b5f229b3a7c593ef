"""``lightning.Trainer`` with DDP, and a mean loss in ``training_step``. ``--set key=value`` goes to the ``Trainer``.

``shuffle=true`` leaves the sampler to the Trainer, which shuffles training data; else rows are dealt in order.
"""

from collections.abc import Callable
from typing import Any

import lightning  # type: ignore[import-not-found, unused-ignore]
from lightning.pytorch.strategies import DDPStrategy  # type: ignore[import-not-found, unused-ignore]
from torch import Tensor, nn
from torch.utils.data import DataLoader, DistributedSampler

from quizapp_auditor.rows import Rows
from quizapp_auditor.world import World


class Module(lightning.LightningModule):  # type: ignore[misc, unused-ignore]
    """The model's own mean loss, and the recording optimizer."""

    def __init__(self, model: nn.Module, optimizer: Callable[..., Any]) -> None:
        super().__init__()
        self.model = model
        self.make = optimizer

    def training_step(self, batch: dict[str, Tensor], _: int) -> Tensor:
        return self.model(**batch)["loss"]  # type: ignore[no-any-return]

    def configure_optimizers(self) -> Any:
        return self.make(self.parameters())


def build(model: nn.Module, dataset: Rows, optimizer: Callable[..., Any], world: World) -> Callable[[], None]:
    """One epoch of ``fit``."""
    shuffle = bool(world.option("shuffle", False))
    sampler: Any = None if shuffle else DistributedSampler(dataset, num_replicas=world.ranks, rank=world.rank, shuffle=False)
    options: dict[str, Any] = {
        "use_distributed_sampler": shuffle,
        "accelerator": "cpu",
        "devices": world.ranks,
        "strategy": DDPStrategy(process_group_backend="gloo") if world.ranks > 1 else "auto",
        "accumulate_grad_batches": world.accumulate,
        "max_epochs": 1,
        "logger": False,
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "default_root_dir": world.folder,
        **world.options,
    }
    loader = DataLoader(dataset, batch_size=world.rows_per_microbatch, sampler=sampler)
    module = Module(model, optimizer)
    return lambda: lightning.Trainer(**options).fit(module, loader)
