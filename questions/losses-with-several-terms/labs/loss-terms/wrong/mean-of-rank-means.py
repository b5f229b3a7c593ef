"""Thought: "I look ahead over my window's masks, so the window is one batch. DDP averages the ranks."

One batch for each rank. Their counts differ, and the average over ranks doesn't know.
"""


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    tokens = max(1, sum(int(mask.sum()) for mask in masks))
    places = sum(mask.numel() for mask in masks)
    return ce[masks[k]].sum() / tokens + settings.alpha * aux / len(masks) + settings.beta * z.sum() / places
