"""An audit from plan to report: the ranks run, weights are recovered, and what they mean is said."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quizapp.audit.findings import UNSCALED, WHILE_SCALED, findings
from quizapp.audit.fit import Fit
from quizapp.audit.ideas import Idea, fitting
from quizapp.audit.objective import Objective
from quizapp.audit.observed import Observed, read
from quizapp.audit.plan import Plan
from quizapp.audit.recover import recover, rounded, terms_of
from quizapp.audit.run import CannotRun, run
from quizapp.audit.views import steps_of
from quizapp.audit.weighing import Weighing
from quizapp.model.audit import Audit, Finding, Microbatch, Named, Step
from quizapp.model.nouns import numbered

if TYPE_CHECKING:
    from quizapp.model.misconception import Misconception

Registry = Mapping[str, "Misconception"]


def audit(
    plan: Plan,
    python: str,
    objective: Objective,
    registry: Registry,
    seconds: float = 120.0,
    path: Sequence[str] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Audit:
    """Runs a trainer and says what weight it gave every token.

    ``path``: folders to add to the ranks' import path. ``stop``: asked all the while; the ranks are ended when it says so.

    Raises:
        CannotRun: the file or the environment is at fault.
    """
    started = time.monotonic()
    results = run(plan, python, seconds, path, stop)
    return judged(plan, results, python, objective, registry, round(1000 * (time.monotonic() - started)))


def judged(
    plan: Plan, results: Sequence[Mapping[str, Any]], python: str, objective: Objective, registry: Registry, milliseconds: int
) -> Audit:
    """What the ranks' results mean.

    Raises:
        CannotRun: the trainer took no step with the recording optimizer.
    """
    observed = read(plan, results)
    _check_steps(observed)
    terms = terms_of(observed)
    recovered = recover(observed, terms)
    observed = rounded(observed, recovered)
    fit = Fit(observed, terms, recovered, Weighing(observed), objective.rule)
    steps = steps_of(fit)
    found = findings(fit, steps)
    wrong = any(finding.fault for finding in found) or not all(step.right for step in steps)
    ideas = fitting(observed, fit) if wrong else []
    ids = {idea.ids for idea in ideas}
    named = _named(ideas[0], registry) if len(ids) == 1 else ()
    if not named and len(ids) < 2:
        named = _by_finding(fit, found, registry) or _hard_coded(fit, steps, found, registry)
    used = observed.used
    return Audit(
        outcome="wrong" if wrong else "right",
        summary=_summary(fit, objective, wrong, named, ids, found, registry),
        trainer=plan.name,
        objective=objective.name,
        formula=objective.formula,
        python=python,
        versions=observed.raw["versions"],
        dtype=plan.dtype,
        tolerance=observed.precision[1],
        ranks=plan.ranks,
        accumulate=plan.accumulate,
        rows_per_microbatch=plan.rows_per_microbatch,
        shift=plan.shift,
        options=dict(plan.options),
        counts=plan.counts,
        unit=fit.recovered.unit,
        diagnosis=named,
        candidates=tuple(sorted({name for group in ids for name in group})) if len(ids) > 1 else (),
        findings=tuple(found),
        steps=steps,
        microbatches=tuple(Microbatch(rank=use.rank, step=use.step, rows=use.rows) for use in observed.uses),
        dropped=tuple(row for row in range(len(plan.counts)) if not used[row]),
        repeated=tuple(row for row in range(len(plan.counts)) if used[row] > 1),
        milliseconds=milliseconds,
    )


def _check_steps(observed: Observed) -> None:
    """Raises: CannotRun: no rank took a step, or every step was taken with a zero gradient."""
    name, plan = observed.plan.name, observed.plan
    if max(observed.taken):
        if observed.idle and observed.steps:
            steps = numbered(observed.steps, "optimizer step")
            why = "no backward pass came before" if not observed.uses else "did backward reach the parameters of the model given?"
            raise CannotRun(f"{name}: {steps}, and the gradient was zero in all of them; {why}", 2)
        return
    if not observed.raw["optimizers"]:
        hint = "make the optimizer with optimizer(model.parameters())"
    elif observed.uses:
        most = max(sum(use.rank == rank for use in observed.uses) for rank in range(plan.ranks))
        hint = f"backward ran over {numbered(most, 'microbatch')} on a rank"
        if most < plan.accumulate:
            hint += f", fewer than the {plan.accumulate} of a window: give more --rows, or a smaller --accumulate"
        else:
            hint += ": call step() on the optimizer that was made with the class given"
    else:
        hint = "call step() on the optimizer that was made with the class given"
    raise CannotRun(f"{name}: no optimizer step was seen; {hint}", 2)


def _named(idea: Idea, registry: Registry) -> tuple[Named, ...]:
    return tuple(_entry(name, idea.rule.valid, registry) for name in idea.ids)


def _entry(name: str, formula: str, registry: Registry) -> Named:
    known = registry.get(name)
    title, computes, cure = (known.title, known.computes, known.cure) if known else (name, "", "")
    return Named(id=name, title=title.strip('"'), computes=computes.strip(), cure=cure.strip(), formula=formula)


BY_FINDING = {
    "without-a-step": ("tail-dropped", "0 for the tokens left over"),
    "label-shift": ("labels-shifted", "0 for its own label"),
}
"""Kind of a finding that is the only fault -> the misconception that it is, and the weight of a token."""


def _by_finding(fit: Fit, found: Sequence[Finding], registry: Registry) -> tuple[Named, ...]:
    faults = {finding.kind for finding in found if finding.fault}
    seen = fit.observed
    if "not-finite" in faults and any(not any(map(seen.counts, use.places)) for use in seen.uses):
        return (_entry("zero-over-zero", "0/0 where a microbatch has no valid token", registry),)
    said = " ".join(finding.message for finding in found if finding.fault)
    if faults == {"factor"} and UNSCALED in said:
        return (_entry("never-unscaled", f"{fit.scale:g}*{fit.rule.valid}", registry),)
    if faults == {"clipped"} and WHILE_SCALED in said:
        return (_entry("clip-while-scaled", f"far less than {fit.rule.valid}", registry),)
    if len(faults) == 1 and (named := BY_FINDING.get(next(iter(faults)))) is not None:
        return (_entry(*named, registry),)
    return ()


USUAL_RANKS = (2, 4, 8)
"""World sizes that people write as a number."""


def _hard_coded(fit: Fit, steps: Sequence[Step], found: Sequence[Finding], registry: Registry) -> tuple[Named, ...]:
    """A world size written as a number c: all weights of all steps are c/R times what they should be, and nothing else is wrong.

    Asked last: a factor that another idea explains too is that idea's.
    """
    ranks = fit.observed.plan.ranks
    factors = [step.factor for step in steps]
    if ranks == 1 or fit.clipped.any() or {finding.kind for finding in found if finding.fault} != {"factor"}:
        return ()
    for written in USUAL_RANKS:
        if written != ranks and all(factor and abs(factor * ranks / written - 1) <= fit.loose for factor in factors):
            return (_entry("hard-coded-world-size", f"({written}/R)*{fit.rule.valid}", registry),)
    return ()


def _summary(
    fit: Fit,
    objective: Objective,
    wrong: bool,
    named: Sequence[Named],
    ids: set[tuple[str, ...]],
    found: Sequence[Finding],
    registry: Registry,
) -> str:
    if not wrong:
        clipped = " up to the factor of clipping" if fit.clipped.any() else ""
        named_by = "is wanted" if objective.called == objective.formula else f"{objective.called} wants"
        return f"Every token has the weight that {named_by}{clipped}: {objective.formula}."
    if named:
        said = "; ".join(name.title for name in named)
        return f"Not {objective.called}: {said[0].lower() + said[1:]} (a valid token weighs {named[0].formula})."
    faults = [finding.message for finding in found if finding.fault]
    if ids:
        titles = {name: _entry(name, "", registry).title for group in ids for name in group}
        several = "; ".join(sorted(" with ".join(titles[name] for name in group) for group in ids))
        if fit.clipped.any():
            return f"Not {objective.called}. Clipping hides which of these explains it: {several}; switch it off to see."
        return f"Not {objective.called}. This plan can't tell apart what explains it: {several}; try other --ranks or --accumulate."
    return f"Not {objective.called}; cause unknown. {faults[0] if faults else ''}".strip()
