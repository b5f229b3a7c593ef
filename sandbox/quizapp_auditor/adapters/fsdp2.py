"""The loop of ``ddp.py`` with parameters sharded by ``fully_shard``. Needs a torch that has it: 2.6 or newer."""

from collections.abc import Callable
from typing import Any

from torch import nn

from quizapp_auditor.adapters import ddp
from quizapp_auditor.rows import Rows
from quizapp_auditor.world import World


def build(model: nn.Module, dataset: Rows, optimizer: Callable[..., Any], world: World) -> Callable[[], None]:
    """The same loop, another wrapper."""
    return ddp.build(model, dataset, optimizer, world, wrap="fsdp2")
