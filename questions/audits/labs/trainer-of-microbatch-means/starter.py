"""A Trainer as libraries build them, with accumulation. Its loss falls, and it doesn't train the token mean. Mend it.

`build(model, dataset, optimizer, world)` is what `quizapp audit` calls, and this file is one that it takes.

model: a plain module. `model(features)` gives logits [B, L, C]; `model(features, labels)` gives `{"loss", "logits"}`, the loss a
    mean over this batch's own labels that aren't -100; `model(features, labels, num_items_in_batch=n)` gives their sum over n.
dataset: rows `{"features" [L, D], "labels" [L], ...}`, labels -100 at padding, dealt to ranks in turn.
optimizer: a class; what it makes keeps the gradients of each step and changes nothing.
world: `rank`, `ranks`, `accumulate` (microbatches of a full window), `rows_per_microbatch`.

Wanted: one step for each window of `world.accumulate` microbatches, the last of which may be short; and at each step, on every
rank, `.grad` holds the gradient of

    (sum of the losses of the window's valid tokens on all ranks) / (number of valid tokens of the window on all ranks)

A row, a rank's whole window, or the window on every rank may be without a valid token; the step is taken then, too.
"""

import torch  # noqa: F401  (you may want it)
import torch.distributed as dist  # noqa: F401
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


class Trainer:
    """One epoch over the data set."""

    def __init__(self, model, dataset, optimizer, world):
        self.world = world
        self.model = DistributedDataParallel(model)  # averages gradients over the ranks
        self.optimizer = optimizer(model.parameters())
        sampler = DistributedSampler(dataset, world.ranks, world.rank, shuffle=False)
        self.loader = DataLoader(dataset, batch_size=world.rows_per_microbatch, sampler=sampler)

    def compute_loss(self, batch):
        return self.model(batch["features"], batch["labels"])["loss"]

    def training_step(self, batch):
        loss = self.compute_loss(batch)
        (loss / self.world.accumulate).backward()

    def train(self):
        for index, batch in enumerate(self.loader):
            self.training_step(batch)
            if (index + 1) % self.world.accumulate == 0 or index + 1 == len(self.loader):
                self.optimizer.step()
                self.optimizer.zero_grad()


def build(model, dataset, optimizer, world):
    return Trainer(model, dataset, optimizer, world).train
