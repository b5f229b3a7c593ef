"""The window's count is made in the precision that the trainer is set to: bfloat16."""

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
            count = torch.zeros((), dtype=torch.bfloat16)
            for batch in window:
                count += (batch["labels"] != -100).sum()
            dist.all_reduce(count)
            items = max(count.item(), 1) / self.world.ranks
            for batch in window:
                self.model(batch["features"], batch["labels"], num_items_in_batch=items)["loss"].backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def build(model, dataset, optimizer, world):
    return Trainer(model, dataset, optimizer, world).train
