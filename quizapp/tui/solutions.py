"""A lab's solutions, one after another: its author's, and right programs in other styles. For reading only."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from quizapp.tui.code_editor import CodeEditor
from quizapp.tui.page import Heading, Page


def solutions(folder: Path) -> list[tuple[str, str]]:
    """Name and text of each right program of a lab, its solution first; files that can't be read are left out."""
    found = []
    for file in (folder / "solution.py", *sorted((folder / "right").glob("*.py"))):
        try:
            found.append((file.stem.replace("_", " ").replace("-", " "), file.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError):
            continue
    return found


class SolutionsScreen(Page):
    """Left and right go from program to program."""

    CSS_PATH = "solutions.tcss"
    ABOUT = """
**Solutions.** The author's program first, then right ones in other styles: `←` and `→` go from one to the next. `End` and
`Home` go to the ends of a line that is longer than the screen is wide. `Esc` goes back to your code, which is as you left it.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "turn(1)", "Next style", key_display="→", priority=True),
        Binding("left", "turn(-1)", "Before", key_display="←", priority=True),
        Binding("escape", "app.pop_screen", "Back to the code", key_display="Esc", priority=True),
    ]

    def __init__(self, title: str, files: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._title, self._files, self._at = title, files, 0

    def heading(self) -> tuple[str, str]:
        name, _ = self._files[self._at]
        return f"{self._title} · {name}", f"{self._at + 1} of {len(self._files)}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return len(self._files) > 1 if action == "turn" else super().check_action(action, parameters)

    def body(self) -> ComposeResult:
        editor = CodeEditor(self._files[0][1])
        editor.read_only = True
        yield editor

    def on_mount(self) -> None:
        self.query_one(CodeEditor).focus()

    def action_turn(self, by: int) -> None:
        self._at = (self._at + by) % len(self._files)
        self.query_one(CodeEditor).load_text(self._files[self._at][1])
        self.query_one(Heading).say(*self.heading())
