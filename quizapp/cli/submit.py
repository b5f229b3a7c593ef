"""``quizapp submit``: a program is run on real ranks and judged.

Here: reading the file, choosing the part, printing the verdict. The judgement is ``quizapp.judge``.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from quizapp.bank.load import LoadedItem
from quizapp.cli.bank import Folders, Json, Seed, library
from quizapp.cli.items import find_item
from quizapp.cli.problem import Problem
from quizapp.model.nouns import points
from quizapp.model.question import CodePart

if TYPE_CHECKING:
    from rich.console import Console

    from quizapp.judge.runner.ahead import Ahead
    from quizapp.model.lab import Lab
    from quizapp.model.verdict import ScenarioVerdict, Verdict

Backend = Annotated[
    Literal["docker", "local", "auto"],
    Parameter(help="Where ranks run: containers, this machine's own processes, or containers where an image is built."),
]
MAX_BYTES = 1 << 20
SHOWN_GROUPS = 16
BAR = 16


def submit(
    item: str,
    file: Path,
    /,
    *,
    part: str | None = None,
    backend: Backend = "auto",
    seed: Seed = None,
    json: Json = False,
    bank: Folders = (),
) -> int:
    """Run a program on real ranks and print the verdict.

    Parameters
    ----------
    item
        The item's id; `quizapp bank list` shows them.
    file
        The program; - reads it from standard input.
    part
        The part's id, for items with several programs to write.
    seed
        Draws the same scenarios again; a verdict states its seed.
    """
    from quizapp.judge.runner.ahead import Ahead

    source = read_source(file)
    ahead = Ahead(backend)
    try:
        found = library(bank)
        loaded = find_item(found, item)
        code = code_part(loaded, part)
        lab, folder = lab_of(loaded, code)
        titles = {name: wrong.title for name, wrong in found.registry.items()}
        verdict = _judge(lab, folder, source, file, code.points, titles, backend, seed, ahead, quiet=json)
    finally:
        ahead.close()
    if json:
        print(verdict.model_dump_json())
    else:
        hints = {wrong.id: wrong.hint for wrong in lab.misconceptions if wrong.hint}
        show(verdict, hints, {name: wrong.cure for name, wrong in found.registry.items()})
    return 0 if verdict.outcome == "pass" else 1


def code_part(loaded: LoadedItem, name: str | None) -> CodePart:
    """The part that takes a program.

    Raises:
        Problem: there is none, or more than one and none is named.
    """
    item = loaded.item
    programs = [part for part in item.parts if isinstance(part, CodePart)]
    if not programs:
        raise Problem(f"{item.id} takes no program; answer it with: quizapp score {item.id} --answer TEXT")
    chosen = [part for part in programs if name in (None, part.id)]
    if len(chosen) != 1:
        names = ", ".join(part.id for part in programs)
        raise Problem(f"{item.id} has no program part {name!r}; it has: {names}" if name else f"name a part with --part: {names}")
    return chosen[0]


def read_source(file: Path) -> str:
    """The program's text.

    Raises:
        Problem: it can't be read, is too large, or is not UTF-8.
    """
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with file.open("rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Problem(f"{file}: no such file") from None
    except IsADirectoryError:
        raise Problem(f"{file}: a folder; name the Python file in it") from None
    except OSError as error:
        raise Problem(f"{file}: can't be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise Problem(f"{file}: larger than {MAX_BYTES >> 20} MiB; is this the right file?")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Problem(f"{file}:{line}: not UTF-8 text; save the file as UTF-8") from None


def lab_of(loaded: LoadedItem, code: CodePart) -> "tuple[Lab, Path]":
    """The part's lab and its folder.

    Raises:
        Problem: ``lab.yaml`` has faults; the first is told.
    """
    from quizapp.bank.lab import LabError, load_lab

    folder = loaded.file.parent / code.folder
    try:
        return load_lab(folder), folder
    except LabError as error:
        raise Problem(f"{error.faults[0]}") from None


def _judge(
    lab: "Lab",
    folder: Path,
    source: str,
    file: Path,
    points: int,
    titles: Mapping[str, str],
    backend: Backend,
    seed: int | None,
    ahead: "Ahead",
    quiet: bool,
) -> "Verdict":
    from quizapp.judge.bench import BackendUnavailable, Bench, FaultyLab

    bench = Bench(backend, ahead=ahead)
    filename = "submission.py" if str(file) == "-" else file.name
    try:
        if quiet or not sys.stderr.isatty():
            return bench.judge(lab, folder, source, filename, points=points, titles=titles, seed=seed)
        from rich.console import Console

        with Console(stderr=True).status("starting workers") as status:
            bench.prepare(lab, folder)
            if (notice := bench.unsandboxed_notice) is not None:
                print(f"note: {notice}", file=sys.stderr)
            return bench.judge(lab, folder, source, filename, points=points, titles=titles, seed=seed, progress=status.update)
    except BackendUnavailable as error:
        raise Problem(str(error), code=3) from None
    except FaultyLab as error:
        raise Problem(f"{folder}: the lab itself is faulty: {error}") from None
    finally:
        bench.close()


def _counts(scenario: "ScenarioVerdict") -> str:
    return scenario.size or scenario.counted


def _weights(console: "Console", scenario: "ScenarioVerdict") -> None:
    """Each token's weight wanted and given, as numbers and bars of one scale."""
    from rich.table import Table

    from quizapp.model.alike import alike, in_names, named, same, scale
    from quizapp.model.figures import as_fraction

    largest = scale(scenario.weights) or 1.0

    def bar(value: float | None) -> str:
        return "?" if value is None else "█" * round(BAR * min(1.0, abs(value) / largest))

    table = Table(title=f"{scenario.name}, {scenario.world_size} ranks: the weight of each token", title_justify="left", box=None)
    for heading in ("", "wanted", "", "given", ""):
        table.add_column(heading)
    groups, names = alike(scenario.weights), in_names(scenario.weights)
    for group in groups[:SHOWN_GROUPS]:
        given = "NaN" if group.given is None else as_fraction(group.given)
        table.add_row(
            named(group, names), as_fraction(group.wanted), bar(group.wanted),
            given if same(group.wanted, group.given, largest) else f"[bold]{given}[/bold] ≠", bar(group.given),
        )  # fmt: skip
    console.print(table)
    if len(groups) > SHOWN_GROUPS:
        console.print(f"... and {len(groups) - SHOWN_GROUPS} more (--json has every token)")


def show(verdict: "Verdict", hints: Mapping[str, str], cures: Mapping[str, str]) -> None:
    """Prints a verdict for a person."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    style = "bold green" if verdict.outcome == "pass" else "bold red"
    console.print(Text(f"{verdict.outcome}: {points(verdict.points, verdict.max_points)}", style=style))
    console.print(Text(verdict.summary))
    for found in verdict.diagnosis:
        console.print(Text(f"Misconception: {found.title} [{found.id}], {found.evidence}.", style="yellow"))
        label, text = ("Hint", hints[found.id]) if found.id in hints else ("Instead", cures.get(found.id))
        if text:
            console.print(Padding(Markdown(f"*{label}:* {text}"), (0, 0, 0, 2)))
    if verdict.ranks:
        table = Table(box=None)
        for heading in ("rank", "state", "line", "last collective", "said"):
            table.add_column(heading)
        for rank in verdict.ranks:
            line = str(rank.place.line) if rank.place else ""
            table.add_row(str(rank.rank), rank.state, line, Text(rank.collective or ""), Text(rank.message or ""))
        console.print(table)
    if verdict.scenarios:
        table = Table(box=None)
        what = "size" if any(scenario.size for scenario in verdict.scenarios) else "valid tokens per rank"
        for heading in ("ranks", "scenario", what, "outcome", "relative error"):
            table.add_column(heading)
        for scenario in verdict.scenarios:
            error = "" if scenario.max_relative_error is None else f"{scenario.max_relative_error:.1e}"
            mark = "[green]✓ pass[/green]" if scenario.outcome == "pass" else f"[red]✗ {scenario.outcome}[/red]"
            table.add_row(str(scenario.world_size), scenario.name, _counts(scenario), mark, error)
        console.print(table)
    if verdict.counterexample is not None and verdict.counterexample.weights:
        from quizapp.judge.in_numbers import in_numbers

        _weights(console, verdict.counterexample)
        if (numbers := in_numbers(verdict.counterexample.weights, verdict.counterexample.other_terms)) is not None:
            console.print(numbers, markup=False)
    if verdict.output:
        console.print(Text("It printed:", style="bold"))
        console.print(Text(verdict.output[:4000]))
    where = f"{verdict.backend} backend ({verdict.sandbox})" if verdict.scenarios else "not run"
    how = f"{verdict.collectives} on {verdict.device}, {verdict.milliseconds / 1000:.2f} s"
    console.print(Text(f"seed {verdict.seed}, {where}, {how}", style="dim"))
