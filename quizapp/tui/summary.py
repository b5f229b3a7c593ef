"""The end of a sitting: what this sitting earned, item by item, and what to look at again."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from quizapp.practice.progress import bank_progress
from quizapp.practice.study import Study
from quizapp.tui.page import Page
from quizapp.tui.progress import item_table
from quizapp.tui.signs import points


class SummaryScreen(Page):
    """Enter ends the sitting; Back returns to its last step."""

    CSS_PATH = "summary.tcss"
    ABOUT = "**The end of this sitting.** `Enter` ends it; your points stay. `F3` goes back into it.\n"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "finish", "Finish"),
        Binding("f3", "back", "Back", key_display="F3"),
        Binding("escape", "home", "Home", key_display="Esc"),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study

    def heading(self) -> tuple[str, str]:
        return self.study.bank.bank.title, "end"

    def body(self) -> ComposeResult:
        study = self.study
        progress = bank_progress(study.bank, study.store.attempts(session=study.session.id))
        in_sitting = {step.loaded.item.id for step in study.steps if step.loaded is not None}
        progress = type(progress)(progress.bank, tuple(item for item in progress.items if item.item in in_sitting))
        again = [item.title for item in progress.items if item.state in ("wrong", "partial")]
        with VerticalScroll(id="summary"):
            yield Static(Content.assemble(("This sitting: ", "bold"), points(progress.points, progress.max_points)))
            yield Static(item_table(progress))
            if again:
                yield Static(Content.assemble(("Worth another look: ", "bold"), "; ".join(again)))
            elif progress.points == progress.max_points:
                yield Static("Everything is right. Try the interview, or the same questions with other numbers.")

    def on_mount(self) -> None:
        self.query_one("#summary").focus()

    def action_finish(self) -> None:
        self.kept(self.study.finish)
        self.app.pop_screen()

    def action_back(self) -> None:
        from quizapp.tui.study_page import screen_for

        self.app.switch_screen(screen_for(self.study))

    def action_home(self) -> None:
        self.app.pop_screen()
