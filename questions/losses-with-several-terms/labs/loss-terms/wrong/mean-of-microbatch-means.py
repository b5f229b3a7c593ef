"""Thought: "All three terms as means, divided by the number of microbatches: nice and uniform."

Uniform over microbatches. For the balance term that is right; tokens and positions want to be uniform among themselves.
"""


def microbatch_loss(k, ce, aux, z, masks, settings, group):
    mask = masks[k]
    token_loss = ce[mask].sum() / mask.sum().clamp(min=1)
    return (token_loss + settings.alpha * aux + settings.beta * z.mean()) / len(masks)
