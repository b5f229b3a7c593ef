"""An audit on one screen: what was found in a sentence, then each step's weights, wanted above given."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from quizapp.audit.report import Audit, Step, View, Weight

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BAR = 14
MOST_LINES = 16
"""Lines of weights; steps that are right go first when there are more."""
SAME = 1e-5


@dataclass(frozen=True)
class Line:
    """Losses of one row that want and get the same weight."""

    first: Weight
    tokens: int


def lines(view: View) -> list[Line]:
    """A view's weights, put together where nothing tells them apart."""
    scale = _scale(view)

    def look(w: Weight) -> tuple[object, ...]:
        given = None if w.given is None else round(w.given / scale, 5)
        return w.rank, w.microbatch, w.window, w.row, w.valid, w.label, round(w.wanted / scale, 5), given

    found = []
    for _, group in groupby(sorted(view.weights, key=lambda w: (w.window is None, w.window or 0)), key=look):
        held = list(group)
        found.append(Line(held[0], len(held)))
    return found


def _scale(view: View) -> float:
    sizes = [abs(w.wanted) for w in view.weights] + [abs(w.given) for w in view.weights if w.given is not None]
    return max(sizes, default=0.0) or 1.0


def _bar(value: float | None, wanted: float, scale: float) -> str:
    """A bar as long as the weight given, with a stroke where the weight wanted ends."""
    if value is None:
        return "?"
    full, rest = divmod(max(round(abs(value) / scale * BAR * 8), int(abs(value) > SAME * scale)), 8)
    cells = list(("█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")).ljust(BAR + 1))
    cells[round(abs(wanted) / scale * BAR)] = "│"
    return "".join(cells).rstrip()


def _remark(line: Line, step: Step, scale: float) -> str:
    w = line.first
    if w.given is None:
        return "[red]not found[/red]"
    if step.right and step.clipped and step.factor and abs(w.given - step.factor * w.wanted) <= SAME * scale:
        return "[green]✓ clipped[/green]"
    if abs(w.given - w.wanted) <= SAME * scale:
        return "[green]✓[/green]"
    if not w.wanted:
        return "[red]✗ must not count[/red]"
    if abs(w.given) <= SAME * scale:
        return "[red]✗ left out[/red]"
    return f"[red]✗ {w.given / w.wanted:.4g} x[/red]"


def _what(line: Line, step: int) -> str:
    w = line.first
    noun = "token" if w.valid else "padded position"
    what = f"{line.tokens} {noun}{'' if line.tokens == 1 else 's'}"
    if w.label != "own":
        what += {"next": ", next label", "previous": ", label before", "zero": ", class 0"}[w.label]
    if w.window != step:
        what += " (in no microbatch)" if w.window is None else f" (of step {w.window + 1})"
    return what


def _step_table(step: Step, view: View) -> "Table":
    from rich.table import Table

    from quizapp.judge.sentence import as_fraction

    scale = _scale(view)
    seen = "" if len(step.views) == 1 else f", as rank {' and '.join(map(str, view.ranks))} ended with it"
    mark = "[green]✓[/green]" if step.right else "[red]✗[/red]"
    title = f"{mark} step {step.step + 1}: {step.tokens} valid tokens{seen}"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 1), pad_edge=False)
    for heading, side in (("rank", "right"), ("microbatch", "right"), ("row", "right"), ("what", "left"), ("wanted", "left"),
                          ("given", "left"), ("", "left"), ("", "left")):  # fmt: skip
        table.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for line in lines(view):
        w = line.first
        place = ["-" if value is None else str(value) for value in (w.rank, w.microbatch, w.row)]
        given = "?" if w.given is None else as_fraction(w.given)
        table.add_row(
            *place, _what(line, step.step), as_fraction(w.wanted), given, _bar(w.given, w.wanted, scale), _remark(line, step, scale)
        )
    return table


def _views(report: Audit) -> Iterator[tuple[Step, View]]:
    """What is shown: all steps, or the wrong ones first where there are too many lines; always one."""
    every = [(step, view) for step in report.steps for view in step.views]
    room = MOST_LINES
    chosen: set[int] = set()
    for index in sorted(range(len(every)), key=lambda i: (every[i][0].right, i)):
        need = len(lines(every[index][1]))
        if not chosen or need <= room:
            chosen.add(index)
            room -= need
    yield from (every[index] for index in sorted(chosen))


def show(report: Audit, console: "Console") -> None:
    """Prints a report for a person."""
    from rich.text import Text

    right = report.outcome == "right"
    console.print(Text(f"{'✓ right' if right else '✗ wrong'}: {report.summary}", style="bold green" if right else "bold red"))
    for named in report.diagnosis:
        console.print(Text(f"{named.title} [{named.id}]. {' '.join(named.cure.split())}", style="yellow"))
    for finding in report.findings:
        console.print(Text(f"{'✗' if finding.fault else '·'} {finding.message}", style="" if finding.fault else "dim"))
    shown = list(_views(report))
    for step, view in shown:
        console.print(_step_table(step, view))
    hidden = sum(len(step.views) for step in report.steps) - len(shown)
    if hidden:
        console.print(Text(f"… and {hidden} more (--json has all)", style="dim"))
    libraries = ", ".join(f"{name} {version}" for name, version in report.versions.items() if name != "python")
    rows = f"{report.accumulate} x {report.rows_per_microbatch} rows per step and rank"
    how = f"{report.ranks} rank{'' if report.ranks == 1 else 's'}, {rows}"
    console.print(Text(f"{report.trainer}: {how}, {report.dtype}; {libraries}; {report.milliseconds / 1000:.1f} s", style="dim"))
