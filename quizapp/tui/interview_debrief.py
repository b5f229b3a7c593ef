"""The debrief: what the interview showed, question by question, and what to study next; kept as files where that is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Collapsible, Markdown, Static

from quizapp.model.figures import in_a_row
from quizapp.practice.interview import Interview
from quizapp.practice.interview_course import GoneOn
from quizapp.practice.interview_debrief import Debrief, Line, Row, Shown, TopicResult, debrief, hand_over
from quizapp.practice.interview_export import clock, html, markdown
from quizapp.practice.interview_phrases import CLOSING, STOPPED
from quizapp.store.opinion import dispute
from quizapp.tui.inline import inline
from quizapp.tui.page import Page
from quizapp.tui.signs import points, sign, style, word


def _outcome(row: Row) -> str:
    if row.points == row.max_points:
        return "right"
    return "partial" if row.points else "wrong"


def _row_title(row: Row) -> str:
    name = (row.question.title or row.label).replace("`", "")
    kind = f" ({row.label})" if row.question.title.lower() != row.label else ""
    if not row.scored:
        return f"{row.number}. · {name}{kind}"
    passed = ", passed" if row.passed else ""
    return f"{row.number}. {sign(_outcome(row))} {row.points}/{row.max_points}  {name}{kind}{passed}"


def _topics(title: str, topics: tuple[TopicResult, ...]) -> Content:
    listed = "; ".join(f"{one.title} {one.points}/{one.max_points}" for one in topics)
    return Content.assemble((f"{title}: ", "bold"), inline(listed))


def _shown(one: Shown, sure: bool) -> Content:
    where = f" (question{'' if len(one.questions) == 1 else 's'} {in_a_row(one.questions)})" if one.questions else ""
    lead = "Misconception: " if sure else "It sounded like: "
    parts = [Content.assemble((lead, "bold $text-warning"), inline(one.title, "bold"), where)]
    if one.entry is not None and sure:
        parts.append(Content.assemble(("It computes: ", "$foreground-muted"), inline(one.entry.computes)))
    if one.entry is not None:
        parts.append(Content.assemble(("Instead: ", "$foreground-muted"), inline(one.entry.cure)))
    return Content("\n").join(parts)


def _line(line: Line, described: bool) -> Content:
    head = (f"{sign(line.met)} {word(line.met)} {line.points}/{line.max_points}  ", style(line.met))
    words = " … ".join(f"“{words}”" for words in line.words)
    if not described:
        return Content.assemble(head, inline(line.reason))
    if words:
        said = Content(f"\n    {words}")
    elif line.met == "met":
        said = Content.assemble("\n    ", inline(line.reason))  # a person's word, or a rule that has no span
    else:
        said = Content("")
    waits = "\n    You say that you said it: `quizapp review` lists it for an instructor, or for you." if line.disputed else ""
    return Content.assemble(head, inline(line.description), said, (waits, "$foreground-muted"))


class InterviewDebriefScreen(Page):
    """The summary first; below it each question, folded."""

    CSS_PATH = "interview_debrief.tcss"
    ABOUT = """
**The debrief.** `Tab` goes from question to question, `Enter` unfolds one: the question, your answer, each point with the words
that earned it, and what a strong answer says. `d` on a question says *I did say that* of a point it missed: an instructor will look
at it. `a` unfolds all. `e` writes it as Markdown and HTML. What to study next stands in your queue.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "dispute", "I did say that"),
        Binding("e", "export", "Export"),
        Binding("a", "all", "Unfold all"),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def __init__(self, interview: Interview) -> None:
        super().__init__()
        self.interview = interview
        self.found: Debrief = debrief(interview)

    def heading(self) -> tuple[str, str]:
        found = self.found
        return "Interview · debrief", f"{points(found.points, found.max_points)} · {clock(found.elapsed)} of {found.minutes}:00"

    def body(self) -> ComposeResult:
        with VerticalScroll(id="debrief"):
            yield from self._summary()
            yield Static("Questions and answers", classes="caption")
            for row in self.found.rows:
                with Collapsible(title=_row_title(row), collapsed=True, name=str(row.number)):
                    yield Vertical(*self._row(row), classes="row")

    def _summary(self) -> Iterator[Widget]:
        found = self.found
        yield Static(CLOSING if found.through else STOPPED, classes="opener")
        for one in found.named:
            yield Static(_shown(one, True), classes="misconception")
        for one in found.suspected:
            yield Static(_shown(one, False), classes="misconception")
        if not found.named and not found.suspected:
            yield Static("No misconception came up.", classes="line")
        if found.strongest:
            yield Static(_topics("Strongest", found.strongest), classes="topic")
        if found.weakest:
            yield Static(_topics("Weakest", found.weakest), classes="topic")
        if found.study_next:
            yield Static("To study next (in your queue)", classes="caption gap")
            for entry in found.study_next:
                yield Static(Content.assemble("· ", inline(entry.title, "bold"), (f"  {entry.reason}", "$foreground-muted")))
        again = f"Seed {found.seed}: the same choices, the same seed and the same answers give the same interview."
        last = "\n".join((*(f"{fact}." for fact in found.course), again))
        yield Static(Content.assemble((last, "$foreground-muted")), classes="gap")
        yield Static("", classes="gap")

    def _row(self, row: Row) -> Iterator[Widget]:
        yield Markdown(row.question.text)
        if row.passed and not row.lines:
            yield Static("You passed on this one.", classes="line")
        elif not row.passed:
            lead = "You said: " if row.question.heard else "Your answer: "
            yield Static(Content.assemble((lead, "bold"), row.said if row.verdict is None else "your program"), classes="line")
        if row.verdict:
            yield Static(Content.assemble(("The judge: ", "bold"), row.verdict), classes="line")
        for line in row.lines:
            yield Static(_line(line, row.question.rubric is not None), classes="line")
        if row.right_answer:
            yield Static(Content.assemble(("Right: ", "bold"), inline(row.right_answer)), classes="line")
        if row.question.explanation:
            yield Static("What a strong answer says", classes="caption")
            yield Markdown(row.question.explanation)
        elif row.missing:
            yield Static("A strong answer says this too", classes="caption")
            yield Static(Content("\n").join([inline(f"· {text}") for text in row.missing]), classes="line")
        if row.notes.strip():
            yield Static(Content.assemble(("Your notes: ", "$foreground-muted"), row.notes), classes="line")

    def on_mount(self) -> None:
        if self.interview.session.finished_at is None:
            with suppress(GoneOn):  # another app, at the same place, has ended it
                self.kept(self.interview.end)
        with suppress(GoneOn):
            self.kept(lambda: hand_over(self.interview, self.found))
        self.query_one("#debrief").focus(scroll_visible=False)

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "dispute":
            return bool(self._marked() is not None and self.found.rows[self._marked() or 0].open_lines)
        return super().check_action(action, parameters)

    def _marked(self) -> int | None:
        """Which row the focus is on."""
        if self.focused is None:
            return None
        for one in self.query(Collapsible):
            if one in self.focused.ancestors_with_self:
                return int(one.name or 1) - 1
        return None

    def action_dispute(self) -> None:
        from quizapp.tui.dispute import KEPT, DisputeScreen

        at = self._marked()
        if at is None:
            return
        row = self.found.rows[at]

        async def disputed(found: tuple[str, tuple[int, int]] | None) -> None:
            attempt = row.attempt
            if found is None or attempt is None:
                return
            criterion, span = found
            if self.kept(lambda: dispute(self.interview.store, attempt, criterion, span)):
                self.found = debrief(self.interview)
                box = self.query(Collapsible)[at].query_one(".row", Vertical)
                await box.remove_children()
                await box.mount(*self._row(self.found.rows[at]))
                self.refresh_bindings()
                self.app.notify(KEPT, title="You did say that", timeout=8, markup=False)

        self.app.push_screen(DisputeScreen(row.text, [(line.criterion, line.description) for line in row.open_lines]), disputed)

    def action_all(self) -> None:
        folded = [one for one in self.query(Collapsible) if one.collapsed]
        for one in self.query(Collapsible):
            one.collapsed = not folded

    def action_export(self) -> None:
        folder = self.interview.store.path.parent / "interviews"
        try:
            files = write(self.found, folder / f"interview-{self.interview.session.id}")
        except OSError as error:
            self.app.notify(f"can't write to {folder}: {error.strerror or error}", severity="error", timeout=15, markup=False)
            return
        self.app.notify("\n".join(str(file) for file in files), title="Written", timeout=15, markup=False)

    def action_home(self) -> None:
        self.app.clear_notifications()  # of the files written here
        self.app.pop_screen()


def write(found: Debrief, stem: Path) -> tuple[Path, Path]:
    """Writes the debrief as ``<stem>.md`` and ``<stem>.html``. Raises ``OSError``."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    files = stem.with_suffix(".md"), stem.with_suffix(".html")
    files[0].write_text(markdown(found), "utf-8")
    files[1].write_text(html(found), "utf-8")
    return files
