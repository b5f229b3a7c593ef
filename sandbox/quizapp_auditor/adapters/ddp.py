"""A plain loop under ``DistributedDataParallel``.

``--set normalize=window|rank|microbatch|none`` says what a loss sum is divided by; ``max_grad_norm=NUMBER`` clips.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from quizapp_auditor.load import Unusable
from quizapp_auditor.loop import Batch, windows, wrapped
from quizapp_auditor.rows import IGNORED, Rows
from quizapp_auditor.world import World

NORMALIZERS = ("window", "rank", "microbatch", "none")


def loss_sum(model: nn.Module, batch: Batch, shift: bool) -> Tensor:
    """The sum of token losses over the valid positions of a microbatch."""
    logits, labels = model(batch["features"]), batch["labels"]
    if shift:
        logits, labels = logits[..., :-1, :], labels[..., 1:]
    return cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=IGNORED, reduction="sum")


def counted(batch: Batch, shift: bool) -> Tensor:
    """Valid positions of a microbatch."""
    labels = batch["labels"][..., 1:] if shift else batch["labels"]
    return (labels != IGNORED).sum()


def _unreduced(model: Any, last: bool) -> AbstractContextManager[Any]:
    """What a microbatch runs in, so that only the window's last one is reduced."""
    if hasattr(model, "set_requires_gradient_sync"):
        model.set_requires_gradient_sync(last)
    return model.no_sync() if not last and hasattr(model, "no_sync") else nullcontext()


def build(model: nn.Module, dataset: Rows, optimizer: Callable[..., Any], world: World, wrap: str = "ddp") -> Callable[[], None]:
    """A loop that accumulates without a reduction in between."""
    normalize = str(world.option("normalize", "window"))
    clip = world.option("max_grad_norm")
    if normalize not in NORMALIZERS or world.options:
        left = ", ".join(world.options) or f"normalize={normalize}"
        raise Unusable(f"this adapter knows normalize={'|'.join(NORMALIZERS)} and max_grad_norm; not {left}")
    model = wrapped(model, wrap)
    stepper = optimizer(model.parameters())

    def train() -> None:
        for batches in windows(dataset, world):
            counts = torch.stack([counted(batch, world.shift) for batch in batches])
            total = counts.sum()
            dist.all_reduce(total)
            for k, batch in enumerate(batches):
                last = k == len(batches) - 1
                held = _unreduced(model, last)
                with held:
                    loss = loss_sum(model, batch, world.shift)
                    if normalize == "window":
                        loss = loss * world.ranks / total
                    elif normalize == "rank":
                        loss = loss / counts.sum()
                    elif normalize == "microbatch":
                        loss = loss / counts[k] / world.accumulate
                    loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
            if clip is not None:
                nn.utils.clip_grad_norm_(model.parameters(), float(clip))
            stepper.step()
            stepper.zero_grad()

    return train
