"""Rules of style sheets that meet a screen which doesn't load them: once another screen was open they hold there, too."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen

import quizapp.tui
from quizapp.tui.app import QuizApp

FOLDER = Path(quizapp.tui.__file__).parent
OTHER_APP = "preview"
"""Its style sheet is never loaded by this app."""


@cache
def _rules(file: Path, variables: tuple[tuple[str, str], ...]) -> tuple[RuleSet, ...]:
    sheet = Stylesheet(variables=dict(variables))
    sheet.read(file)
    return tuple(sheet.rules)


def _own(screen: Screen[Any]) -> set[Path]:
    return {path.resolve() for shown in (screen.app, screen) for path in map(Path, shown.css_path)}


def foreign_rules(app: App[Any]) -> Iterator[str]:
    """Each rule that meets a widget of an open screen and is of none of its style sheets: ``lab.tcss: #lab meets …``."""
    if not isinstance(app, QuizApp):
        return
    variables = tuple(sorted(app.get_css_variables().items()))
    for screen in app.screen_stack:
        own = _own(screen)
        for file in sorted(FOLDER.glob("*.tcss")):
            if file.stem == OTHER_APP or file.resolve() in own:
                continue
            for rule in _rules(file, variables):
                for widget in (screen, *screen.query("*")):
                    if any(Stylesheet._check_rule(rule, widget.css_path_nodes)):
                        yield f"{file.name}: {rule.selectors} meets {widget!r} of {type(screen).__name__}"
