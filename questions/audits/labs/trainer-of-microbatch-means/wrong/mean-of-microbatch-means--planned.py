"""The recipe: each microbatch's own mean over the planned number of microbatches."""

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
        for index, batch in enumerate(self.loader):
            (self.model(batch["features"], batch["labels"])["loss"] / self.world.accumulate).backward()
            if (index + 1) % self.world.accumulate == 0 or index + 1 == len(self.loader):
                self.optimizer.step()
                self.optimizer.zero_grad()


def build(model, dataset, optimizer, world):
    return Trainer(model, dataset, optimizer, world).train
