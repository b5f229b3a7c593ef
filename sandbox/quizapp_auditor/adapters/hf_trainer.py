"""``transformers.Trainer``. ``--set key=value`` goes to ``TrainingArguments``.

``shuffle=true`` keeps the Trainer's own sampler. ``loss_kwargs=none`` stands for a model whose ``forward`` takes no
``num_items_in_batch``, ``loss_kwargs=ignored`` for one that takes it as a keyword and makes no use of it.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn
from torch.utils.data import SequentialSampler
from transformers import Trainer, TrainingArguments  # type: ignore[import-not-found, unused-ignore]

from quizapp_auditor.load import Unusable
from quizapp_auditor.rows import Rows
from quizapp_auditor.world import World


class MeanLoss(nn.Module):
    """A model that knows nothing of ``num_items_in_batch``: its loss is a mean, as most people's is."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, features: Tensor, labels: Tensor, targets: Tensor | None = None, mask: Tensor | None = None) -> Any:
        return self.model(features, labels)


class Deaf(MeanLoss):
    """The same, with keywords that it ignores."""

    def forward(
        self, features: Tensor, labels: Tensor, targets: Tensor | None = None, mask: Tensor | None = None, **loss_kwargs: Any
    ) -> Any:
        return self.model(features, labels)


MODELS: dict[str, Callable[[nn.Module], nn.Module]] = {"used": lambda model: model, "none": MeanLoss, "ignored": Deaf}


class InOrder(Trainer):  # type: ignore[misc, unused-ignore]
    """Reads the data set from front to back."""

    def _get_train_sampler(self, *_: Any, **__: Any) -> SequentialSampler:
        return SequentialSampler(self.train_dataset)


def build(model: nn.Module, dataset: Rows, optimizer: Callable[..., Any], world: World) -> Callable[[], Any]:
    """One epoch of the Trainer, with clipping off and nothing written that is kept."""
    import torch

    shuffle = bool(world.option("shuffle", False))
    takes = str(world.option("loss_kwargs", "used"))
    if takes not in MODELS:
        raise Unusable(f"loss_kwargs must be {', '.join(MODELS)}, not {takes!r}")
    model = MODELS[takes](model)
    options: dict[str, Any] = {
        "output_dir": world.folder,
        "per_device_train_batch_size": world.rows_per_microbatch,
        "gradient_accumulation_steps": world.accumulate,
        "num_train_epochs": 1,
        "max_grad_norm": 0.0,
        "remove_unused_columns": False,
        "use_cpu": True,
        "report_to": [],
        "save_strategy": "no",
        "logging_strategy": "no",
        "disable_tqdm": True,
        "ddp_backend": "gloo" if world.ranks > 1 else None,
        **world.options,
    }
    stepper = optimizer(model.parameters())
    schedule = torch.optim.lr_scheduler.LambdaLR(stepper, lambda _: 1.0)
    kind = Trainer if shuffle else InOrder
    trainer = kind(model=model, args=TrainingArguments(**options), train_dataset=dataset, optimizers=(stepper, schedule))
    return trainer.train  # type: ignore[no-any-return, unused-ignore]
