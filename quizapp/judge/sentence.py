"""Saying in a sentence what a set of weights, or a wrong value, means."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from quizapp.judge.expect import GRADIENTS, STEPS, Expected, Observed, matches, ranks_agree, recovered, token_weights
from quizapp.judge.outcome import ranks_text
from quizapp.judge.scenario import Floats, Scenario
from quizapp.judge.words import by_rank, in_words, number, of_other_terms, share
from quizapp.model.figures import CLOSE, as_fraction, in_a_row
from quizapp.model.formula import Formula, UndefinedValue


def _common(values: Sequence[float]) -> float | None:
    """The value that all share, if they do."""
    if not values or any(abs(value - values[0]) > CLOSE * max(abs(values[0]), 1e-3) for value in values):
        return None
    return values[0]


def _ratios(scenario: Scenario, wanted: Floats, given: Floats) -> dict[int, list[float]]:
    """Given over wanted for each valid token's own step, by rank."""
    found: dict[int, list[float]] = {}
    for index, token in enumerate(scenario.tokens):
        want = float(wanted[token.window, index])
        if token.valid and want:
            found.setdefault(token.rank, []).append(float(given[token.window, index]) / want)
    return found


def common_factor(scenario: Scenario, wanted: Floats, given: Floats) -> float | None:
    """The factor by which every weight differs, where it is one and the same and padding is left out."""
    ratios = [ratio for row in _ratios(scenario, wanted, given).values() for ratio in row]
    factor = _common(ratios)
    if factor is None or np.abs(given - factor * wanted).max(initial=0.0) > CLOSE * max(np.abs(given).max(initial=0.0), 1e-9):
        return None
    return factor


FACTORS: Sequence[tuple[str, str, str]] = (
    ("1/R", "1/R", "an average over ranks that nothing in the loss undoes"),
    ("R", "R", "a factor of the world size too many, or a reduction that sums where an average was reckoned with"),
    ("1/(R*R)", "1/R squared", "the world size divided twice"),
    ("1/K", "1/K", "a division by the number of microbatches of something that was an average already"),
    ("K", "K", "a missing division by the number of microbatches, or one that came too often elsewhere"),
    ("1/(R*K)", "1/(R K)", "averages over ranks and microbatches of what was an average already"),
    ("K_w/K", "the share of the window that is filled", "a short window divided by the planned number of microbatches"),
    ("N", "N", "no division by the number of tokens"),
    ("N/R", "N/R", "no division by the number of tokens, then the average over ranks"),
    ("N/T", "N/T", "padding counted in the denominator"),
    ("N/(R*T)", "N/(R T)", "padding counted in the denominator, and the average over ranks not undone"),
)
"""Formula of a factor, how it is said, and what usually causes it."""


def factor_cause(factors: Sequence[tuple[Scenario, float]]) -> str | None:
    """What usually causes the factors found, where one formula explains all of them, at least two different, and no other does."""
    fitting = []
    single = all(scenario.accumulate == 1 for scenario, _ in factors)
    for formula, said, cause in FACTORS:
        if single and "K" in Formula.parse(formula).names:
            continue  # says nothing where there is but one microbatch
        try:
            values = [float(Formula.parse(formula).scalar(scenario.values(0, 0))) for scenario, _ in factors]
        except UndefinedValue:
            continue
        if all(abs(value - factor) <= 1e-5 * abs(factor) for value, (_, factor) in zip(values, factors, strict=True)):
            fitting.append(f"The factor is {said} in every scenario: {cause}")
    different = {round(factor, 9) for _, factor in factors}
    return fitting[0] if len(fitting) == 1 and len(different) > 1 else None


def _leak(scenario: Scenario, given: Floats) -> str | None:
    """Tokens that count in another step than their own."""
    scale = float(np.abs(given).max(initial=0.0)) or 1.0
    for index, token in enumerate(scenario.tokens):
        for step in range(len(scenario.windows)):
            if step != token.window and abs(given[step, index]) > CLOSE * scale:
                return f"step {step + 1} also holds tokens of step {token.window + 1}"
    return None


class Missed(NamedTuple):
    """How far tokens that don't count in their own step are said not to count: of one token, and of several."""

    one: str
    several: str


AT_ALL = Missed("at all", "at all")
IN_THEIR_STEP = Missed("in its own step", "in their own step")
"""Where some of them count in another step."""


def describe(scenario: Scenario, wanted: Floats, given: Floats) -> str:
    """What the weights given mean beside those wanted, both [windows, positions]."""
    parts = []
    if (leak := _leak(scenario, given)) is not None:
        parts.append(leak)
    missed = AT_ALL if leak is None else IN_THEIR_STEP
    own = [float(given[token.window, index]) for index, token in enumerate(scenario.tokens)]
    padding = [weight for token, weight in zip(scenario.tokens, own, strict=True) if not token.valid]
    scale = max(map(abs, own), default=0.0) or 1.0
    if any(abs(weight) > CLOSE * scale for weight in padding):
        shared = _common(padding)
        parts.append(f"padded positions {'count' if shared is None else f'weigh {as_fraction(shared)}'}, and should weigh 0")
    by_rank = _ratios(scenario, wanted, given)
    ratios = {rank: ratio for rank, row in by_rank.items() if (ratio := _common(row)) is not None}
    if by_rank and len(ratios) == len(by_rank):
        common = _common(list(ratios.values()))
        if common is not None:
            if abs(common - 1) > CLOSE:
                parts.append(_shared(common, sum(map(len, by_rank.values())), missed))
        else:
            alike = _should_weigh_alike(scenario, wanted)
            counts = [sum(row) for row in scenario.counts]
            parts.append(_between_ranks(counts, ratios, missed) if alike else _against_their_own(ratios))
    elif by_rank:
        parts.append(_between_steps(scenario, wanted, given, missed) or _between_microbatches(scenario, wanted, given, missed))
    return "; ".join(parts)


def _between_steps(scenario: Scenario, wanted: Floats, given: Floats, missed: Missed) -> str | None:
    """What is said where the tokens of each step are off by one factor, and those of two steps by different ones."""
    found: dict[int, list[float]] = {}
    for index, token in enumerate(scenario.tokens):
        want = float(wanted[token.window, index])
        if token.valid and want:
            found.setdefault(token.window, []).append(float(given[token.window, index]) / want)
    steps: dict[str, list[int]] = {}
    for step in sorted(found):
        ratio = _common(found[step])
        if ratio is None:
            return None
        does = f"don't count {missed.several}" if abs(ratio) <= CLOSE else f"weigh {share(ratio)} they should"
        steps.setdefault(does, []).append(step + 1)
    if len(steps) < 2:
        return None
    whose = [f"step{'' if len(numbers) == 1 else 's'} {in_a_row(numbers)} {does}" for does, numbers in steps.items()]
    return f"the tokens of {', those of '.join(whose)}"


def _should_weigh_alike(scenario: Scenario, wanted: Floats) -> bool:
    """Whether all valid tokens of a step should have one weight; with class weights they shouldn't."""
    by_window: dict[int, list[float]] = {}
    for index, token in enumerate(scenario.tokens):
        if token.valid:
            by_window.setdefault(token.window, []).append(float(wanted[token.window, index]))
    return all(_common(row) is not None for row in by_window.values())


def _against_their_own(ratios: dict[int, float]) -> str:
    low, high = min(ratios, key=lambda rank: ratios[rank]), max(ratios, key=lambda rank: ratios[rank])
    return f"tokens of rank {high} weigh {share(ratios[high])} they should, those of rank {low} {share(ratios[low])} they should"


def _shared(factor: float, tokens: int, missed: Missed) -> str:
    """What one factor on the weights of so many tokens, all of them, means."""
    if abs(factor) <= CLOSE:
        return f"no valid token counts {missed.one}"
    which = "the only valid token" if tokens == 1 else "every valid token"
    return f"{which} weighs {as_fraction(factor)} {'of' if 0 < factor < 1 else 'times'} what it should"


def _between_ranks(counts: Sequence[int], ratios: dict[int, float], missed: Missed) -> str:
    """``counts``: valid tokens by rank."""
    low, high = min(ratios, key=lambda rank: ratios[rank]), max(ratios, key=lambda rank: ratios[rank])
    if abs(ratios[low]) <= CLOSE:
        left = [rank for rank, ratio in ratios.items() if abs(ratio) <= CLOSE]
        return f"the tokens of {ranks_text(left)} don't count {missed.several}"
    more, less = counts[high], counts[low]
    subject = f"rank {high}'s only token counts" if more == 1 else f"each of rank {high}'s {more} tokens counts"
    than = f"rank {low}'s only token" if less == 1 else f"each of rank {low}'s {less}"
    return f"{subject} {number(ratios[high] / ratios[low])} times as much as {than}"


def _between_microbatches(scenario: Scenario, wanted: Floats, given: Floats, missed: Missed) -> str:
    found: dict[tuple[int, int], list[float]] = {}
    due: dict[tuple[int, int], float] = {}
    for index, token in enumerate(scenario.tokens):
        want = float(wanted[token.window, index])
        if token.valid and want:
            found.setdefault((token.rank, token.microbatch), []).append(float(given[token.window, index]) / want)
            due[token.rank, token.microbatch] = want
    ratios = {place: ratio for place, row in found.items() if (ratio := _common(row)) is not None}
    unit = "microbatch" if scenario.accumulate > 1 else "step"
    if len(ratios) < len(found):
        alike = _should_weigh_alike(scenario, wanted)
        return f"tokens of one {unit} {'weigh differently from each other' if alike else 'are off by different factors'}"
    left = {place for place, ratio in ratios.items() if abs(ratio) <= CLOSE}
    none = sorted({k for _, k in left} - {k for _, k in ratios.keys() - left})
    if none:
        one_or_more = unit if len(none) == 1 else {"step": "steps", "microbatch": "microbatches"}[unit]
        return f"the tokens of {one_or_more} {in_a_row([k + 1 for k in none])} don't count {missed.several}"
    gone = sorted({rank for rank, _ in left} - {rank for rank, _ in ratios.keys() - left})
    if gone and {rank for rank, _ in left} == set(gone):
        return f"the tokens of {ranks_text(gone)} don't count {missed.several}"
    if left:
        rank, k = min(left)
        return f"the tokens in {unit} {k + 1} of rank {rank} don't count {missed.several}"
    return _within_a_step(scenario, ratios, due, unit, missed)


def _within_a_step(
    scenario: Scenario, ratios: dict[tuple[int, int], float], due: dict[tuple[int, int], float], unit: str, missed: Missed
) -> str:
    """Of the step whose tokens are treated most differently: those of two ranks or of two of its microbatches. ``ratios``, ``due``:
    given over wanted, and wanted, by rank and microbatch."""
    steps: dict[int, dict[tuple[int, int], float]] = {}
    for place, ratio in ratios.items():
        steps.setdefault(scenario.window_of[place[1]], {})[place] = ratio
    step = max(
        steps, key=lambda step: (max(steps[step].values()) - min(steps[step].values())) / max(map(abs, steps[step].values()))
    )
    its, where = steps[step], f"in step {step + 1} " if len(steps) > 1 else ""
    low, high = min(its, key=lambda place: its[place]), max(its, key=lambda place: its[place])
    more, less = (f"{unit} {microbatch + 1} of rank {rank}" for rank, microbatch in (high, low))
    if abs(due[high] - due[low]) > CLOSE * abs(due[low]):
        return f"{where}a token in {more} weighs {share(its[high])} it should, one in {less} {share(its[low])} it should"
    by_rank = {rank: _common([ratio for (its_rank, _), ratio in its.items() if its_rank == rank]) for rank, _ in its}
    if len(steps) > 1 and all(ratio is not None for ratio in by_rank.values()):
        counts = [sum(row[k] for k in range(len(row)) if scenario.window_of[k] == step) for row in scenario.counts]
        return where + _between_ranks(counts, {rank: ratio or 0.0 for rank, ratio in by_rank.items()}, missed)
    return f"{where}a token in {more} counts {number(its[high] / its[low])} times as much as one in {less}"


def explain(expected: Expected, observed: Sequence[Observed]) -> str:
    """One sentence, without its full stop, on what is wrong with what the ranks ended with."""
    scenario = expected.scenario
    if (told := in_words(expected, observed)) is not None:
        return told
    bad = [rank for rank, own in enumerate(observed) if any(not np.all(np.isfinite(array)) for array in own.values())]
    if bad and all(np.all(np.isfinite(array)) for own in expected.reference for array in own.values()):
        kind = "NaN" if any(np.any(np.isnan(array)) for own in observed for array in own.values()) else "infinite values"
        who = "every rank" if len(bad) == scenario.world_size else ranks_text(bad)
        does = "ends" if len(bad) == 1 or len(bad) == scenario.world_size else "end"
        if GRADIENTS not in observed[bad[0]]:
            return f"{who} {does} with {kind}"
        told = f"{who} {does} with {kind} in {'its' if does == 'ends' else 'their'} gradients"
        return "; ".join(filter(None, (told, _empty(expected, _first_lost([observed[rank][GRADIENTS] for rank in bad])))))
    if STEPS in expected.reference[0]:
        taken, due = int(observed[0][STEPS].reshape(-1)[0]), int(expected.reference[0][STEPS].reshape(-1)[0])
        if taken != due:
            told = f"{taken} optimizer step{'s were' if taken != 1 else ' was'} taken; {due} {'were' if due != 1 else 'was'} wanted"
            given = None if expected.terms is None else recovered(expected, observed)
            leak = None if given is None else _leak(scenario, given)
            return "; ".join(filter(None, (told, leak)))
    if expected.terms is not None and expected.wanted is not None:
        given = recovered(expected, observed)
        if given is not None:
            said = "; ".join(filter(None, (describe(scenario, expected.wanted, given), of_other_terms(expected, observed, given))))
            if not said and len(expected.terms) > len(scenario.tokens):
                return "the token losses weigh what they should, and another term of the loss doesn't"
            return said or _first_difference(expected, observed)
        if not ranks_agree(expected, observed):
            return _apart(expected, observed)
        return _in_part(expected, observed[0][GRADIENTS])
    return _first_difference(expected, observed)


def _in_part(expected: Expected, got: Floats) -> str:
    """Of a gradient that no weights make, or that is too short to tell which do: how much of it is right, and what the rest is."""
    want, sizes = expected.reference[0][GRADIENTS], expected.magnitude(0)[GRADIENTS]
    off = np.abs(got - want) > expected.tolerance * float(sizes.max(initial=0.0))
    told = want[off] != 0
    factor = _common(list(got[off][told] / want[off][told])) if told.all() else None
    most = np.unravel_index(int(np.abs(got - want).argmax()), got.shape)
    one = f"one entry is {number(float(got[most]))}, wanted {number(float(want[most]))}"
    if not off.all():
        rest = f"and the others are {share(factor)} they should be" if factor is not None else f"not in the others: {one}"
        return f"the gradient is right in {off.size - int(off.sum())} of its {off.size} entries, {rest}"
    if factor is not None:
        return f"every entry of the gradient is {share(factor)} it should be"
    if len(expected.scenario.tokens) > got.shape[1]:
        return f"the gradient is another one than wanted: {one}"
    return f"no set of weights on the token losses gives this gradient: {one}"


def _by_step(scenario: Scenario) -> list[tuple[str, list[int]]]:
    """For each step how it is named, where there are several, and the valid tokens of each rank."""
    steps = range(len(scenario.windows))
    names = [f" in step {step + 1}" if len(steps) > 1 else "" for step in steps]
    counts = [[sum(row[k] for k in range(len(row)) if scenario.window_of[k] == step) for row in scenario.counts] for step in steps]
    return list(zip(names, counts, strict=True))


def _without(counts: Sequence[int]) -> str:
    none = [rank for rank, count in enumerate(counts) if not count]
    return f"{ranks_text(none)} {'has' if len(none) == 1 else 'have'} no valid token"


def ranks_without(scenario: Scenario) -> str | None:
    """Which ranks have no valid token, where others have some, and in which step; ``None`` where that is so in several steps."""
    found = [f"{_without(counts)}{where}" for where, counts in _by_step(scenario) if any(counts) and not all(counts)]
    return found[0] if len(found) == 1 else None


def _first_lost(gradients: Sequence[Floats]) -> int:
    """The first step [windows, P] in which some rank's gradient is no number."""
    return min(
        (int(np.flatnonzero(~np.isfinite(own).all(axis=1))[0]) for own in gradients if not np.isfinite(own).all()), default=0
    )


def _empty(expected: Expected, step: int) -> str | None:
    """Where there is nothing to divide by, in this ``step`` if there is such a place, else in another one: no valid token at all,
    else ranks without one, else microbatches."""
    scenario = expected.scenario
    steps = _by_step(scenario)
    for index in (*range(step, len(steps)), *range(step)):
        where, counts = steps[index]
        if not any(counts):
            zero = ", and the gradient wanted is 0" if not expected.reference[0][GRADIENTS][index].any() else ""
            return f"no rank has a valid token{where}{zero}"
        if not all(counts):
            return f"{_without(counts)}{where}"
    empty = [(rank, k) for rank, row in enumerate(scenario.counts) for k, count in enumerate(row) if not count]
    return f"microbatch {empty[0][1] + 1} of rank {empty[0][0]} has no valid token" if empty else None


def _apart(expected: Expected, observed: Sequence[Observed]) -> str:
    """What ranks that end with different gradients have of each other's tokens."""
    scenario, told = expected.scenario, "the ranks end with different gradients"
    given = [weights for own in observed if (weights := token_weights(expected, own[GRADIENTS])) is not None]
    if len(given) < len(observed) or expected.wanted is None:
        return told
    held = [_held(scenario, weights) for weights in given]
    whole = {(token.rank, token.microbatch) for token in scenario.tokens if token.valid}
    numbers = _one_token(scenario, expected.wanted, given)
    if all(its == {place for place in whole if place[0] == rank} for rank, its in enumerate(held)):
        return f"each rank's gradient holds its own tokens alone; {numbers}"
    for rank, its in enumerate(held):
        missing = sorted(whole - its)
        if missing and not {place for place in whole if place[0] == rank} & set(missing):
            other, k = missing[0]
            where = f"in microbatch {k + 1} of rank {other}" if scenario.accumulate > 1 else f"of rank {other}"
            return f"{told}: rank {rank}'s has no tokens {where}; {numbers}"
    return f"{told}; {numbers}"


def _held(scenario: Scenario, given: Floats) -> set[tuple[int, int]]:
    """Ranks and microbatches whose valid tokens count under the weights that one rank's gradients have."""
    counts = np.abs(given).max(axis=0) > CLOSE * np.abs(given).max(initial=0.0)
    return {(token.rank, token.microbatch) for token, its in zip(scenario.tokens, counts, strict=True) if token.valid and its}


def _one_token(scenario: Scenario, wanted: Floats, given: Sequence[Floats]) -> str:
    """The weight of one token in each rank's gradient, ``given`` by rank: of the token on which the ranks differ most."""
    each = np.array(given)
    apart = np.ptp(each, axis=0)
    step, index = np.unravel_index(int((apart >= (1 - CLOSE) * apart.max()).argmax()), wanted.shape)
    token = scenario.tokens[int(index)]
    place = f"rank {token.rank}" if scenario.accumulate == 1 else f"microbatch {token.microbatch + 1} of rank {token.rank}"
    where = f"in step {step + 1} " if len(scenario.windows) > 1 else ""
    origin = "" if token.window == step else f", of step {token.window + 1},"
    weights = by_rank([as_fraction(float(its[step, index])) for its in each])
    due = as_fraction(float(wanted[step, index]))
    return f"{where}a token of {place}{origin} weighs {weights}, wanted {due} on every rank"


def _first_difference(expected: Expected, observed: Sequence[Observed]) -> str:
    for rank, own in enumerate(observed):
        sizes = expected.magnitude(rank)
        for name, wanted in expected.reference[rank].items():
            if not matches(own[name], wanted, sizes[name], expected.tolerance):
                got, want = own[name].reshape(-1), wanted.reshape(-1)
                position = int(np.nanargmax(np.where(np.isfinite(got), np.abs(got - want), np.inf)))
                what = name if name.isidentifier() else f"`{name}`"
                place = ", ".join(str(index) for index in np.unravel_index(position, wanted.shape))
                entry = f"{what}[{place}]" if want.size > 1 else what
                had, due = number(float(got[position])), number(float(want[position]))
                return f"rank {rank} ends with {entry} = {had}; wanted is {due}"
    return "the values differ from those wanted"
