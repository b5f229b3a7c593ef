"""An author's look at a bank's items as learners see them, drawn anew each time a file is saved. Scores and stores nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown, Static

from quizapp.bank.draw import DrawError
from quizapp.bank.fault import Fault
from quizapp.bank.find import yaml_files
from quizapp.bank.load import Library, LoadedItem
from quizapp.model.formula import Formula, FormulaError
from quizapp.model.nouns import numbered
from quizapp.model.question import ChoicePart, NumericPart, Probe, SymbolicPart, TextPart
from quizapp.model.rubric import Rubric
from quizapp.model.variant import fill, number
from quizapp.practice.asked import Asked, ask, varies
from quizapp.practice.face import way
from quizapp.tui.key_line import KeyLine
from quizapp.tui.page import Heading
from quizapp.tui.question import answer_box

LOOK_SECONDS = 0.4
"""Between two looks at whether a file was saved."""
SHOWN_FAULTS = (2, 5)
"""In a terminal of few rows, and in a larger one."""


class PreviewApp(App[None]):
    """Shows one item at a time. ``read`` gives the items and their faults; ``check`` looks deeper and may take its time."""

    TITLE = "quizapp bank preview"
    ENABLE_COMMAND_PALETTE = False
    CSS_PATH: ClassVar[list[str]] = [  # type: ignore[assignment]
        "app.tcss",
        "question.tcss",
        "answer_box.tcss",
        "choice.tcss",
        "short_answer.tcss",
        "long_answer.tcss",
        "preview.tcss",
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "item(1)", "Next item"),
        Binding("p", "item(-1)", "Previous"),
        Binding("right", "variant(1)", "Next variant", priority=True),
        Binding("left", "variant(-1)", "Back", priority=True),
        Binding("e", "explain", "Explanation"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, path: Path, item: str | None, read: Callable[[], Library], check: Callable[[], Sequence[Fault]]) -> None:
        super().__init__()
        self.path, self.wanted, self.read, self.check = path, item, read, check
        self.items: list[LoadedItem] = []
        self.faults: Sequence[Fault] = ()
        self.at = 0
        self.seed: int | None = None
        self.explained = False
        self.saved = self._state()

    def compose(self) -> ComposeResult:
        yield Heading("preview")
        yield VerticalScroll(id="question")
        yield Static("", id="faults", markup=False)
        yield KeyLine()

    async def on_mount(self) -> None:
        await self._load()
        self.set_interval(LOOK_SECONDS, self._look)

    def _state(self) -> tuple[tuple[str, int, int], ...]:
        """What tells whether a file was saved."""
        found = []
        for file in yaml_files(self.path):
            try:
                told = file.stat()
            except OSError:
                continue  # an editor is moving it into its place
            found.append((str(file), told.st_mtime_ns, told.st_size))
        return tuple(found)

    async def _look(self) -> None:
        state = self._state()
        if state != self.saved and state:
            self.saved = state
            await self._load()

    async def _load(self) -> None:
        """Reads the files again and stays with the item that was shown."""
        shown = self.items[self.at].item.id if self.items else self.wanted
        library = self.read()
        kept = list(library.items.values())
        if kept:
            # While a file is broken, what it held last stays on the screen.
            self.items = kept
        names = [entry.item.id for entry in self.items]
        self.at = names.index(shown) if shown in names else min(self.at, max(len(names) - 1, 0))
        self.faults = library.faults
        await self._draw()
        self.run_worker(self._check, thread=True, exclusive=True, group="check")

    def _check(self) -> None:
        saved, found = self.saved, self.check()
        if saved == self.saved:
            self.call_from_thread(self._say, found)

    def _say(self, faults: Sequence[Fault]) -> None:
        self.faults = faults
        most = SHOWN_FAULTS[self.size.height >= 36]
        lines = [f"{fault.file.name}:{fault.line}:{fault.column}: {fault.message}; {fault.mend}" for fault in faults[:most]]
        if len(faults) > most:
            lines.append(f"… and {len(faults) - most} more: quizapp bank lint")
        shown = self.query_one("#faults", Static)
        shown.update(Content("\n".join(lines)))
        shown.display = bool(lines)

    async def _draw(self) -> None:
        self._say(self.faults)
        view = self.query_one("#question", VerticalScroll)
        await view.remove_children()
        if not self.items:
            self.query_one(Heading).say("no item can be read", str(self.path))
            return
        loaded = self.items[self.at]
        variant = "the bank's own values" if self.seed is None else f"variant of seed {self.seed}"
        self.query_one(Heading).say(loaded.item.title or loaded.item.id, f"{self.at + 1} of {len(self.items)} · {variant}")
        try:
            asked = [ask(loaded, part.id, self.seed) for part in loaded.item.parts]
            self.query_one(Heading).say(asked[0].title, f"{self.at + 1} of {len(self.items)} · {variant}")
            widgets = [widget for one in asked for widget in self._part(one)]
            await view.mount(Markdown(asked[0].stem), *widgets)
        except (DrawError, FormulaError) as error:
            await view.mount(Static(Content(f"! this variant can't be shown: {error}")))
        view.scroll_home(animate=False)
        view.focus()

    def _part(self, asked: Asked) -> list[Widget]:
        part = asked.part
        worth = numbered(part.points, "point")
        of = f"part {asked.number} of {asked.of} · " if asked.of > 1 else ""
        widgets: list[Widget] = [Static(Content(f"{of}{part.kind} · {worth}"), classes="part")]
        if asked.part_stem:
            widgets.append(Markdown(asked.part_stem, classes="part-stem"))
        if part.kind == "code":
            widgets.append(Static(Content(f"a program; its lab is {part.folder}")))
        else:
            box = answer_box(way(part, asked.choices, asked.variant.values), "")
            box.disabled = True
            widgets.append(box)
        if self.explained:
            text = "\n\n".join(filter(None, (asked.hint and f"*Hint:* {asked.hint}", *_keys(asked), asked.explanation)))
            widgets.append(Markdown(text, classes="explained"))
        return widgets

    async def action_item(self, step: int) -> None:
        """To another item, in the bank's own values."""
        if self.items:
            self.at, self.seed = (self.at + step) % len(self.items), None
            await self._draw()

    async def action_variant(self, step: int) -> None:
        """To another variant: the bank's own values, then seed 0, 1 and so on."""
        if not self.items:
            return
        if not varies(self.items[self.at]) and self.items[self.at].item.kind != "checkpoint":
            self.notify("no variable of this item has a range")
            return
        place = (-1 if self.seed is None else self.seed) + step
        self.seed = None if place < 0 else place
        await self._draw()

    async def action_explain(self) -> None:
        """Shows and hides what learners see after they have answered, and what their answer is scored by."""
        self.explained = not self.explained
        await self._draw()


def _keys(asked: Asked) -> list[str]:
    """What is right, and what each wrong answer is named, as Markdown."""
    part, values = asked.part, asked.variant.values
    match part:
        case ChoicePart():
            lines = [f"- {c.letter}: {'**right**' if c.key else c.misconception or 'wrong'}. {c.note or ''}" for c in asked.choices]
        case NumericPart():
            lines = [f"- **{number(Formula.parse(part.key).scalar(values))}** is right"]
            lines += [f"- {number(Formula.parse(wrong.value).scalar(values))}: {wrong.misconception}" for wrong in part.wrong]
        case SymbolicPart():
            lines = [f"- **`{part.key}`** is right", *(f"- `{wrong.value}`: {wrong.misconception}" for wrong in part.wrong)]
        case TextPart():
            lines = _rubric(part.rubric)
            if isinstance(asked.loaded.item, Probe):
                lines += [f"- follow-up {entry.id}: {fill(entry.stem, values)}" for entry in asked.loaded.item.follow_ups]
        case _:
            lines = []
    return ["\n".join(lines)] if lines else []


def _rubric(rubric: Rubric) -> list[str]:
    return [f"- {criterion.id} ({criterion.points}): {criterion.description}" for criterion in rubric.criteria]
