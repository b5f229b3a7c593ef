"""The two questions asked one after the other, each with the collective that fits it: SUM for counts, MIN for consent."""

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy


def step_or_skip(model, batch, optimizer, group):
    features, targets, mask = batch
    tokens = torch.tensor(float(mask.count_nonzero()), dtype=torch.float64, device=features.device)
    dist.all_reduce(tokens, op=dist.ReduceOp.SUM, group=group)
    if tokens.item() == 0.0:
        return

    optimizer.zero_grad(set_to_none=True)
    loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
    consent = torch.isfinite(loss.detach()).int()
    dist.all_reduce(consent, op=dist.ReduceOp.MIN, group=group)
    if not consent:
        return
    loss.mul(dist.get_world_size(group)).div(tokens).backward()
    optimizer.step()
