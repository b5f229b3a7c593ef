"""Oracle workers: references, per-token gradients and predictions, from a bank's own ``oracle.py``, on one device.

Runs only for the bank whose text it was given, and never sees a submission.
"""

import traceback
import types
from collections.abc import Mapping
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
    return Scenario(size, int(facts["microbatches"]), bool(facts["probe"]), named(arrays, f"{index}.*.", CPU), shards, CPU)


class References:
    """Answers ``reference`` requests; keeps each oracle module it has loaded."""

    def __init__(self) -> None:
        self._modules: dict[str, types.ModuleType] = {}

    def _module(self, source: str) -> types.ModuleType:
        if source not in self._modules:
            module = types.ModuleType("oracle")
            exec(compile(source, "oracle.py", "exec", dont_inherit=True), module.__dict__)
            self._modules[source] = module
        return self._modules[source]

    def answer(self, request: wire.Frame) -> wire.Frame:
        """``references`` with arrays ``<index>.reference.<name>``, ``<index>.terms`` and ``<index>.<id>.<name>``, or ``fault``."""
        try:
            module = self._module(str(request.data["source"]))
            arrays: dict[str, wire.Array] = {}
            marked = [f for f in vars(module).values() if isinstance(getattr(f, "misconception", None), str)]
            for index, facts in enumerate(request.data["scenarios"]):
                if facts["probe"]:
                    continue
                scenario = scenario_from(facts, request.arrays, index)
                for name, tensor in module.reference(scenario).items():
                    arrays[f"{index}.reference.{name}"] = to_array(tensor)
                if hasattr(module, "terms"):
                    arrays[f"{index}.terms"] = to_array(module.terms(scenario))
                for function in marked:
                    for name, tensor in function(scenario).items():
                        arrays[f"{index}.{function.misconception}.{name}"] = to_array(tensor)
            return wire.Frame("references", {}, arrays)
        except Exception:
            return wire.Frame("fault", {"message": traceback.format_exc(limit=-3)[-2000:]})
