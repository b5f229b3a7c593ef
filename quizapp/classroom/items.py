"""Item analysis: difficulty, discrimination, distractors, omissions, time, alpha. Pure functions from attempts to numbers.

Classical test theory, as in Crocker and Algina, *Introduction to Classical and Modern Test Theory* (1986), chapters 7 and 14:
difficulty is the mean share of the points; discrimination the correlation of an item's share with the share of all the others (so
that an item doesn't correlate with itself); alpha is Cronbach's (1951), over the students who were graded on every item.
An answer that was left out, or couldn't be read, counts 0 in difficulty, discrimination and alpha.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean, median, pvariance

from quizapp.classroom.attempts import Attempt

ENOUGH = 10
"""Students from whom a correlation or a rate says something; below it, items aren't blamed for one."""
TOO_HARD, TOO_EASY = 0.2, 0.95
LITTLE_DISCRIMINATION = 0.1
OFTEN = 0.2
"""Share of students from which omissions, unsure scores and identical programs are worth a word."""
COMMON = 0.3
"""Share of students from which a misconception is the class's rather than a student's."""
SELDOM = 0.02
LOSES_ALPHA = 0.02

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice part."""

    id: str
    text: str
    key: bool
    misconception: str | None


@dataclass(frozen=True, slots=True)
class OptionRate:
    """How an option was taken."""

    option: Option
    count: int
    rate: float
    """Of those who answered."""
    rest: float | None
    """Mean share of all other items of those who chose it."""


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """One part of an item."""

    item: str
    part: str
    students: int
    """Those who answered, left it out, or handed in what can't be read."""
    answered: int
    omitted: int
    unreadable: int
    difficulty: float
    """Mean share of the points, 0 to 1: high is easy."""
    discrimination: float | None
    """-1 to 1; ``None`` where there is nothing to correlate with."""
    alpha_without: float | None
    seconds: float | None
    """Median time to think."""
    outcomes: Mapping[str, int]
    options: tuple[OptionRate, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A misconception, and who showed it."""

    id: str
    title: str
    students: tuple[str, ...]
    where: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class LookAt:
    """An item to look at, and why."""

    item: str
    part: str
    why: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """A class in numbers."""

    shares: Mapping[str, float]
    """Student -> share of the points of all parts that they were given."""
    items: tuple[ItemStatistics, ...]
    misconceptions: tuple[Shown, ...]
    """The most frequent first."""
    alpha: float | None
    alpha_students: int
    """Those graded on every item; alpha speaks of them alone."""
    look_at: tuple[LookAt, ...]
    identical: tuple[tuple[Key, tuple[str, ...]], ...]
    """Students whose programs are the same byte for byte."""

    @property
    def mean(self) -> float:
        """Of the shares, added up without rounding: the same in any order."""
        return fmean(self.shares.values()) if self.shares else 0.0


def analyse(attempts: Sequence[Attempt], options: Mapping[Key, Sequence[Option]], titles: Mapping[str, str]) -> Analysis:
    """All numbers of a report.

    Args:
        attempts: at most one for each student and part.
        options: the options of choice parts, in their written order.
        titles: misconception id -> title.
    """
    table = _table(attempts)
    keys = sorted({key for row in table.values() for key in row})
    complete = [row for row in table.values() if len(row) == len(keys)]
    whole = alpha([[row[key].points for key in keys] for row in complete])
    items = tuple(_item(key, keys, table, complete, options.get(key, ())) for key in keys)
    return Analysis(
        shares={student: _share(row.values()) for student, row in sorted(table.items())},
        items=items,
        misconceptions=_misconceptions(attempts, titles),
        alpha=whole,
        alpha_students=len(complete),
        look_at=tuple(LookAt(one.item, one.part, why) for one in items for why in _reasons(one, whole)),
        identical=_identical(attempts),
    )


def _table(attempts: Sequence[Attempt]) -> dict[str, dict[Key, Attempt]]:
    """Student -> part -> attempt. Who is of the class and has no row for a part that the class was given left it out."""
    table: dict[str, dict[Key, Attempt]] = defaultdict(dict)
    for one in attempts:
        table[one.student][one.key] = one
    given = {one.key: one.max_points for one in attempts if one.in_class}
    for student in {one.student for one in attempts if one.in_class}:
        for (item, part), most in given.items():
            table[student].setdefault((item, part), Attempt(student, item, part, 0, most, "missing", True))
    return dict(table)


def _share(attempts: Iterable[Attempt]) -> float:
    found = list(attempts)
    most = sum(one.max_points for one in found)
    return sum(one.share * one.max_points for one in found) / most if most else 0.0


def alpha(points: Sequence[Sequence[float]]) -> float | None:
    """Cronbach's alpha. ``points``: [students, items].

    Returns: ``None`` for fewer than two items or three students, and where all totals are the same.
    """
    if len(points) < 3 or len(points[0]) < 2:
        return None
    total = float(pvariance([sum(row) for row in points]))
    if total <= 0:
        return None
    count = len(points[0])
    return count / (count - 1) * (1 - float(sum(pvariance(column) for column in zip(*points, strict=True))) / total)


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    if len(pairs) < 3:
        return None
    try:
        return correlation([one for one, _ in pairs], [other for _, other in pairs])
    except StatisticsError:
        return None


def _item(
    key: Key,
    keys: Sequence[Key],
    table: Mapping[str, Mapping[Key, Attempt]],
    complete: Sequence[Mapping[Key, Attempt]],
    options: Sequence[Option],
) -> ItemStatistics:
    rows = [row for row in table.values() if key in row]
    own = [row[key] for row in rows]
    rest = {id(row[key]): _share([one for at, one in row.items() if at != key]) for row in rows if len(row) > 1}
    answered = [one for one in own if one.outcome not in ("missing", "unreadable")]
    seconds = [one.seconds for one in answered if one.seconds is not None]
    others = [[row[at].points for at in keys if at != key] for row in complete]
    return ItemStatistics(
        item=key[0],
        part=key[1],
        students=len(own),
        answered=len(answered),
        omitted=sum(one.omitted for one in own),
        unreadable=sum(one.outcome == "unreadable" for one in own),
        difficulty=fmean(one.share for one in own),
        discrimination=_correlation([(one.share, rest[id(one)]) for one in own if id(one) in rest]),
        alpha_without=alpha(others) if len(keys) > 2 else None,
        seconds=median(seconds) if seconds else None,
        outcomes=dict(sorted(Counter(one.outcome for one in own).items())),
        options=tuple(_rate(option, answered, rest) for option in options),
    )


def _rate(option: Option, answered: Sequence[Attempt], rest: Mapping[int, float]) -> OptionRate:
    who = [one for one in answered if option.id in one.chosen]
    shares = [rest[id(one)] for one in who if id(one) in rest]
    return OptionRate(option, len(who), len(who) / len(answered) if answered else 0.0, fmean(shares) if shares else None)


def _misconceptions(attempts: Sequence[Attempt], titles: Mapping[str, str]) -> tuple[Shown, ...]:
    found: dict[str, list[Attempt]] = defaultdict(list)
    for one in attempts:
        for id in one.misconceptions:
            found[id].append(one)
    shown = [
        Shown(id, titles.get(id, id), tuple(sorted({one.student for one in ones})), tuple(sorted({one.key for one in ones})))
        for id, ones in found.items()
    ]
    return tuple(sorted(shown, key=lambda one: (-len(one.students), one.id)))


def _identical(attempts: Sequence[Attempt]) -> tuple[tuple[Key, tuple[str, ...]], ...]:
    found: dict[tuple[Key, str], list[str]] = defaultdict(list)
    for one in attempts:
        if one.program:
            found[one.key, one.program].append(one.student)
    return tuple(sorted((key, tuple(sorted(who))) for (key, _), who in found.items() if len(who) > 1))


def _reasons(one: ItemStatistics, whole: float | None) -> list[str]:
    if one.students < ENOUGH:
        return []
    why = []
    if one.difficulty < TOO_HARD:
        why.append(f"hard: {one.difficulty:.0%} of the points on average; is the question clear, was it taught?")
    if one.difficulty > TOO_EASY:
        why.append(f"easy: {one.difficulty:.0%} of the points on average; it tells little")
    if one.discrimination is not None and one.discrimination < 0:
        why.append(f"who does well elsewhere does worse here (discrimination {one.discrimination:.2f}); is the key right?")
    elif one.discrimination is not None and one.discrimination < LITTLE_DISCRIMINATION:
        why.append(f"it hardly tells who does well elsewhere (discrimination {one.discrimination:.2f})")
    if one.omitted >= OFTEN * one.students:
        why.append(f"{one.omitted} of {one.students} left it out")
    if one.outcomes.get("unsure", 0) >= OFTEN * one.students:
        why.append(f"the scorer is unsure of {one.outcomes['unsure']} of {one.students}; add accepted phrases, or review them")
    if whole is not None and one.alpha_without is not None and one.alpha_without > whole + LOSES_ALPHA:
        why.append(f"alpha rises from {whole:.2f} to {one.alpha_without:.2f} without it")
    return why + _distractors(one)


def _distractors(one: ItemStatistics) -> list[str]:
    keys = [rate for rate in one.options if rate.option.key]
    if one.answered < ENOUGH or not keys:
        return []
    why = []
    for rate in one.options:
        if rate.option.key:
            continue
        if rate.rate <= SELDOM:
            why.append(f"almost nobody chose {rate.option.id} ({rate.count} of {one.answered}); it is no distractor")
        elif all(rate.count > right.count for right in keys):
            why.append(f"more chose {rate.option.id} ({rate.count}) than the key ({keys[0].count}); is the key right?")
        best = max((right.rest for right in keys if right.rest is not None), default=None)
        if rate.rest is not None and best is not None and rate.count >= 3 and rate.rest > best:
            why.append(f"who chose {rate.option.id} does better elsewhere than who chose the key; can it be read as right?")
    return why
