"""What is said in an interview, and below it the place for the answer. It knows widgets alone; the screen knows the interview."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Markdown, Static

from quizapp.practice.face import Way, choosing, way
from quizapp.practice.interview_exchange import Exchange, Question
from quizapp.practice.interview_offer import Offer
from quizapp.store.record import Attempt
from quizapp.tui.answer_box import AnswerBox

MOST_SAID = 240
"""Characters of the last answer that stand above a question that follows it up."""


def answered_by(put: Question | Offer) -> Way:
    """How a question that is no lab, or an offer, is answered."""
    if isinstance(put, Offer) or put.kind == "confirm":
        return choosing(put.choices)
    if put.asked is None or put.heard:
        return Way("words")
    return way(put.asked.part, put.asked.choices, put.asked.variant.values)


def followed_up(question: Question, exchanges: Sequence[Exchange]) -> str:
    """The last answer, where the question takes it up; else nothing."""
    if not exchanges or not question.is_follow_up or question.kind == "walk":
        return ""
    return " ".join(exchanges[-1].said.split())


def lab_line(attempt: Attempt | None) -> Content:
    """What stands below a lab's question."""
    if attempt is None:
        return Content("Enter opens the lab. Come back with Esc when you are done, or F4 passes.")
    return Content(
        f"Your last run there: {attempt.outcome}, {attempt.points} of {attempt.max_points} points. "
        "Ctrl+S goes on with it; Enter opens the lab again."
    )


class Talk(Vertical):
    """One question or offer at a time."""

    def compose(self) -> ComposeResult:
        yield VerticalScroll(id="interview", can_focus=False)
        yield VerticalScroll(id="answer", can_focus=False)

    @property
    def view(self) -> VerticalScroll:
        """What is said."""
        return self.query_one("#interview", VerticalScroll)

    async def put(self, put: Question | Offer, said: str, answer: AnswerBox | Content) -> None:
        """Shows a question or an offer, with the box for its answer; of a lab, with the line below it. ``said``: the answer that it
        follows up, if any."""
        view = self.view
        # In between, the screen would be drawn with widgets that are gone.
        with self.app.batch_update():
            await view.remove_children()
            await self.query_one("#answer", VerticalScroll).remove_children()
            if said:
                shown = said if len(said) <= MOST_SAID else f"… {said[-MOST_SAID:]}"
                await view.mount(Static(Content.assemble(("You said: ", "bold"), shown), classes="earlier"))
            await view.mount(Static(Content(put.said), classes="opener"), Markdown(put.text))
            view.can_focus = not isinstance(answer, AnswerBox)
            if isinstance(answer, AnswerBox):
                await self._mount_box(answer)
            else:
                await view.mount(Static(answer, classes="lab-line"))
                self.focus_question()
        for below in self.query("#answer"):
            below.display = bool(below.children)
        view.scroll_home(animate=False)

    async def _mount_box(self, box: AnswerBox) -> None:
        # Where the app is just closing, there is no place for it, or nothing in it.
        for below in self.query("#answer"):
            await below.mount(box)
        if box.children:
            box.focus_field()

    def scroll_pages(self, pages: int) -> None:
        """Moves what is said; two lines of the page before stay."""
        self.view.scroll_relative(y=pages * max(self.view.size.height - 2, 1), animate=False)

    def focus_question(self) -> None:
        """Puts the focus on what is said."""
        self.view.focus(scroll_visible=False)

    def say_of_lab(self, line: Content) -> None:
        """Replaces the line below a lab's question."""
        for one in self.query(".lab-line").results(Static):
            one.update(line)
