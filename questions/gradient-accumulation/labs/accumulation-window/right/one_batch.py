"""The window as one batch, where memory allows: no accumulation, no no_sync, and nothing to divide but one sum."""

import torch
import torch.distributed as dist
from torch.nn.functional import nll_loss


def train_window(model, microbatches, optimizer, group):
    features, targets, mask = map(torch.cat, zip(*microbatches, strict=True))
    tokens = mask.sum().double()
    dist.all_reduce(tokens, group=group)
    mean_per_rank = tokens.clamp(min=1) / dist.get_world_size(group)
    logits = model(features)
    loss = nll_loss(logits.log_softmax(dim=1), targets.where(mask, torch.tensor(-1)), ignore_index=-1, reduction="sum")
    optimizer.zero_grad()
    loss.div(mean_per_rank).backward()
    optimizer.step()
