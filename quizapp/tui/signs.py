"""Signs with words: what right, partial, wrong and the like look like everywhere in the app. Pure functions, no widgets.

A colour only ever repeats what a sign and a word already say.
"""

from datetime import datetime

from textual.content import Content

from quizapp.model.nouns import points as points

_SIGNS: dict[str, tuple[str, str, str]] = {
    "right": ("✓", "right", "$text-success"),
    "partial": ("~", "partly right", "$text-warning"),
    "wrong": ("✗", "wrong", "$text-error"),
    "unsure": ("?", "can't tell", "$text-warning"),
    "new": ("·", "new", "$foreground-muted"),
    "met": ("✓", "earned", "$text-success"),
    "unmet": ("✗", "missed", "$text-error"),
    "pass": ("✓", "pass", "$text-success"),
    "desync": ("✗", "ranks parted ways", "$text-error"),
    "error": ("✗", "error", "$text-error"),
    "timeout": ("✗", "never returned", "$text-error"),
    "limit": ("✗", "over a limit", "$text-error"),
    "invalid": ("✗", "invalid result", "$text-error"),
}


FLAGGED = "⚑ flagged"
"""What a flag looks like beside an item's title."""


def sign(outcome: str) -> str:
    """The sign alone."""
    return _SIGNS[outcome][0]


def word(outcome: str) -> str:
    """The word alone."""
    return _SIGNS[outcome][1]


def style(outcome: str) -> str:
    """The style that goes with the sign."""
    return _SIGNS[outcome][2]


def signed(outcome: str) -> Content:
    """Sign and word, as in ``✓ right``."""
    mark, name, look = _SIGNS[outcome]
    return Content.assemble((f"{mark} {name}", look))


def ago(then: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits."""
    minutes = int((now - then).total_seconds() // 60)
    for size, unit in ((60 * 24, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = minutes // size
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def until(then: datetime, now: datetime) -> str:
    """How long from now, in the largest unit that fits: ``in 3 days``; ``now`` for what is past."""
    minutes = -int(-(then - now).total_seconds() // 60)
    for size, unit in ((60 * 24, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = round(minutes / size)
            return f"in {count} {unit}{'' if count == 1 else 's'}"
    return "now"
