"""What happened, in order: which rows each forward pass used, which of them a backward pass reached, and each step's gradient."""

from array import array
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from quizapp_auditor.rows import Rows

SKETCH_ABOVE = 20_000
"""Models with more parameters than this are kept as a random linear sketch: sums of gradients stay sums of sketches."""


def tensors(value: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and mappings."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict) or hasattr(value, "items"):
        for inner in value.values():
            yield from tensors(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from tensors(inner)


def autocasting() -> bool:
    """Whether autocast is on, for the CPU."""
    try:
        return torch.is_autocast_enabled("cpu")
    except TypeError:  # before torch 2.4 the question had another name
        return torch.is_autocast_cpu_enabled()


class Sketch:
    """Gradients as one row of numbers, float64; short where the model is large."""

    def __init__(self, model: nn.Module, columns: int, seed: int, above: float = SKETCH_ABOVE) -> None:
        self.shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
        total = sum(parameter.numel() for parameter in model.parameters())
        short = total > above
        self.width = 2 * columns + 64 if short else total
        draw = torch.Generator().manual_seed(seed + 2)
        self.buckets = torch.randint(self.width, (total,), generator=draw) if short else None
        self.signs = torch.randn(total, generator=draw, dtype=torch.float64) if short else None

    def __call__(self, gradients: dict[str, Tensor | None]) -> Tensor:
        """[width]. Parameters without a gradient count as zeros."""
        parts = []
        for name, shape in self.shapes.items():
            given = gradients.get(name)
            zero = torch.zeros(shape, dtype=torch.float64)
            parts.append((zero if given is None else given.detach().to("cpu", torch.float64)).reshape(-1))
        flat = torch.cat(parts)
        if self.buckets is None or self.signs is None:
            return flat
        return torch.zeros(self.width, dtype=torch.float64).index_add_(0, self.buckets, flat * self.signs)


class Watch:
    """Listens to one model and its optimizer on one rank."""

    def __init__(self, model: nn.Module, rows: Rows, sketch: Sketch) -> None:
        self.model = model
        self.rows = rows
        self.sketch = sketch
        self.optimizers = 0
        self.forwards: list[list[tuple[int, int]]] = []
        self.events: list[tuple[str, int]] = []
        self.steps: list[Tensor] = []
        self.norms: list[float] = []
        self.dtypes: set[str] = set()
        self.autocast = False
        self._index: int | None = None
        self._backwards: set[int] = set()
        model.register_forward_pre_hook(self._before, with_kwargs=True)
        model.register_forward_hook(self._after, with_kwargs=True)

    def _before(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        self._index = None
        if not torch.is_grad_enabled():
            return
        self.autocast = self.autocast or autocasting()
        for given in tensors([args, kwargs]):
            found = self.rows.find(given)
            if found is not None:
                self._index = len(self.forwards)
                self.forwards.append(found)
                return

    def _after(self, module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
        index = self._index
        if index is None:
            return

        def reached(_: Tensor) -> None:
            if index not in self._backwards:
                self._backwards.add(index)
                self.events.append(("backward", index))

        for tensor in tensors(output):
            if tensor.is_floating_point():
                self.dtypes.add(str(tensor.dtype).removeprefix("torch."))
            if tensor.requires_grad:
                tensor.register_hook(reached)  # type: ignore[no-untyped-call, unused-ignore]

    def stepped(self, gradients: dict[str, Tensor | None]) -> None:
        """One optimizer step."""
        held = [gradient for gradient in gradients.values() if gradient is not None]
        self.dtypes |= {str(gradient.dtype).removeprefix("torch.") for gradient in held}
        self.norms.append(sum(float(gradient.double().square().sum()) for gradient in held) ** 0.5)
        self.events.append(("step", len(self.steps)))
        self.steps.append(self.sketch(gradients))


def numbers(tensor: Tensor) -> bytes:
    """A tensor's raw float64 numbers, little-endian on every machine that torch runs on."""
    return array("d", tensor.detach().double().reshape(-1).tolist()).tobytes()
