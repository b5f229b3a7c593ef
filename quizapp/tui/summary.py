"""The end of a sitting: what this sitting earned, item by item, and what to look at again."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from quizapp.practice.progress import ItemProgress, items_progress
from quizapp.practice.study import Study
from quizapp.tui.page import Page
from quizapp.tui.signs import points, sign, style, until, word
from quizapp.tui.table import rows


def sitting_table(items: Sequence[tuple[ItemProgress, str]]) -> Content:
    """One row per item: state, points, when it comes again, title."""
    body = []
    for item, comes in items:
        head = (f"{sign(item.state)} {word(item.state)}", style(item.state))
        body.append([head, (f"{item.points}/{item.max_points}", ""), (comes, ""), (item.title, "")])
    return rows(("state", "points", "again", "item"), body)


class SummaryScreen(Page):
    """Enter ends the sitting; Back returns to its last step."""

    CSS_PATH = "summary.tcss"
    ABOUT = "**The end of this sitting.** `Enter` ends it; your points stay. `F3` goes back into it.\n"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "finish", "Finish"),
        Binding("f3", "back", "Back", key_display="F3"),
        Binding("escape", "leave", "Back", key_display="Esc"),
        Binding("escape", "home", "Home", key_display="Esc"),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study

    def heading(self) -> tuple[str, str]:
        return self.study.title, "end"

    def body(self) -> ComposeResult:
        from quizapp.practice.schedule import memories

        study = self.study
        items = {step.loaded.item.id: step.loaded.item for step in study.steps if step.loaded is not None}
        marks = self.stored(study.store.marks) or []
        progress = items_progress(items.values(), [mark for mark in marks if mark.session == study.session.id])
        memory = memories({name: study.library.items[name] for name in items}, marks)
        now = study.store.clock()
        table = []
        for item in progress:
            known = memory.get(item.item)
            table.append((item, "" if known is None else "solved" if known.done else until(known.due, now)))
        earned, possible = sum(item.points for item in progress), sum(item.max_points for item in progress)
        again = [item.title for item in progress if item.state in ("wrong", "partial")]
        skipped = sum(1 for item in progress if item.state == "new")
        with VerticalScroll(id="summary"):
            yield Static(Content.assemble(("This sitting: ", "bold"), points(earned, possible)))
            yield Static(sitting_table(table))
            if again:
                yield Static(Content.assemble(("Worth another look: ", "bold"), "; ".join(again)))
            elif earned == possible:
                yield Static("Everything is right. Try the interview, or the same questions with other numbers.")
            if skipped and len(progress) > 1:
                yield Static(f"{skipped} of {len(progress)} items were not answered; they stay new, or due.", classes="note")

    def on_mount(self) -> None:
        self.query_one("#summary").focus()

    async def action_finish(self) -> None:
        self.kept(self.study.finish)
        await self.action_home()

    def action_back(self) -> None:
        from quizapp.tui.study_page import screen_for

        self.app.switch_screen(screen_for(self.study))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        from quizapp.tui.app import quiz_app

        if action in ("leave", "home"):
            return quiz_app(self).leads_home(self) == (action == "home")
        return super().check_action(action, parameters)

    async def action_leave(self) -> None:
        """What Esc is called where it doesn't lead home."""
        await self.action_home()

    async def action_home(self) -> None:
        from quizapp.tui.app import quiz_app

        await quiz_app(self).go_home()
