"""Thought: "A count must not be 0, so what I hand to the model is at least 1."

What is handed over is the count by the number of ranks. With fewer tokens than ranks it rightly is below 1.
"""

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
            count = sum((batch["labels"] != -100).sum() for batch in window)
            dist.all_reduce(count)
            items = (count / self.world.ranks).clamp(min=1)
            for batch in window:
                loss = self.model(batch["features"], batch["labels"], num_items_in_batch=items)["loss"]
                loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def build(model, dataset, optimizer, world):
    return Trainer(model, dataset, optimizer, world).train
