"""What is known of a learner's progress, as tables of plain text. Pure functions, no widgets."""

from __future__ import annotations

from collections.abc import Collection

from textual.content import Content

from quizapp.practice.insight import Insight, MetMisconception
from quizapp.practice.progress import BankProgress
from quizapp.tui.confidence import LEVELS
from quizapp.tui.inline import inline
from quizapp.tui.signs import FLAGGED, ago, sign, style, word
from quizapp.tui.table import rows

NOTHING = {
    "topics": "Nothing is answered yet. Mastery shows here, topic by topic.",
    "due": "Nothing is answered yet. What falls due shows here, day by day.",
    "confidence": "No answer is rated yet. Rate how sure you are before you see a result: this shows what that was worth.",
    "misconceptions": "No misconception met yet. What an answer shows is named here, with whether it came back.",
    "time": "No time is measured yet. It runs while a question stands on the screen.",
}
"""What a section says where there is nothing to show."""
BAR = 10


def lead(section: str, found: Insight, denied: Collection[str] = ()) -> str:
    """The line above a section. ``denied``: misconceptions that the learner says not to have."""
    match section:
        case "topics":
            return "Mastery by topic, weakest first."
        case "due":
            return f"{found.due} due now. Items that fall due, day by day (UTC), if nothing is answered until then."
        case "confidence":
            rated = found.calibration
            if rated.brier is None or rated.baseline is None:
                return "Confidence against outcome."
            better = "better than" if rated.brier < rated.baseline else "no better than"
            against = f"{better} always claiming the mean ({rated.baseline:.3f})"
            return f"Brier score {rated.brier:.3f} over {rated.answers} rated answer{'' if rated.answers == 1 else 's'}: {against}."
        case "misconceptions":
            standing = sum(1 for one in found.misconceptions if one.state == "standing")
            overcome = len(found.misconceptions) - standing
            back = sum(1 for one in found.misconceptions if one.came_back)
            disputed = sum(1 for one in found.misconceptions if one.state == "standing" and one.id in denied)
            contested = f" ({disputed} disputed)" if disputed else ""
            return f"{standing} standing{contested}, {overcome} overcome; {back} came back at least once."
        case _:
            return "Seconds from question to answer, slowest items first."


def share(value: float) -> str:
    """A share as a bar and a figure; the figure alone says it."""
    full = round(value * BAR)
    return "█" * full + "░" * (BAR - full) + f" {value:4.0%}"


def duration(seconds: float) -> str:
    """``45 s`` or ``3 min 20 s``."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def items(progress: BankProgress, flagged: Collection[str] = ()) -> Content:
    """One row per item of a bank: state, points, title, and whether it is flagged."""
    body = []
    for item in progress.items:
        look, named = style(item.state), item.title + (f"  {FLAGGED}" if item.item in flagged else "")
        body.append([(f"{sign(item.state)} {word(item.state)}", look), (f"{item.points}/{item.max_points}", ""), (named, "")])
    return rows(("state", "points", "item"), body)


def _state(one: MetMisconception, denied: Collection[str]) -> tuple[str, str]:
    mark, look = ("✗", "$text-error") if one.state == "standing" else ("✓", "$text-success")
    return f"{mark} {one.state}" + (", disputed" if one.id in denied else ""), look


def table(section: str, found: Insight, denied: Collection[str] = ()) -> Content | None:
    """A section's table; ``None`` where there is nothing to show. ``denied``: misconceptions that the learner says not to have."""
    match section:
        case "topics":
            lines = [
                [(share(one.mastery), ""), (f"{one.answered}/{one.items}", ""), (str(one.due), ""), (one.title, "")]
                for one in found.topics
                if one.answered
            ]
            return rows(("mastery", "answered", "due", "topic"), lines) if lines else None
        case "due":
            lines = [[(one.day, ""), (str(one.items), ""), ("█" * min(one.items, 40), "")] for one in found.forecast]
            return rows(("day", "items", ""), lines) if found.answers else None
        case "confidence":
            lines = [
                [
                    (f"{one.confidence} {LEVELS[one.confidence - 1]}", ""),
                    (str(one.answers), ""),
                    (f"{one.claimed:.0%}", ""),
                    (f"{one.earned:.0%} of the points", ""),
                ]
                for one in found.calibration.levels
            ]
            return rows(("you said", "answers", "claimed", "you earned"), lines) if lines else None
        case "misconceptions":
            lines = [
                [
                    _state(one, denied),
                    (str(one.times), ""),
                    (str(one.came_back), ""),
                    (ago(one.last_at, found.at), ""),
                    (inline(one.title).plain, ""),
                ]
                for one in found.misconceptions
            ]
            return rows(("state", "times", "came back", "last", "misconception"), lines) if lines else None
        case _:
            lines = [
                [(duration(one.median), ""), (duration(one.longest), ""), (str(one.answers), ""), (inline(one.title).plain, "")]
                for one in found.times
            ]
            return rows(("median", "longest", "answers", "item"), lines) if lines else None
