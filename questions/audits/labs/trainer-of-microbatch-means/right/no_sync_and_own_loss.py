"""A loss of its own from logits; only the last backward of a window is reduced."""

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class Trainer:
    def __init__(self, model, dataset, optimizer, world):
        self.world = world
        self.model = DistributedDataParallel(model)
        self.optimizer = optimizer(model.parameters())
        sampler = DistributedSampler(dataset, world.ranks, world.rank, shuffle=False)
        self.loader = DataLoader(dataset, batch_size=world.rows_per_microbatch, sampler=sampler)

    def windows(self):
        batches = list(self.loader)
        for start in range(0, len(batches), self.world.accumulate):
            yield batches[start : start + self.world.accumulate]

    def train(self):
        for window in self.windows():
            counts = torch.stack([(batch["labels"] != -100).sum() for batch in window])
            total = counts.sum()
            dist.all_reduce(total)
            for batch in window[:-1]:
                with self.model.no_sync():
                    self.backward(batch, total)
            self.backward(window[-1], total)
            self.optimizer.step()
            self.optimizer.zero_grad()

    def backward(self, batch, total):
        logs = self.model(batch["features"]).log_softmax(-1)
        losses = -logs.gather(-1, batch["targets"][..., None])[..., 0]
        (self.world.ranks * (losses * batch["mask"]).sum() / total.clamp(min=1)).backward()


def build(model, dataset, optimizer, world):
    return Trainer(model, dataset, optimizer, world).train
