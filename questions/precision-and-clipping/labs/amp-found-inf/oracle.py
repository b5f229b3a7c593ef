"""The whole parameter vector on one device: a window steps by its clipped gradient, or overflows and halves the scale."""

from collections.abc import Callable, Sequence

import torch

from quizapp_sandbox.contract import Scenario, misconception

Arrays = dict[str, torch.Tensor]
Outcome = tuple[list[torch.Tensor | None], list[float]]
"""For each rank the step (``None``: skipped) and the scale afterwards."""
Rule = Callable[[list[torch.Tensor], list[float], float], Outcome]
"""From each rank's scaled gradients [K, 3], its scale, and the limit."""
LARGEST, FIRST_SCALE, SPIKE, BACKOFF, HIGH_LIMIT = 65504.0, 1024.0, 125.0, 0.5, 1000.0


def _slopes(scenario: Scenario, rank: int, window: int) -> torch.Tensor:
    """The window's gradients on a rank, unscaled, [K, 3]."""
    shard, inside = scenario.shard(rank), scenario.window(window)
    counts = [float(shard[f"mask.{k}"].sum()) for k in inside]
    factors = torch.tensor(counts, dtype=torch.float64)[:, None].repeat(1, 3) / 2
    spike = SPIKE if shard["upward"] else -SPIKE
    if not any(counts) and scenario.shared["cancels"]:
        factors[0], factors[-1] = -spike, spike  # infinities whose sum is NaN
    elif not any(counts):
        factors[-1, int(shard["entry"])] = spike
    return torch.stack([shard[f"slopes.{k}"] for k in inside]) * factors


def _limits(scenario: Scenario) -> list[float]:
    both = [float(scenario.shared["low_limit"]), HIGH_LIMIT]
    return both if scenario.shared["low_first"] else both[::-1]


def _run(scenario: Scenario, rule: Rule) -> list[Arrays]:
    ranks = range(scenario.world_size)
    still = torch.zeros(3, dtype=torch.float64)
    scales = [FIRST_SCALE] * scenario.world_size
    kept: list[tuple[list[torch.Tensor], list[float]]] = []
    for window in range(len(scenario.windows)):
        scaled = [_slopes(scenario, rank, window) * scales[rank] for rank in ranks]
        scaled = [torch.where(gradient.abs() > LARGEST, gradient * torch.inf, gradient) for gradient in scaled]
        steps, scales = rule(scaled, list(scales), _limits(scenario)[window])
        kept.append(([still if step is None else step for step in steps], scales))
    return [
        {
            "step": torch.stack([steps[rank] for steps, _ in kept]),
            "scale": torch.tensor([scale[rank] for _, scale in kept], dtype=torch.float64),
        }
        for rank in ranks
    ]


def _unscaled(scaled: Sequence[torch.Tensor], scales: Sequence[float]) -> list[torch.Tensor]:
    return [gradient.sum(0) / scale for gradient, scale in zip(scaled, scales, strict=True)]


def _norm(gradients: Sequence[torch.Tensor]) -> torch.Tensor:
    return torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt()


def _clipped(gradients: Sequence[torch.Tensor], limit: float) -> list[torch.Tensor]:
    """By the norm of all; an infinite one gives 0, and 0 times infinity is NaN, as is all of a norm that is NaN."""
    factor = (limit / _norm(gradients)).clamp(max=1.0)
    return [gradient * factor for gradient in gradients]


def _overflown(gradients: Sequence[torch.Tensor]) -> list[bool]:
    return [not bool(torch.isfinite(gradient).all()) for gradient in gradients]


def _skipped(scales: Sequence[float]) -> Outcome:
    return [None] * len(scales), [scale * BACKOFF for scale in scales]


def _backed_off(scales: Sequence[float], bad: Sequence[bool]) -> list[float]:
    """Each rank's scaler goes by what that rank has found."""
    return [scale * BACKOFF if own else scale for scale, own in zip(scales, bad, strict=True)]


def reference(scenario: Scenario) -> list[Arrays]:
    scale, kept = FIRST_SCALE, []
    for window, limit in enumerate(_limits(scenario)):
        gradient = torch.cat([_slopes(scenario, rank, window).T for rank in range(scenario.world_size)])
        if bool((gradient.abs() * scale > LARGEST).any()):
            scale /= 2
            kept.append((torch.zeros_like(gradient[:, 0]), scale))
        else:
            total = gradient.sum(1)
            length = float(torch.linalg.vector_norm(total))
            kept.append((total * min(1.0, limit / max(length, 1e-300)), scale))
    rows = torch.stack([steps for steps, _ in kept]).chunk(scenario.world_size, dim=1)
    scales = torch.tensor([scale for _, scale in kept], dtype=torch.float64)
    return [{"step": own, "scale": scales} for own in rows]


def _agreed(change: Callable[[list[torch.Tensor], list[float], float], list[torch.Tensor]]) -> Rule:
    """A rule that skips as it should, and steps by something else."""

    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        if any(_overflown(scaled)):
            return _skipped(scales)
        return list(change(scaled, scales, limit)), scales

    return rule


@misconception("ranks-stop-apart")
def scales_drift(scenario: Scenario) -> list[Arrays]:
    """Nobody steps where the norm isn't finite."""

    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        bad = _overflown(scaled)
        steps = [None] * len(scales) if any(bad) else list(_clipped(_unscaled(scaled, scales), limit))
        return steps, _backed_off(scales, bad)

    return _run(scenario, rule)


@misconception("ranks-stop-apart")
def others_clip(scenario: Scenario) -> list[Arrays]:
    """Those who step do so by a gradient that is clipped to 0, or to NaN."""

    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        bad, steps = _overflown(scaled), _clipped(_unscaled(scaled, scales), limit)
        return [None if own else step for step, own in zip(steps, bad, strict=True)], _backed_off(scales, bad)

    return _run(scenario, rule)


@misconception("ranks-stop-apart")
def others_step(scenario: Scenario) -> list[Arrays]:
    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        bad, gradients = _overflown(scaled), _unscaled(scaled, scales)
        steps = gradients if any(bad) else _clipped(gradients, limit)
        return [None if own else step for step, own in zip(steps, bad, strict=True)], _backed_off(scales, bad)

    return _run(scenario, rule)


@misconception("one-rank-decides")
def first_rank_decides(scenario: Scenario) -> list[Arrays]:
    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        if _overflown(scaled)[0]:
            return _skipped(scales)
        return list(_clipped(_unscaled(scaled, scales), limit)), scales

    return _run(scenario, rule)


@misconception("skips-only-if-all-overflow")
def all_must_overflow(scenario: Scenario) -> list[Arrays]:
    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        if all(_overflown(scaled)):
            return _skipped(scales)
        return list(_clipped(_unscaled(scaled, scales), limit)), scales

    return _run(scenario, rule)


@misconception("clip-while-scaled")
def limit_on_scaled(scenario: Scenario) -> list[Arrays]:
    def change(scaled: list[torch.Tensor], scales: list[float], limit: float) -> list[torch.Tensor]:
        clipped = _clipped([gradient.sum(0) for gradient in scaled], limit)
        return [gradient / scale for gradient, scale in zip(clipped, scales, strict=True)]

    return _run(scenario, _agreed(change))


@misconception("never-unscaled")
def stepped_scaled(scenario: Scenario) -> list[Arrays]:
    return _run(scenario, _agreed(lambda scaled, scales, limit: _clipped([gradient.sum(0) for gradient in scaled], limit)))


@misconception("unscaled-in-mid-window")
def first_microbatch_unscaled(scenario: Scenario) -> list[Arrays]:
    def change(scaled: list[torch.Tensor], scales: list[float], limit: float) -> list[torch.Tensor]:
        return _clipped([g[0] / scale + g[1:].sum(0) for g, scale in zip(scaled, scales, strict=True)], limit)

    return _run(scenario, _agreed(change))


@misconception("norm-of-one-shard")
def own_norm(scenario: Scenario) -> list[Arrays]:
    def change(scaled: list[torch.Tensor], scales: list[float], limit: float) -> list[torch.Tensor]:
        return [_clipped([gradient], limit)[0] for gradient in _unscaled(scaled, scales)]

    return _run(scenario, _agreed(change))


@misconception("overflow-made-finite")
def infinities_zeroed(scenario: Scenario) -> list[Arrays]:
    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        gradients = [torch.nan_to_num(g, nan=0.0, posinf=0.0, neginf=0.0) for g in _unscaled(scaled, scales)]
        return list(_clipped(gradients, limit)), scales

    return _run(scenario, rule)


@misconception("no-backoff-after-skip")
def scale_kept(scenario: Scenario) -> list[Arrays]:
    def rule(scaled: list[torch.Tensor], scales: list[float], limit: float) -> Outcome:
        if any(_overflown(scaled)):
            return [None] * len(scales), scales
        return list(_clipped(_unscaled(scaled, scales), limit)), scales

    return _run(scenario, rule)


@misconception("rank-left-out")
def early_return(scenario: Scenario) -> list[Arrays] | Arrays:
    """A rank that overflows makes no collective in that window. Where all have made as many in the end, the norms were taken
    over different windows; else the ranks part ways."""
    ranks, limits = range(scenario.world_size), _limits(scenario)
    scales, calls = [[FIRST_SCALE] for _ in ranks], [[] for _ in ranks]
    for window in range(len(scenario.windows)):
        for rank in ranks:
            slopes, scale = _slopes(scenario, rank, window), scales[rank][-1]
            overflows = bool((slopes.abs() * scale > LARGEST).any())
            scales[rank].append(scale * BACKOFF if overflows else scale)
            if not overflows:
                calls[rank].append((window, slopes.sum(0)))
    if len({len(own) for own in calls}) > 1:
        return {}
    steps = [torch.zeros(len(scenario.windows), 3, dtype=torch.float64) for _ in ranks]
    for paired in zip(*calls, strict=True):
        norm = float(_norm([gradient for _, gradient in paired]))
        for rank, (window, gradient) in enumerate(paired):
            steps[rank][window] = gradient * min(1.0, limits[window] / norm)
    return [{"step": steps[rank], "scale": torch.tensor(scales[rank][1:], dtype=torch.float64)} for rank in ranks]
