"""A plain interview: the probe, an answer in the learner's words, one follow-up, then the debrief."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown, Static

from quizapp.model.formula import Value
from quizapp.model.misconception import Misconception
from quizapp.practice.interview import Interview, Turn
from quizapp.scoring.answer import AnswerError
from quizapp.tui.answer_box import AnswerBox
from quizapp.tui.drafting import Drafting
from quizapp.tui.long_answer import LongAnswer
from quizapp.tui.page import Page
from quizapp.tui.result import criteria, headline, misconception
from quizapp.tui.signs import points

OPENERS = {
    "probe": "Take your time. Say what you would check, and why.",
    "misconception": "Let me stay with one thing that you said.",
    "criterion": "Let me ask about one thing that I have not heard yet.",
    "always": "One thing more.",
}


def debrief(turn: Turn, values: Mapping[str, Value], registry: Mapping[str, Misconception]) -> Iterator[Widget]:
    """What one answer earned, criterion by criterion, with the words that earned it; then what a strong answer says."""
    assert turn.score is not None
    answer = turn.answer or ""
    yield Markdown(turn.question)
    yield Static(Content.assemble(("You said: ", "bold"), answer), classes="line")
    yield Static(headline(turn.score), classes="line")
    yield from criteria(turn.score, turn.rubric, values)
    for id_ in turn.score.misconceptions:
        yield Static(misconception(id_, registry), classes="misconception line")
    if turn.explanation:
        yield Static("What a strong answer says", classes="caption")
        yield Markdown(turn.explanation)


class InterviewScreen(Page):
    """Asks until the interview is over, then shows the debrief."""

    CSS_PATH: ClassVar[list[str]] = ["interview.tcss", "answer_box.tcss", "long_answer.tcss", "result.tcss"]  # type: ignore[assignment]
    ABOUT = """
**The interview.** Answer in your own words, as you would say it aloud, and press `Ctrl+S`. One follow-up comes, chosen by what your
answer got wrong or left out. What each answer earned is told at the end. `Esc` leaves; the interview goes on where you left it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "finish", "Finish"),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def __init__(self, interview: Interview) -> None:
        super().__init__()
        self.interview = interview
        self.drafting = Drafting(self, self._write)

    def heading(self) -> tuple[str, str]:
        return f"Interview · {self.interview.bank.bank.title}", "question 1"

    def body(self) -> ComposeResult:
        yield VerticalScroll(id="interview", can_focus=False)

    async def on_mount(self) -> None:
        await self._show()

    @property
    def _view(self) -> VerticalScroll:
        return self.query_one("#interview", VerticalScroll)

    @property
    def over(self) -> bool:
        """True when every question has its answer."""
        return self.interview.turns()[-1].answered

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.over if action == "finish" else super().check_action(action, parameters)

    def on_unmount(self) -> None:
        self.drafting.flush()

    async def _show(self) -> None:
        turns = self.interview.turns()
        await self._view.remove_children()
        if turns[-1].answered:
            await self._debrief(turns)
        else:
            await self._ask(turns[-1], len(turns))
        self.refresh_bindings()

    async def _ask(self, turn: Turn, number: int) -> None:
        self.query_one("#heading-right", Static).update(f"question {number}")
        draft = self.stored(lambda: self.interview.store.draft(self.interview.draft_key(turn))) or ""
        box = LongAnswer(draft)
        await self._view.mount(Static(OPENERS[turn.cause], classes="opener"), Markdown(turn.question), box)
        box.focus_field()

    async def _debrief(self, turns: tuple[Turn, ...]) -> None:
        scores = [turn.score for turn in turns if turn.score is not None]
        total = points(sum(score.points for score in scores), sum(score.max_points for score in scores))
        self.query_one("#heading-right", Static).update(f"debrief · {total}")
        for number, turn in enumerate(turns, 1):
            await self._view.mount(Static(f"Question {number} of {len(turns)}", classes="caption"))
            await self._view.mount(*debrief(turn, self.interview.values, self.interview.library.registry))
        self._view.can_focus = True
        self._view.focus(scroll_visible=False)
        self._view.scroll_home(animate=False)

    def _write(self, text: str) -> None:
        turn = self.interview.turns()[-1]
        if not turn.answered:
            self.kept(lambda: self.interview.store.save_draft(self.interview.draft_key(turn), text))

    @on(AnswerBox.Edited)
    def _edited(self, event: AnswerBox.Edited) -> None:
        self.drafting.typed(event.value)

    @on(AnswerBox.Submitted)
    async def _submitted(self, event: AnswerBox.Submitted) -> None:
        self.drafting.typed(event.value)
        self.drafting.flush()
        before = len([turn for turn in self.interview.turns() if turn.answered])
        try:
            self.stored(lambda: self.interview.answer(event.value))
        except AnswerError as error:
            self.query_one(AnswerBox).complain(str(error))
            return
        if len([turn for turn in self.interview.turns() if turn.answered]) > before:
            await self._show()

    def action_finish(self) -> None:
        self.kept(self.interview.finish)
        self.app.pop_screen()

    def action_home(self) -> None:
        self.drafting.flush()
        self.app.pop_screen()
