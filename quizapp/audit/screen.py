"""An audit on one screen: what was found in a sentence, then each step's weights, wanted above given."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quizapp.model.audit import Audit, Step, View, Weight

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

BAR = 11
MOST_LINES = 16
"""Lines of weights; steps that are right go first when there are more."""


@dataclass(frozen=True)
class Line:
    """Losses of one row that want and get the same weight."""

    first: Weight
    tokens: int


def lines(view: View, same: float) -> list[Line]:
    """A view's weights, put together where nothing tells them apart but ``same``, a share of the largest."""
    close = same * _scale(view)
    found: list[Line] = []
    for weight in sorted(view.weights, key=lambda w: (w.window is None, w.window or 0, w.rank or 0, w.microbatch or 0, w.row)):
        for at, line in enumerate(found):
            if _alike(line.first, weight, close):
                found[at] = Line(line.first, line.tokens + 1)
                break
        else:
            found.append(Line(weight, 1))
    return found


def _alike(a: Weight, b: Weight, close: float) -> bool:
    where = [(w.rank, w.microbatch, w.window, w.row, w.valid, w.label, w.given is None) for w in (a, b)]
    return where[0] == where[1] and abs(a.wanted - b.wanted) <= close and abs((a.given or 0.0) - (b.given or 0.0)) <= close


def _scale(view: View) -> float:
    sizes = [abs(w.wanted) for w in view.weights] + [abs(w.given) for w in view.weights if w.given is not None]
    return max(sizes, default=0.0) or 1.0


def _bar(value: float | None, wanted: float, scale: float, same: float) -> str:
    """A bar as long as the weight given, with a stroke where the weight wanted ends."""
    if value is None:
        return "?"
    full, rest = divmod(max(round(abs(value) / scale * BAR * 8), int(abs(value) > same * scale)), 8)
    cells = list(("█" * full + ("▏▎▍▌▋▊▉"[rest - 1] if rest else "")).ljust(BAR + 1))
    cells[round(abs(wanted) / scale * BAR)] = "│"
    return "".join(cells).rstrip()


def _remark(line: Line, step: Step, close: float) -> str:
    w = line.first
    if w.given is None:
        return "[red]not found[/red]"
    if step.right and step.clipped and step.factor and abs(w.given - step.factor * w.wanted) <= close:
        return "[green]✓ clipped[/green]"
    if abs(w.given - w.wanted) <= close:
        return "[green]✓[/green]"
    if not w.wanted:
        return "[red]✗ not wanted[/red]"
    if abs(w.given) <= close:
        return "[red]✗ left out[/red]"
    ratio = w.given / w.wanted
    return f"[red]✗ {ratio:.0f} x[/red]" if 1000 <= ratio < 1e9 else f"[red]✗ {ratio:.4g} x[/red]"


def _what(line: Line, step: int) -> str:
    w = line.first
    what = f"{line.tokens} token{'' if line.tokens == 1 else 's'}" if w.valid else f"{line.tokens} padding"
    if w.label != "own":
        what += {"next": ", label +1", "previous": ", label -1", "zero": ", class 0"}[w.label]
    if w.window != step:
        what += " (no batch)" if w.window is None else f" (step {w.window + 1})"
    return what


def _step_table(step: Step, view: View, same: float, room: int) -> "Table":
    from rich.table import Table

    from quizapp.model.figures import as_fraction

    scale = _scale(view)
    seen = "" if len(step.views) == 1 else f", as rank {' and '.join(map(str, view.ranks))} ended with it"
    mark = "[green]✓[/green]" if step.right else "[red]✗[/red]"
    held = lines(view, same)
    cut = f" ({len(held) - room} lines more in --json)" if len(held) > room else ""
    title = f"{mark} step {step.step + 1}: {step.tokens} valid tokens{seen}{cut}"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 1), pad_edge=False)
    for heading in ("rank", "batch", "row", "what", "wanted", "given", "", ""):
        table.add_column(heading, justify="right" if heading in ("rank", "batch", "row") else "left", no_wrap=True)
    for line in held[:room]:
        w = line.first
        place = ["-" if value is None else str(value) for value in (w.rank, w.microbatch, w.row)]
        given = "?" if w.given is None else as_fraction(w.given)
        bar = _bar(w.given, w.wanted, scale, same)
        table.add_row(*place, _what(line, step.step), as_fraction(w.wanted), given, bar, _remark(line, step, same * scale))
    return table


def _views(report: Audit) -> Iterator[tuple[Step, View]]:
    """What is shown: all steps, or the wrong ones first where there are too many lines; always one."""
    every = [(step, view) for step in report.steps for view in step.views]
    room = MOST_LINES
    chosen: set[int] = set()
    for index in sorted(range(len(every)), key=lambda i: (every[i][0].right, i)):
        need = len(lines(every[index][1], report.tolerance))
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
    for finding in (found for found in report.findings if found.message not in report.summary):
        console.print(Text(f"{'✗' if finding.fault else '·'} {finding.message}", style="" if finding.fault else "dim"))
    shown = list(_views(report))
    for step, view in shown:
        console.print(_step_table(step, view, report.tolerance, MOST_LINES))
    hidden = sum(len(step.views) for step in report.steps) - len(shown)
    if hidden:
        console.print(Text(f"… and {hidden} more {'table' if hidden == 1 else 'tables'} (--json has all)", style="dim"))
    libraries = ", ".join(f"{name} {version}" for name, version in report.versions.items() if name != "python")
    rows = f"{report.accumulate} x {report.rows_per_microbatch} rows per step and rank"
    how = f"{report.ranks} rank{'' if report.ranks == 1 else 's'}, {rows}"
    console.print(Text(f"{report.trainer}: {how}, {report.dtype}; {libraries}; {report.milliseconds / 1000:.1f} s", style="dim"))
