"""A page of reading notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static

from quizapp.practice.face import Notes, Standing, notes
from quizapp.tui.study_page import StudyPage

if TYPE_CHECKING:
    from quizapp.practice.study import Study
    from quizapp.store.store import Store


class ReadingScreen(StudyPage):
    """One page; Enter goes on."""

    CSS_PATH = "reading.tcss"
    ABOUT = """
**Reading notes** come before the questions. `Enter` goes on to the next page, `Space` first to the end of this one. `F3` goes back,
`F5` jumps to any page or question.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Next"),
        Binding("space", "read_on", "Read on", show=False),
    ]

    def __init__(self, shown: Notes, study: Study | None, store: Store, standing: Standing | None = None) -> None:
        super().__init__(study, store, None, standing)
        self.notes = shown

    @classmethod
    def of(cls, study: Study) -> ReadingScreen:
        """The page on which a sitting stands."""
        reading = study.step.reading
        assert reading is not None
        return cls(notes(reading), study, study.store)

    def fits(self) -> bool:
        reading = self.study.step.reading
        return reading is not None and notes(reading) == self.notes

    @property
    def done(self) -> bool:
        return True

    def body(self) -> ComposeResult:
        with VerticalScroll(id="reading"):
            yield Static(self.notes.title, id="title", markup=False)
            yield Markdown(self.notes.text)
            if self.notes.sources:
                yield Markdown("**Sources**\n\n" + "\n".join(f"- {source}" for source in self.notes.sources))

    def on_mount(self) -> None:
        self.query_one("#reading").focus()
        if self.waits:
            self.read_sitting()

    def action_read_on(self) -> None:
        """A page down; at the end, the next step."""
        view = self.query_one("#reading", VerticalScroll)
        if view.scroll_offset.y >= view.max_scroll_y:
            self.action_step(1)
        else:
            view.scroll_page_down(animate=False)
