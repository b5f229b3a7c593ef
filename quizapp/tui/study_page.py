"""What the screens of a study sitting share: back, skip, contents, flag, home; and which screen a step needs.

The step a sitting was left at, or begins with, is drawn before its bank has been read: nothing above loads a model or a bank.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Static

from quizapp.tui.page import Heading, Page
from quizapp.tui.signs import FLAGGED

if TYPE_CHECKING:
    from quizapp.practice.face import Standing
    from quizapp.practice.study import Study
    from quizapp.store.store import Store


def screen_for(study: "Study") -> "StudyPage":
    """The screen of the sitting's present step."""
    step = study.step
    if step.reading is not None:
        from quizapp.tui.reading import ReadingScreen

        return ReadingScreen.of(study)
    if step.part is not None and step.part.kind == "code":
        from quizapp.tui.lab import LabScreen

        return LabScreen(study)
    from quizapp.tui.question import QuestionScreen

    return QuestionScreen.of(study)


def screen_at(standing: "Standing", store: "Store") -> "StudyPage":
    """The screen of a step whose sitting is still to be read: :meth:`StudyPage.arrive` brings it."""
    from quizapp.practice.face import Notes

    if isinstance(standing.face, Notes):
        from quizapp.tui.reading import ReadingScreen

        return ReadingScreen(standing.face, None, store, standing)
    from quizapp.tui.question import QuestionScreen

    return QuestionScreen(standing.face, None, store, standing)


class StudyPage(Page):
    """One step of a sitting."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f3", "step(-1)", "Back", key_display="F3", priority=True),
        Binding("f4", "skip", "Skip", key_display="F4", priority=True),
        Binding("f4", "step(1)", "Next", show=False, priority=True),
        Binding("f5", "contents", "Steps", key_display="F5", priority=True),
        Binding("ctrl+g", "flag", "Flag", key_display="^g", priority=True),
        Binding("escape", "back", "Back", key_display="Esc", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    study: "Study"

    def __init__(self, study: "Study | None", store: "Store", item: str | None, standing: "Standing | None" = None) -> None:
        """``item``: of the step, where it has one; ``standing``: what is shown of a sitting that is still to be read."""
        super().__init__()
        self._standing = standing
        self._arrived = asyncio.Event()
        self._outdated = False
        if study is not None:
            self.study = study
            self._arrived.set()
        self.store, self.item = store, item
        self.flagged = item is not None and item in (self.stored(store.flagged) or ())

    def heading(self) -> tuple[str, str]:
        return self._standing.sitting if self.waits and self._standing is not None else self.study.title, self.place()

    def place(self) -> str:
        """Which step of how many, and whether its item is flagged."""
        if self.waits and self._standing is not None:
            step, steps = self._standing.place, self._standing.steps
        else:
            step, steps = self.study.index + 1, len(self.study.steps)
        return f"{f'{FLAGGED} · ' if self.flagged else ''}{step}/{steps}"

    @property
    def done(self) -> bool:
        """Nothing is left to do at this step: Enter goes on."""
        return False

    @property
    def waits(self) -> bool:
        """Its sitting hasn't come yet."""
        return not self._arrived.is_set()

    def read_sitting(self) -> None:
        """Has the banks read once this screen has been painted: reading would take the time from that."""
        from quizapp.tui.app import quiz_app

        self.call_after_refresh(self.call_after_refresh, quiz_app(self).read_banks)

    def arrive(self, study: "Study") -> None:
        """Takes the sitting that was read meanwhile. Where it stands elsewhere, or the step is another one now, this screen makes
        way."""
        self.study = study
        self._outdated = not self.fits()
        self._arrived.set()
        if self._outdated and self.is_current:
            self.leave()
            self.show_step()
        elif not self._outdated:
            self.query_one(Heading).say(*self.heading())
            self.arrived()

    def fits(self) -> bool:
        """Whether the sitting that has arrived stands at what is shown here."""
        return True

    def arrived(self) -> None:
        """Called when the sitting has come and fits."""

    async def ready(self) -> bool:
        """Waits until the sitting has been read; False where this screen has to make way for another one."""
        await self._arrived.wait()
        return not self._outdated

    def on_screen_resume(self) -> None:
        if self._outdated:
            self.show_step()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "flag":
            return self.item is not None
        if action == "skip":
            return not self.done
        if action in ("back", "home"):
            from quizapp.tui.app import quiz_app

            return quiz_app(self).leads_home(self) == (action == "home")
        return super().check_action(action, parameters)

    def on_unmount(self) -> None:
        self.leave()

    def show_step(self) -> None:
        """Replaces this screen by the one of the sitting's present step."""
        self.app.switch_screen(screen_for(self.study))

    def _once_ready(self, do: Callable[[], None]) -> None:
        """Does something now, or once the sitting has been read; not where this screen has to make way. An action that waited
        itself would keep the app from taking in what was read."""

        async def later() -> None:
            if await self.ready():
                do()

        if self.waits:
            self.run_worker(later(), exclusive=True, group="once ready")
        elif not self._outdated:
            do()

    def action_step(self, by: int) -> None:
        self.leave()
        self._once_ready(lambda: self._step(by))

    def _step(self, by: int) -> None:
        target = self.study.index + by
        if target >= len(self.study.steps):
            from quizapp.tui.summary import SummaryScreen

            self.app.switch_screen(SummaryScreen(self.study))
        elif target >= 0 and self.stored(lambda: self.study.go(target)):
            self.show_step()

    def action_next(self) -> None:
        """What Enter does where a step is done."""
        self.action_step(1)

    def action_skip(self) -> None:
        """What F4 is called where a step isn't done."""
        self.action_step(1)

    def action_flag(self) -> None:
        """Raises or lowers the item's flag, which a sitting can be made of."""
        item, raised = self.item, not self.flagged
        if item is not None and self.kept(lambda: self.store.flag(item, raised)):
            self.flagged = raised
            self.query_one("#heading-right", Static).update(self.heading()[1])

    def action_contents(self) -> None:
        self.leave()
        self._once_ready(self._contents)

    def _contents(self) -> None:
        from quizapp.tui.contents import ContentsScreen

        self.app.push_screen(ContentsScreen(self.study), self._go)

    def _go(self, index: int | None) -> None:
        if index is not None and index != self.study.index and self.stored(lambda: self.study.go(index)):
            self.show_step()

    async def action_back(self) -> None:
        """What Esc is called where it doesn't lead home."""
        await self.action_home()

    async def action_home(self) -> None:
        from quizapp.tui.app import quiz_app

        self.leave()
        await quiz_app(self).go_home()
