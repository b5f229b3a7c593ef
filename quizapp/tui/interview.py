"""The mock interview: one question at a time, the answer, notes beside it, and the clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, TypeVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static, TextArea

from quizapp.practice.interview import Interview
from quizapp.practice.interview_course import GoneOn
from quizapp.practice.interview_exchange import Question
from quizapp.practice.interview_offer import GO_ON, Offer
from quizapp.practice.interview_phrases import ANSWER_TIME_IS_UP, TIME_IS_UP, gone_on
from quizapp.practice.interview_plan import role
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.tier import load_in_background
from quizapp.tui.answer_box import AnswerBox, written
from quizapp.tui.drafting import Drafting
from quizapp.tui.interview_clock import AnswerTimeUp, clock_line
from quizapp.tui.interview_talk import Talk, answered_by, followed_up, lab_line
from quizapp.tui.notes import Notes
from quizapp.tui.page import Page
from quizapp.tui.question import answer_box

Stored = TypeVar("Stored")
KEEP_EVERY = 5
"""Seconds between writes of the clock."""


def screen_for(interview: Interview) -> Page:
    """The screen of an interview where it stands: its question, or the debrief."""
    if interview.over:
        from quizapp.tui.interview_debrief import InterviewDebriefScreen

        return InterviewDebriefScreen(interview)
    return InterviewScreen(interview)


class InterviewScreen(Page):
    """Asks until the interview is over, then makes way for the debrief."""

    AUTO_FOCUS = ""
    """The answer takes the focus when it stands; the notes stand before it."""
    CSS_PATH: ClassVar[list[str]] = [  # type: ignore[assignment]
        "interview.tcss",
        "answer_box.tcss",
        "choice.tcss",
        "short_answer.tcss",
        "long_answer.tcss",
    ]
    ABOUT = """
**The interview.** Answer in your own words, as you would say it aloud, and press `Ctrl+S`; a number, an expression or a choice goes
with `Enter`. The interviewer asks back about what was wrong, unclear or missing. What each answer earned is told at the end.

`PgDn` and `PgUp` move through a long question. `F4` passes on a question. `F6` goes to the notes and back; they are kept and not
scored. `F7` hides the clock, `F8` ends the interview and shows the debrief. `Esc` leaves; the interview goes on where you left it,
and the clock waits.

Where the plan is through and time is left, you are offered one more question; where the time is up first, you choose whether to go
on. What is asked goes by your answers and choices alone, never by the clock.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "lab", "Open the lab"),
        Binding("ctrl+s", "take_lab", "Go on", key_display="Ctrl+S"),
        Binding("pageup", "scroll(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "scroll(1)", "More", key_display="PgDn", priority=True),
        Binding("f4", "pass", "Pass", key_display="F4", priority=True),
        Binding("f6", "notes", "Notes", key_display="F6", priority=True),
        Binding("f7", "clock", "Clock", key_display="F7", priority=True),
        Binding("f8", "end", "End", key_display="F8", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def __init__(self, interview: Interview) -> None:
        super().__init__()
        self.interview = interview
        self.drafting = Drafting(self, self._write)
        self.noting = Drafting(self, self._note)
        self.clock_shown = interview.store.setting("interview clock") != "hidden"
        self._warned = False
        self._passing = self._ending = 0
        self._ticks = 0
        self._lab: Page | None = None
        self._outdated = False
        """What is shown is not what the interview stands at: it was gone on with elsewhere."""

    def heading(self) -> tuple[str, str]:
        setup = self.interview.setup
        name = self.interview.dialogue.subject if setup.role == "any" else role(setup.role).title
        return f"Interview · {name[:1].upper()}{name[1:]} · seed {setup.seed}", ""

    def body(self) -> ComposeResult:
        with Horizontal(id="room"):
            yield Talk(id="talk")
            yield Notes(id="notes")

    async def on_mount(self) -> None:
        self._warm_up()
        await self._ask()
        self.call_after_refresh(load_in_background)
        self.set_interval(1.0, self._tick)

    @work(thread=True, exit_on_error=False)
    def _warm_up(self) -> None:
        self.interview.dialogue.warm_up()

    def on_unmount(self) -> None:
        self.leave()

    def leave(self) -> None:
        self._flush()

    # ---- another app on the same interview

    def stored(self, write: Callable[[], Stored]) -> Stored | None:
        """As :meth:`Page.stored`; where another app has gone on with the interview, takes it up from there."""
        try:
            return super().stored(write)
        except GoneOn:
            if not self._outdated:
                self._take_up()
            return None

    def _take_up(self) -> None:
        text = (written(self) or "") if self.interview.question is not None else ""
        self._outdated = True  # what is still to be written must not lead here again
        if text:
            self.drafting.catch_up(text)
        self.drafting.flush()
        self.noting.flush()
        found = super().stored(lambda: self.interview.taken_up(text))
        if found is None:
            self._outdated = False
            return
        number = self.interview.number
        self.interview, lost = found
        self.app.notify(gone_on(self.interview.over, number if lost else None), timeout=15, markup=False)
        self.call_later(self._show_anew)

    async def _show_anew(self) -> None:
        if self._outdated and self.is_attached and self.app.screen is self:  # else once it is come back to
            await self._go_on()

    def _flush(self) -> None:
        if self._outdated:
            return
        if self.interview.question is not None and (text := written(self)) is not None:
            self.drafting.catch_up(text)
        self.drafting.flush()
        self.noting.flush()
        if not self.interview.over:
            self.kept(self.interview.keep)

    @property
    def _talk(self) -> Talk:
        return self.query_one(Talk)

    @property
    def _question(self) -> Question:
        question = self.interview.question
        assert question is not None
        return question

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "pass":
            return self.interview.question is not None
        lab = self.interview.question is not None and self.interview.question.kind == "lab"
        if action == "scroll":
            return self._talk.view.max_scroll_y > 0
        if action == "lab":
            return lab
        if action == "take_lab":
            return lab and self.interview.lab_attempt() is not None
        return super().check_action(action, parameters)

    # ---- the clock

    def _tick(self) -> None:
        # The clock goes on in the lab that the interview opened.
        if self.interview.question is None or self.app.screen not in (self, self._lab):
            return
        self._ticks += 1
        if self._ticks % KEEP_EVERY == 0:
            self.kept(self.interview.keep)
        self._show_clock()
        up = self.interview.overtime is None and self.interview.elapsed >= self.interview.setup.minutes * 60
        if up and not self._warned:
            self._warned = True
            self.app.notify(TIME_IS_UP, title="The clock", timeout=8, markup=False)
        left = self.interview.answer_left
        if left is not None and left <= 0:
            self.post_message(AnswerTimeUp(self.interview.number))

    def _show_clock(self) -> None:
        self.query_one("#heading-right", Static).update(Content(clock_line(self.interview, self.clock_shown)))

    @on(AnswerTimeUp)
    async def _time_is_up(self, event: AnswerTimeUp) -> None:
        held = self.interview
        await self._once_loaded(lambda: self._cut_off(held, event.number))

    async def _cut_off(self, held: Interview, number: int) -> None:
        if held is not self.interview or held.question is None or held.number != number:
            return
        boxes = self.query(AnswerBox)
        text = boxes.first().value if boxes else ""
        self.drafting.typed(text)
        self.drafting.flush()
        if self._given(held, lambda: held.take_as_it_stands(text)):
            self.app.notify(ANSWER_TIME_IS_UP, markup=False)
            await self._go_on()

    def action_clock(self) -> None:
        self.clock_shown = not self.clock_shown
        self.kept(lambda: self.interview.store.set("interview clock", "shown" if self.clock_shown else "hidden"))
        self._show_clock()

    # ---- the question

    async def _ask(self) -> None:
        question = self.interview.question
        put = question or self.interview.offer
        assert put is not None
        if question is None:
            self.app.clear_notifications()  # "the time is up" would lie over the choices
        self._passing = self._ending = 0
        self._show_clock()
        said = "" if question is None else followed_up(question, self.interview.exchanges)
        lab = question is not None and question.kind == "lab"
        await self._talk.put(put, said, lab_line(self.interview.lab_attempt()) if lab else self._box(put))
        self.query_one(Notes).show(self.interview.notes())
        self.call_after_refresh(self.refresh_bindings)

    def _box(self, put: Question | Offer) -> AnswerBox:
        if isinstance(put, Offer):
            return answer_box(answered_by(put), "")
        draft = self.stored(lambda: self.interview.store.draft(self.interview.draft_key())) or ""
        self.drafting.began(draft)
        return answer_box(answered_by(put), draft)

    async def on_screen_resume(self) -> None:
        if self._outdated:
            await self._go_on()
        elif self.interview.question is not None and self._question.kind == "lab":
            self._talk.say_of_lab(lab_line(self.interview.lab_attempt()))
            self.refresh_bindings()

    async def _go_on(self) -> None:
        self._outdated = False
        if self.interview.over:
            self._make_way()
        else:
            await self._ask()

    def _make_way(self) -> None:
        screen = self.stored(lambda: screen_for(self.interview))
        if screen is not None:
            self.app.switch_screen(screen)

    def _write(self, text: str) -> None:
        if self.interview.question is not None:
            key = self.interview.draft_key()
            self.kept(lambda: self.interview.store.save_draft(key, text))

    def _note(self, text: str) -> None:
        if not self.interview.over:
            self.kept(lambda: self.interview.note(text))

    async def _once_loaded(self, give: Callable[[], Awaitable[None]]) -> None:
        """Has the answer given; one in words, once its scorer is there. Not while another one waits for that."""
        question, boxes = self.interview.question, self.query(AnswerBox)
        if not boxes or question is None or not question.heard:
            await give()
        elif not boxes.first().disabled:
            await boxes.first().once_loaded(give)

    def _stands(self, box: AnswerBox) -> bool:
        """Whether the box is the open question's, or an offer's. A second Enter can still reach the one before, or the last one."""
        return not self._outdated and not self.interview.over and box in self.query(AnswerBox)

    @on(AnswerBox.Edited)
    def _edited(self, event: AnswerBox.Edited) -> None:
        self._passing = 0
        if self.interview.question is not None and self._stands(event.box):
            self.drafting.typed(event.value)

    @on(TextArea.Changed, "#notes-area")
    def _noted(self, event: TextArea.Changed) -> None:
        event.stop()
        if not self._outdated:
            self.noting.typed(event.text_area.text)

    @on(AnswerBox.Submitted)
    async def _submitted(self, event: AnswerBox.Submitted) -> None:
        if not self._stands(event.box):
            return
        held = self.interview
        if held.offer is not None:
            await self._choose(held, event.value)
            return
        self.drafting.typed(event.value)
        self.drafting.flush()
        self.noting.flush()
        await self._once_loaded(lambda: self._answer(held, event.value))

    def _given(self, held: Interview, give: Callable[[], object]) -> bool:
        """Gives an answer to the interview as it was shown; whether it was taken."""
        before = len(held.exchanges)
        if held is self.interview and not self._outdated:
            self.stored(give)
        return len(held.exchanges) > before

    async def _answer(self, held: Interview, text: str) -> None:
        try:
            given = self._given(held, lambda: held.answer(text))
        except AnswerError as error:
            self.query_one(AnswerBox).complain(str(error))
            return
        if given:
            await self._go_on()

    async def _choose(self, held: Interview, choice: str) -> None:
        self.noting.flush()
        if held is not self.interview:
            return
        if choice != GO_ON:
            self._finish()
        elif self.stored(held.go_on) is not None:
            await self._ask()

    # ---- keys

    async def action_pass(self) -> None:
        held = self.interview
        self.drafting.flush()
        self.noting.flush()
        boxes = self.query(AnswerBox)
        if boxes and boxes.first().value.strip() and not self._passing:
            self._passing = 1
            self.app.notify("You have begun an answer. F4 again passes all the same; what you wrote is kept.", markup=False)
            return
        if self._given(held, lambda: held.answer("")):
            await self._go_on()

    def action_scroll(self, pages: int) -> None:
        self._talk.scroll_pages(pages)

    def action_notes(self) -> None:
        notes = self.query_one(Notes)
        if notes.area.has_focus:
            self.remove_class("-notes")
            boxes = self.query(AnswerBox)
            if boxes:
                boxes.first().focus_field()
            else:
                self._talk.focus_question()
        else:
            self.add_class("-notes")
            notes.take_focus()

    def action_end(self) -> None:
        if not self._ending and self.interview.offer is None:
            self._ending = 1
            self.app.notify("F8 again ends the interview and shows the debrief.", markup=False)
            return
        self._finish()

    def _finish(self) -> None:
        held = self.interview
        self._flush()
        if not self._outdated and self.kept(held.end):
            self.app.clear_notifications()
            self._make_way()

    def action_lab(self) -> None:
        from quizapp.practice.study import Study
        from quizapp.tui.lab import LabScreen

        question = self._question
        self._flush()
        if self._outdated:
            return
        bank = self.interview.library.items[question.key.item].bank_id

        def opened() -> Study:
            study = Study(self.interview.store, self.interview.library, bank, question.key.item)
            study.go([step.part.id if step.part else "" for step in study.steps].index(question.key.part))
            return study

        study = self.stored(opened)
        if study is not None:
            self._lab = LabScreen(study)
            self.app.push_screen(self._lab)

    async def action_take_lab(self) -> None:
        held = self.interview
        attempt = held.lab_attempt()
        if attempt is not None and self._given(held, lambda: held.take_lab(attempt)):
            await self._go_on()

    def action_home(self) -> None:
        self._flush()
        self.app.pop_screen()
