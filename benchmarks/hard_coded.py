"""The apps beside which ``benchmarks/app.py`` measures: the same widgets, keys and style sheets, with texts written into them."""

import os
from pathlib import Path

COMMON = """
from textual.app import App
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Markdown, Static

from quizapp.tui.key_line import KeyLine


class Heading(Horizontal):
    def compose(self):
        yield Static("q-0-0", id="heading-left", markup=False)
        yield Static("checkpoint · 1 point · Bank 0 · 1/500", id="heading-right", markup=False)
"""
QUESTION = """
class ChoiceRow(Horizontal):
    def __init__(self, letter):
        super().__init__()
        self.letter = letter

    def compose(self):
        yield Static(Content.assemble("  ( ) ", (self.letter + "  ", "bold")), classes="box", markup=False)
        yield Static(Content(str("ABC".index(self.letter) + 1)), classes="text")


class ChoiceAnswer(Widget, can_focus=True):
    BINDINGS = [Binding("space", "pick", "Pick", key_display="letter"), Binding("enter", "submit", "Answer")]

    def compose(self):
        for letter in "ABC":
            yield ChoiceRow(letter)
        yield Static("", classes="fault", markup=False)

    def on_mount(self):
        self.query(ChoiceRow)[0].set_class(True, "-current")


class Question(Screen):
    CSS_PATH = [FOLDER + name for name in STYLES]
    BINDINGS = [
        Binding("f1", "help", "Help", key_display="F1", priority=True),
        Binding("f3", "back", "Back", key_display="F3", priority=True),
        Binding("f4", "skip", "Skip", key_display="F4", priority=True),
        Binding("f5", "steps", "Steps", key_display="F5", priority=True),
        Binding("ctrl+g", "flag", "Flag", key_display="^g", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def compose(self):
        yield Heading()
        with VerticalScroll(id="question", can_focus=False):
            yield Markdown("Two ranks hold 1 and 3 examples. Which mean was meant?")
            yield Static("", id="hint", markup=False)
        yield KeyLine()
        yield Static("", id="too-small", markup=False)

    async def on_mount(self):
        self.query_one("#hint").display = False
        answer = ChoiceAnswer()
        await self.query_one("#question").mount(answer)
        answer.focus()


class Shown(App):
    CSS_PATH = FOLDER + "app.tcss"

    def on_mount(self):
        self.push_screen(Question())


Shown().run()
"""
PAGE = """
class Question(Screen):
    CSS_PATH = [FOLDER + "reading.tcss"]
    BINDINGS = [
        Binding("enter", "next", "Next"),
        Binding("f1", "help", "Help", key_display="F1", priority=True),
        Binding("f3", "back", "Back", key_display="F3", priority=True),
        Binding("f5", "steps", "Steps", key_display="F5", priority=True),
        Binding("escape", "home", "Home", key_display="Esc", priority=True),
    ]

    def compose(self):
        yield Heading()
        with VerticalScroll(id="reading"):
            yield Static(TITLE, id="title", markup=False)
            yield Markdown(TEXT)
            yield Markdown(SOURCES)
        yield KeyLine()
        yield Static("", id="too-small", markup=False)

    def on_mount(self):
        self.query_one("#reading").focus()


class Shown(App):
    CSS_PATH = FOLDER + "app.tcss"

    def on_mount(self):
        self.push_screen(Question())


Shown().run()
"""
STYLES = [
    "question.tcss",
    "answer_box.tcss",
    "choice.tcss",
    "short_answer.tcss",
    "long_answer.tcss",
    "confidence.tcss",
    "result.tcss",
]
"""The question screen's own style sheets: the hard-coded app has the same ones."""


def question() -> str:
    """The program that shows a question."""
    return f"{_folder()}STYLES = {STYLES!r}\n{COMMON}\n\n{QUESTION}"


def page(title: str, text: str, sources: list[str]) -> str:
    """The program that shows a page of reading notes."""
    listed = "**Sources**\n\n" + "\n".join(f"- {source}" for source in sources)
    return f"{_folder()}TITLE, TEXT, SOURCES = {(title, text, listed)!r}\n{COMMON}\n\n{PAGE}"


def _folder() -> str:
    from quizapp import tui

    return f"FOLDER = {str(Path(tui.__file__).parent) + os.sep!r}\n"
