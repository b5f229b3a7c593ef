"""``quizapp bank``: check, list and describe banks."""

import json
import os
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from quizapp.bank.fault import Fault
from quizapp.bank.find import bank_folders, yaml_files
from quizapp.bank.load import Library, load
from quizapp.cli.problem import Problem

bank_app = App(name="bank", help="Write, check, list, install, import and export question banks.")
bank_app.command("quizapp.cli.interchange:import_", name="import", help="Make a bank of another program's questions.")
bank_app.command("quizapp.cli.calibrate:calibrate", name="calibrate", help="Fit a rubric to answers that you marked.")
bank_app.command("quizapp.cli.interchange:export", name="export", help="Write banks or items for another program.")

Folders = Annotated[tuple[Path, ...], Parameter(name="--bank", negative=(), help="A folder of banks to add (repeatable).")]
Backend = Annotated[Literal["docker", "local", "auto"], Parameter(name="--backend")]
PROGRAMS_PER_WORKER = 50
"""A lab's own programs trust each other."""
Seed = Annotated[int | None, Parameter(name="--seed", validator=Number(gte=0))]
"""Of a lab's scenarios."""
Json = Annotated[bool, Parameter(name="--json", negative=(), help="Print one JSON object.")]


def library(extra: Sequence[Path]) -> Library:
    """All banks, with the folders that a command's ``--bank`` adds.

    Raises:
        Problem: a folder that isn't there.
    """
    for folder in extra:
        _readable(folder)
    return load(bank_folders(extra))


@bank_app.command
def lint(*paths: Path, run: Annotated[bool, Parameter(negative=())] = False, backend: Backend = "auto", json: Json = False) -> int:
    """Check banks: every fault as file:line:column, what is wrong, what to write instead.

    Parameters
    ----------
    paths
        Files or folders; without any, all banks.
    run
        Also run every lab's programs: starter and wrong ones must fail, the latter under their own name, right ones pass.
    backend
        Where --run runs them.
    """
    from quizapp.authoring.lint import lint as faults_of

    for path in paths:
        _readable(path)
        if not any(True for _ in yaml_files(path)):
            raise Problem(f"{path}: no bank in this folder (no .yaml file); name a folder or file that holds one")
    faults = faults_of(paths or bank_folders(), bank_folders(), workers=os.cpu_count() or 1)
    if run:
        faults += _rehearsed(paths or bank_folders(), backend, quiet=json)
    if json:
        _print_json({"faults": [_as_json(fault) for fault in faults]})
    else:
        for fault in faults:
            print(fault)
        if not faults:
            print("no faults")
    return 1 if faults else 0


def _rehearsed(paths: Sequence[Path], backend: str, quiet: bool) -> list[Fault]:
    from quizapp.authoring.rehearsal import labs_under, rehearse
    from quizapp.judge.bench import BackendUnavailable, Bench

    folders = labs_under(paths)
    if not folders:
        return []
    titles = {name: wrong.title for name, wrong in load([*bank_folders(), *paths]).registry.items()}
    bench = Bench(backend, submissions_per_worker=PROGRAMS_PER_WORKER)
    try:
        if quiet or not sys.stderr.isatty():
            return rehearse(folders, bench, titles)
        from rich.console import Console

        with Console(stderr=True).status("starting workers") as status:
            return rehearse(folders, bench, titles, status.update)
    except BackendUnavailable as error:
        raise Problem(str(error), code=3) from None
    finally:
        bench.close()


@bank_app.command(name="list")
def list_(
    *,
    bank: Folders = (),
    graph: Annotated[bool, Parameter(negative=())] = False,
    misconceptions: Annotated[bool, Parameter(negative=())] = False,
    json: Json = False,
) -> int:
    """List the items of all banks.

    Parameters
    ----------
    graph
        Instead, what comes before what: the topics, and the items with prerequisites.
    misconceptions
        Instead, the misconceptions that wrong choices, wrong values and labs may name.
    """
    if graph and misconceptions:
        raise Problem("--graph and --misconceptions list different things; give one of them")
    found = library(bank)
    for fault in found.faults:
        print(fault, file=sys.stderr)
    from quizapp.cli.bank_table import graph as graph_of
    from quizapp.cli.bank_table import print_graph, print_items

    if graph:
        if json:
            _print_json(graph_of(found))
        else:
            print_graph(found)
        return 0
    if misconceptions:
        known = [{"id": id, "title": entry.title.strip('"')} for id, entry in sorted(found.registry.items())]
        if json:
            _print_json({"misconceptions": known})
        else:
            width = max((len(one["id"]) for one in known), default=0)
            print("\n".join(f"{one['id']:{width}}  {one['title']}" for one in known))
        return 0
    items = []
    for entry in found.items.values():
        item = entry.item
        parts = []
        for part in item.parts:
            described = {"id": part.id, "kind": part.kind}
            if part.kind == "code":
                described["folder"] = str((entry.file.parent / part.folder).resolve())
            parts.append(described)
        items.append(
            {
                "id": item.id,
                "kind": item.kind,
                "bank": entry.bank_id,
                "file": str(entry.file.resolve()),
                "line": entry.line,
                "topics": list(item.topics),
                "difficulty": item.difficulty,
                "prerequisites": list(item.prerequisites),
                "parts": parts,
            }
        )
    if json:
        _print_json({"items": items})
    else:
        print_items(found, items)
    return 0


@bank_app.command
def schema(what: Literal["bank", "lab", "registry"] = "bank", /) -> int:
    """Print the JSON Schema of a file, for editors.

    Parameters
    ----------
    what
        A bank's file, a lab.yaml, or a misconceptions.yaml.
    """
    from quizapp.bank import schema as schemas

    _print_json({"bank": schemas.bank_schema, "lab": schemas.lab_schema, "registry": schemas.registry_schema}[what]())
    return 0


bank_app.command("quizapp.cli.bank_install:install", name="install", help="Install banks from a folder, a zip file or git.")
bank_app.command("quizapp.cli.bank_install:installed", name="installed", help="List installed banks.")
bank_app.command("quizapp.cli.bank_install:remove", name="remove", help="Take installed banks away.")
bank_app.command("quizapp.cli.preview:preview", name="preview", help="Show items as learners see them, anew on each save.")
new_app = App(name="new", help="Write a bank, an item or a lab to begin with; nothing is overwritten.")
bank_app.command(new_app)
File = Annotated[Path, Parameter(name="BANK")]
Name = Annotated[str, Parameter(name="ID")]


@new_app.command(name="bank")
def new_bank(folder: Annotated[Path, Parameter(name="FOLDER")], /) -> int:
    """A bank with one item, in a new folder whose name becomes its id."""
    from quizapp.authoring import scaffold

    return _scaffolded(lambda taken: scaffold.new_bank(folder, taken), ())


@new_app.command(name="item")
def new_item(file: File, name: Name, /, *, kind: Literal["checkpoint", "exercise", "probe"] = "exercise") -> int:
    """An item at the end of a bank.

    Parameters
    ----------
    file
        The bank's file.
    name
        The new item's id.
    """
    from quizapp.authoring import scaffold

    _readable(file)
    return _scaffolded(lambda taken: scaffold.new_item(file, kind, name, taken), (file,))


@new_app.command(name="lab")
def new_lab(file: File, name: Name, /) -> int:
    """An item whose answer is a program, and its lab in labs/ID beside the bank."""
    from quizapp.authoring import scaffold

    _readable(file)
    return _scaffolded(lambda taken: scaffold.new_item(file, "lab", name, taken), (file,))


def _scaffolded(write: Callable[[Collection[str]], list[Path]], more: Sequence[Path]) -> int:
    from quizapp.authoring.scaffold import ScaffoldError

    found = load([*bank_folders(), *more])
    try:
        written = write({*found.items, *(loaded.bank.id for loaded in found.banks)})
    except ScaffoldError as error:
        raise Problem(str(error)) from None
    except OSError as error:
        raise Problem(
            f"{error.filename}: {(error.strerror or 'cannot be written').lower()}; name a place that you can write to"
        ) from None
    for path in written:
        print(path)
    return 0


def _readable(path: Path) -> None:
    try:
        if path.is_dir():
            next(path.iterdir(), None)
        else:
            path.open("rb").close()
    except OSError as error:
        raise Problem(f"{path}: {(error.strerror or 'cannot be read').lower()}; name a readable file or folder") from None


def _as_json(fault: Fault) -> dict[str, object]:
    return {
        "file": str(fault.file),
        "line": fault.line,
        "column": fault.column,
        "code": fault.code,
        "message": fault.message,
        "mend": fault.mend,
    }


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2))
