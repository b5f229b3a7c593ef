"""One device with all microbatches of a window: each term averaged over its own unit, then added up."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn.functional import cross_entropy, one_hot

from quizapp_sandbox.contract import Scenario, misconception

Arrays = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Unit:
    """A position, or a microbatch of a rank, with the counts of its window."""

    R: int
    K: int
    K_w: int
    N: int
    T: int
    n_r: int
    t_r: int
    n_rk: int
    t_rk: int
    window: int
    valid: bool = True


Weigh = Callable[[Unit], float]


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else 0.0


def _units(scenario: Scenario) -> tuple[list[Unit], list[Unit]]:
    """All positions, and all microbatches: ranks in order, then microbatches."""
    masks = [[scenario.shard(rank)[f"mask.{k}"] for k in range(scenario.microbatches)] for rank in range(scenario.world_size)]
    window_of = [index for index in range(len(scenario.windows)) for _ in scenario.window(index)]
    positions, microbatches = [], []
    for row in masks:
        for k, mask in enumerate(row):
            inside = scenario.window(window_of[k])
            unit = Unit(
                R=scenario.world_size,
                K=scenario.accumulate,
                K_w=len(inside),
                N=sum(int(other[j].sum()) for other in masks for j in inside),
                T=sum(len(other[j]) for other in masks for j in inside),
                n_r=sum(int(row[j].sum()) for j in inside),
                t_r=sum(len(row[j]) for j in inside),
                n_rk=int(mask.sum()),
                t_rk=len(mask),
                window=window_of[k],
            )
            microbatches.append(unit)
            positions += [Unit(**{**vars(unit), "valid": bool(valid)}) for valid in mask]
    return positions, microbatches


def terms(scenario: Scenario) -> torch.Tensor:
    """Rows of token losses, of load-balancing terms and of z-losses, [2 T + R K, P]. In a crowd a microbatch has one row for all
    its z-losses, since there are more of them than entries of a gradient."""
    classifier, balance, size = _parts(scenario)
    if _is_crowd(scenario):
        lengths = [len(scenario.shard(rank)[f"mask.{k}"]) for rank in scenario.shards for k in range(scenario.microbatches)]
        size = torch.stack([rows.sum(0) for rows in size.split(lengths)])
    return torch.block_diag(classifier, torch.cat([balance, size]))


def _parts(scenario: Scenario) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Of each position's token loss for the classifier, of each microbatch's balance and each position's z-loss for the router."""
    ce, aux, z = [], [], []
    classes, experts = torch.eye(3, dtype=torch.float64), torch.eye(4, dtype=torch.float64)
    for rank in range(scenario.world_size):
        for k in range(scenario.microbatches):
            features, targets = scenario.shard(rank)[f"features.{k}"], scenario.shard(rank)[f"targets.{k}"]
            error = (features @ scenario.shared["weight"]).softmax(1) - classes[targets]
            routing = features @ scenario.shared["router"]
            share, chosen = routing.softmax(1), experts[routing.argmax(1)].mean(0)
            # d/d(routing) of 4 * chosen . mean(softmax), and of logsumexp squared.
            pull = 4 * share * (chosen - (share @ chosen)[:, None]) / len(targets)
            grow = 2 * routing.logsumexp(1)[:, None] * share
            ce.append((features[:, :, None] * error[:, None, :]).flatten(1))
            aux.append((features.T @ pull).reshape(1, -1))
            z.append((features[:, :, None] * grow[:, None, :]).flatten(1))
    return torch.cat(ce), torch.cat(aux), torch.cat(z)


def wanted(scenario: Scenario) -> torch.Tensor:
    """[windows, rows]."""
    positions, microbatches = _units(scenario)
    alpha, beta = float(scenario.shared["alpha"]), float(scenario.shared["beta"])
    rows = []
    for window in range(len(scenario.windows)):
        given = [_right_ce(u) if u.valid and u.window == window else 0.0 for u in positions]
        given += [alpha * _right_aux(u) if u.window == window else 0.0 for u in microbatches]
        z_losses = microbatches if _is_crowd(scenario) else positions
        rows.append(given + [beta * _right_z(u) if u.window == window else 0.0 for u in z_losses])
    return torch.tensor(rows, dtype=torch.float64)


def _is_crowd(scenario: Scenario) -> bool:
    """Whether there are more positions than entries of a gradient."""
    positions = sum(len(scenario.shard(rank)[f"mask.{k}"]) for rank in scenario.shards for k in range(scenario.microbatches))
    return positions > scenario.shared["weight"].numel() + scenario.shared["router"].numel()


def reference(scenario: Scenario) -> Arrays:
    weight, router = (scenario.shared[name].clone().requires_grad_() for name in ("weight", "router"))
    alpha, beta = scenario.shared["alpha"], scenario.shared["beta"]
    rows = []
    for index in range(len(scenario.windows)):
        shards = [(scenario.shard(rank), k) for rank in range(scenario.world_size) for k in scenario.window(index)]
        features, targets, mask = (torch.cat([shard[f"{n}.{k}"] for shard, k in shards]) for n in ("features", "targets", "mask"))
        token_loss = (cross_entropy(features @ weight, targets, reduction="none") * mask).sum() / mask.sum().clamp(min=1)
        balance = []
        for shard, k in shards:
            routing = shard[f"features.{k}"] @ router
            fraction = one_hot(routing.argmax(1), 4).double().mean(0)
            balance.append(4 * (fraction * routing.softmax(1).mean(0)).sum())
        size = torch.logsumexp(features @ router, 1).square().mean()
        loss = token_loss + alpha * torch.stack(balance).mean() + beta * size
        rows.append(torch.cat([part.flatten() for part in torch.autograd.grad(loss, (weight, router))]))
    return {"gradients": torch.stack(rows), "steps": torch.tensor([len(rows)])}


def _right_ce(unit: Unit) -> float:
    return _ratio(1, unit.N)


def _right_aux(unit: Unit) -> float:
    return 1 / (unit.R * unit.K_w)


def _right_z(unit: Unit) -> float:
    return 1 / unit.T


Known = tuple[list[Unit], list[Unit], torch.Tensor]
_known: list[tuple[Scenario, Known]] = []


def _once(scenario: Scenario) -> Known:
    """Positions, microbatches and their rows [2 T + R K, P]; all predictions for one scenario are asked for in a row."""
    if not _known or _known[0][0] is not scenario:
        classifier, balance, size = _parts(scenario)
        _known[:] = [(scenario, (*_units(scenario), torch.block_diag(classifier, torch.cat([balance, size]))))]
    return _known[0][1]


def _weighed(scenario: Scenario, ce: Weigh = _right_ce, aux: Weigh = _right_aux, z: Weigh = _right_z) -> Arrays:
    """Gradients with these weights: of valid tokens' losses, of each microbatch's balance, of each position's z-loss."""
    positions, microbatches, each = _once(scenario)
    alpha, beta = float(scenario.shared["alpha"]), float(scenario.shared["beta"])
    rows = []
    for window in range(len(scenario.windows)):
        given = [ce(u) if u.valid and u.window == window else 0.0 for u in positions]
        given += [alpha * aux(u) if u.window == window else 0.0 for u in microbatches]
        given += [beta * z(u) if u.window == window else 0.0 for u in positions]
        rows.append(given)
    return {"gradients": torch.tensor(rows, dtype=torch.float64) @ each, "steps": torch.tensor([len(rows)])}


@misconception("main-factor-on-auxiliary")
def whole_loss_times_ranks(scenario: Scenario) -> Arrays:
    return _weighed(scenario, aux=lambda u: 1 / u.K_w)


@misconception("main-factor-on-auxiliary")
def whole_loss_times_ranks_and_accumulated(scenario: Scenario) -> Arrays:
    return _weighed(scenario, aux=lambda u: 1)


@misconception("one-denominator-for-all-terms")
def everything_over_tokens(scenario: Scenario) -> Arrays:
    return _weighed(scenario, aux=lambda u: 1 / max(u.N, 1), z=lambda u: 1 / max(u.N, 1))


@misconception("one-denominator-for-all-terms")
def position_terms_over_tokens(scenario: Scenario) -> Arrays:
    return _weighed(scenario, z=lambda u: 1 / max(u.N, 1))


@misconception("auxiliary-summed-over-window")
def not_divided_by_microbatches(scenario: Scenario) -> Arrays:
    return _weighed(scenario, aux=lambda u: 1 / u.R)


@misconception("planned-microbatches")
def divided_by_planned(scenario: Scenario) -> Arrays:
    return _weighed(scenario, aux=lambda u: 1 / (u.R * u.K))


@misconception("divided-again-by-microbatches")
def all_terms_divided_again(scenario: Scenario) -> Arrays:
    return _weighed(scenario, ce=lambda u: _ratio(1, u.N * u.K_w), z=lambda u: 1 / (u.T * u.K_w))


@misconception("divided-again-by-microbatches")
def all_terms_divided_by_planned_again(scenario: Scenario) -> Arrays:
    return _weighed(scenario, ce=lambda u: _ratio(1, u.N * u.K), aux=lambda u: 1 / (u.R * u.K), z=lambda u: 1 / (u.T * u.K))


@misconception("token-weight-on-auxiliary")
def balance_by_tokens(scenario: Scenario) -> Arrays:
    return _weighed(scenario, aux=lambda u: _ratio(u.n_rk, u.N))


@misconception("mask-on-every-term")
def z_of_valid_tokens(scenario: Scenario) -> Arrays:
    return _weighed(scenario, z=lambda u: _ratio(u.valid, u.N))


@misconception("mask-on-every-term")
def z_of_valid_tokens_over_all_positions(scenario: Scenario) -> Arrays:
    return _weighed(scenario, z=lambda u: u.valid / u.T)


@misconception("empty-microbatch-skips-all-terms")
def empty_microbatch_skipped(scenario: Scenario) -> Arrays:
    return _weighed(scenario, aux=lambda u: (u.n_rk > 0) / (u.R * u.K_w), z=lambda u: (u.n_rk > 0) / u.T)


@misconception("forgot-world-size-factor")
def global_counts_averaged(scenario: Scenario) -> Arrays:
    return _weighed(scenario, ce=lambda u: _ratio(1, u.R * u.N), z=lambda u: 1 / (u.R * u.T))


@misconception("forgot-world-size-factor")
def global_positions_averaged(scenario: Scenario) -> Arrays:
    return _weighed(scenario, z=lambda u: 1 / (u.R * u.T))


@misconception("mean-of-rank-means")
def own_positions_of_a_rank(scenario: Scenario) -> Arrays:
    return _weighed(scenario, z=lambda u: 1 / (u.R * u.t_r))


@misconception("mean-of-rank-means")
def own_counts(scenario: Scenario) -> Arrays:
    return _weighed(scenario, ce=lambda u: _ratio(1, u.R * u.n_r), z=lambda u: 1 / (u.R * u.t_r))


@misconception("mean-of-microbatch-means")
def own_microbatch_counts(scenario: Scenario) -> Arrays:
    return _weighed(scenario, ce=lambda u: _ratio(1, u.R * u.K_w * u.n_rk), z=lambda u: 1 / (u.R * u.K_w * u.t_rk))


@misconception("mean-of-microbatch-means")
def own_positions_of_a_microbatch(scenario: Scenario) -> Arrays:
    return _weighed(scenario, z=lambda u: 1 / (u.R * u.K_w * u.t_rk))


@misconception("padding-counted")
def own_positions(scenario: Scenario) -> Arrays:
    return _weighed(scenario, ce=lambda u: 1 / (u.R * u.K_w * u.t_rk), z=lambda u: 1 / (u.R * u.K_w * u.t_rk))


@misconception("zero-over-zero")
def unguarded(scenario: Scenario) -> Arrays:
    found = _weighed(scenario)
    classifier = scenario.shared["weight"].numel()
    for window in range(len(scenario.windows)):
        if all(int(scenario.shard(rank)[f"mask.{k}"].sum()) == 0 for rank in scenario.shards for k in scenario.window(window)):
            found["gradients"][window, :classifier] = torch.nan  # the router doesn't see token losses
    return found
