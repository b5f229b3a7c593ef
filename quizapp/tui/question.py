"""One part of one item: question, answer, confidence, result. Code has its own screen."""

import time
from collections.abc import Mapping
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static

from quizapp.model.formula import Value
from quizapp.model.question import ChoicePart, NumericPart, Part, SymbolicPart, TextPart
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice, fill
from quizapp.practice.asked import varies
from quizapp.practice.study import Study
from quizapp.scoring.answer import AnswerError
from quizapp.scoring.numeric import tolerance_of
from quizapp.scoring.tier import load_in_background
from quizapp.store.record import Attempt
from quizapp.tui.answer_box import AnswerBox
from quizapp.tui.confidence import Confidence
from quizapp.tui.drafting import Drafting
from quizapp.tui.inline import flowing, inline
from quizapp.tui.result import Result
from quizapp.tui.signs import points
from quizapp.tui.study_page import StudyPage


def answer_box(part: Part, choices: tuple[ShownChoice, ...], values: Mapping[str, Value], draft: str) -> AnswerBox:
    """The way to answer that fits a part, with the draft in it."""
    if isinstance(part, ChoicePart):
        from quizapp.tui.choice import ChoiceAnswer

        return ChoiceAnswer(choices, several=len(part.keys) > 1, value=draft)
    if isinstance(part, NumericPart):
        from quizapp.tui.short_answer import ShortAnswer

        unit = f" in {part.unit}" if part.unit else ""
        within = float(tolerance_of(part, values)) * 100
        return ShortAnswer(f"A number{unit}: a fraction exactly, a decimal to within {within:.3g} %.", "such as 7/5 or 1.4", draft)
    if isinstance(part, SymbolicPart):
        from quizapp.tui.short_answer import ShortAnswer

        symbols = "\n".join(f"  {symbol}  {flowing(domain.meaning)}" for symbol, domain in part.symbols.items())
        return ShortAnswer(f"An expression in\n{symbols}", "such as a*(b + 1)/c", draft)
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
write and press `Ctrl+S`. Rate how sure you are with `1` to `5`: then you see what each point was for. What you type is kept.

After the result: `Enter` goes on, `r` answers again, `a` asks the same with other numbers. `u` takes a slip back: the answer stays
in the log and counts for nothing. `Ctrl+G` flags the item for later.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "next", "Next"),
        Binding("a", "again", "Vary"),
        Binding("r", "retry", "Retry"),
        Binding("d", "dispute", "I did say that"),
        Binding("u", "undo", "Slip"),
        Binding("f2", "hint", "Hint", key_display="F2", priority=True),
    ]

    def __init__(self, study: Study) -> None:
        super().__init__(study)
        self.asked = study.asked()
        self.attempt: Attempt | None = study.result()
        self.pending: tuple[str, Score, float] | None = None
        self._began = time.monotonic()
        self.key = study.draft_key()
        self.drafting = Drafting(self, lambda text: self.kept(lambda: study.store.save_draft(self.key, text)))

    def heading(self) -> tuple[str, str]:
        asked = self.asked
        part = f" · part {asked.number} of {asked.of}" if asked.of > 1 else ""
        worth = points(asked.part.points, asked.part.points).split(" of ")[1]
        return asked.title, f"{asked.loaded.item.kind}{part} · {worth} · {super().heading()[1]}"

    def body(self) -> ComposeResult:
        asked = self.asked
        with VerticalScroll(id="question", can_focus=False):
            yield Markdown(asked.stem)
            if asked.part_stem:
                yield Markdown(asked.part_stem, id="part-stem")
            yield Static("", id="hint", markup=False)

    async def on_mount(self) -> None:
        self.query_one("#hint").display = False
        if self.attempt is None:
            await self._take_answer()
            if isinstance(self.asked.part, TextPart):
                self.call_after_refresh(load_in_background)
        else:
            await self._show_result(self.attempt)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        done = self.attempt is not None
        if action == "again":
            return done and varies(self.asked.loaded)
        if action in ("retry", "next", "undo"):
            return done
        if action == "dispute":
            return bool(self._open_criteria())
        if action == "hint":
            return not done and self.asked.hint is not None
        return super().check_action(action, parameters)

    @property
    def _view(self) -> VerticalScroll:
        return self.query_one("#question", VerticalScroll)

    async def _take_answer(self) -> None:
        draft = self.stored(lambda: self.study.store.draft(self.key)) or ""
        box = answer_box(self.asked.part, self.asked.choices, self.asked.variant.values, draft)
        await self._view.mount(box)
        box.focus_field()
        self._began = time.monotonic()
        self.refresh_bindings()

    async def _show_result(self, attempt: Attempt) -> None:
        self.attempt = attempt
        score = attempt.score()
        assert score is not None
        result = Result(self.asked, attempt, score, self.study.library.registry)
        await self._view.mount(result)
        self._view.can_focus = True
        self._view.focus(scroll_visible=False)
        self.refresh_bindings()
        self.call_after_refresh(lambda: self._view.scroll_to_widget(result, animate=False, top=True))

    def leave(self) -> None:
        self.drafting.flush()

    @on(AnswerBox.Edited)
    def _edited(self, event: AnswerBox.Edited) -> None:
        self.drafting.typed(event.value)

    @on(AnswerBox.Submitted)
    async def _submitted(self, event: AnswerBox.Submitted) -> None:
        self.drafting.typed(event.value)
        self.drafting.flush()
        box = self.query_one(AnswerBox)
        try:
            score = self.study.grade(event.value)
        except AnswerError as error:
            box.complain(str(error))
            box.scroll_visible(animate=False)
            return
        self.pending = (event.value, score, round(time.monotonic() - self._began, 1))
        if not self.asked.loaded.item.confidence:
            await self._give(None)
            return
        box.disabled = True
        confidence = Confidence()
        await self._view.mount(confidence)
        self.call_after_refresh(confidence.scroll_visible, animate=False)

    async def _withdraw(self) -> None:
        """Back to the answer, which nobody has judged yet."""
        self.pending = None
        await self.query(Confidence).remove()
        box = self.query_one(AnswerBox)
        box.disabled = False
        box.focus_field()

    @on(Confidence.Rated)
    async def _rated(self, event: Confidence.Rated) -> None:
        await self._give(event.level)

    async def _give(self, confidence: int | None) -> None:
        if self.pending is None:
            return
        text, score, seconds = self.pending
        attempt = self.stored(lambda: self.study.record(text, score, confidence, seconds))
        if attempt is None:
            return
        self.pending = None
        await self.query(Confidence).remove()
        await self.query(AnswerBox).remove()
        await self._show_result(attempt)

    async def action_home(self) -> None:
        if self.pending is None:
            await super().action_home()
        else:
            await self._withdraw()

    async def action_retry(self) -> None:
        self.attempt = None
        await self.query(Result).remove()
        self._view.can_focus = False
        await self._take_answer()
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
        score = None if self.attempt is None else self.attempt.score()
        if score is None or not isinstance(self.asked.part, TextPart):
            return []
        asked = {c.id: fill(c.description, self.asked.variant.values) for c in self.asked.part.rubric.criteria}
        return [(c.id, asked.get(c.id, c.id)) for c in score.criteria if c.met != "met"]

    def action_dispute(self) -> None:
        from quizapp.tui.dispute import DisputeScreen

        assert self.attempt is not None
        self.app.push_screen(DisputeScreen(self.attempt.text, self._open_criteria()), self._disputed)

    def _disputed(self, found: tuple[str, tuple[int, int]] | None) -> None:
        if found is None or self.attempt is None:
            return
        from quizapp.store.opinion import dispute

        attempt, (criterion, span) = self.attempt.id, found
        if self.kept(lambda: dispute(self.study.store, attempt, criterion, span)):
            self.notify("Kept. An instructor finds it with `quizapp review`.", title="You did say that")

    def action_hint(self) -> None:
        hint = self.query_one("#hint", Static)
        hint.update(inline(f"Hint: {self.asked.hint}"))
        hint.display = True
        hint.scroll_visible(animate=False)
