"""What the screens of a study sitting share: back, skip, contents, the reading notes, home; and which screen a step needs."""

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Static

from quizapp.tui.page import Page

if TYPE_CHECKING:
    from quizapp.practice.study import Study
    from quizapp.store.store import Store


def screen_for(study: "Study") -> "StudyPage":
    """The screen of the sitting's present step."""
    step = study.step
    if step.reading is not None:
        from quizapp.tui.reading import ReadingScreen

        return ReadingScreen(study)
    if step.part is not None and step.part.kind == "code":
        from quizapp.tui.lab import LabScreen

        return LabScreen(study)
    from quizapp.tui.question import QuestionScreen

    return QuestionScreen.of(study)


class StudyPage(Page):
    """One step of a sitting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f3", "step(-1)", "Back", key_display="F3", priority=True),
        Binding("f4", "step(1)", "Skip", key_display="F4", priority=True),
        Binding("f5", "contents", "Steps", key_display="F5", priority=True),
        Binding("ctrl+g", "flag", "Flag", key_display="^g", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    study: "Study"

    def __init__(self, study: "Study | None", store: "Store", item: str | None) -> None:
        """``study``: ``None`` while it is being read; ``item``: of the step, where it has one."""
        super().__init__()
        if study is not None:
            self.study = study
        self.store, self.item = store, item
        self.flagged = item is not None and item in (self.stored(store.flagged) or ())

    def heading(self) -> tuple[str, str]:
        return self.study.title, self.place(self.study.index + 1, len(self.study.steps))

    def place(self, step: int, of: int) -> str:
        """Which step of how many, and whether its item is flagged."""
        return f"{'⚑ flagged · ' if self.flagged else ''}{step}/{of}"

    async def ready(self) -> bool:
        """Waits until the sitting has been read; False where this screen has to make way for another one."""
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "flag":
            return self.item is not None
        return super().check_action(action, parameters)

    def on_unmount(self) -> None:
        self.leave()

    def show_step(self) -> None:
        """Replaces this screen by the one of the sitting's present step."""
        self.app.switch_screen(screen_for(self.study))

    async def action_step(self, by: int) -> None:
        self.leave()
        if not await self.ready():
            return
        target = self.study.index + by
        if target >= len(self.study.steps):
            from quizapp.tui.summary import SummaryScreen

            self.app.switch_screen(SummaryScreen(self.study))
        elif target >= 0 and self.stored(lambda: self.study.go(target)):
            self.show_step()

    async def action_next(self) -> None:
        """What Enter does where a step is done; apart from skipping, so that the footer names both."""
        await self.action_step(1)

    def action_flag(self) -> None:
        """Raises or lowers the item's flag, which a sitting can be made of."""
        item, raised = self.item, not self.flagged
        if item is not None and self.kept(lambda: self.store.flag(item, raised)):
            self.flagged = raised
            self.query_one("#heading-right", Static).update(self.heading()[1])

    async def action_contents(self) -> None:
        self.leave()
        if not await self.ready():
            return
        from quizapp.tui.contents import ContentsScreen

        self.app.push_screen(ContentsScreen(self.study), self._go)

    def _go(self, index: int | None) -> None:
        if index is not None and index != self.study.index and self.stored(lambda: self.study.go(index)):
            self.show_step()

    async def action_home(self) -> None:
        from quizapp.tui.app import quiz_app

        self.leave()
        await quiz_app(self).go_home()
