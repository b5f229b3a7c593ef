"""One part of one item: question, answer, confidence, result. Code has its own screen.

The question a sitting was left at is drawn before its bank has been read: nothing above loads a model, a scorer or a bank.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static

from quizapp.model.nouns import numbered
from quizapp.practice.face import Face, Standing, Way, face
from quizapp.tui.answer_box import AnswerBox, written
from quizapp.tui.drafting import Drafting
from quizapp.tui.inline import inline
from quizapp.tui.study_page import StudyPage

if TYPE_CHECKING:
    from quizapp.model.score import Score
    from quizapp.practice.asked import Asked
    from quizapp.practice.study import Study
    from quizapp.store.record import Attempt
    from quizapp.store.store import Store
    from quizapp.tui.confidence import Confidence


def answer_box(way: Way, draft: str) -> AnswerBox:
    """What takes an answer given that way, with the draft in it."""
    if way.kind == "choice":
        from quizapp.tui.choice import ChoiceAnswer

        return ChoiceAnswer(way.options, several=way.several, value=draft)
    if way.kind == "line":
        from quizapp.tui.short_answer import ShortAnswer

        return ShortAnswer(way.note, way.example, draft)
    from quizapp.tui.long_answer import LongAnswer

    return LongAnswer(draft)


class QuestionScreen(StudyPage):
    """Asks, then asks how sure, then shows what was earned and why."""

    CSS_PATH: ClassVar[list[str]] = [  # type: ignore[assignment]
        "question.tcss",
        "answer_box.tcss",
        "choice.tcss",
        "short_answer.tcss",
        "long_answer.tcss",
        "confidence.tcss",
        "result.tcss",
    ]
    ABOUT = """
**A question.** Choose with the letter or the arrows and answer with `Enter`; type a number or an expression and press `Enter`;
write and press `Ctrl+S`; `PgDn` and `PgUp` move through a long question meanwhile. Rate how sure you are with `1` to `5`: then you
see what each point was for. What you type is kept.

After the result: `Enter` goes on, `r` answers again (in words: from what you wrote), `a` asks the same with other numbers. `u`
takes a slip back: the answer stays in the log and counts for nothing. `Ctrl+G` flags the item for later. Where the weights of a
released library are shown, `F10` shows them as bars, and runs the library where it is installed.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "scroll(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "scroll(1)", "More", key_display="PgDn", priority=True),
        Binding("enter", "next", "Next"),
        Binding("a", "again", "Vary"),
        Binding("r", "retry", "Retry"),
        Binding("d", "dispute", "I did say that"),
        Binding("u", "undo", "Slip"),
        Binding("f2", "hint", "Hint", key_display="F2", priority=True),
        Binding("f10", "weights", "Weights", key_display="F10", priority=True),
    ]

    def __init__(self, shown: Face, study: Study | None, store: Store, standing: Standing | None = None) -> None:
        super().__init__(study, store, shown.item, standing)
        self.face = shown
        self.asked: Asked | None = None
        self.attempt: Attempt | None = None
        self.pending: tuple[str, Score, float] | None = None
        self._began = time.monotonic()
        self._score: Score | None = None
        self._disputed: frozenset[str] = frozenset()
        self.drafting = Drafting(self, lambda text: self.kept(lambda: store.save_draft(shown.draft_key, text)))

    @classmethod
    def of(cls, study: Study) -> QuestionScreen:
        """The question on which a sitting stands."""
        asked = study.asked()
        screen = cls(face(asked), study, study.store)
        screen.asked, screen.attempt = asked, study.result()
        return screen

    def fits(self) -> bool:
        part = self.study.step.part
        self.asked = self.study.asked() if part is not None and part.kind != "code" else None
        return self.asked is not None and face(self.asked) == self.face and self.study.result() is None

    def arrived(self) -> None:
        self._load_scorer()

    def heading(self) -> tuple[str, str]:
        shown = self.face
        part = f" · part {shown.number} of {shown.parts}" if shown.parts > 1 else ""
        worth = numbered(shown.points, "point")
        return shown.title, f"{shown.kind}{part} · {worth} · {self.place()}"

    def body(self) -> ComposeResult:
        with VerticalScroll(id="question", can_focus=False):
            yield Markdown(self.face.stem)
            if self.face.part_stem:
                yield Markdown(self.face.part_stem, id="part-stem")
            yield Static("", id="hint", markup=False)

    async def on_mount(self) -> None:
        self.query_one("#hint").display = False
        self.watch(self._view, "show_vertical_scrollbar", self.refresh_bindings, init=False)
        if self.attempt is not None:
            await self._show_result(self.attempt)
            return
        await self._take_answer()
        if self.waits:
            self.read_sitting()
        else:
            self._load_scorer()

    def _load_scorer(self) -> None:
        """Has it there by the time somebody has read the question."""
        words = self.face.way.kind == "words"

        def load() -> None:
            import quizapp.scoring.score  # noqa: F401

            if words:
                from quizapp.scoring.tier import load_in_background

                load_in_background()

        self.call_after_refresh(self.run_worker, load, thread=True)

    @property
    def done(self) -> bool:
        return self.attempt is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        done = self.done
        if action == "scroll":
            return not done and any(view.max_scroll_y > 0 for view in self.query("#question"))
        if action == "again":
            return done and self._varies()
        if action in ("retry", "next", "undo"):
            return done
        if action == "dispute":
            return bool(self._open_criteria())
        if action == "hint":
            return not done and self.face.hint is not None
        if action == "weights":
            return self.asked is not None and self.asked.loaded.item.audit is not None
        return super().check_action(action, parameters)

    @property
    def _view(self) -> VerticalScroll:
        return self.query_one("#question", VerticalScroll)

    async def _take_answer(self, last: str = "") -> None:
        """``last``: what stands in the box where nothing newer was typed."""
        draft = self.stored(lambda: self.store.draft(self.face.draft_key)) or last
        self.drafting.began(draft)
        box = answer_box(self.face.way, draft)
        with self.app.batch_update():  # nobody sees it before it takes letters
            await self._view.mount(box)
            box.focus_field()
        self._began = time.monotonic()
        self.refresh_bindings()

    async def _show_result(self, attempt: Attempt) -> None:
        from quizapp.tui.result import Result

        self.attempt = attempt
        found = self.stored(lambda: self.study.stands_at(attempt))
        score, self._disputed = found or (attempt.score(), frozenset())
        assert score is not None
        assert self.asked is not None
        self._score = score
        result = Result(self.asked, attempt, score, self.study.library.registry, self._disputed)
        await self._view.mount(result)
        self._view.can_focus = True
        self._view.focus(scroll_visible=False)
        self.refresh_bindings()
        self.call_after_refresh(lambda: self._view.scroll_to_widget(result, animate=False, top=True))

    def leave(self) -> None:
        if self.pending is None and (text := written(self)) is not None:
            self.drafting.catch_up(text)
        self.drafting.flush()

    @on(AnswerBox.Edited)
    def _edited(self, event: AnswerBox.Edited) -> None:
        self.drafting.typed(event.value)
        event.box.scroll_visible(animate=False)  # below a long question it would be written blindly

    @on(AnswerBox.Submitted)
    async def _submitted(self, event: AnswerBox.Submitted) -> None:
        if not self._is_open(event.box):
            return
        self.drafting.typed(event.value)
        self.drafting.flush()
        if self.face.way.kind == "words":
            await event.box.once_loaded(lambda: self._answer(event.box, event.value))
        else:
            await self._answer(event.box, event.value)

    def _is_open(self, box: AnswerBox) -> bool:
        """Whether the box takes an answer. A second Enter can still reach one that has given it."""
        return self.pending is None and self.attempt is None and box in self.query(AnswerBox)

    async def _answer(self, box: AnswerBox, text: str) -> None:
        if not await self.ready() or not self._is_open(box):
            return
        from quizapp.scoring.answer import AnswerError
        from quizapp.tui.confidence import Confidence

        try:
            score = self.study.grade(text)
        except AnswerError as error:
            box.complain(str(error))
            box.scroll_visible(animate=False)
            return
        self.pending = (text, score, round(time.monotonic() - self._began, 1))
        if self.asked is not None and not self.asked.loaded.item.confidence:
            await self._give(None)
            self.pending = None  # where it wasn't stored, Enter gives it again
            return
        box.disabled = True
        confidence = Confidence()
        with self.app.batch_update():
            await self._view.mount(confidence)
        self.call_after_refresh(confidence.scroll_visible, animate=False)

    async def _withdraw(self) -> None:
        """Back to the answer, which nobody has judged yet."""
        self.pending = None
        await self.query("Confidence").remove()
        box = self.query_one(AnswerBox)
        box.disabled = False
        box.focus_field()

    async def on_confidence_rated(self, event: Confidence.Rated) -> None:
        await self._give(event.level)

    async def _give(self, confidence: int | None) -> None:
        if self.pending is None:
            return
        text, score, seconds = self.pending
        attempt = self.stored(lambda: self.study.record(text, score, confidence, seconds))
        if attempt is None:
            return
        self.pending = None
        await self.query("Confidence").remove()
        await self.query(AnswerBox).remove()
        await self._show_result(attempt)

    async def action_home(self) -> None:
        if self.pending is None:
            await super().action_home()
        else:
            await self._withdraw()

    async def action_retry(self) -> None:
        words = self.attempt.text if self.attempt is not None and self.face.way.kind == "words" else ""
        self.attempt = None
        await self.query("Result").remove()
        self._view.can_focus = False
        await self._take_answer(words)
        self._view.scroll_home(animate=False)

    async def action_undo(self) -> None:
        """Takes the answer back as a slip, and asks again."""
        if self.stored(self.study.withdraw) is not None:
            self.app.notify("Taken back: that answer stays in the log and counts for nothing.", timeout=4, markup=False)
            await self.action_retry()

    def action_again(self) -> None:
        if self.stored(self.study.again):
            self.show_step()

    def _open_criteria(self) -> list[tuple[str, str]]:
        """Criteria of a written answer that aren't met: id, and what is asked for."""
        if self.attempt is None or self._score is None or self.asked is None or self.asked.part.kind != "text":
            return []
        from quizapp.model.variant import fill

        asked = {c.id: fill(c.description, self.asked.variant.values) for c in self.asked.part.rubric.criteria}
        return [(c.id, asked.get(c.id, c.id)) for c in self._score.criteria if c.met != "met" and c.id not in self._disputed]

    def _varies(self) -> bool:
        from quizapp.practice.asked import varies

        return self.asked is not None and varies(self.asked.loaded)

    def action_dispute(self) -> None:
        from quizapp.tui.dispute import DisputeScreen

        assert self.attempt is not None
        self.app.push_screen(DisputeScreen(self.attempt.text, self._open_criteria()), self._dispute)

    async def _dispute(self, found: tuple[str, tuple[int, int]] | None) -> None:
        if found is None or self.attempt is None:
            return
        from quizapp.store.opinion import dispute
        from quizapp.tui.dispute import KEPT

        attempt, (criterion, span) = self.attempt, found
        if self.kept(lambda: dispute(self.store, attempt.id, criterion, span)):
            self.notify(KEPT, title="You did say that", timeout=8, markup=False)
            await self.query("Result").remove()
            await self._show_result(attempt)

    def action_scroll(self, pages: int) -> None:
        self._view.scroll_relative(y=pages * max(self._view.size.height - 2, 1), animate=False)

    def action_hint(self) -> None:
        hint = self.query_one("#hint", Static)
        hint.update(inline(f"Hint: {self.face.hint}"))
        hint.display = True
        hint.scroll_visible(animate=False)

    def action_weights(self) -> None:
        """The weights of a released library: as recorded, or of a run here."""
        from quizapp.tui.app import quiz_app
        from quizapp.tui.audited import AuditedScreen

        if self.asked is None or (audit := self.asked.loaded.item.audit) is None:
            return
        bank, registry, live = self.asked.loaded.file, self.study.library.registry, quiz_app(self).live
        self.app.push_screen(AuditedScreen(self.face.item, self.face.title, audit, bank, self.attempt is not None, registry, live))
