"""The app's own entries of the command palette: sittings, banks, screens, colours, and any item by its title."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from quizapp.bank.load import Library
from quizapp.practice.queue import Plan, Selection
from quizapp.practice.search import index, search
from quizapp.tui import themes
from quizapp.tui.app import QuizApp

Entry = tuple[str, str, Callable[[], object]]
"""Name, what it does, and the doing of it."""
SITTINGS: tuple[tuple[Selection, str, str], ...] = (
    ("mixed", "Study what is due, and new items", "A queue over all banks"),
    ("due", "Study only what is due", "A queue over all banks"),
    ("wrong", "Study what I get wrong", "Items that were not fully right the last time"),
    ("flagged", "Study what I flagged", "Items with a flag"),
)
MOST_ITEMS = 12


class QuizCommands(Provider):
    """What can be done from anywhere."""

    @property
    def quiz(self) -> QuizApp:
        assert isinstance(self.app, QuizApp)
        return self.app

    def _entries(self) -> Iterator[Entry]:
        app = self.quiz
        if app.library is not None and app.library.banks:
            yield from self._places(app, app.library)
        for theme, name in themes.LOOKS.items():
            yield f"Colours: {name} theme", "How the app looks; it is remembered", partial(setattr, app, "theme", theme)
        yield "Screenshot", "Writes this screen to a file, as SVG", app.deliver_screenshot
        yield "Quit", "What you typed is kept", app.action_quit

    def _places(self, app: QuizApp, library: Library) -> Iterator[Entry]:
        from quizapp.tui.choose import ChooseScreen
        from quizapp.tui.playground import PlaygroundScreen
        from quizapp.tui.progress import ProgressScreen
        from quizapp.tui.search import SearchScreen

        for kind, name, about in SITTINGS:
            yield name, about, partial(app.review, Plan(kind))
        yield "Choose a sitting", "By topic, difficulty, bank and length", lambda: app.push_screen(ChooseScreen())
        yield "Find an item", "By words of its title, topic or text", lambda: app.push_screen(SearchScreen())
        yield (
            "Progress",
            "Mastery, what falls due, calibration, misconceptions, time",
            lambda: app.push_screen(ProgressScreen(None)),
        )
        yield "Mock interview", "Choose role and length, or go on with the open one", partial(app.interview, None)
        yield "Playground", "Token counts in, weights out", lambda: app.push_screen(PlaygroundScreen())
        yield "Jump", "Go to a part of this screen by a letter", self._jump
        for bank in library.banks:
            yield f"Study: {bank.bank.title}", "From its beginning, or where you left it", partial(app.study, bank.bank.id)

    def _jump(self) -> None:
        from quizapp.tui.page import Page

        if isinstance(self.screen, Page):
            self.screen.action_jump()

    async def discover(self) -> Hits:
        for name, about, do in self._entries():
            yield DiscoveryHit(name, do, help=about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, about, do in self._entries():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), do, help=about)
        library = self.quiz.library
        for entry in search(index(library), query, MOST_ITEMS) if library is not None else ():
            yield Hit(
                0.3,
                f"Item: {entry.title}".replace("[", "\\["),
                partial(self.quiz.study, self._bank(entry.item), entry.item),
                help=entry.bank,
            )

    def _bank(self, item: str) -> str:
        assert self.quiz.library is not None
        return self.quiz.library.items[item].bank_id
