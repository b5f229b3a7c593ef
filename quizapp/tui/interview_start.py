"""Before a mock interview: role, length, time per answer, lab, banks and topics. Enter begins with what stands there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview, last_session, next_seed, open_session
from quizapp.practice.interview_plan import LENGTHS, LIMITS, ROLES, Setup, role, subjects
from quizapp.store.record import Session
from quizapp.store.store import Store
from quizapp.tui.dial import Dial
from quizapp.tui.page import Page
from quizapp.tui.ticks import Ticks

SEEDS = 10
"""Offered on either side."""
WHAT = (
    "A mock interview: it asks, listens, asks back about what is wrong or missing, and tells you at the end what it saw. "
    "Nothing is scored while you talk. Enter begins with what stands here."
)


class InterviewStartScreen(Page):
    """The choices, each with a default."""

    CSS_PATH = "interview_start.tcss"
    ABOUT = """
**Before the interview.** `Enter` begins. The arrows move and change; in the list of topics `Space` ticks one, and with none ticked
all of the role are asked about. The same choices, the same seed and the same answers give the same interview; each new one has
another seed. `d` shows the last one's debrief.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "begin", "Begin", priority=True),
        Binding("g", "go_on", "Go on"),
        Binding("d", "debrief", "Last debrief"),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def __init__(self, store: Store, library: Library, setup: Setup, *, clock: Callable[[], float] | None = None) -> None:
        """``setup``: what stands there at first."""
        super().__init__()
        self.store, self.library, self.setup, self.clock = store, library, setup, clock
        self.open = open_session(store)
        self.last = last_session(store)

    def heading(self) -> tuple[str, str]:
        return "Interview", ""

    def body(self) -> ComposeResult:
        setup = self.setup
        with Vertical(id="start"):
            yield Static(WHAT, id="what")
            yield Static("", id="fault", markup=False)
            with Vertical(id="dials"):
                yield Dial("Role", [(one.id, one.title) for one in ROLES], setup.role, "role")
                yield Dial("Length", [(str(minutes), f"{minutes} minutes") for minutes in LENGTHS], str(setup.minutes), "minutes")
                limits = sorted({*LIMITS, setup.limit})
                shown = [(str(limit), f"at most {limit} minutes each" if limit else "no time limit") for limit in limits]
                yield Dial("Answers", shown, str(setup.limit), "limit")
                yield Dial("Lab", [("yes", "a code lab, where there is time for one"), ("no", "without code")], self._lab(), "lab")
                banks = [(bank.bank.id, bank.bank.title) for bank in self.library.banks]
                yield Dial("Banks", [("", "all banks"), *banks], setup.bank or "", "bank")
                yield Dial("Seed", self._seeds(), str(setup.seed), "seed")
            yield Static("Topics (Space ticks; none ticked: all of these)", classes="caption")
            yield Ticks(id="topics")

    def _seeds(self) -> list[tuple[str, str]]:
        """Seeds around the one that stands there, and the last interview's."""
        last = None if self.last is None else self.last.seed
        near = range(max(0, self.setup.seed - SEEDS), self.setup.seed + SEEDS)
        said = {last: ", as the last interview's", self.setup.seed: ", a new one" if self.setup.seed != last else ""}
        return [(str(seed), f"{seed}{said.get(seed, '')}") for seed in sorted({*near} | ({last} if last is not None else set()))]

    def _lab(self) -> str:
        return "yes" if self.setup.lab else "no"

    def on_mount(self) -> None:
        self.query_one("#fault").display = False
        self._list_topics(set(self.setup.topics))
        self.query_one("#role").focus()
        if self.open is not None:
            self._say("An interview is open. g goes on with it; Enter begins another one and closes it.")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "go_on":
            return self.open is not None
        if action == "debrief":
            return self.last is not None and self.last.finished_at is not None
        return super().check_action(action, parameters)

    def _say(self, text: str) -> None:
        fault = self.query_one("#fault", Static)
        fault.update(Content(text))
        fault.display = True

    def _list_topics(self, ticked: set[str]) -> None:
        topics = self.query_one(Ticks)
        bank = self.query_one("#bank", Dial).value or None
        found = subjects(self.library, bank, role(self.query_one("#role", Dial).value).topics) or subjects(self.library, bank)
        topics.fill(found.items(), ticked)

    @on(Dial.Turned)
    def _turned(self, event: Dial.Turned) -> None:
        if event.dial.id in ("role", "bank"):
            self._list_topics(set(self.query_one(Ticks).selected))

    def chosen(self) -> Setup:
        """What stands there."""
        value = {dial.id: dial.value for dial in self.query(Dial)}
        return Setup(
            bank=value["bank"] or None,
            minutes=int(value["minutes"]),
            role=value["role"],
            topics=tuple(self.query_one(Ticks).selected),
            seed=int(value["seed"]),
            limit=int(value["limit"]),
            lab=value["lab"] == "yes",
        )

    def action_begin(self) -> None:
        setup = self.chosen()
        self._enter(lambda: Interview.start(self.store, self.library, setup, clock=self.clock))

    def _enter(self, hold: Callable[[], Interview]) -> None:
        from quizapp.tui.interview import screen_for

        try:
            screen = self.stored(lambda: screen_for(hold()))
        except LookupError as error:
            self._say(f"! {error.args[0]}")
            return
        if screen is not None:
            self.app.switch_screen(screen)

    def _take_up(self, session: Session | None) -> None:
        if session is not None:
            self._enter(lambda: Interview(self.store, self.library, session, clock=self.clock))

    def action_go_on(self) -> None:
        self._take_up(self.open)

    def action_debrief(self) -> None:
        self._take_up(self.last)

    def action_home(self) -> None:
        self.app.pop_screen()


def first_screen(store: Store, library: Library, setup: Setup, *, begin: bool, clock: Callable[[], float] | None = None) -> Page:
    """Where an interview opens: a new one at once (``begin``), the open one where it stands, or the choices with another seed.

    Raises:
        LookupError: nothing can be asked within the setup.
        quizapp.store.database.StoreError: the learner's file can't be used.
    """
    from quizapp.tui.interview import screen_for

    session = open_session(store, setup.bank)
    if session is not None and not begin:
        try:
            return screen_for(Interview(store, library, session, clock=clock))
        except LookupError:
            pass  # its banks are gone: the choices say what there is
    if begin:
        return screen_for(Interview.start(store, library, setup, clock=clock))
    return InterviewStartScreen(store, library, replace(setup, seed=next_seed(store)), clock=clock)
