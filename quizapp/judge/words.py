"""Saying in a sentence what ranks ended with, where a lab has words for what it observes; and what other terms of a loss weigh."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quizapp.judge.expect import Expected, Observed, matches, other_weights
from quizapp.judge.outcome import ranks_text
from quizapp.judge.scenario import Floats
from quizapp.model.figures import CLOSE, as_fraction, in_a_row
from quizapp.model.lab import ArrayWords, OtherTerm

MOST_SIGNS = 5
"""Of a ratio that is said as a fraction."""
MOST_SHOWN = 16
"""Entries of a row that are listed."""
MOST_CHANCE = 16
"""The smaller number of a fraction that isn't one by chance."""
ROOTS = (2, 3, 5, 6, 7, 8)
"""World sizes whose roots are no whole numbers."""
MOST_ALSO = 6
"""Further entries or arrays with a difference that are named."""
MOST_TOLD, MOST_MEASURED = 28, 6
"""Entries of all ranks' rows, given and wanted, that are told together: of lists, and of rows of measurements."""


def number(value: float, digits: int = 4) -> str:
    """A ratio or a value as it is said: a small fraction exactly, another one to so many digits."""
    exact = as_fraction(value)
    short = "/" not in exact or len(exact) <= MOST_SIGNS
    whole = digits == 4 or not np.isfinite(value) or _read(exact) == value
    return exact if short and whole else f"{value:.{digits}g}"


def _read(exact: str) -> float:
    top, _, bottom = exact.partition("/")
    return float(top) / float(bottom or 1)


def times(ratio: float) -> str:
    """``2 times``, ``1/3 of``: how a weight compares to what it should be."""
    return f"{number(ratio)} {'of' if 0 < ratio < 1 - CLOSE else 'times'}"


def in_words(expected: Expected, observed: Sequence[Observed]) -> str | None:
    """The first difference in the lab's own words and order, and where else some are; ``None`` where it has no words for any."""
    told, entries, names = "", [], []
    for pattern, words in expected.words.items():
        for name in expected.reference[0] if pattern == "*" else (pattern,):
            own = [rank[name] for rank in observed]
            wanted = [rank[name] for rank in expected.reference]
            sizes = [expected.magnitude(rank)[name] for rank in range(len(own))]
            pairs = zip(own, wanted, sizes, strict=True)
            right = [matches(got, want, size, expected.tolerance) for got, want, size in pairs]
            if all(right):
                continue
            slack = [float(size.max(initial=0.0)) * expected.tolerance for size in sizes]
            off = _entries_off(words, own, wanted, slack)
            if not told:
                told = _array(words, name, own, wanted, slack)
                entries += off[1:]
            elif pattern == "*":
                names.append(name)
            else:
                entries += off
    if not told:
        return None
    also = [f"wrong also for {_listed(entries)}"] if entries else []
    return "; ".join([told, *also, *([f"wrong also with {_listed(names)}"] if names else [])])


def _entries_off(words: ArrayWords, own: Sequence[Floats], wanted: Sequence[Floats], slack: Sequence[float]) -> list[str]:
    """What the entries with a difference are called, on the first rank that has one; empty where entries have no words."""
    if not words.entries:
        return []
    each = [~_close(got.reshape(-1), want.reshape(-1), its) for got, want, its in zip(own, wanted, slack, strict=True)]
    return [words.entries[entry] for entry in np.flatnonzero(next(off for off in each if off.any()))]


def _listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and 2 more``."""
    shown = [*names[:MOST_ALSO], f"{len(names) - MOST_ALSO} more"] if len(names) > MOST_ALSO + 1 else list(names)
    return in_a_row(shown)


def _array(words: ArrayWords, name: str, own: Sequence[Floats], wanted: Sequence[Floats], slack: Sequence[float]) -> str:
    """Of one array with a difference. ``slack``: what entries may be off, by rank."""
    rows = range(min(len(words.rows), len(wanted[0])) if words.rows else 1)
    each = [[(_row(words, got, row), _row(words, want, row)) for got, want in zip(own, wanted, strict=True)] for row in rows]

    def is_off(rank: int, got: Floats, want: Floats) -> bool:
        return got.shape != want.shape or bool(np.any(~_close(got, want, slack[rank])))

    index = next((row for row in rows if any(is_off(rank, *pair) for rank, pair in enumerate(each[row]))), 0)
    pairs, entry = each[index], ""
    off = [rank for rank, pair in enumerate(pairs) if is_off(rank, *pair)] or [0]
    first = off[0] if words.entries or words.filler is not None else max(off, key=lambda rank: _distance(*pairs[rank]))
    if words.entries:
        place = int(np.flatnonzero(~_close(*pairs[first], slack[first]))[0])
        entry = words.entries[place]
        pairs = [(got[place : place + 1], want[place : place + 1]) for got, want in pairs]
    where = f"{words.rows[index]}: " if words.rows else ""
    return f"{where}{words.called.format(name=name, entry=entry)} {_compared(words, pairs, first)}"


def _distance(got: Floats, want: Floats) -> float:
    """The largest difference, relative to the largest entry wanted."""
    if got.shape != want.shape or not np.all(np.isfinite(got)):
        return np.inf
    return float(np.abs(got - want).max(initial=0.0)) / (float(np.abs(want).max(initial=0.0)) or 1.0)


def _close(got: Floats, want: Floats, slack: float) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return np.asarray((np.abs(got - want) <= slack) | (np.isnan(got) & np.isnan(want)) | (got == want))


def _compared(words: ArrayWords, pairs: Sequence[tuple[Floats, Floats]], first: int) -> str:
    """``1024 on rank 0 and 512 on rank 1, wanted 512 on every rank``. ``first``: a rank with a difference, which is told alone
    where there is too much to tell."""
    digits = next((d for d in (4, 10) if _value(words, pairs[first][0], d) != _value(words, pairs[first][1], d)), 17)
    given, due = [_value(words, got, digits) for got, _ in pairs], [_value(words, want, digits) for _, want in pairs]
    told = MOST_MEASURED if words.filler is None else MOST_TOLD
    factors = ["" if words.filler is not None or words.values else _factor(got, want) for got, want in pairs]
    if len(set(due)) > 1 and sum(len(got) + len(want) for got, want in pairs) > told:
        return f"{given[first]} on rank {first}, wanted {due[first]}{factors[first]}"
    same = len(set(due)) == len(set(given)) == 1
    factor = factors[0] if len(set(factors)) == 1 else ""
    return f"{by_rank(given)}, wanted {due[0] if same else by_rank(due)}{factor}"


def _factor(got: Floats, want: Floats) -> str:
    """After a colon, what a row is of the one wanted, where that tells more than the values: of several entries the factor that
    they share, or the factors between which they lie; of one a factor that is a simple fraction, unless the values are whole."""
    if got.shape != want.shape or not np.all(np.isfinite(got)) or not np.all(np.isfinite(want)) or not np.all(want):
        return ""
    with np.errstate(over="ignore"):
        ratios, several = np.asarray(got / want), len(got) > 2
    if not np.all(np.isfinite(ratios)):
        return ""
    shared = _one_ratio(ratios)
    off = np.flatnonzero(np.abs(ratios - 1) > CLOSE)
    if several and len(off) == 1:
        return f": only number {off[0] + 1} of them differs"
    if several and shared is None:
        return f": entries are between {number(float(ratios.min()))} and {number(float(ratios.max()))} times what they should be"
    factor = _simple(shared or 0.0)
    obvious = np.array_equal(got, np.round(got)) and np.array_equal(want, np.round(want))
    if factor in ("0", "1") or (not several and (obvious or "." in factor)):
        return ""
    said = f"{factor} {'of' if abs(ratios[0]) < 1 else 'times'} what it should be"
    return f": every entry is {said}" if several else f": {said}"


def _simple(ratio: float) -> str:
    """A ratio as a fraction of which one number is small, or both are nearly the same; or as the root of a small number, as norms
    of copies make it; else to four digits. A fraction of two large numbers lies beside any value."""
    for root in ROOTS:
        for value, said in ((root**0.5, f"√{root}"), (root**-0.5, f"1/√{root}")):
            if abs(ratio - value) <= CLOSE * value:
                return said
    exact = as_fraction(ratio)
    told = Fraction(exact)
    few = min(abs(told.numerator), told.denominator) <= MOST_CHANCE or abs(told.numerator - told.denominator) <= 1
    return exact if few and abs(_read(exact) - ratio) <= CLOSE * abs(ratio) else f"{ratio:.4g}"


def by_rank(values: Sequence[str]) -> str:
    """``2 on every rank``, ``1 on rank 0 and 0 on ranks 1 and 2``: values in the order of ranks."""
    ranks: dict[str, list[int]] = {}
    for rank, value in enumerate(values):
        ranks.setdefault(value, []).append(rank)
    if len(ranks) == 1:
        return f"{values[0]} on every rank"
    parts = [f"{value} on {ranks_text(which)}" for value, which in ranks.items()]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _row(words: ArrayWords, array: Floats, index: int) -> Floats:
    row = np.atleast_1d(array[index] if words.rows else array).reshape(-1)
    return row if words.filler is None else row[row != words.filler]


def _value(words: ArrayWords, row: Floats, digits: int) -> str:
    if len(row) == 1 and words.filler is None:
        only = float(row[0])
        return words.values.get(str(int(only)), number(only, digits)) if np.isfinite(only) else number(only)
    listed = [number(float(value), digits) for value in row[:MOST_SHOWN]]
    return f"[{', '.join(listed)}{', …' if len(row) > MOST_SHOWN else ''}]"


def of_other_terms(expected: Expected, observed: Sequence[Observed], tokens: Floats) -> str | None:
    """What the loss terms beside the token losses weigh; ``None`` where the lab says nothing of them, or they can't be told.
    ``tokens``: the weights of those losses, [windows, positions]."""
    given, wanted = other_weights(expected, observed), expected.other_wanted
    if given is None or wanted is None or expected.wanted is None:
        return None
    parts, start = [], 0
    for term, size in zip(expected.other_terms, expected.other_sizes, strict=True):
        rows = slice(start, start + size)
        start += size
        said = _of_one(term, expected, given[:, rows], wanted[:, rows])
        alike = term.units == "positions" and _off_alike(given[:, rows], wanted[:, rows], tokens, expected.wanted)
        if said and alike:
            parts.append(f"the same holds for {term.called}")
        elif said:
            parts.append(f"{term.called} {said}")
    return "; ".join(parts) or None


def _off_alike(given: Floats, wanted: Floats, tokens: Floats, due: Floats) -> bool:
    """Whether a term is off by each token's own factor, and counts where tokens count; not where those are right."""
    largest = float(np.abs(wanted).max(initial=0.0))
    if np.allclose(tokens, due, rtol=CLOSE, atol=CLOSE * float(np.abs(due).max(initial=0.0))):
        return False
    if np.any(np.abs(given[(wanted == 0) & (due == 0)]) > CLOSE * largest):
        return False
    return bool(np.allclose(given * due, tokens * wanted, rtol=CLOSE, atol=CLOSE * float(np.abs(wanted * due).max(initial=0.0))))


def _of_one(term: OtherTerm, expected: Expected, given: Floats, wanted: Floats) -> str:
    """Of one term's weights [windows, rows]; empty where they are right."""
    due = (wanted != 0) & np.isfinite(given)
    ratios = np.divide(given, wanted, out=np.ones_like(given), where=due)
    stray = (wanted == 0) & np.isfinite(given) & (np.abs(given) > CLOSE * np.abs(wanted).max(initial=0.0))
    if stray.any():
        padding = term.units == "positions" and not np.any(stray & expected.scenario.valid)
        return f"counts {'for padding' if padding else 'in other steps'}, where it should weigh nothing"
    if np.all(np.abs(ratios - 1) <= CLOSE):
        return ""
    each = [_one_ratio(row[its]) for row, its in zip(ratios, due, strict=True)]
    if all(ratio is not None for ratio in each):
        if _one_ratio(ratios[due]) is not None:
            return "doesn't count at all" if abs(ratios[due][0]) <= CLOSE else f"weighs {share(ratios[due][0])} it should"
        told = [f"{share(ratio or 0.0)} it should in step {window + 1}" for window, ratio in enumerate(each)]
        return f"weighs {', '.join(told[:-1])} and {told[-1]}"
    lost = due & (np.abs(ratios) <= CLOSE)
    rest = _one_ratio(ratios[due & ~lost])
    if lost.any() and rest is not None:
        where = f"in some {term.units}"
        if term.units == "positions" and np.array_equal(lost, due & ~expected.scenario.valid):
            where = "for padding"
        if term.units == "microbatches" and np.array_equal(lost, due & (np.array(expected.scenario.counts).reshape(-1) == 0)):
            where = "in microbatches without a valid token"
        others = "" if abs(rest - 1) <= CLOSE else f", and weighs {share(rest)} it should elsewhere"
        return f"doesn't count {where}{others}"
    low, high = float(ratios[due].min()), float(ratios[due].max())
    unit = term.units.removesuffix("es" if term.units == "microbatches" else "s")
    return f"weighs between {number(low)} and {number(high)} times what it should, differing from one {unit} to the next"


def _one_ratio(ratios: Floats) -> float | None:
    """The ratio that all share, if they do."""
    if not len(ratios) or float(np.ptp(ratios)) > CLOSE * max(1e-3, float(np.abs(ratios).max())):
        return None
    return float(ratios[0])


def share(ratio: float) -> str:
    """``just what``, ``2 times what`` or ``1/3 of what``, before ``it should``."""
    return "just what" if abs(ratio - 1) <= CLOSE else f"{times(ratio)} what"
