"""Calls ``plan_epoch`` on each rank for three epochs, each without and with ``drop_last``.

Observation: ``indices``, ``repeated`` and ``dropped``, each [6, width] int64, a row for each call, filled up with -1.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy
import torch

from quizapp_sandbox.contract import Invalid, Scenario

LISTS = ("indices", "repeated", "dropped")


def inputs(scenario: Scenario, rank: int) -> Mapping[str, Any]:
    later = int(scenario.shared["epoch"])
    return {
        "length": int(scenario.shared["dealt"].sum()),
        "epochs": (0, later, later + 1),
        "seed": int(scenario.shared["seed"]),
        "rank": rank,
        "world_size": scenario.world_size,
    }


def _whole_numbers(value: object, name: str) -> list[int]:
    listed = value.tolist() if isinstance(value, torch.Tensor | numpy.ndarray) else value
    if not isinstance(listed, list | tuple | range):
        raise Invalid(f"{name} is a {type(value).__name__}; return a list of whole numbers")
    found = []
    for entry in listed:
        if isinstance(entry, bool) or not hasattr(entry, "__index__"):
            raise Invalid(f"{name} holds a {type(entry).__name__}; its entries are whole numbers")
        try:
            found.append(operator.index(entry))  # numbers of numpy's and tensors of one entry are as good
        except (TypeError, RuntimeError):
            raise Invalid(f"{name} holds a tensor that is no whole number") from None
        if not 0 <= found[-1] < 1 << 31:
            raise Invalid(f"{name} holds {found[-1]}, which is no index of the data set")
    return found


def drive(entry: Callable[..., Any], inputs: Mapping[str, Any], group: torch.distributed.ProcessGroup) -> dict[str, torch.Tensor]:
    # The widest plan that some idea of sharding could mean: the whole data set, and a repeat for each rank.
    width = inputs["length"] + inputs["world_size"]
    rows: dict[str, list[torch.Tensor]] = {name: [] for name in LISTS}
    for epoch in inputs["epochs"]:
        for drop_last in (False, True):
            plan = entry(inputs["length"], epoch, inputs["seed"], drop_last, inputs["rank"], inputs["world_size"])
            if not isinstance(plan, Mapping):
                raise Invalid(f"returned a {type(plan).__name__}; return a dict with {', '.join(LISTS)}")
            for name in LISTS:
                if name not in plan:
                    raise Invalid(f"returned a dict without {name}")
                listed = _whole_numbers(plan[name], name)
                if len(listed) > width:
                    raise Invalid(f"{name} has {len(listed)} entries for a data set of {inputs['length']}")
                rows[name].append(torch.tensor(listed + [-1] * (width - len(listed)), dtype=torch.int64))
    return {name: torch.stack(listed) for name, listed in rows.items()}
