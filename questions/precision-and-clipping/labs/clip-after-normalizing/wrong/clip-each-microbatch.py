"""Thought: "After every backward I clip, so that no microbatch can blow up the window."

What is clipped each time is the gradient so far. Earlier microbatches are shortened again and again, and the order matters.
"""

import torch
import torch.distributed as dist


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    tokens = torch.tensor(float(sum(counts)), dtype=torch.float64)
    dist.all_reduce(tokens, group=group)
    running = [torch.zeros_like(tensor) for tensor in gradients[0]]
    norm = torch.zeros((), dtype=torch.float64)
    for microbatch in gradients:
        for tensor, new in zip(running, microbatch, strict=True):
            part = new / tokens.clamp(min=1)
            if not sharded:
                dist.all_reduce(part, group=group)
            tensor += part
        squares = sum(tensor.square().sum() for tensor in running)
        if sharded:
            dist.all_reduce(squares, group=group)
        norm = squares.sqrt()
        for tensor in running:
            tensor *= min(1.0, max_norm / (float(norm) + 1e-6))
    return running, norm
