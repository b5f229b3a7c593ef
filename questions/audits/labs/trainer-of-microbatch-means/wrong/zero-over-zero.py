"""Right, with no thought of a window without tokens: losses times a mask, over a count that may be 0."""

import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class Trainer:
    def __init__(self, model, dataset, optimizer, world):
        self.world = world
        self.model = DistributedDataParallel(model)
        self.optimizer = optimizer(model.parameters())
        sampler = DistributedSampler(dataset, world.ranks, world.rank, shuffle=False)
        self.loader = DataLoader(dataset, batch_size=world.rows_per_microbatch, sampler=sampler)

    def train(self):
        batches = list(self.loader)
        for start in range(0, len(batches), self.world.accumulate):
            window = batches[start : start + self.world.accumulate]
            count = sum(batch["mask"].sum() for batch in window)
            dist.all_reduce(count)
            for batch in window:
                logits = self.model(batch["features"]).flatten(0, 1)
                losses = cross_entropy(logits, batch["targets"].flatten(), reduction="none")
                ((losses * batch["mask"].flatten()).sum() * self.world.ranks / count).backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def build(model, dataset, optimizer, world):
    return Trainer(model, dataset, optimizer, world).train
