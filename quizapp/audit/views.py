"""The steps of a report: each one's weights, put together where ranks ended with the same gradient."""

from typing import TYPE_CHECKING

from quizapp.audit.fit import Fit
from quizapp.model.audit import Step, View, Weight

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def agreeing(fit: Fit, step: int) -> list[list[int]]:
    """The ranks in groups that ended with the same gradient, rank 0's first."""
    import numpy as np

    gradients = fit.observed.gradients[step]
    groups: list[list[int]] = []
    for rank, own in enumerate(gradients):
        for group in groups:
            first = gradients[group[0]]
            size = max(float(np.linalg.norm(first)), float(np.linalg.norm(own)))
            if np.array_equal(first, own, equal_nan=True) or float(np.linalg.norm(first - own)) <= fit.observed.precision[0] * size:
                group.append(rank)
                break
        else:
            groups.append([rank])
    return groups


def steps_of(fit: Fit) -> tuple[Step, ...]:
    """All steps that every rank took."""
    import numpy as np

    seen = fit.observed
    alone = np.zeros(seen.steps, dtype=bool)
    off, off_scaled = fit.off(fit.wanted, alone), fit.off(fit.wanted, ~alone)
    factors = fit.factors(fit.wanted)
    found = []
    for step in range(seen.steps):
        window = [use for use in seen.uses if use.step == step]
        clipped = bool(fit.clipped[step])
        proportional = bool((off_scaled[step] <= fit.loose).all())
        lengths = [sum(use.rank == rank for use in window) for rank in range(seen.plan.ranks)]
        found.append(
            Step(
                step=step,
                right=bool(((off_scaled if clipped else off)[step] <= fit.loose).all()),
                tokens=sum(seen.counts(place) for use in window for place in use.places),
                microbatches=max(lengths, default=0),
                factor=float(factors[step]) if proportional and np.isfinite(factors[step]) else None,
                clipped=clipped,
                views=tuple(_view(fit, step, ranks) for ranks in agreeing(fit, step)),
            )
        )
    return tuple(found)


def _view(fit: Fit, step: int, ranks: list[int]) -> View:
    import numpy as np

    seen = fit.observed
    given, wanted = fit.recovered.weights[step, ranks[0]], fit.wanted[step, ranks[0]]
    residual = float(fit.recovered.residual[step, ranks[0]])
    loose = residual > fit.observed.precision[0]  # then weights of other losses mean nothing
    scale = max(float(np.nanmax(np.abs(given), initial=0.0)), float(np.abs(wanted).max(initial=0.0)))
    first = {place: use for use in reversed(seen.uses) for place in use.places}
    here = {place: use for use in reversed(seen.uses) if use.step == step for place in use.places}
    weights = []
    for index, column in enumerate(seen.columns):
        place = (column.row, column.position)
        value = float(given[index])
        used = here.get(place)
        own = column.whose == "own"
        # A position of this step's rows is always told; any other loss only where it weighs something.
        heavy = not loose and abs(value) > fit.loose * scale
        if not ((own and used is not None and (seen.counts(place) or heavy)) or heavy):
            continue
        use = used or first.get(place)
        weights.append(
            Weight(
                rank=use.rank if use else None,
                microbatch=use.microbatch if use else None,
                window=use.step if use else None,
                row=column.row,
                token=column.position,
                valid=seen.counts(place),
                label=column.whose,
                wanted=float(wanted[index]),
                given=value if np.isfinite(value) else None,
            )
        )
    weights.sort(key=lambda w: (w.window != step, w.rank or 0, w.microbatch or 0, w.row, not w.valid, w.token))
    return View(ranks=tuple(ranks), residual=residual if np.isfinite(residual) else None, weights=tuple(weights))
