"""A page of reading notes."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static

from quizapp.practice.study import Study
from quizapp.tui.study_page import StudyPage


class ReadingScreen(StudyPage):
    """One page; Enter goes on."""

    CSS_PATH = "reading.tcss"
    ABOUT = "**Reading notes** are there before the questions. `Enter` goes on, `F4` skips, `F5` jumps to any page or question.\n"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Next"),
        Binding("space", "read_on", "Read on", show=False),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__(study, study.store, None)

    def body(self) -> ComposeResult:
        page = self.study.step.reading
        assert page is not None
        with VerticalScroll(id="reading"):
            yield Static(page.title, id="title", markup=False)
            yield Markdown(page.text)
            if page.sources:
                yield Markdown("**Sources**\n\n" + "\n".join(f"- {source}" for source in page.sources))

    def on_mount(self) -> None:
        self.query_one("#reading").focus()

    async def action_read_on(self) -> None:
        """A page down; at the end, the next step."""
        view = self.query_one("#reading", VerticalScroll)
        if view.scroll_offset.y >= view.max_scroll_y:
            await self.action_step(1)
        else:
            view.scroll_page_down(animate=False)
