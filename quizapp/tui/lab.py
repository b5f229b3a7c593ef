"""The lab: the task beside an editor; Ctrl+S runs the code on real ranks while the screen stays alive; then the verdict."""

import threading
import time
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Markdown, Static, TextArea

from quizapp.bank.lab import LabError, load_lab
from quizapp.model.lab import Lab
from quizapp.model.question import CodePart
from quizapp.model.verdict import Verdict
from quizapp.practice.study import Study
from quizapp.store.record import Attempt
from quizapp.tui import external_editor
from quizapp.tui.code_editor import CodeEditor
from quizapp.tui.confidence import Confidence
from quizapp.tui.drafting import Drafting
from quizapp.tui.signs import points, sign, word
from quizapp.tui.study_page import StudyPage

FOREIGN = "This bank did not come with quizapp, and its own Python runs beside yours ({files}). Press Ctrl+S again to agree."


class Progressed(Message):
    """The judge says where it is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class Noticed(Message):
    """The judge stands; ``text`` is what the learner should know of how their code runs."""

    def __init__(self, text: str | None) -> None:
        super().__init__()
        self.text = text


class Judged(Message):
    """The judge has ended: with a verdict, or with the reason why there is none."""

    def __init__(self, source: str, verdict: Verdict | None, reason: str) -> None:
        super().__init__()
        self.source, self.verdict, self.reason = source, verdict, reason


class LabScreen(StudyPage):
    """One code part."""

    CSS_PATH: ClassVar[list[str]] = ["lab.tcss", "confidence.tcss"]  # type: ignore[assignment]
    ABOUT = """
**The lab.** Write the function that the task asks for. `Ctrl+S` runs it on several real ranks and shows the verdict; `Esc` stops
a run. Before the first run of a sitting you rate how sure you are. `Ctrl+E` opens your own editor (`VISUAL` or `EDITOR`). `F6`
gives the screen to the task, the editor or both. `F7` shows the last verdict, `F9` all your attempts with what you changed from one
to the next, `F8` takes the starting code again (`Ctrl+Z` undoes that). `F5` shows solutions once yours has passed, or when you give
up. What you type is kept as you type it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "submit", "Run", key_display="Ctrl+S", priority=True),
        Binding("ctrl+e", "external", "$EDITOR", key_display="Ctrl+E", priority=True),
        Binding("f6", "layout", "Layout", key_display="F6", priority=True),
        Binding("f7", "verdict", "Verdict", key_display="F7", priority=True),
        Binding("f9", "attempts", "Attempts", key_display="F9", priority=True),
        Binding("f5", "solutions", "Solution", key_display="F5", priority=True),
        Binding("f8", "starter", "Start over", key_display="F8", priority=True),
        Binding("escape", "stop", "Stop", key_display="Esc", priority=True),
        Binding("escape", "unrate", "Back", key_display="Esc", priority=True),
        Binding("escape", "back", "Back", key_display="Esc", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def __init__(self, study: Study) -> None:
        asked = study.asked()
        super().__init__(study, study.store, asked.item_id)
        self.asked = asked
        part = self.asked.part
        assert isinstance(part, CodePart)
        self.part: CodePart = part
        self.folder: Path = self.asked.loaded.file.parent / part.folder
        self.lab: Lab | None = None
        self.broken = ""
        try:
            self.lab = load_lab(self.folder)
        except LabError as error:
            self.broken = "\n".join(str(fault) for fault in error.faults) or str(error)
        self.key = study.draft_key()
        self.drafting = Drafting(self, lambda text: self.kept(lambda: study.store.save_draft(self.key, text)))
        self.cancel: threading.Event | None = None
        self._began = 0.0
        self._opened = time.monotonic()
        self._rating: int | None = None
        self._phase = ""
        self._giving_up = False

    def heading(self) -> tuple[str, str]:
        best = max((attempt.points for attempt in self._attempts()), default=0)
        kind = "audit lab" if self.lab is not None and self.lab.drive == "trainer" else "lab"
        return self.asked.title, f"{kind} · {points(best, self.part.points)} · {super().heading()[1]}"

    def body(self) -> ComposeResult:
        with Container(id="lab"):
            with VerticalScroll(id="task"):
                yield Markdown(self.asked.question)
                if self.lab is not None:
                    yield Markdown(f"`{self.lab.signature}`")
            text = self._first_text()
            self.drafting.began(text)
            yield CodeEditor(text)
        yield Static("", id="notice", markup=False)
        yield Static("", id="status", markup=False)

    def on_mount(self) -> None:
        self.query_one("#notice").display = False
        self.query_one(CodeEditor).focus()
        self.set_interval(0.25, self._tick)
        if self.lab is None:
            self._say(f"This lab can't be used:\n{self.broken}")
            return
        attempt = self.study.result()
        self._say("Ctrl+S runs your code on several ranks." if attempt is None else self._last(attempt.outcome))
        if self._foreign_files():
            return
        self._prepare()

    def leave(self) -> None:
        for editor in self.query(CodeEditor):
            self.drafting.catch_up(editor.text)
        self.drafting.flush()
        if self.cancel is not None:
            self.cancel.set()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("verdict", "attempts"):
            return self.study.result() is not None
        if action == "stop":
            return self.cancel is not None
        if action == "unrate":
            return bool(self.query(Confidence))
        if action in ("submit", "external", "starter"):
            return self.lab is not None and self.cancel is None
        return super().check_action(action, parameters)

    def _say(self, text: str) -> None:
        self.query_one("#status", Static).update(Content(text))

    @staticmethod
    def _last(outcome: str) -> str:
        return f"Last verdict: {sign(outcome)} {word(outcome)} (F7 shows it). Ctrl+S runs your code."

    def _starter(self) -> str:
        try:
            return (self.folder / "starter.py").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def _editing(self) -> Path:
        return external_editor.edited_file(self.study.store.path.parent, self.key.item, self.key.part)

    def _first_text(self) -> str:
        """What an interrupted visit to the editor left, else the draft, else the starting code."""
        left = external_editor.left_behind(self._editing())
        if left is not None:
            self._keep(left)
            return left
        draft = self.stored(lambda: self.study.store.draft(self.key))
        return self._starter() if draft is None else draft

    def _keep(self, text: str) -> None:
        """Stores a text that came back from the editor; only then may the editor's file go."""
        if self.kept(lambda: self.study.store.save_draft(self.key, text)):
            external_editor.taken(self._editing())

    def _foreign_files(self) -> list[str]:
        """The Python of a bank from elsewhere that would run, and that the learner has not agreed to yet."""
        from quizapp.tui.app import quiz_app

        files = [name for name in ("drive.py", "counterpart.py", "oracle.py") if (self.folder / name).is_file()]
        agreed = str(self.study.bank.file) in quiz_app(self).agreed
        return [] if self.study.bank.builtin or agreed else files

    @work(thread=True, exit_on_error=False)
    def _prepare(self) -> None:
        """Starts workers while the learner reads; a machine that can't is told at the first run, or at once as a notice."""
        from quizapp.tui.app import quiz_app

        assert self.lab is not None
        try:
            bench = quiz_app(self).bench()
            self.post_message(Noticed(bench.unsandboxed_notice))
            bench.prepare(self.lab, self.folder)
        except Exception as error:
            self.post_message(Noticed(str(error)))

    @on(Noticed)
    def _noticed(self, event: Noticed) -> None:
        notice = self.query_one("#notice", Static)
        notice.update(Content(f"! {event.text}" if event.text else ""))
        notice.display = bool(event.text)

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        self.drafting.typed(event.text_area.text)

    def action_submit(self) -> None:
        from quizapp.tui.app import quiz_app

        if self.lab is None or self.cancel is not None:
            return
        source = self.query_one(CodeEditor).text
        self.drafting.typed(source)
        self.drafting.flush()
        foreign = self._foreign_files()
        if foreign:
            quiz_app(self).agreed.add(str(self.study.bank.file))
            self._say(FOREIGN.format(files=", ".join(foreign)))
            return
        if self._asks_rating():
            self.mount(Confidence(), before="#notice")
            self._say("Then your code runs. Ctrl+S runs it unrated.")
            return
        self.query(Confidence).remove()
        self._run(source)

    def _asks_rating(self) -> bool:
        """Before the first run of a sitting; later ones go by what the verdict said."""
        first = self._rating is None and self.study.result() is None
        return self.asked.loaded.item.confidence and first and not self.query(Confidence)

    @on(Confidence.Rated)
    async def _rated(self, event: Confidence.Rated) -> None:
        self._rating = event.level
        await self.query(Confidence).remove()
        self._run(self.query_one(CodeEditor).text)

    def _run(self, source: str) -> None:
        self.query_one(CodeEditor).focus()
        self.cancel = threading.Event()
        self._began, self._phase = time.monotonic(), "starting"
        self.query_one(CodeEditor).read_only = True
        self.refresh_bindings()
        self._tick()
        self._judge(source, self.cancel)

    @work(thread=True, exit_on_error=False)
    def _judge(self, source: str, cancel: threading.Event) -> None:
        from quizapp.tui.app import quiz_app

        assert self.lab is not None
        verdict, reason = None, ""
        try:
            from quizapp.judge.bench import BackendUnavailable, Cancelled, FaultyLab

            try:
                bench = quiz_app(self).bench()
                self.post_message(Noticed(bench.unsandboxed_notice))
                verdict = bench.judge(
                    self.lab,
                    self.folder,
                    source,
                    f"{self.key.item}.py",
                    points=self.part.points,
                    titles=self.study.titles,
                    progress=self._told,
                    cancel=cancel,
                )
            except Cancelled:
                reason = "Stopped. Your code is as it was."
            except BackendUnavailable as error:
                reason = f"Your code can't be run here: {error}"
            except FaultyLab as error:
                reason = f"This lab is faulty, and your code is not to blame: {error}"
        except Exception as error:
            reason = f"The judge failed, and your code is not to blame: {type(error).__name__}: {error}"
        self.post_message(Judged(source, verdict, reason))

    def _told(self, text: str) -> None:
        self.post_message(Progressed(text))

    @on(Progressed)
    def _progressed(self, event: Progressed) -> None:
        self._phase = event.text

    def _tick(self) -> None:
        if self.cancel is None:
            return
        seconds = time.monotonic() - self._began
        what = "stopping" if self.cancel.is_set() else self._phase
        self._say(f"Running {'|/-'[int(seconds * 4) % 3]} {seconds:.0f} s · {what} · Esc stops")

    @on(Judged)
    def _judged(self, event: Judged) -> None:
        self.cancel = None
        self.query_one(CodeEditor).read_only = False
        self.refresh_bindings()
        verdict = event.verdict
        if verdict is None:
            self._say(event.reason)
            return
        confidence, self._rating = self._rating, None
        seconds = round(time.monotonic() - self._opened, 1)
        self.stored(lambda: self.study.record_code(event.source, verdict, confidence, seconds))
        self._say(self._last(verdict.outcome))
        self.query_one("#heading-right", Static).update(self.heading()[1])
        self.refresh_bindings()
        self._show(verdict, event.source)

    def _show(self, verdict: Verdict, source: str) -> None:
        from quizapp.tui.verdict import VerdictScreen

        assert self.lab is not None
        hints = {known.id: known.hint for known in self.lab.misconceptions if known.hint}
        self.app.push_screen(VerdictScreen(verdict, source, self.study.library.registry, hints, self.asked.title))

    def action_verdict(self) -> None:
        attempt = self.study.result()
        verdict = None if attempt is None else attempt.verdict()
        if attempt is not None and verdict is not None:
            self._show(verdict, attempt.text)

    def _attempts(self) -> list[Attempt]:
        """All of the learner's runs of this lab, oldest first."""
        return self.study.store.attempts(bank=self.study.bank.bank.id, item=self.asked.item_id, part=self.part.id)

    def action_attempts(self) -> None:
        from quizapp.tui.attempts import AttemptsScreen

        found = self.stored(self._attempts)
        if not found:
            return

        def chosen(attempt: Attempt | None) -> None:
            verdict = None if attempt is None else attempt.verdict()
            if attempt is not None and verdict is not None:
                self._show(verdict, attempt.text)

        self.app.push_screen(AttemptsScreen(self.asked.title, found, self._starter()), chosen)

    def action_solutions(self) -> None:
        from quizapp.tui.solutions import SolutionsScreen, solutions

        found = self.stored(self._attempts) or []
        if not self._giving_up and not any(attempt.outcome == "pass" for attempt in found):
            self._giving_up = True
            self._say("F5 shows solutions once yours has passed. Press F5 again to give up and see them now.")
            return
        files = solutions(self.folder)
        if files:
            self.app.push_screen(SolutionsScreen(self.asked.title, files))
        else:
            self._say("This lab has no solution that can be read.")

    def action_stop(self) -> None:
        if self.cancel is not None:
            self.cancel.set()
            self._tick()

    async def action_unrate(self) -> None:
        """Back to the code, which hasn't run."""
        await self.query(Confidence).remove()
        self.query_one(CodeEditor).focus()
        self._say("Ctrl+S runs your code on several ranks.")

    def action_starter(self) -> None:
        editor = self.query_one(CodeEditor)
        editor.replace(self._starter(), editor.document.start, editor.document.end)
        editor.move_cursor((0, 0))

    def action_layout(self) -> None:
        lab = self.query_one("#lab")
        states = ("", "-editor-only", "-task-only")
        now = next((state for state in states[1:] if lab.has_class(state)), "")
        lab.remove_class(*states[1:])
        following = states[(states.index(now) + 1) % 3]
        if following:
            lab.add_class(following)
        self.query_one("#task" if following == "-task-only" else CodeEditor).focus()

    def action_external(self) -> None:
        editor = self.query_one(CodeEditor)
        self.drafting.flush()
        try:
            with self.app.suspend():
                text = external_editor.edit(self._editing(), editor.text)
        except SuspendNotSupported:
            self._say("this terminal can't make room for another editor; edit here")
            return
        except external_editor.EditorError as error:
            self._say(str(error))
            external_editor.taken(self._editing())
            return
        if text != editor.text:
            editor.replace(text, editor.document.start, editor.document.end)
        self._keep(text)
        self.app.refresh()
