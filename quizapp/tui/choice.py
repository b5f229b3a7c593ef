"""Answering by choosing: a letter or the arrows pick, Enter submits. Several right options are ticked one by one.

An Enter that nothing was picked or moved before may be one too many from the page before, and answers nothing.
"""

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from quizapp.practice.face import Option
from quizapp.tui.answer_box import AnswerBox
from quizapp.tui.inline import inline


class ChoiceRow(Horizontal):
    """One option: a box, its letter and its text; what wraps stands under the text."""

    JUMP: ClassVar[bool] = True

    class Picked(Message):
        """Clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, index: int, choice: Option) -> None:
        super().__init__()
        self.index, self.choice = index, choice
        self.jump_letter = choice.letter.lower()
        self._box = Static("", classes="box", markup=False)

    def compose(self) -> ComposeResult:
        yield self._box
        yield Static(inline(self.choice.text), classes="text")

    def show(self, mark: str, current: bool) -> None:
        """Draws the row; ``mark`` is the box's content."""
        self.set_class(current, "-current")
        pointer = "›" if current else " "
        self._box.update(Content.assemble(f"{pointer} {mark} ", (f"{self.choice.letter}  ", "bold")))

    def on_click(self) -> None:
        self.post_message(self.Picked(self.index))

    def jumped(self) -> None:
        """Chosen in jump mode."""
        self.post_message(self.Picked(self.index))


class ChoiceAnswer(AnswerBox, can_focus=True):
    """The options of a choice part. Its value is the chosen ids, joined by commas."""

    JUMP: ClassVar[bool] = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down", "move(1)", "Down", show=False),
        Binding("home", "move(-99)", "First", show=False),
        Binding("end", "move(99)", "Last", show=False),
        Binding("space", "pick", "Pick", key_display="letter"),
        Binding("enter", "submit", "Answer"),
    ]
    current: reactive[int] = reactive(0)

    def __init__(self, choices: tuple[Option, ...], several: bool, value: str = "") -> None:
        super().__init__()
        self.choices, self.several = choices, several
        known = {choice.id for choice in choices}
        self.chosen = {id_ for id_ in value.split(",") if id_ in known}
        self._moved = False
        self.set_reactive(ChoiceAnswer.current, next((i for i, c in enumerate(choices) if c.id in self.chosen), 0))

    @property
    def value(self) -> str:
        return ",".join(choice.id for choice in self.choices if choice.id in self.chosen)

    def fields(self) -> ComposeResult:
        if self.several:
            yield Static("Several are right: pick all of them.", classes="note")
        for index, choice in enumerate(self.choices):
            yield ChoiceRow(index, choice)

    def on_mount(self) -> None:
        self._draw()

    def focus_field(self) -> None:
        self.screen.set_focus(self, scroll_visible=False)

    def _draw(self) -> None:
        for row in self.query(ChoiceRow):
            chosen = row.choice.id in self.chosen
            mark = ("[x]" if chosen else "[ ]") if self.several else ("(•)" if chosen else "( )")
            row.show(mark, row.index == self.current)
            row.set_class(chosen, "-chosen")

    def watch_current(self) -> None:
        if self.is_mounted:
            self._draw()
            rows = self.query(ChoiceRow)
            if self.current < len(rows):
                rows[self.current].scroll_visible(animate=False)

    def action_move(self, by: int) -> None:
        self._moved = True
        self.current = max(0, min(len(self.choices) - 1, self.current + by))
        if not self.several and self.chosen:
            self._choose(self.current)

    def action_pick(self) -> None:
        self._choose(self.current)

    def action_submit(self) -> None:
        if not self.chosen and not self.several:
            if not self._moved:
                self.complain("pick one first: its letter, or the arrows")
                self.call_after_refresh(self.query_one(".fault").scroll_visible, animate=False)
                return
            self._choose(self.current)
        self.submit()

    def _choose(self, index: int) -> None:
        id_ = self.choices[index].id
        if self.several:
            self.chosen ^= {id_}
        else:
            self.chosen = {id_}
        self.current = index
        self._draw()
        self.edited()

    def on_key(self, event: events.Key) -> None:
        letter = (event.character or "").upper()
        for index, choice in enumerate(self.choices):
            if choice.letter == letter:
                event.stop()
                self._choose(index)
                return

    def on_choice_row_picked(self, event: ChoiceRow.Picked) -> None:
        event.stop()
        self.focus()
        self._choose(event.index)
