"""A class's report: distribution, misconceptions with their students, items and what to look at. HTML, Markdown, CSV."""

from collections.abc import Mapping, Sequence

from quizapp.bank.draw import own_values
from quizapp.bank.load import Library
from quizapp.classroom.items import COMMON, Analysis, ItemStatistics, Key, Option
from quizapp.classroom.page import assembled, document, plain
from quizapp.classroom.picture import bars, histogram, item_map
from quizapp.classroom.sheet import table
from quizapp.model.formula import Formula, FormulaError, Value
from quizapp.model.nouns import numbered
from quizapp.model.question import Choice, ChoicePart
from quizapp.model.variant import fill, shown

BINS = 10
FEW = 5
"""Students from whom a share of the class means something."""
MOST_SHOWN = 20
"""Misconceptions in the picture."""
ITEM_COLUMNS = (
    "item", "part", "students", "answered", "omitted", "unreadable", "difficulty", "discrimination", "alpha_without",
    "median_seconds", "outcomes", "look_at",
)  # fmt: skip
OPTION_COLUMNS = ("item", "part", "option", "key", "misconception", "count", "rate", "rest_share")
MISCONCEPTION_COLUMNS = ("misconception", "title", "students", "share", "items", "names")
STUDENT_COLUMNS = ("student", "share", "misconceptions")


def options_of(library: Library, keys: Sequence[Key]) -> dict[Key, tuple[Option, ...]]:
    """The options of those of the parts that are choices, with the bank's own figures."""
    found = {}
    for item, part in keys:
        loaded = library.items.get(item)
        chosen = next((one for one in loaded.item.parts if one.id == part), None) if loaded is not None else None
        if loaded is not None and isinstance(chosen, ChoicePart):
            values = own_values(loaded.item.variables)

            found[item, part] = tuple(Option(one.id, _text(one, values), one.key, one.misconception) for one in chosen.choices)
    return found


def _text(choice: Choice, values: Mapping[str, Value]) -> str:
    try:
        return fill(choice.text, values) if choice.text is not None else shown(Formula.parse(choice.value or "0").scalar(values))
    except FormulaError:
        return choice.id


def _figure(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def csv_files(found: Analysis) -> dict[str, str]:
    """File name -> text."""
    why = {
        (one.item, one.part): "; ".join(at.why for at in found.look_at if (at.item, at.part) == (one.item, one.part))
        for one in found.items
    }
    students = max(1, len(found.shares))
    shown_by: dict[str, list[str]] = {}
    for one in found.misconceptions:
        for student in one.students:
            shown_by.setdefault(student, []).append(one.id)
    return {
        "items.csv": table(
            ITEM_COLUMNS,
            (
                {
                    "item": one.item,
                    "part": one.part,
                    "students": str(one.students),
                    "answered": str(one.answered),
                    "omitted": str(one.omitted),
                    "unreadable": str(one.unreadable),
                    "difficulty": _figure(one.difficulty, 4),
                    "discrimination": _figure(one.discrimination, 4),
                    "alpha_without": _figure(one.alpha_without, 4),
                    "median_seconds": _figure(one.seconds, 1),
                    "outcomes": " ".join(f"{name}:{count}" for name, count in one.outcomes.items()),
                    "look_at": why[one.item, one.part],
                }
                for one in found.items
            ),
        ),
        "options.csv": table(
            OPTION_COLUMNS,
            (
                {
                    "item": one.item,
                    "part": one.part,
                    "option": rate.option.id,
                    "key": "yes" if rate.option.key else "no",
                    "misconception": rate.option.misconception or "",
                    "count": str(rate.count),
                    "rate": _figure(rate.rate, 4),
                    "rest_share": _figure(rate.rest, 4),
                }
                for one in found.items
                for rate in one.options
            ),
        ),
        "misconceptions.csv": table(
            MISCONCEPTION_COLUMNS,
            (
                {
                    "misconception": one.id,
                    "title": one.title,
                    "students": str(len(one.students)),
                    "share": _figure(len(one.students) / students, 4),
                    "items": " ".join("/".join(key) for key in one.where),
                    "names": "; ".join(one.students),
                }
                for one in found.misconceptions
            ),
        ),
        "students.csv": table(
            STUDENT_COLUMNS,
            (
                {"student": name, "share": _figure(share, 4), "misconceptions": " ".join(shown_by.get(name, ()))}
                for name, share in found.shares.items()
            ),
        ),
    }


def bins(shares: Sequence[float]) -> list[int]:
    """Students in each tenth of the points; full points are in the last."""
    counts = [0] * BINS
    for share in shares:
        counts[min(BINS - 1, int(share * BINS + 1e-9))] += 1
    return counts


def markdown(found: Analysis) -> str:
    """The report as Markdown."""
    return "\n\n".join(block for block in _blocks(found, pictures=False)) + "\n"


def html(found: Analysis) -> str:
    """The report as self-contained HTML with inline SVG plots."""
    return document("Report on a class", assembled(_blocks(found, pictures=True)))


def _rows(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _blocks(found: Analysis, pictures: bool) -> list[str]:
    shares = sorted(found.shares.values())
    count = len(shares)
    middle = (shares[(count - 1) // 2] + shares[count // 2]) / 2 if shares else 0.0
    blocks = [
        "# Report on a class",
        f"{numbered(count, 'student')}, {numbered(len(found.items), 'item part')}. "
        f"Mean {found.mean:.0%} of the points, median {middle:.0%}, {sum(share >= 1 for share in shares)} with all of them.",
        _alpha(found),
        "## Distribution",
    ]
    labels = [f"{100 * n // BINS}-{100 * (n + 1) // BINS} %" for n in range(BINS)]
    counts = bins(shares)
    if pictures:
        blocks.append(histogram(counts, labels, "Students by their share of the points"))
    else:
        blocks.append(
            _rows(("share of the points", "students"), [(label, str(n)) for label, n in zip(labels, counts, strict=True)])
        )
    blocks += _look_at(found) + _misconceptions(found, pictures) + _items(found, pictures)
    return blocks


def _alpha(found: Analysis) -> str:
    if found.alpha is None:
        return "Cronbach's alpha needs two items, and three students with different totals who were graded on all of them."
    return f"Cronbach's alpha {found.alpha:.2f}, over the {found.alpha_students} students who were graded on every item."


def _look_at(found: Analysis) -> list[str]:
    blocks = ["## Items to look at"]
    lines = [f"- **{plain(one.item)} ({plain(one.part)})**: {plain(one.why)}" for one in found.look_at]
    blocks.append("\n".join(lines) if lines else "None, or too few students to tell: items are judged from ten students on.")
    if found.identical:
        blocks.append("Programs that are the same byte for byte:")
        blocks.append("\n".join(f"- {plain('/'.join(key))}: {plain(', '.join(who))}" for key, who in found.identical))
    return blocks


def _misconceptions(found: Analysis, pictures: bool) -> list[str]:
    blocks = ["## Misconceptions"]
    if not found.misconceptions:
        return [*blocks, "None was named."]
    students = max(1, len(found.shares))
    if pictures:
        rows = [
            (one.title, len(one.students) / students, f"{len(one.students)}", False) for one in found.misconceptions[:MOST_SHOWN]
        ]
        blocks.append(bars(rows, "Misconceptions by the number of students who showed them"))
    blocks.append(
        _rows(
            ("misconception", "students", "where", "who"),
            [
                (
                    plain(one.title)
                    + (" (**teach it again**)" if len(one.students) >= COMMON * students and students >= FEW else ""),
                    str(len(one.students)),
                    plain(", ".join("/".join(key) for key in one.where)),
                    plain(", ".join(one.students)),
                )
                for one in found.misconceptions
            ],
        )
    )
    return blocks


def _items(found: Analysis, pictures: bool) -> list[str]:
    blocks = ["## Items"]
    mapped = [(f"{one.item}/{one.part}", one.difficulty, one.discrimination) for one in found.items]
    points = [(name, across, up) for name, across, up in mapped if up is not None]
    if pictures and points:
        blocks.append(item_map(points, "Items by difficulty and discrimination"))
    blocks.append(
        _rows(
            ("item", "students", "omitted", "unreadable", "difficulty", "discrimination", "alpha without", "median time"),
            [
                (
                    plain(f"{one.item}/{one.part}"),
                    str(one.students),
                    str(one.omitted),
                    str(one.unreadable),
                    _figure(one.difficulty),
                    _figure(one.discrimination),
                    _figure(one.alpha_without),
                    "" if one.seconds is None else f"{one.seconds:.0f} s",
                )
                for one in found.items
            ],
        )
    )
    blocks.append(
        "Difficulty is the mean share of the points (high is easy). Discrimination is the correlation with the share of all other "
        "items, from -1 to 1; below 0.1 an item tells little. Left out and unreadable answers count 0."
    )
    for one in found.items:
        blocks += _item(one, pictures)
    return blocks


def _item(one: ItemStatistics, pictures: bool) -> list[str]:
    blocks = [f"### {plain(one.item)} ({plain(one.part)})"]
    if one.options:
        if pictures:
            rows = [
                (
                    f"{rate.option.id}" + (" (key)" if rate.option.key else ""),
                    rate.rate,
                    f"{rate.rate:.0%} ({rate.count})",
                    rate.option.key,
                )
                for rate in one.options
            ]
            blocks.append(bars(rows, f"Options chosen: {one.item}"))
        blocks.append(
            _rows(
                ("option", "text", "chosen", "misconception", "share elsewhere"),
                [
                    (
                        plain(rate.option.id) + (" ✓" if rate.option.key else ""),
                        plain(rate.option.text[:120]),
                        f"{rate.rate:.0%} ({rate.count})",
                        plain(rate.option.misconception or ""),
                        _figure(rate.rest),
                    )
                    for rate in one.options
                ],
            )
        )
    else:
        blocks.append("Outcomes: " + ", ".join(f"{count} {plain(name)}" for name, count in one.outcomes.items()) + ".")
    return blocks
