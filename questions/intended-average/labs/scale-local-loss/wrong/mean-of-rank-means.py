"""Thought: "The mean of my valid tokens is the mean; DDP averages the rest."

Each rank divides by its own count, so a rank with few tokens gives each of them more weight.
"""


def scale_loss(token_losses, mask):
    return token_losses[mask].mean()
