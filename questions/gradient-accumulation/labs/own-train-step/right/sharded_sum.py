"""The way of sharded optimizers: exchange shards of the sums, divide the own shard, gather the shards that are finished."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy, pad


def mean_of(flat, denominator, group):
    """The sum of all ranks' `flat` over `denominator`; each rank adds up and divides one shard of it."""
    ranks = dist.get_world_size(group)
    padded = pad(flat, (0, -len(flat) % ranks))
    parts = torch.empty_like(padded)
    dist.all_to_all_single(parts, padded, group=group)
    own = parts.view(ranks, -1).sum(dim=0) / denominator
    dist.all_gather(list(padded.chunk(ranks)), own, group=group)
    return padded[: len(flat)]


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        cross_entropy(model(features)[mask], targets[mask], reduction="sum").backward()
    count = sum(mask.sum() for _, _, mask in microbatches)
    dist.all_reduce(count, group=group)
    for parameter in model.parameters():
        parameter.grad = mean_of(parameter.grad.flatten(), count.clamp(min=1), group).view_as(parameter)
    optimizer.step()
