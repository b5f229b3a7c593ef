"""For a team's own tests: their ``train_step`` gives every token the weight 1/N, or the test fails and says what it gives instead.

Importing this loads nothing beyond the standard library; the ranks run in processes of their own.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal


class AuditError(RuntimeError):
    """The training code couldn't be run: it raised, hung, or the environment lacks torch."""


def _place(train_step: Callable[..., Any]) -> tuple[Path, str, str]:
    """The file, module and name of a function that ranks can import.

    Raises:
        TypeError: it isn't a function at the top of a module.
    """
    name, module = getattr(train_step, "__qualname__", ""), getattr(train_step, "__module__", "")
    code = getattr(train_step, "__code__", None)
    if code is None or not name.isidentifier():
        raise TypeError(
            "train_step must be a function at the top of a module, since each rank imports it; not a lambda, method or partial"
        )
    return Path(code.co_filename).resolve(), module, name


def assert_token_mean(
    train_step: Callable[..., Any],
    *,
    ranks: int = 2,
    accumulate: int = 2,
    rows: Sequence[int] | None = None,
    rows_per_microbatch: int = 1,
    wrap: Literal["ddp", "fsdp2", "none"] = "ddp",
    objective: str = "token-mean",
    dtype: Literal["float64", "float32", "bfloat16"] = "float64",
    shift: bool = False,
    python: str | None = None,
    seconds: float = 120.0,
) -> None:
    """Fails unless ``train_step(model, microbatches, optimizer, group)`` trains the stated mean.

    It is called once for each optimizer step, on each of ``ranks`` CPU processes (gloo), with a model under ``wrap``, a list of
    ``accumulate`` microbatches (fewer in the last step) of ``{"features": [B, L, F], "labels": [B, L], "targets": [B, L], "mask":
    [B, L]}``, labels -100 at padding, and an optimizer that keeps gradients and changes nothing.

    rows: valid tokens of each row of the data set, dealt to the ranks in turn; uneven counts of our own by default.
    python: the Python that runs the ranks; this one by default.

    Raises:
        AssertionError: the weights are others; the message holds them.
        AuditError: the code raised, hung or can't be run here.
        TypeError: ``train_step`` isn't a function at the top of a module.
        ValueError: a plan or objective that can't be.
    """
    from quizapp.audit.audit import audit
    from quizapp.audit.objective import objective as read_objective
    from quizapp.audit.plan import Plan, default_counts
    from quizapp.audit.run import CannotRun
    from quizapp.audit.screen import show

    __tracebackhide__ = True
    file, module, name = _place(train_step)
    counts = tuple(rows) if rows is not None else default_counts(ranks, accumulate, rows_per_microbatch)
    plan = Plan(
        file=file, counts=counts, ranks=ranks, accumulate=accumulate, rows_per_microbatch=rows_per_microbatch, module=module,
        entry=name, dtype=dtype, shift=shift, options={"wrap": wrap},
    )  # fmt: skip
    try:
        report = audit(
            plan, python or sys.executable, read_objective(objective), _registry(), seconds, [entry for entry in sys.path if entry]
        )
    except CannotRun as error:
        raise AuditError("\n".join((str(error), *error.details))) from None
    if report.outcome != "right":
        from io import StringIO

        from rich.console import Console

        text = StringIO()
        show(report, Console(file=text, width=120, no_color=True, highlight=False))
        raise AssertionError(f"{name}: {text.getvalue()}")


def _registry() -> Any:
    from quizapp.bank.find import bank_folders
    from quizapp.bank.load import load_registry

    return load_registry(bank_folders(()))
