"""A parameter server in small: rank 0 gathers sums and counts, divides, and broadcasts the result."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.utils import parameters_to_vector


def train_step(model, microbatches, optimizer, group):
    optimizer.zero_grad()
    for features, targets, mask in microbatches:
        (cross_entropy(model(features), targets, reduction="none") * mask).sum().backward()
    sums = parameters_to_vector([parameter.grad for parameter in model.parameters()])
    tokens = sum(mask.sum() for _, _, mask in microbatches)
    message = torch.cat([sums, tokens.double().reshape(1)])
    inbox = [torch.empty_like(message) for _ in range(dist.get_world_size(group))] if dist.get_rank(group) == 0 else None
    dist.gather(message, inbox, dst=0, group=group)
    if inbox is not None:
        total = torch.stack(inbox).sum(dim=0)
        message = total / total[-1].clamp(min=1)
    dist.broadcast(message, src=0, group=group)
    offset = 0
    for parameter in model.parameters():
        parameter.grad = message[offset : offset + parameter.numel()].view_as(parameter).clone()
        offset += parameter.numel()
    optimizer.step()
