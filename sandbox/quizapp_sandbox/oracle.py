"""Oracle workers: references, per-token gradients and predictions, from a bank's own ``oracle.py``, on one device.

Runs only for the bank whose text it was given, and never sees a submission.
"""

import linecache
import traceback
import types
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from quizapp_sandbox import wire
from quizapp_sandbox.arrays import named, to_array
from quizapp_sandbox.contract import Scenario

CPU = torch.device("cpu")


def scenario_from(facts: Mapping[str, Any], arrays: Mapping[str, wire.Array], index: int) -> Scenario:
    """The whole scenario, all ranks' shards included."""
    size = int(facts["world_size"])
    shards = {rank: named(arrays, f"{index}.{rank}.", CPU) for rank in range(size)}
    windows = tuple(int(length) for length in facts["windows"])
    return Scenario(size, int(facts["accumulate"]), windows, bool(facts["probe"]), named(arrays, f"{index}.*.", CPU), shards, CPU)


Foretold = Mapping[str, torch.Tensor] | Sequence[Mapping[str, torch.Tensor]]


def _by_rank(prefix: str, observation: Foretold) -> dict[str, wire.Array]:
    """Arrays named ``<prefix>.<rank>.<name>``, with ``*`` for the rank where all share them."""
    rows = [("*", observation)] if isinstance(observation, Mapping) else [(str(rank), own) for rank, own in enumerate(observation)]
    return {f"{prefix}.{rank}.{name}": to_array(_numeric(tensor)) for rank, own in rows for name, tensor in own.items()}


def _numeric(value: Any) -> torch.Tensor:
    tensor = torch.as_tensor(value)
    if tensor.dtype.is_floating_point:
        return tensor.to(torch.float64)
    return tensor.to(torch.int64)


class References:
    """Answers ``reference`` requests; keeps each oracle module it has loaded."""

    def __init__(self) -> None:
        self._modules: dict[str, types.ModuleType] = {}

    def _module(self, source: str) -> types.ModuleType:
        if source not in self._modules:
            module = types.ModuleType("oracle")
            linecache.cache["oracle.py"] = (len(source), None, source.splitlines(keepends=True), "oracle.py")
            exec(compile(source, "oracle.py", "exec", dont_inherit=True), module.__dict__)
            self._modules[source] = module
        return self._modules[source]

    def answer(self, request: wire.Frame) -> wire.Frame:
        """``references`` with arrays ``<index>.reference.<rank>.<name>``, ``<index>.terms``, ``<index>.wanted`` and
        ``<index>.prediction.<position>.<rank>.<name>`` (``predictions`` lists the misconceptions by position), or ``fault``."""
        try:
            module = self._module(str(request.data["source"]))
            marked = [f for f in vars(module).values() if isinstance(getattr(f, "misconception", None), str)]
            arrays: dict[str, wire.Array] = {}
            for index, facts in enumerate(request.data["scenarios"]):
                if facts["probe"]:
                    continue
                scenario = scenario_from(facts, request.arrays, index)
                arrays.update(_by_rank(f"{index}.reference", module.reference(scenario)))
                for name in ("terms", "wanted"):
                    if hasattr(module, name):
                        arrays[f"{index}.{name}"] = to_array(_numeric(getattr(module, name)(scenario)))
                for position, function in enumerate(marked):
                    arrays.update(_by_rank(f"{index}.prediction.{position}", function(scenario)))
            return wire.Frame("references", {"predictions": [function.misconception for function in marked]}, arrays)
        except Exception:
            return wire.Frame("fault", {"message": traceback.format_exc(limit=-3)[-2000:]})
