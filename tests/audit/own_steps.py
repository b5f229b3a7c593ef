"""Training steps as a team would have them in a module of theirs; ranks import them from here."""

from typing import Any

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def _losses(model: Any, batch: dict[str, Any]) -> Any:
    logits = model(batch["features"])
    return cross_entropy(logits.flatten(0, 1), batch["labels"].flatten(), ignore_index=-100, reduction="sum")


def token_mean(model: Any, microbatches: list[dict[str, Any]], optimizer: Any, group: Any) -> None:
    count = sum((batch["labels"] != -100).sum() for batch in microbatches)
    dist.all_reduce(count, group=group)
    for batch in microbatches:
        (_losses(model, batch) * dist.get_world_size(group) / count).backward()
    optimizer.step()
    optimizer.zero_grad()


def microbatch_means(model: Any, microbatches: list[dict[str, Any]], optimizer: Any, group: Any) -> None:
    for batch in microbatches:
        (_losses(model, batch) / (batch["labels"] != -100).sum() / len(microbatches)).backward()
    optimizer.step()
    optimizer.zero_grad()


def raising(model: Any, microbatches: list[dict[str, Any]], optimizer: Any, group: Any) -> None:
    microbatches[0]["nothing of that name"]
