"""What the screens of a study sitting share: back, skip, contents, the reading notes, home; and which screen a step needs."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Static

from quizapp.practice.asked import is_code
from quizapp.practice.study import Study
from quizapp.tui.page import Page


def screen_for(study: Study) -> "StudyPage":
    """The screen of the sitting's present step."""
    step = study.step
    if step.reading is not None:
        from quizapp.tui.reading import ReadingScreen

        return ReadingScreen(study)
    if step.part is not None and is_code(step.part):
        from quizapp.tui.lab import LabScreen

        return LabScreen(study)
    from quizapp.tui.question import QuestionScreen

    return QuestionScreen(study)


class StudyPage(Page):
    """One step of a sitting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f3", "step(-1)", "Back", key_display="F3", priority=True),
        Binding("f4", "step(1)", "Skip", key_display="F4", priority=True),
        Binding("f5", "contents", "Steps", key_display="F5", priority=True),
        Binding("ctrl+g", "flag", "Flag", key_display="^g", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__()
        self.study = study
        loaded = study.step.loaded
        self.flagged = loaded is not None and loaded.item.id in (self.stored(study.store.flagged) or ())

    def heading(self) -> tuple[str, str]:
        flagged = "⚑ flagged · " if self.flagged else ""
        return self.study.title, f"{flagged}{self.study.index + 1}/{len(self.study.steps)}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "flag":
            return self.study.step.loaded is not None
        return super().check_action(action, parameters)

    def leave(self) -> None:
        """Called before the screen goes away; subclasses write what they hold."""

    def on_unmount(self) -> None:
        self.leave()

    def show_step(self) -> None:
        """Replaces this screen by the one of the sitting's present step."""
        self.app.switch_screen(screen_for(self.study))

    def action_step(self, by: int) -> None:
        self.leave()
        target = self.study.index + by
        if target >= len(self.study.steps):
            from quizapp.tui.summary import SummaryScreen

            self.app.switch_screen(SummaryScreen(self.study))
        elif target >= 0 and self.stored(lambda: self.study.go(target)):
            self.show_step()

    def action_next(self) -> None:
        """What Enter does where a step is done; apart from skipping, so that the footer names both."""
        self.action_step(1)

    def action_flag(self) -> None:
        """Raises or lowers the item's flag, which a sitting can be made of."""
        loaded = self.study.step.loaded
        raised = not self.flagged
        if loaded is not None and self.kept(lambda: self.study.store.flag(loaded.item.id, raised)):
            self.flagged = raised
            self.query_one("#heading-right", Static).update(self.heading()[1])

    def action_contents(self) -> None:
        from quizapp.tui.contents import ContentsScreen

        self.leave()
        self.app.push_screen(ContentsScreen(self.study), self._go)

    def _go(self, index: int | None) -> None:
        if index is not None and index != self.study.index and self.stored(lambda: self.study.go(index)):
            self.show_step()

    async def action_home(self) -> None:
        self.leave()
        await self.app.pop_screen()
