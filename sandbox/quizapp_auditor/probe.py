"""The probe model: one matrix on continuous features, so that every position's gradient is independent of all others."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from quizapp_auditor.rows import IGNORED


class Probe(nn.Module):
    """``logits = features @ W.T``, [..., F] -> [..., C].

    Called without labels it returns logits. With labels it returns ``{"loss", "logits"}`` as models of the transformers library
    do: the sum of token losses over ``num_items_in_batch`` where that is given, else their mean.
    """

    accepts_loss_kwargs = True
    """What the transformers library asks for; its older versions looked for ``**loss_kwargs`` in ``forward``."""

    def __init__(self, width: int, classes: int, dtype: torch.dtype, seed: int, shift: bool) -> None:
        super().__init__()
        self.shift = shift
        self.loss_type = "ForCausalLM" if shift else None
        self.head = nn.Linear(width, classes, bias=False)
        draw = torch.Generator().manual_seed(seed + 1)
        with torch.no_grad():
            self.head.weight.copy_(torch.randn(classes, width, generator=draw, dtype=torch.float64) / width**0.5)
        self.to(dtype)

    def forward(self, features: Tensor, labels: Tensor | None = None, num_items_in_batch: Any = None, **loss_kwargs: Any) -> Any:
        logits = self.head(features)
        if labels is None:
            return logits
        predicted, wanted = (logits[..., :-1, :], labels[..., 1:]) if self.shift else (logits, labels)
        flat = predicted.reshape(-1, predicted.shape[-1]), wanted.reshape(-1)
        if num_items_in_batch is None:
            loss = cross_entropy(*flat, ignore_index=IGNORED)
        else:
            loss = cross_entropy(*flat, ignore_index=IGNORED, reduction="sum") / num_items_in_batch
        return {"loss": loss, "logits": logits}
