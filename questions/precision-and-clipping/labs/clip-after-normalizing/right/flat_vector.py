"""Works on one flat vector; for shards the whole is gathered back, so that there is only one kind of norm."""

import torch
import torch.distributed as dist


def _everything(vector, group):
    length = torch.tensor([vector.numel()])
    lengths = [torch.zeros_like(length) for _ in range(dist.get_world_size(group))]
    dist.all_gather(lengths, length, group=group)
    longest = int(max(lengths))
    padded = torch.cat([vector, vector.new_zeros(longest - vector.numel())])
    parts = [torch.empty_like(padded) for _ in lengths]
    dist.all_gather(parts, padded, group=group)
    return torch.cat([part[: int(n)] for part, n in zip(parts, lengths, strict=True)])


def clipped_gradient(gradients, counts, max_norm, sharded, group):
    vector = sum(torch.cat([tensor.flatten() for tensor in row]) for row in gradients)
    total = torch.tensor([sum(counts)], dtype=torch.int64)
    dist.all_reduce(total, group=group)
    vector = vector / max(1, total.item())
    if sharded:
        norm = _everything(vector, group).norm()
    else:
        dist.all_reduce(vector, group=group)
        norm = vector.norm()
    if norm > max_norm:
        vector = vector * (max_norm / norm)
    sizes = [tensor.numel() for tensor in gradients[0]]
    shapes = [tensor.shape for tensor in gradients[0]]
    return [part.reshape(shape) for part, shape in zip(vector.split(sizes), shapes, strict=True)], norm
