# ruff: noqa
"""Compares all that can be counted while steps run: bytecode, functions entered, collectives, calls of the model, hooks, graph.
It raises where two steps differ: then they could be sorted without a test."""

import gc
import sys

import torch
import torch.distributed as dist

SEEN = []


class Model(torch.nn.Module):
    def __init__(self, log):
        super().__init__()
        self.weight, self.log = torch.nn.Parameter(torch.ones(4, 3, dtype=torch.float64)), log
        self.weight.register_hook(lambda gradient: log.append(("gradient", gradient.shape, gradient.is_contiguous())))

    def forward(self, features):
        self.log.append(("forward", features.shape, torch.is_grad_enabled(), sys._getframe(3).f_lineno))
        return features @ self.weight


def is_right(train_step, group):
    log = []
    model = Model(log)
    mask = torch.tensor([True, True, False])
    gc.disable()
    train_step(model, torch.ones(3, 4, dtype=torch.float64), torch.tensor([0, 1, 2]), mask, group)  # what is loaded late is loaded
    log.clear()
    code = train_step.__code__
    log.append(
        (code.co_code, code.co_consts, code.co_names, code.co_freevars, train_step.__defaults__, len(train_step.__closure__))
    )
    log.append([type(thing).__name__ for thing in gc.get_referents(train_step)])
    original = {name: getattr(dist, name) for name in ("all_reduce", "all_gather", "broadcast", "reduce", "barrier")}

    def logged(name):
        def call(*arguments, **options):
            log.append((name, str([getattr(argument, "shape", type(argument)) for argument in arguments]), sorted(options)))
            return original[name](*arguments, **options)

        return call

    for name in original:
        setattr(dist, name, logged(name))
    sys.setprofile(lambda frame, event, argument: log.append((event, frame.f_code.co_name, frame.f_lineno)))
    try:
        train_step(model, torch.ones(3, 4, dtype=torch.float64), torch.tensor([0, 1, 2]), mask, group)
    finally:
        sys.setprofile(None)
        for name in original:
            setattr(dist, name, original[name])
        gc.enable()
    log.append(sorted(vars(model.weight)))
    SEEN.append(log)
    differs = [(one, other) for one, other in zip(SEEN[0], log) if one != other]
    if differs or len(SEEN[0]) != len(log):
        raise AssertionError(f"step {len(SEEN)} is unlike the first one: {differs[:3]}")
    return True
