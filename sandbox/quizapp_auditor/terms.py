"""Each position's own gradient, on one device, before the trainer has touched anything.

For every position several losses are looked at: with the target that the objective speaks of, with its neighbours (a label shift
shows), and with class 0 (padding whose -100 was made a 0 shows). Padding has a real target, so counted padding shows.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from quizapp_auditor.rows import Rows
from quizapp_auditor.watch import Sketch

Column = tuple[int, int, str]
"""Row, position, and which target: that of the objective (``own``), the one after or before it, or class 0."""
OFFSETS = {"own": 0, "next": 1, "previous": -1}


class Faulty(Exception):
    """The model can't be audited; the message says why."""


def columns(rows: Rows) -> Iterator[Column]:
    """What weights are looked for."""
    for row in range(len(rows)):
        for position in range(rows.lengths[row]):
            for whose in ("own", "next", "previous"):
                if 0 <= position + OFFSETS[whose] + rows.shift < rows.lengths[row]:
                    yield row, position, whose
            if rows.inputs.dim() == 3:
                yield row, position, "zero"


def target(rows: Rows, column: Column) -> int:
    """The class that a column's loss wants."""
    row, position, whose = column
    if whose == "zero":
        return 0
    return int(rows.targets[row, position + OFFSETS[whose] + rows.shift])


def probe_terms(rows: Rows, model: nn.Module) -> list[Tensor]:
    """For the probe model all gradients follow from two tables: features [T, F] and probabilities [T, C]."""
    features = rows.inputs.double().reshape(-1, rows.inputs.shape[-1])
    with torch.no_grad():
        return [features, torch.softmax(features @ next(model.parameters()).double().T, dim=-1)]


def logits_of(output: Any) -> Tensor:
    """The logits in what a model returns.

    Raises:
        Faulty: there are none.
    """
    found = getattr(output, "logits", None)
    if found is None and isinstance(output, dict):
        found = output.get("logits")
    if found is None and isinstance(output, Tensor):
        found = output
    if not isinstance(found, Tensor) or found.dim() != 3:
        raise Faulty(
            "model(...) must return logits [rows, positions, classes], or something with .logits, when called without labels"
        )
    return found


def own_terms(
    rows: Rows, model: nn.Module, sketch: Sketch, terms: Callable[..., dict[str, Tensor]] | None
) -> tuple[list[Tensor], list[str]]:
    """For any model: one row of numbers for each column, then for each loss term of ``terms(model, batch)`` one for each data row.

    Raises:
        Faulty: no logits, or the model draws random numbers.
    """
    trained = {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}
    names, parameters = list(trained), list(trained.values())
    if not trained:
        raise Faulty("the model has no parameter that is trained: all are frozen")

    def gradient(loss: Tensor) -> Tensor:
        given = torch.autograd.grad(loss, parameters, retain_graph=True, allow_unused=True)
        return sketch(dict(zip(names, given, strict=True)))

    def row_logits(row: int) -> Tensor:
        batch = {name: value for name, value in rows.batch([row]).items() if name in ("features", "input_ids")}
        return logits_of(model(**batch)).double()[0]

    if not torch.equal(row_logits(0), row_logits(0)):
        raise Faulty(
            "two forward passes of the model over one row differ: it draws random numbers; switch dropout off for the audit"
        )
    found: list[Tensor] = []
    logits, seen = torch.empty(0), -1
    for column in columns(rows):
        if column[0] != seen:
            logits, seen = row_logits(column[0]), column[0]
        found.append(gradient(cross_entropy(logits[column[1]], torch.tensor(target(rows, column)))))
    held: list[str] = []
    if terms is not None:
        for row in range(len(rows)):
            for name, loss in terms(model, rows.batch([row])).items():
                held.append(name)
                found.append(gradient(loss))
    return found, held
