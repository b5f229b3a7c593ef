"""A loop with ``accelerate.Accelerator``, as its guide on accumulation has it: the model's own mean loss under ``accumulate``.

``--set normalize=window`` is the guide's other loop, for rows of uneven length: a loss sum over the token count of the window.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from accelerate import Accelerator  # type: ignore[import-not-found, unused-ignore]
from torch import nn
from torch.utils.data import DataLoader

from quizapp_auditor.adapters.ddp import counted, loss_sum
from quizapp_auditor.load import Unusable
from quizapp_auditor.rows import Rows
from quizapp_auditor.world import World


def build(model: nn.Module, dataset: Rows, optimizer: Callable[..., Any], world: World) -> Callable[[], None]:
    """One epoch. Options beside ``normalize`` go to ``Accelerator``."""
    normalize = str(world.option("normalize", "microbatch"))
    if normalize not in ("microbatch", "window"):
        raise Unusable(f"normalize must be microbatch or window, not {normalize!r}")
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=world.accumulate, **world.options)
    loader = DataLoader(dataset, batch_size=world.rows_per_microbatch)
    model, stepper, loader = accelerator.prepare(model, optimizer(model.parameters()), loader)

    def plain() -> None:
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(**batch)["loss"])
                stepper.step()
                stepper.zero_grad()

    def windows() -> None:
        batches = list(loader)
        for start in range(0, len(batches), world.accumulate):
            window = batches[start : start + world.accumulate]
            total = accelerator.gather(torch.stack([counted(batch, world.shift) for batch in window]).sum()).sum()
            for k, batch in enumerate(window):
                with nullcontext() if k == len(window) - 1 else accelerator.no_sync(model):
                    loss = loss_sum(model, batch, world.shift)
                    # backward divides by the accumulation steps; DDP by the ranks.
                    accelerator.backward(loss * accelerator.num_processes * world.accumulate / total)
            stepper.step()
            stepper.zero_grad()

    return plain if normalize == "microbatch" else windows
