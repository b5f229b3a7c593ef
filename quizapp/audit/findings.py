"""What there is to say of a run beside its weights, each in a sentence: faults, and what is only told."""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from quizapp.audit.fit import Fit
from quizapp.model.audit import Finding, Kind, Step, Weight
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_NAMED = 8
UNSCALED = "the loss scale of mixed precision was not undone"
WHILE_SCALED = "they were clipped before the loss scale was undone"


def listed(values: Sequence[int]) -> str:
    """Numbers, cut where there are many."""
    shown = ", ".join(map(str, values[:MOST_NAMED]))
    return f"{shown} and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else shown


def rows_named(rows: Sequence[int]) -> str:
    """The subject of a sentence about rows."""
    return f"Row{'' if len(rows) == 1 else 's'} {listed(rows)}"


def was(rows: Sequence[int]) -> str:
    return "was" if len(rows) == 1 else "were"


def _fault(kind: Kind, message: str) -> Finding:
    return Finding(kind=kind, fault=True, message=message)


def _note(kind: Kind, message: str) -> Finding:
    return Finding(kind=kind, fault=False, message=message)


def findings(fit: Fit, steps: Sequence[Step]) -> list[Finding]:
    """All that was noticed, faults first."""
    found = [*_of_ranks(fit, steps), *_of_weights(fit, steps), *_of_factors(fit, steps), *_of_rows(fit), *_of_terms(fit)]
    return sorted(found, key=lambda finding: not finding.fault)


def _of_ranks(fit: Fit, steps: Sequence[Step]) -> Iterator[Finding]:
    import numpy as np

    seen = fit.observed
    if len(set(seen.taken)) > 1:
        each = ", ".join(f"rank {rank} took {taken}" for rank, taken in enumerate(seen.taken))
        yield _fault("steps-differ", f"The ranks took different numbers of optimizer steps: {each}.")
    bad = [step for step in range(seen.steps) if not np.isfinite(seen.gradients[step]).all()]
    if bad:
        where = ", ".join(str(step + 1) for step in bad)
        yield _fault("not-finite", f"The gradient of step {where} is NaN or infinite.")
    apart = [step.step for step in steps if len(step.views) > 1 and step.step not in bad]
    if apart:
        where = listed([step + 1 for step in apart])
        yield _fault("ranks-disagree", f"The ranks hold different gradients in step {where}: their parameters part ways.")
    residual, limit = fit.recovered.residual, seen.precision[0]
    if fit.recovered.unit == "none":
        yield _note(
            "coarser", "The losses of this model can't be told apart by their gradients, not even those of whole microbatches."
        )
    elif fit.recovered.unit != "token":
        what = "rows" if fit.recovered.unit == "row" else "microbatches"
        yield _note("coarser", f"The tokens' gradients of this model aren't independent: weights are those of whole {what}.")
    if fit.recovered.unit != "none":
        loose = [step + 1 for step in range(seen.steps) if step not in bad and residual[step].max() > limit]
        if loose:
            worst = float(np.nanmax(residual))
            rest = f"{worst:.1%} of it is something else"
            hint = "dropout, label smoothing, another loss term, weight decay in the loss, or no cross-entropy?"
            yield _fault(
                "no-weighting", f"The gradient of step {listed(loose)} is no weighting of the token losses: {rest} ({hint})."
            )


def _heavy(fit: Fit, steps: Sequence[Step]) -> Iterator[tuple[int, Weight]]:
    for step in steps:
        for view in step.views:
            if view.residual is not None and view.residual > fit.observed.precision[0]:
                continue  # those weights mean nothing
            scale = max((abs(w.given or 0.0) for w in view.weights), default=0.0)
            yield from ((step.step, w) for w in view.weights if abs(w.given or 0.0) > fit.loose * scale)


def _of_weights(fit: Fit, steps: Sequence[Step]) -> Iterator[Finding]:
    heavy = list(_heavy(fit, steps))
    padding = {(w.row, w.token) for _, w in heavy if not w.valid and w.label in ("own", "zero")}
    if padding:
        zero = {(w.row, w.token) for _, w in heavy if not w.valid and w.label == "zero"}
        how = " with class 0 for a label" if zero == padding else ""
        yield _fault("padding-counts", f"{numbered(len(padding), 'padded position')} count{'s' if len(padding) == 1 else ''}{how}.")
    shifted = {w.label for _, w in heavy if w.label in ("next", "previous")}
    if shifted:
        which = " and ".join("the one after" if label == "next" else "the one before" for label in sorted(shifted))
        yield _fault("label-shift", f"Tokens are held against another label than their own: {which}. {_shift(fit, shifted)}")
    own = [(step, w.window) for step, w in heavy if w.label == "own" and w.window is not None]
    leaked = sorted({(step, window) for step, window in own if window != step})
    for step, window in leaked[:2]:
        yield _fault("other-steps-tokens", f"Step {step + 1} also holds tokens of step {window + 1}.")
    unused = sorted({w.row for _, w in heavy if w.rank is None})
    if unused:
        yield _fault(
            "other-steps-tokens", f"Rows {listed(unused)} weigh something in a step, but were in no microbatch that was seen."
        )
    silent = _silent(fit, steps)
    if silent and not shifted:
        rows = rows_named(silent).lower()
        yield _fault("left-out", f"Tokens of {rows} went through the model, but weigh nothing in their step.")


def _shift(fit: Fit, shifted: Collection[str]) -> str:
    """What a label shift of that kind means, for the plan that was asked for."""
    if set(shifted) == {"next"} and not fit.observed.plan.shift:
        return "The trainer shifts labels. If it is meant to, as for a causal language model, audit it with --shift."
    if set(shifted) == {"previous"} and fit.observed.plan.shift:
        return "The trainer doesn't shift labels. If it isn't meant to, audit it without --shift."
    return "Labels are shifted once too often, or in the wrong direction."


def _silent(fit: Fit, steps: Sequence[Step]) -> list[int]:
    found: set[int] = set()
    for step in steps:
        views = [view for view in step.views if view.residual is not None and view.residual <= fit.observed.precision[0]]
        scale = max((abs(w.given or 0.0) for view in views for w in view.weights), default=0.0)
        weighing: set[int] = set()
        wanted: set[int] = set()
        for view in views:
            for w in view.weights:
                if w.wanted and w.given is not None:
                    wanted.add(w.row)
                if abs(w.given or 0.0) > fit.loose * scale:
                    weighing.add(w.row)
        found |= wanted - weighing
    return sorted(found)


def _of_factors(fit: Fit, steps: Sequence[Step]) -> Iterator[Finding]:
    from quizapp.model.figures import as_fraction

    cut = [step for step in steps if step.clipped]
    if cut:
        norm = float(fit.observed.norms[cut[0].step, 0])
        factors = ", ".join(f"{step.factor:.4g} in step {step.step + 1}" for step in cut if step.factor is not None)
        told = f"; the factor is {factors}" if factors else ""
        read = "Of clipped steps only ratios of weights can be read."
        if fit.scaled_limit is not None:
            limit = f"{norm * fit.scaled_limit:.4g} over {fit.scaled_limit:g}"
            yield _fault("clipped", f"Gradients are clipped to a norm of {norm:.4g}, which is {limit}: {WHILE_SCALED}. {read}")
        else:
            yield _note("clipped", f"Gradients are clipped to a norm of {norm:.4g}{told}. {read}")
    alike = [step for step in steps if step.factor is not None and not step.right]
    if alike and len(alike) == sum(not step.right for step in steps):
        each = {as_fraction(step.factor) for step in alike if step.factor is not None}
        by_step = ", ".join(f"{as_fraction(step.factor)} in step {step.step + 1}" for step in alike if step.factor is not None)
        everywhere = len(each) == 1 and len(alike) == len(steps)
        said = f"{each.pop()} times" if everywhere else "by one factor in each step from"
        rest = "" if everywhere else f" ({by_step})"
        constant = _constant(alike, fit.loose)
        hint = f" A power of two: {UNSCALED}." if everywhere and fit.scale is not None else ""
        if constant is not None:
            hint = f" Each token weighs {constant} in every step. If a constant is meant, audit with --objective {constant}."
        verb = "are" if everywhere else "differ"
        yield _fault("factor", f"All weights {verb} {said} what they should be{rest}; their proportions are right.{hint}")


def _constant(steps: Sequence[Step], loose: float) -> str | None:
    """The weight that all tokens of several steps with different counts have, where it is one over a whole number."""
    given = [w.given or 0.0 for step in steps for view in step.views for w in view.weights if w.valid]
    if not given or len({step.tokens for step in steps}) < 2 or max(given) - min(given) > loose * max(map(abs, given)):
        return None
    inverse = 1 / given[0]
    return f"1/{round(inverse)}" if inverse >= 1 and abs(inverse - round(inverse)) <= loose * inverse else None


def _of_rows(fit: Fit) -> Iterator[Finding]:
    seen, plan = fit.observed, fit.observed.plan
    left = [use for use in seen.uses if use.step is None]
    if left:
        rows = listed(sorted({row for use in left for row in use.rows}))
        over = f"{numbered(len(left), 'microbatch')} (rows {rows})"
        what = f"Backward ran over {over} after the last optimizer step: they train nothing."
        yield _fault("without-a-step", what)
    dropped = [row for row in range(len(plan.counts)) if not seen.used[row]]
    if dropped:
        yield _note("rows-dropped", f"{rows_named(dropped)} of the data set {was(dropped)} not used.")
    repeated = [row for row in range(len(plan.counts)) if seen.used[row] > 1]
    if repeated:
        times = sorted({seen.used[row] for row in repeated})
        yield _note("rows-repeated", f"{rows_named(repeated)} {was(repeated)} used {' or '.join(map(str, times))} times.")
    if any(rows != sorted(rows) for rows in _by_rank(fit)) and not repeated:
        yield _note("rows-reordered", "Rows were used in another order than that of the data set.")
    short = [step for step in range(seen.steps) if _length(fit, step) < plan.accumulate]
    lengths = {_length(fit, step) for step in range(seen.steps)}
    if short and len(lengths) == 1 and seen.steps > 1:
        held = f"Every step has {numbered(lengths.pop(), 'microbatch')} per rank, where {plan.accumulate} were asked for"
        yield _note("short-window", f"{held}: does the trainer accumulate?")
    elif short and plan.accumulate > 1:
        each = ", ".join(f"step {step + 1} has {_length(fit, step)}" for step in short)
        yield _note("short-window", f"Short windows: {each} of {plan.accumulate} microbatches.")
    if seen.forwards_only:
        yield _note("forward-only", f"{numbered(seen.forwards_only, 'forward pass')} over the data set met no backward pass.")
    if seen.raw.get("autocast") and plan.dtype == "float64":
        yield _note("precision", "autocast leaves float64 as it is: to see what it does, audit with --dtype float32.")
    if seen.precision[1] > 1e-4:
        low = " and ".join(sorted(seen.dtypes))
        yield _note(
            "precision", f"The run holds {low}: weights that differ by less than {100 * seen.precision[1]:g} % count as the same."
        )


def _by_rank(fit: Fit) -> list[list[int]]:
    """The rows of each rank, as it used them."""
    found: list[list[int]] = [[] for _ in range(fit.observed.plan.ranks)]
    for use in fit.observed.uses:
        found[use.rank] += use.rows
    return found


def _length(fit: Fit, step: int) -> int:
    uses = [use for use in fit.observed.uses if use.step == step]
    return max((use.microbatch + 1 for use in uses), default=0)


def _of_terms(fit: Fit) -> Iterator[Finding]:
    import numpy as np

    from quizapp.model.figures import as_fraction

    names = fit.observed.raw["terms"]
    others = fit.recovered.others
    if not names or others.shape[-1] != len(names):
        return
    for name in dict.fromkeys(names):
        mine = others[..., [index for index, own in enumerate(names) if own == name]]
        for step in range(len(mine)):
            values = [float(value) for value in mine[step, 0] if abs(value) > fit.loose * float(np.abs(others).max(initial=0.0))]
            said = ", ".join(sorted({as_fraction(value) for value in values})) or "0"
            yield _note("term", f"Term {name} in step {step + 1}: {said} times its value for {numbered(len(values), 'row')}.")
