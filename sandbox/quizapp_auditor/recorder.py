"""The optimizer that steps nothing: it keeps each step's gradients, and leaves the parameters as they are."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from quizapp_auditor.watch import Watch


class Unplaced(Exception):
    """The optimizer's parameters can't be matched with the model's."""


def whole(tensor: Tensor) -> Tensor:
    """The full tensor of a sharded one. A collective for those."""
    full = getattr(tensor, "full_tensor", None)
    return full() if full is not None else tensor


class Recorder(torch.optim.Optimizer):
    """Takes any optimizer's arguments and ignores them; ``lr`` stays, for schedulers."""

    watch: Watch
    """Set on the class that :func:`recorder` makes."""

    def __init__(self, params: Iterable[Any], lr: float = 0.1, *_: Any, **__: Any) -> None:
        super().__init__(params, {"lr": lr})
        self.watch.optimizers += 1

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            self.watch.stepped(self._gradients())
        return loss

    def _gradients(self) -> dict[str, Tensor | None]:
        """Each parameter's full gradient under its name in the model."""
        names = {id(parameter): name for name, parameter in self.watch.model.named_parameters()}
        shapes = {name: parameter.shape for name, parameter in self.watch.model.named_parameters()}
        held = [parameter for group in self.param_groups for parameter in group["params"]]
        if all(id(parameter) in names for parameter in held):
            placed = {names[id(parameter)]: parameter for parameter in held}
        elif [parameter.shape for parameter in held] == list(shapes.values()):
            placed = dict(zip(shapes, held, strict=True))  # a copy of the model, as some wrappers make
        else:
            hint = "make it with optimizer(model.parameters()), after the model is wrapped"
            raise Unplaced(f"the optimizer holds parameters that aren't the model's; {hint}")
        return {name: None if parameter.grad is None else whole(parameter.grad) for name, parameter in placed.items()}


def recorder(of: Watch) -> type[Recorder]:
    """An optimizer class bound to a run."""
    return type("Recorder", (Recorder,), {"watch": of})
