"""*I did say that*: the learner names the criterion, then the sentence of the answer that says it."""

import re
from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from quizapp.tui.inline import flowing
from quizapp.tui.key_line import KeyLine
from quizapp.tui.marked_list import MarkedList
from quizapp.tui.sheet import Sheet

Span = tuple[int, int]
KEPT = "Kept. `quizapp review` lists it: an instructor rules on it there, or you do, if you study alone."
"""What is said once a criterion is disputed."""


def sentences(answer: str) -> list[Span]:
    """The spans of an answer's sentences, without the blanks around them."""
    found = []
    for match in re.finditer(r"[^.!?;\n]+[.!?;]*", answer):
        text = match.group()
        if re.search(r"\w", text):
            start = match.start() + len(text) - len(text.lstrip())
            found.append((start, start + len(text.strip())))
    return found


class CriteriaList(MarkedList):
    """The points, then the sentences; Enter chooses."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "select", "Choose")]


class DisputeScreen(Sheet[tuple[str, Span] | None]):
    """Asks which criterion, then which sentence; gives both, or nothing."""

    CSS_PATH = "dispute.tcss"
    ABOUT = """
**I did say that.** Choose the point that you made, then the sentence of your answer that makes it. Your points stay as they are:
an instructor finds it with `quizapp review` and decides. Who studies alone rules with the same command: `quizapp review rule`.
`Esc` goes back, and nothing is kept.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back", key_display="Esc")]

    def __init__(self, answer: str, criteria: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._answer, self._criteria = answer, list(criteria)
        self._spans = sentences(answer)
        self._criterion: str | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="dispute"):
            yield Static("Which of these did you say?", id="ask", markup=False)
            yield CriteriaList(*(flowing(text) for _, text in self._criteria), markup=False)
        yield KeyLine()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._criterion is None:
            self._criterion = self._criteria[event.option_index][0]
            if len(self._spans) > 1:
                self.query_one("#ask", Static).update("Where? Choose the sentence that says it.")
                event.option_list.clear_options()
                event.option_list.add_options([flowing(self._answer[start:end]) for start, end in self._spans])
                event.option_list.highlighted = 0
                return
            self.dismiss((self._criterion, self._spans[0] if self._spans else (0, len(self._answer))))
        else:
            self.dismiss((self._criterion, self._spans[event.option_index]))
