"""What is known of a learner's progress, drawn by plotext. Each plot says what its table says; no widgets."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from quizapp.practice.insight import Insight
from quizapp.tui.inline import inline

if TYPE_CHECKING:
    from textual_plotext.plot import Plot

MOST_BARS = 14
LONG, SHORT = 44, 26
"""Columns of a bar's name, in a wide terminal and in a narrow one."""


def _bars(plot: Plot, names: list[str], values: list[float], narrow: bool) -> None:
    room = SHORT if narrow else LONG
    cut = [name if len(name) <= room else name[: room - 1] + "…" for name in names[:MOST_BARS]]
    # plotext puts the first bar at the bottom, and takes names that are equal for one.
    told = [name + " " * sum(1 for earlier in cut[:place] if earlier == name) for place, name in enumerate(cut)]
    plot.bar(told[::-1], values[:MOST_BARS][::-1], orientation="horizontal", width=0.6, color="default")


def _whole(most: float) -> list[float]:
    """Marks of an axis of counts: whole numbers, at most six."""
    step = max(1, -(-int(most) // 5))
    return [float(mark) for mark in range(0, int(most) + step, step)]


def height(section: str, found: Insight, room: int) -> int:
    """Lines that a section's plot wants, of those there are."""
    bars = {
        "topics": sum(1 for one in found.topics if one.answered),
        "misconceptions": len(found.misconceptions),
        "time": len(found.times),
    }
    wanted = min(bars[section], MOST_BARS) + 4 if section in bars else 22
    return max(8, min(wanted, room))


def draw(plot: Plot, section: str, found: Insight, narrow: bool) -> None:
    """Draws a section that has something to show."""
    plot.clear_figure()
    match section:
        case "topics":
            begun = [one for one in found.topics if one.answered]
            _bars(plot, [one.title for one in begun], [round(100 * one.mastery, 1) for one in begun], narrow)
            plot.xlim(0, 100)
            plot.xlabel("mastery, %")
        case "due":
            days = [date.fromisoformat(one.day) for one in found.forecast]
            names = [f"{day.day}." if narrow else f"{day:%a} {day.day}." for day in days]
            places = [float(place) for place in range(len(days))]
            plot.bar(places, [one.items for one in found.forecast], width=0.6, color="default")
            step = 1 if narrow else 2  # of names that don't fit, plotext leaves out some, and not always the same ones
            plot.xticks(places[::step], names[::step])
            plot.yticks(_whole(max(one.items for one in found.forecast)))
            plot.ylabel("items")
        case "confidence":
            claimed = [100 * one.claimed for one in found.calibration.levels]
            plot.plot([0, 100], [0, 100], marker="·", color="default", label="claimed = earned")
            plot.scatter(claimed, [100 * one.earned for one in found.calibration.levels], marker="●", color="default", label="you")
            for x, one in zip(claimed, found.calibration.levels, strict=True):
                plot.text(f"{one.confidence}", x + 3, 100 * one.earned, color="default", background="default", alignment="left")
            plot.xlim(0, 100)
            plot.ylim(0, 100)
            plot.xticks([0, 25, 50, 75, 100])
            plot.yticks([0, 25, 50, 75, 100])
            plot.xlabel("how sure you were, %")
            plot.ylabel("earned, %")
        case "misconceptions":
            names = [f"{'✗' if one.state == 'standing' else '✓'} {inline(one.title).plain}" for one in found.misconceptions]
            _bars(plot, names, [float(one.times) for one in found.misconceptions], narrow)
            plot.xticks(_whole(max(one.times for one in found.misconceptions)))
            plot.xlabel("times shown (✗ standing, ✓ overcome)")
        case _:
            _bars(plot, [inline(one.title).plain for one in found.times], [one.median for one in found.times], narrow)
            plot.xticks(_whole(max(one.median for one in found.times)))
            plot.xlabel("median seconds per answer")
