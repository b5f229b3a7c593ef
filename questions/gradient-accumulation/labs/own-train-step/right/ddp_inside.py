"""Wraps the model in DDP for the step. DDP averages, so the factor R comes in: R * L / N, reduced in the last backward."""

import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel


def train_step(model, microbatches, optimizer, group):
    replica = DistributedDataParallel(model, process_group=group)
    tokens = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(tokens, group=group)
    optimizer.zero_grad()
    *local, last = microbatches
    with replica.no_sync():
        for microbatch in local:
            _backward(replica, *microbatch, tokens)
    _backward(replica, *last, tokens)
    optimizer.step()


def _backward(replica, features, targets, mask, tokens):
    loss = cross_entropy(replica(features)[mask], targets[mask], reduction="sum")
    (loss * dist.get_world_size() / tokens.clamp(min=1)).backward()
