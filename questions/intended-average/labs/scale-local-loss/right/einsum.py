"""One einsum over the mask; tokens and ranks are counted in a single all-reduce."""

import torch
import torch.distributed as dist


class _Window:
    """The step's global facts, asked for once."""

    def __init__(self, mask):
        valid = mask.double().sum()
        facts = torch.stack([valid, torch.ones_like(valid)])
        dist.all_reduce(facts, op=dist.ReduceOp.SUM)
        self.tokens, self.ranks = facts.tolist()


def scale_loss(token_losses, mask):
    window = _Window(mask)
    local_sum = torch.einsum("t,t->", token_losses, mask.double())
    return local_sum * window.ranks / max(window.tokens, 1.0)
