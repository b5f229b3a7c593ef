"""The app: its store, its banks (read in the background), its judge (started when a lab opens), and where it starts."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events
from textual.app import App
from textual.command import Provider
from textual.dom import DOMNode
from textual.filter import LineFilter, NoColor
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from quizapp.store.database import StoreError
from quizapp.store.store import Store
from quizapp.tui import hang_up, keep_ahead, themes
from quizapp.tui.key_order import in_order

if TYPE_CHECKING:
    from quizapp.bank.load import Library
    from quizapp.judge.bench import Bench
    from quizapp.model.audit import Shown
    from quizapp.practice.face import Standing
    from quizapp.practice.interview_plan import Setup
    from quizapp.practice.opening import Shelved
    from quizapp.practice.queue import Knowledge, Plan
    from quizapp.practice.study import Study
    from quizapp.tui.home import HomeScreen
    from quizapp.tui.study_page import StudyPage

Keeper = Callable[["Library"], Callable[[Callable[[], bool]], None] | None]
"""Gives what keeps the question that the next queue begins with, to be called in a thread with what says that it is to stop."""
Start = Literal["home", "study", "review", "interview"]


def own_commands() -> type[Provider]:
    """The app's own entries of the command palette, loaded when it opens."""
    from quizapp.tui.commands import QuizCommands

    return QuizCommands


def home_screen() -> HomeScreen:
    """Where Esc leads."""
    from quizapp.tui.home import HomeScreen

    return HomeScreen()


class QuizApp(App[None]):
    """The terminal app.

    ``library`` is the banks, or how to read them (called in a thread once the first screen stands). ``start`` and ``bank`` say
    where to begin; ``item`` narrows a study sitting to one item. Both must exist in a library given as such. ``setup``: an
    interview that begins at once with these choices. ``left_at``: the step at which the sitting to begin with was left, or which it
    begins with; it is the first screen, while the banks are still to be read. ``shelf``: what home shows of them until then.
    """

    TITLE = "quizapp"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {own_commands}  # Textual's own stand among them
    SCREENS: ClassVar[dict[str, Callable[[], HomeScreen]]] = {"home": home_screen}  # type: ignore[assignment]

    def __init__(
        self,
        store: Store,
        library: Library | Callable[[], Library],
        *,
        start: Start = "home",
        bank: str | None = None,
        item: str | None = None,
        backend: str = "auto",
        setup: Setup | None = None,
        plan: Plan | None = None,
        left_at: Standing | None = None,
        shelf: Sequence[Shelved] = (),
    ) -> None:
        super().__init__()
        self._left_at = left_at
        self.shelf = shelf
        self._first: StudyPage | None = None
        self._never_coloured = self.no_color
        self._theme_taken = False
        self._plan = plan
        self.setup = setup
        self.store = store
        self._read: Callable[[], Library] | None = library if callable(library) else None
        self.library: Library | None = None if callable(library) else library
        self._begin: tuple[Start, str | None, str | None] = (start, bank, item)
        self._backend = backend
        self._bench: Bench | None = None
        self._opening = threading.Lock()
        self.agreed: set[str] = set()
        """Files of banks from elsewhere whose own Python the learner has agreed to run."""
        self.keeper: Keeper | None = None
        self._ahead = keep_ahead.KeepAhead()
        self.live: dict[str, Shown] = {}
        """Item -> the weights of its library as it ran in this sitting."""

    def on_mount(self) -> None:
        for theme in themes.OWN:
            self.register_theme(theme)
        self._take_theme()
        if self.keeper is not None:
            self.set_interval(keep_ahead.SECONDS, self._keep_ahead)
        if not self.is_headless:
            hang_up.on_signals(self.leave)
            self.set_interval(hang_up.SECONDS, self._look_for_terminal)
        if self._left_at is not None:
            from quizapp.tui.study_page import screen_at

            self._first = screen_at(self._left_at, self.store)
            self.push_screen(self._first)
        elif self._read is not None:
            self.push_screen("home")
            self.call_after_refresh(self.call_after_refresh, self.read_banks)  # reading would take the time from drawing it
        elif self._begin[0] in ("study", "review"):
            self._go()  # home is drawn when the learner goes there
            if len(self.screen_stack) == 1:
                self.push_screen("home")
        else:
            self.push_screen("home")
            self.call_after_refresh(self._go)

    def _keep_ahead(self) -> None:
        library, keeper = self.library, self.keeper
        if library is not None and keeper is not None:
            self._ahead.look(self, self.store, lambda: keeper(library))

    def read_banks(self) -> None:
        """Begins to read the banks, in a thread."""

        def read() -> Library:
            assert self._read is not None
            library = self._read()
            # What the next screen needs: loaded here, it keeps no key waiting.
            import quizapp.practice.review
            import quizapp.tui.result  # noqa: F401

            return library

        self.run_worker(read, name="banks", thread=True, exit_on_error=False)

    def leads_home(self, screen: Screen[None]) -> bool:
        """Whether a sitting's screen stands right above home, and not above what it was opened from: Find, an interview."""
        return screen not in self.screen_stack[3:]  # the lowest is Textual's own, then home

    async def go_home(self) -> None:
        """Leaves a sitting for what it was opened from; for home, which isn't there yet where the app began in the sitting."""
        if len(self.screen_stack) > 2:  # the lowest is Textual's own, and empty
            await self.pop_screen()
        else:
            await self.switch_screen("home")

    def _take_theme(self) -> None:
        """The remembered look; without colours where the environment wants none."""
        try:
            remembered = self.store.setting(themes.SETTING)
        except StoreError:
            remembered = None
        if self._never_coloured:
            self.theme = themes.NO_COLOUR
        elif remembered in self.available_themes:
            self.theme = remembered
        self._theme_taken = True

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Of a theme without colours nothing but the terminal's own is left."""
        return (NoColor(),) if self.theme == themes.NO_COLOUR else super().get_line_filters()

    def watch_theme(self, theme: str) -> None:
        """Remembers the look, and tells style sheets whether there are colours."""
        self.no_color = theme == themes.NO_COLOUR
        if not self._theme_taken or self._never_coloured:
            return
        try:
            if self.store.setting(themes.SETTING) != theme:
                self.store.set(themes.SETTING, theme)
        except StoreError as error:
            self.notify(str(error), title="Not saved", severity="error", timeout=15, markup=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.worker.name != "banks":
            return
        if event.state is WorkerState.SUCCESS:
            self.library = event.worker.result
            self._go()
            from quizapp.tui.home import HomeScreen

            if isinstance(self.screen, HomeScreen):  # else it is drawn when the learner comes back to it
                self.screen.refresh_banks()
        elif event.state is WorkerState.ERROR:
            self.exit(return_code=2, message=f"quizapp: the banks can't be read: {event.worker.error}")

    def _go(self) -> None:
        start, bank, item = self._begin
        if self._left_at is not None:
            self._bring(start, bank, item)
            return
        if self.library is not None and start == "interview":
            self.interview(bank, confined=True)
        if self.library is not None and start == "review":
            self._open_review(self._plan, None)
        if self.library is None or bank is None:
            return
        if start == "study":
            self.study(bank, item)

    def _bring(self, start: Start, bank: str | None, item: str | None) -> None:
        """Gives the first step the sitting that it belongs to; whoever has gone home meanwhile stays there."""
        from quizapp.practice.review import NothingToAsk, Review
        from quizapp.practice.study import Study

        first, self._first = self._first, None
        if first is None or not first.is_attached:
            return
        assert self.library is not None
        try:
            if bank is None:
                first.arrive(Review(self.store, self.library, shown=self._left_at))
            else:
                first.arrive(Study(self.store, self.library, bank, item))
        except NothingToAsk as error:
            self.notify(str(error), severity="warning", timeout=10, markup=False)
            self.call_later(self.go_home)
        except StoreError as error:
            self.exit(return_code=3, message=f"quizapp: {error}")
        except KeyError:
            where = f"the bank {bank}" if item is None else f"the item {item}"
            self.exit(return_code=2, message=f"quizapp: {where} can't be read any more; `quizapp bank lint` says why")

    def _opened_study(self, bank: str, item: str | None) -> Study | None:
        from quizapp.practice.study import Study

        assert self.library is not None
        try:
            return Study(self.store, self.library, bank, item)
        except StoreError as error:
            self.notify(str(error), severity="error", timeout=15, markup=False)
            return None

    def study(self, bank: str, item: str | None = None) -> bool:
        """Opens a sitting where it stands; False where that waits until the banks have been read."""
        if self.library is None:
            self._begin = ("study", bank, item)
            return False
        study = self._opened_study(bank, item)
        if study is not None:
            from quizapp.tui.study_page import screen_for

            self.push_screen(screen_for(study))
        return True

    def review(self, plan: Plan | None = None, found: Knowledge | None = None) -> None:
        """Opens a queue: a new one for a plan, else the one left open, else what is due with new items between. ``found``: where
        the learner stands, if that is known already; else a thread finds it out, and keys are answered meanwhile."""
        from quizapp.practice.face import open_review
        from quizapp.practice.review import finding

        assert self.library is not None
        try:
            if found is not None or (plan is None and open_review(self.store) is not None):
                self._open_review(plan, found)
                return
            find = finding(self.store, self.library)
        except StoreError as error:
            self.notify(str(error), severity="warning", timeout=10, markup=False)
            return

        def run() -> None:
            known = find()
            self.call_from_thread(self._open_review, plan, known)

        self.run_worker(run, thread=True, exclusive=True, group="queue")

    def _open_review(self, plan: Plan | None, found: Knowledge | None) -> None:
        from quizapp.practice.review import NothingToAsk, Review

        assert self.library is not None
        try:
            review = Review(self.store, self.library, plan, found)
        except (NothingToAsk, StoreError) as error:
            self.notify(str(error), severity="warning", timeout=10, markup=False)
            return
        from quizapp.tui.study_page import screen_for

        self.push_screen(screen_for(review))

    def contents(self, bank: str) -> None:
        """Opens a sitting at a step of the learner's choice."""
        study = self._opened_study(bank, None)
        if study is None:
            return
        from quizapp.tui.contents import ContentsScreen
        from quizapp.tui.study_page import screen_for

        def chosen(index: int | None) -> None:
            if index is not None and study.go(index):
                self.push_screen(screen_for(study))

        self.push_screen(ContentsScreen(study), chosen)

    def interview(self, bank: str | None, *, confined: bool = False) -> None:
        """Opens an interview: the open one where it stands, else the choices; ``confined``: about that bank alone."""
        from quizapp.practice.interview_plan import Setup
        from quizapp.tui.interview import InterviewScreen
        from quizapp.tui.interview_start import first_screen

        if any(isinstance(screen, InterviewScreen) for screen in self.screen_stack):
            # On two screens at once, each would store its own clock and choices over the other's.
            self.notify("The interview is open; Esc leads back to it.", markup=False)
            return
        assert self.library is not None
        setup = self.setup or Setup(bank=bank if confined else None)
        begin, self.setup = self.setup is not None, None
        try:
            self.push_screen(first_screen(self.store, self.library, setup, begin=begin))
        except (StoreError, LookupError) as error:
            self.notify(str(error.args[0] if error.args else error), severity="warning", timeout=10, markup=False)

    def bench(self) -> Bench:
        """The judge, made on first use. May look for a container engine: call it from a thread."""
        from quizapp.judge.bench import Bench

        with self._opening:
            if self._bench is None:
                self._bench = Bench(self._backend)
            return self._bench

    async def on_event(self, event: events.Event) -> None:
        """Keeps keys in their order."""
        if isinstance(event, events.Key) and not event.is_forwarded and not event.is_printable and await in_order(self, event.key):
            return
        await super().on_event(event)

    async def action_quit(self) -> None:
        """Ends the app; what is typed is kept."""
        self.leave()

    def leave(self) -> None:
        """Ends the app, also from a signal; what is typed is kept."""
        from quizapp.tui.page import Page

        for screen in self.screen_stack:
            if isinstance(screen, Page):
                screen.leave()
        self.exit()

    def _look_for_terminal(self) -> None:
        if hang_up.is_gone(sys.stdin.fileno()):
            hang_up.end_surely()
            self.leave()

    def close(self) -> None:
        """Stops the judge's workers and closes the store; to be called when the app has ended."""
        if self._bench is not None:
            self._bench.close()
        self.store.close()


def quiz_app(node: DOMNode) -> QuizApp:
    """The app that a widget or screen belongs to."""
    app = node.app
    assert isinstance(app, QuizApp)
    return app
