"""Progress in one bank: points per item, and confidence against outcome."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from quizapp.bank.load import LoadedBank
from quizapp.practice.insight import Level, calibration
from quizapp.practice.progress import BankProgress, bank_progress
from quizapp.store.record import Attempt
from quizapp.tui.signs import points, sign, style, word
from quizapp.tui.table import rows


def item_table(progress: BankProgress) -> Content:
    """One row per item: state, points, title."""
    body = []
    for item in progress.items:
        look = style(item.state)
        body.append([(f"{sign(item.state)} {word(item.state)}", look), (f"{item.points}/{item.max_points}", ""), (item.title, "")])
    return rows(("state", "points", "item"), body)


def calibration_table(levels: tuple[Level, ...]) -> Content:
    """Each level of confidence with what was earned at it."""
    from quizapp.tui.confidence import LEVELS

    body = [
        [
            (f"{level.confidence} {LEVELS[level.confidence - 1]}", ""),
            (str(level.answers), ""),
            (f"{level.earned:.0%} of the points", ""),
        ]
        for level in levels
    ]
    return rows(("you said", "answers", "you earned"), body)


class ProgressScreen(ModalScreen[None]):
    """Points and calibration of one bank."""

    CSS_PATH = "progress.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,p,q,enter", "dismiss", "Close", key_display="Esc", priority=True)]

    def __init__(self, bank: LoadedBank, attempts: list[Attempt]) -> None:
        super().__init__()
        self._bank, self._attempts = bank, attempts

    def compose(self) -> ComposeResult:
        progress = bank_progress(self._bank, self._attempts)
        levels = calibration(self._attempts).levels
        with VerticalScroll(id="progress"):
            total = f" · {points(progress.points, progress.max_points)}"
            yield Static(Content.assemble((self._bank.bank.title, "bold"), total))
            yield Static(item_table(progress))
            if levels:
                yield Static(calibration_table(levels))
                yield Static("Well calibrated: near 100 % when certain, and lower where you guessed.", classes="note")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#progress").focus()
