"""FSDP2: each rank keeps a part of every parameter, and the reduction in the backward averages over the ranks as DDP's does."""

import torch.distributed as dist
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler


class Trainer:
    def __init__(self, model, dataset, optimizer, world):
        self.world = world
        self.model = fully_shard(model)
        self.optimizer = optimizer(model.parameters())
        sampler = DistributedSampler(dataset, world.ranks, world.rank, shuffle=False)
        self.loader = DataLoader(dataset, batch_size=world.rows_per_microbatch, sampler=sampler)

    def windows(self):
        batches = list(self.loader)
        for start in range(0, len(batches), self.world.accumulate):
            yield batches[start : start + self.world.accumulate]

    def train(self):
        for window in self.windows():
            total = sum((batch["labels"] != -100).sum() for batch in window)
            dist.all_reduce(total)
            for position, batch in enumerate(window):
                self.model.set_requires_gradient_sync(position == len(window) - 1)
                logs = self.model(batch["features"]).log_softmax(-1)
                losses = -logs.gather(-1, batch["targets"][..., None])[..., 0]
                (self.world.ranks * losses[batch["mask"]].sum() / total.clamp(min=1)).backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def build(model, dataset, optimizer, world):
    return Trainer(model, dataset, optimizer, world).train
