"""Cards dealt round the table: an endless deck for padding, a deck cut to full rounds for drop_last."""

from itertools import cycle, islice

import torch


def plan_epoch(dataset_length, epoch, seed, drop_last, rank, world_size):
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    deck = [int(card) for card in torch.randperm(dataset_length, generator=generator)]
    rounds, left = divmod(len(deck), world_size)
    if left and not drop_last:
        rounds += 1
    dealt = list(islice(cycle(deck), rounds * world_size))
    hands = [[] for _ in range(world_size)]
    for turn, card in enumerate(dealt):
        hands[turn % world_size].append(card)
    return {"indices": hands[rank], "repeated": sorted(dealt[len(deck) :]), "dropped": sorted(deck[len(dealt) :])}
