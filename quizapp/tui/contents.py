"""All steps of a sitting, to jump to any of them."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from quizapp.practice.asked import Step
from quizapp.practice.progress import ItemProgress, items_progress
from quizapp.practice.study import Study
from quizapp.store.database import StoreError
from quizapp.tui.key_line import KeyLine
from quizapp.tui.marked_list import MarkedList
from quizapp.tui.sheet import Sheet
from quizapp.tui.signs import FLAGGED, sign, style


def part_state(progress: Sequence[ItemProgress], item: str, part: str) -> tuple[str, int, int]:
    """State (``new``, ``right``, ``partial``, ``wrong``), best points and possible points of one part."""
    for found in progress:
        if found.item == item:
            for one in found.parts:
                if one.part == part:
                    state = (
                        "new" if not one.answers else "right" if one.best == one.max_points else "partial" if one.best else "wrong"
                    )
                    return state, one.best, one.max_points
    return "new", 0, 0


def step_line(step: Step, progress: Sequence[ItemProgress], flagged: Collection[str] = ()) -> Content:
    """Sign, title, kind and points of one step, and whether its item is flagged."""
    if step.reading is not None:
        return Content.assemble(("  ", ""), step.title, ("  reading", "$foreground-muted"))
    assert step.loaded is not None
    assert step.part is not None
    item = step.loaded.item
    state, best, possible = part_state(progress, item.id, step.part.id)
    part = f" · {step.part.id}" if len(item.parts) > 1 else ""
    kind = "lab" if step.part.kind == "code" else item.kind
    return Content.assemble(
        (f"{sign(state)} ", style(state)),
        f"{step.title}{part}",
        (f"  {kind} {best}/{possible}", "$foreground-muted"),
        f"  {FLAGGED}" if item.id in flagged else "",
    )


class ContentsList(MarkedList):
    """The list; Enter goes to a step."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Go there")]


class ContentsScreen(Sheet[int | None]):
    """Gives the index of the step chosen, or ``None``."""

    CSS_PATH = "contents.tcss"
    ABOUT = "**Contents.** All steps of this sitting, with how each was answered. `Enter` goes to the marked one, `Esc` back.\n"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f5,q", "close", "Close", key_display="Esc", priority=True)]

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study

    def compose(self) -> ComposeResult:
        study = self.study
        items = {step.loaded.item.id: step.loaded.item for step in study.steps if step.loaded is not None}
        try:
            progress, flagged = items_progress(items.values(), study.store.marks()), study.store.flagged()
        except StoreError:
            progress, flagged = (), frozenset()
        yield Static("Contents   ✓ right  ~ partly  ✗ wrong  · new", id="contents-title", markup=False)
        yield ContentsList(*(Option(step_line(step, progress, flagged)) for step in study.steps), id="contents")
        yield KeyLine()

    def on_mount(self) -> None:
        options = self.query_one(ContentsList)
        options.highlighted = self.study.index
        options.focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)

    def action_close(self) -> None:
        self.dismiss(None)
