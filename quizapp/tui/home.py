"""Home: the banks with how far they are, where to go on, and bank files that could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from quizapp.practice.progress import BankProgress, library_progress
from quizapp.store.database import StoreError
from quizapp.store.record import Mark, Session
from quizapp.tui.inline import inline
from quizapp.tui.marked_list import MarkedList
from quizapp.tui.page import Page
from quizapp.tui.signs import ago, points

if TYPE_CHECKING:
    from quizapp.bank.fault import Fault
    from quizapp.bank.load import Library, LoadedBank
    from quizapp.practice.queue import Knowledge

BAR = 12
SHOWN_FAULTS = 20
WELCOME = "Welcome. Press Enter to start with the reading notes; F1 explains the keys of every screen."
WELCOME_BACK = "Welcome back. Enter opens the marked bank where you left it; F1 explains the keys of every screen."
READING = "Reading the banks …"


def bar(earned: int, possible: int) -> str:
    """Progress as text: a bar of twelve cells."""
    full = earned * BAR // possible if possible else 0
    return "█" * full + "░" * (BAR - full)


def near(file: Path) -> Path:
    """A path as short as it can be said: relative to where the learner is, if it lies below."""
    try:
        return file.relative_to(Path.cwd())
    except ValueError:
        return file


def resume_line(session: Session, bank: LoadedBank) -> str:
    """Where an unfinished sitting goes on."""
    step = session.position.get("step")
    if session.kind == "interview" or not isinstance(step, str):
        return "an interview is open: press i"
    item, _, part = step.partition("/")
    pages = {page.id: page.title for page in bank.bank.reading}
    titles = {one.id: one.title or one.id for one in bank.bank.items}
    title = pages.get(part, part) if item == "reading" else titles.get(item, item)
    return f"Enter goes on at {title}" + (f" · {part}" if item != "reading" and part != "main" else "")


def due_line(found: Knowledge, left: bool) -> Content:
    """What is due now and in the coming week, how many items are new, and which key asks them; ``left``: a queue is open."""
    from quizapp.practice.insight import forecast
    from quizapp.practice.queue import count

    counts = count(found, found.course)
    soon = sum(day.items for day in forecast(found, 7)) - counts.due
    later = f" · {soon} more this week" if soon > 0 else ""
    return Content.assemble(
        (f"{counts.due} due now{later} · {counts.new} new", "bold"),
        f"\nd {'goes on with your queue' if left else 'asks them'}, s lets you choose, Enter studies the marked bank.",
    )


def entry(
    title: str, earned: int, possible: int, answered: int, items: int, *, origin: str = "", more: str = "", resume: str = ""
) -> Content:
    """A bank in the list."""
    return Content.assemble(
        (title, "bold"),
        (origin, "$foreground-muted"),
        f"\n{bar(earned, possible)} {points(earned, possible)} · {answered} of {items} item{'' if items == 1 else 's'}{more}",
        (resume, "$text-accent"),
    )


class BankList(MarkedList):
    """The banks; Enter studies one."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Study")]

    @on(events.Resize)
    def _keep_in_sight(self) -> None:
        """The marked bank's description may take more lines than the one before, and the list has fewer then."""
        self.call_after_refresh(self.scroll_to_highlight)


class HomeScreen(Page):
    """Where the app starts and where Esc leads."""

    CSS_PATH = "home.tcss"
    ABOUT = """
**Home.** `Enter` studies the marked bank, from its reading notes to its lab, and goes on where you left it. `d` asks what is due
over all banks, with new items between; `s` lets you choose topic, difficulty and length, or only what you get wrong. `i` rehearses
an interview. `/` finds any item, `o` opens the bank at a step of your choice, `p` shows how it is going. `g` opens the playground:
token counts in, weights out. `t` changes the colours: dark, light, high contrast, none.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "due", "Due"),
        Binding("s", "choose", "Choose"),
        Binding("slash", "search", "Find", key_display="/"),
        Binding("i", "interview", "Interview"),
        Binding("o", "contents", "Steps", show=False),
        Binding("p", "progress", "Progress"),
        Binding("t", "look", "Colours", show=False),
        Binding("g", "playground", "Play"),
        Binding("q", "app.quit", "Quit"),
    ]

    def heading(self) -> tuple[str, str]:
        return "quizapp · keep the intended average", ""

    def body(self) -> ComposeResult:
        with Vertical(id="home"):
            yield Static(READING, id="notice", markup=False)
            yield BankList(id="banks", compact=True)
            with VerticalScroll(id="faults", can_focus=False):
                yield Static("", id="fault-lines", markup=False)
        yield Static("", id="about")

    def on_mount(self) -> None:
        from quizapp.tui.app import quiz_app

        self.query_one("#banks").display = False
        self.query_one("#faults").display = False
        app = quiz_app(self)
        if app.library is not None:
            self.refresh_banks()
        elif app.shelf:
            self._fill([Option(entry(one.title, 0, one.points, 0, one.items), id=one.id) for one in app.shelf])
            self._say(Content(WELCOME))

    def on_screen_resume(self) -> None:
        self.refresh_banks()

    def refresh_banks(self) -> None:
        """Draws the banks anew from the library and the store; does nothing while the library is being read."""
        from quizapp.tui.app import quiz_app

        app = quiz_app(self)
        library = app.library
        if library is None:
            return
        from quizapp.practice.face import open_review
        from quizapp.practice.interview_plan import ALL_BANKS
        from quizapp.practice.queue import knowledge
        from quizapp.practice.standing import as_they_stand

        try:
            marks, sessions = as_they_stand(app.store)[0], app.store.unfinished()
            now, recommended = app.store.clock(), tuple(app.store.recommended())
            left = open_review(app.store) is not None
        except StoreError as error:
            self._say(Content(str(error)))
            return

        def show(found: tuple[Knowledge, Mapping[str, BankProgress]]) -> None:
            self._fill(
                [Option(self._bank(bank, found[1][bank.bank.id], sessions, found[0]), id=bank.bank.id) for bank in library.banks]
            )
            self._show_faults(library.faults)
            begun = any(one.kind == "study" and one.position.get("step") for one in sessions)
            said = self._welcome(library, marks, found[0], left=left, begun=begun)
            over_all = any(one.kind == "interview" and one.bank == ALL_BANKS for one in sessions)
            self._say(Content("\n").join([said, Content("An interview is open: i goes on with it.")]) if over_all else said)

        self.reckon(lambda: (knowledge(library, marks, now, (), recommended), library_progress(library, marks)), show)

    def _say(self, text: Content) -> None:
        self.query_one("#notice", Static).update(text)

    @staticmethod
    def _welcome(library: Library, marks: list[Mark], found: Knowledge, *, left: bool, begun: bool) -> Content:
        if not library.banks:
            return Content("No bank could be read. Give a folder of banks with --bank DIR, or set QUIZAPP_BANKS.")
        if not marks:
            return Content(WELCOME_BACK if begun else WELCOME)
        return due_line(found, left)

    def _fill(self, options: Sequence[Option]) -> None:
        banks = self.query_one(BankList)
        marked = banks.highlighted or 0
        banks.clear_options()
        banks.add_options(options)
        banks.display = bool(options)
        if options:
            banks.highlighted = min(marked, len(options) - 1)
            banks.focus()

    def _bank(self, bank: LoadedBank, progress: BankProgress, sessions: list[Session], found: Knowledge) -> Content:
        from quizapp.tui.app import quiz_app

        due = sum(1 for item in bank.bank.items if found.is_due(item.id))
        last = f" · {ago(progress.last_at, quiz_app(self).store.clock())}" if progress.last_at else ""
        origin = "" if bank.builtin else f"  {near(bank.file)}"
        open_ = [
            session
            for session in sessions
            if session.bank == bank.bank.id and (session.kind == "interview" or session.item is None)
        ]
        kinds: dict[str, str] = {}
        for session in open_:
            if session.kind == "interview" or session.position.get("step"):
                kinds.setdefault(session.kind, resume_line(session, bank))
        resume = "".join(f"\n{line}" for line in sorted(kinds.values()))
        more = (f" · {due} due" if due else "") + last
        counts = progress.points, progress.max_points, progress.answered, len(progress.items)
        return entry(bank.bank.title, *counts, origin=origin, more=more, resume=resume)

    @on(OptionList.OptionHighlighted)
    def _describe(self, event: OptionList.OptionHighlighted) -> None:
        """What the marked bank is about."""
        from quizapp.tui.app import quiz_app

        library, shelf = quiz_app(self).library, quiz_app(self).shelf
        for bank in shelf if library is None else [one.bank for one in library.banks]:
            if bank.id == event.option_id:
                self.query_one("#about", Static).update(inline(bank.description))

    def _show_faults(self, faults: tuple[Fault, ...]) -> None:
        self.query_one("#faults").display = bool(faults)
        view = self.query_one("#fault-lines", Static)
        files = len({fault.file for fault in faults})
        lines = [
            f"! {near(fault.file)}:{fault.line}:{fault.column}: {fault.message}; {fault.mend}" for fault in faults[:SHOWN_FAULTS]
        ]
        more = len(faults) - SHOWN_FAULTS
        tail = f"\n… and {more} more: see quizapp bank lint" if more > 0 else ""
        title = f"{files} file{'' if files == 1 else 's'} with faults; what is sound in them is used, and so are all other files:"
        view.update(Content.assemble((title, "bold $text-warning"), "\n" + "\n".join(lines) + tail))

    def _marked(self) -> str | None:
        """The marked bank; ``None`` also while the banks are read."""
        from quizapp.tui.app import quiz_app

        banks = self.query_one(BankList)
        if quiz_app(self).library is None or banks.highlighted is None or not banks.option_count:
            return None
        return banks.get_option_at_index(banks.highlighted).id

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        from quizapp.tui.app import quiz_app

        if event.option_id is not None and not quiz_app(self).study(event.option_id):
            self._say(Content(READING))

    def action_interview(self) -> None:
        from quizapp.tui.app import quiz_app

        if (bank := self._marked()) is not None:
            quiz_app(self).interview(bank)

    def action_playground(self) -> None:
        from quizapp.tui.playground import PlaygroundScreen

        self.app.push_screen(PlaygroundScreen())

    def action_due(self) -> None:
        from quizapp.tui.app import quiz_app

        if (app := quiz_app(self)).library is not None and app.library.banks:
            app.review()

    def action_choose(self) -> None:
        from quizapp.tui.app import quiz_app

        if (app := quiz_app(self)).library is not None and app.library.banks:
            from quizapp.tui.choose import ChooseScreen

            app.push_screen(ChooseScreen())

    def action_search(self) -> None:
        from quizapp.tui.app import quiz_app

        if (app := quiz_app(self)).library is not None:
            from quizapp.tui.search import SearchScreen

            app.push_screen(SearchScreen())

    def action_look(self) -> None:
        from quizapp.tui import themes

        self.app.theme = themes.following(self.app.theme)
        self.app.notify(f"Colours: {themes.LOOKS[self.app.theme]}", timeout=2, markup=False)

    def action_contents(self) -> None:
        from quizapp.tui.app import quiz_app

        if (bank := self._marked()) is not None:
            quiz_app(self).contents(bank)

    def action_progress(self) -> None:
        from quizapp.tui.app import quiz_app

        if (app := quiz_app(self)).library is not None and app.library.banks:
            from quizapp.tui.progress import ProgressScreen

            app.push_screen(ProgressScreen(self._marked()))
