"""``quizapp audit``: a trainer runs on a probe model and data set, and the weight that it gives every token is shown.

Here: reading the options and printing. The audit is ``quizapp.audit``.
"""

import json as json_module
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from quizapp.cli.bank import Folders, Json
from quizapp.cli.problem import Problem

if TYPE_CHECKING:
    from quizapp.audit.plan import Plan

INTERRUPTED = 130
Settings = Annotated[tuple[str, ...], Parameter(name="--set", negative=(), help="key=value for a ready adapter (repeatable).")]


def audit(
    file: str | None = None,
    /,
    *,
    ranks: int = 2,
    accumulate: int = 3,
    batch: int = 1,
    rows: str | None = None,
    objective: str = "token-mean",
    python: str | None = None,
    dtype: Literal["float64", "float32", "bfloat16"] = "float64",
    shift: Annotated[bool, Parameter(negative=())] = False,
    set_: Settings = (),
    timeout: float = 120.0,
    item: str | None = None,
    recorded: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
    bank: Folders = (),
) -> int:
    """Show the weight that your trainer gives every token, or that the released library of an item gives.

    Parameters
    ----------
    file
        Your Python file, which defines build(model, dataset, optimizer, world) or train_step(model, microbatches, optimizer,
        group); or a ready adapter: accelerate, ddp, fsdp2, hf-trainer, lightning.
    ranks
        Processes, on CPU.
    accumulate
        Microbatches per rank and optimizer step.
    batch
        Rows per microbatch.
    rows
        Valid tokens of each row of the data set, as in 1,2,5,3; uneven counts of our own by default.
    objective
        What is meant: token-mean, sequence-mean, sample-mean, constant=NUMBER, or a weight formula such as 1/(S*512).
    python
        The Python in which your trainer's libraries are; the one that runs quizapp by default.
    dtype
        Of model and features. float64 shows weights to nine digits.
    shift
        Labels are predicted by the position before them, as in causal language models.
    timeout
        Seconds for the whole run.
    item
        Instead of a file: an item that shows a released library. It is run anew, outside any sandbox, where the environment that
        the item names holds it; else its record is shown. The name of the mistake is shown, too.
    recorded
        With --item: the record, without running anything.
    """
    if not timeout > 0:
        raise Problem(f"--timeout {timeout:g}: write seconds, more than 0")
    if item is not None:
        from quizapp.cli.audit_item import audit_item

        given = (file, ranks, accumulate, batch, rows, objective, dtype, shift, set_)
        if given != (None, 2, 3, 1, None, "token-mean", "float64", False, ()):
            raise Problem(
                "--item runs its record's own plan; leave out FILE and every option but --python, --timeout and --recorded"
            )
        return audit_item(item, python, recorded, timeout, json, bank)
    if file is None:
        raise Problem(
            "name a Python file or a ready adapter (accelerate, ddp, fsdp2, hf-trainer, lightning), or an item with --item ID"
        )
    if recorded:
        raise Problem("--recorded shows the record of an item; name one with --item ID")
    from quizapp.audit.audit import audit as audited
    from quizapp.audit.objective import ObjectiveError
    from quizapp.audit.objective import objective as read_objective
    from quizapp.audit.plan import PlanError
    from quizapp.audit.run import CannotRun
    from quizapp.bank.find import bank_folders
    from quizapp.bank.load import load_registry

    try:
        wanted = read_objective(objective)
        plan = _plan(file, ranks, accumulate, batch, rows, dtype, shift, set_)
        with _waiting(plan, timeout):
            report = audited(plan, python or sys.executable, wanted, load_registry(bank_folders(bank)), timeout)
    except KeyboardInterrupt:
        print("note: stopped; every process of the trainer is ended", file=sys.stderr)
        return INTERRUPTED
    except (ObjectiveError, PlanError) as error:
        raise Problem(str(error)) from None
    except CannotRun as error:
        raise Problem(str(error), code=error.code, details=error.details) from None
    if json:
        print(report.model_dump_json())
    else:
        from rich.console import Console

        from quizapp.audit.screen import show

        show(report, Console(highlight=False))
    return 0 if report.outcome == "right" else 1


@contextmanager
def _waiting(plan: "Plan", timeout: float) -> Iterator[None]:
    """What runs, told on standard error if it is a terminal: starting ranks takes seconds in which nothing else is shown."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    ranks = "1 rank" if plan.ranks == 1 else f"{plan.ranks} ranks"
    with Console(stderr=True).status(f"{plan.name} runs on {ranks}, {timeout:g} s at most; Ctrl+C stops it"):
        yield


def _plan(
    file: str,
    ranks: int,
    accumulate: int,
    batch: int,
    rows: str | None,
    dtype: Literal["float64", "float32", "bfloat16"],
    shift: bool,
    settings: tuple[str, ...],
) -> "Plan":
    """The plan that the options describe.

    Raises:
        PlanError: it can't be run.
        Problem: no such file, or an option that can't be read.
    """
    from quizapp.audit.plan import ADAPTERS, Plan, default_counts
    from quizapp.audit.run import adapter_file

    path = Path(file)
    adapter = file if file in ADAPTERS and not path.is_file() else None
    if adapter is None and not path.is_file():
        what = (
            "a folder; name the Python file in it"
            if path.is_dir()
            else f"no such file, and none of the adapters {', '.join(ADAPTERS)}"
        )
        raise Problem(f"{file}: {what}")
    if adapter is None and path.suffix != ".py":
        raise Problem(f"{file}: not a Python file; name one that defines build or train_step")
    return Plan(
        file=adapter_file(adapter) if adapter else path,
        counts=_counts(rows) if rows is not None else default_counts(ranks, accumulate, batch),
        ranks=ranks,
        accumulate=accumulate,
        rows_per_microbatch=batch,
        adapter=adapter,
        dtype=dtype,
        shift=shift,
        options=_options(settings),
    )


def _counts(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(" ", ",").split(",") if part)
    except ValueError:
        raise Problem(f"--rows {text!r}: write whole numbers with commas between them, one for each row: --rows 1,2,5,3") from None


def _options(settings: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.isidentifier():
            raise Problem(f"--set {setting!r}: write key=value")
        try:
            found[key] = json_module.loads(value)
        except ValueError:
            found[key] = value
    return found
