"""``quizapp bank import`` and ``quizapp bank export``: banks from and for other programs, and the report of what didn't fit.

Here: finding what is meant, writing files, printing. Formats are ``quizapp.authoring.formats``.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from quizapp.bank.fault import Fault
from quizapp.bank.find import builtin_folder, role
from quizapp.bank.load import Library, LoadedBank, LoadedItem, load, load_registry
from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.problem import Problem
from quizapp.cli.whole import free, whole

if TYPE_CHECKING:
    from quizapp.authoring.formats.bring_in import Imported
    from quizapp.authoring.formats.report import Gap
    from quizapp.authoring.formats.send_out import Exported

Source = Literal["gift", "moodle", "aiken", "csv", "anki"]
Target = Literal["gift", "moodle", "qti", "anki", "markdown", "html", "csv", "aiken"]
Force = Annotated[bool, Parameter(name="--force", negative=())]


def import_(
    file: Path,
    /,
    *,
    out: Path,
    format: Source | None = None,
    encoding: str | None = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Make a bank of another program's questions, and say what was lost and what is left to fill in.

    Parameters
    ----------
    file
        A file of GIFT, Moodle XML, Aiken, CSV or Anki's plain text, or a zip of such files.
    out
        The bank to write, such as questions.yaml.
    format
        Its format, where name and content don't tell.
    encoding
        Its encoding, where it is neither UTF-8 nor marked, such as latin-1.
    force
        Write over a file that is there.
    """
    from quizapp.authoring.formats.bring_in import bring_in
    from quizapp.authoring.formats.report import Unreadable

    if out.suffix not in (".yaml", ".yml") or role(out) != "bank":
        raise Problem(f"{out}: not a bank's name; name it such as questions.yaml")
    free(out, force)
    try:
        imported = bring_in(file, out, format, encoding)
    except Unreadable as error:
        raise Problem(str(error)) from None
    if imported.text:
        _write({out: imported.text.encode("utf-8")})
    if json:
        _print_json(
            {
                "file": str(file),
                "format": imported.format,
                "bank": str(out) if imported.text else None,
                "questions": imported.questions,
                "losses": [asdict(loss) for loss in imported.losses],
                "faults": [asdict(trouble) for trouble in imported.troubles],
                "to_fill_in": [asdict(gap) for gap in imported.gaps],
            }
        )
    else:
        _show_import(imported, out)
    if not imported.text:
        return 2
    return 1 if imported.troubles else 0


def export(
    *what: str,
    format: Target,
    out: Path,
    seed: int | None = None,
    force: Force = False,
    bank: Folders = (),
    json: Json = False,
) -> int:
    """Write banks or items for another program, and say item by item what it can't hold.

    Parameters
    ----------
    what
        Ids of banks or items, or files and folders of banks.
    format
        What to write: a Canvas package is qti, an Anki package anki.
    out
        The file to write. For markdown and html, the answers go into a second one, named ...-answers.
    seed
        The variant of items with variables; without it, the bank's own figures.
    force
        Write over a file that is there.
    """
    from quizapp.authoring.formats.send_out import send_out
    from quizapp.bank.draw import DrawError
    from quizapp.model.formula import FormulaError

    if not what:
        raise Problem("nothing to export; name a bank, items, or a bank's file")
    found = _find(what, bank)
    answers = out.with_name(f"{out.stem}-answers{out.suffix}")
    for file in (out, answers) if format in ("markdown", "html") else (out,):
        free(file, force)
    try:
        exported = send_out(
            [entry.item for entry in found.items],
            format,
            out,
            id=found.id(out),
            title=found.title(out),
            description=found.banks[0].bank.description if len(found.banks) == 1 else "",
            seed=seed,
            titles=found.titles,
            beside=found.beside(),
        )
    except (DrawError, FormulaError) as error:
        raise Problem(f"no such variant: {error}; try another --seed, or `quizapp bank lint`") from None
    _write(exported.files)
    if json:
        _print_json(
            {
                "format": format,
                "files": [str(file) for file in exported.files],
                "seed": seed,
                "questions": exported.questions,
                "losses": [asdict(loss) for loss in exported.losses],
                "faults": [{**asdict(fault), "file": str(fault.file)} for fault in found.faults],
            }
        )
    else:
        _show_export(exported, found.faults)
    if not exported.files:
        return 2
    return 1 if found.faults else 0


class _Found:
    """What the arguments of ``export`` mean."""

    def __init__(self) -> None:
        self.items: list[LoadedItem] = []
        self.banks: list[LoadedBank] = []
        """Those meant as a whole."""
        self.faults: list[Fault] = []
        """They kept items of the named files from being read."""
        self.titles: dict[str, str] = {}

    def add(self, items: Iterable[LoadedItem]) -> None:
        known = {entry.item.id for entry in self.items}
        self.items += [entry for entry in items if entry.item.id not in known]

    def of_one_bank(self) -> bool:
        return len({entry.bank_id for entry in self.items}) == 1

    def id(self, out: Path) -> str:
        """The quiz's id: the bank's, where all items are of one; else the file's name."""
        from quizapp.bank.words import slug

        return self.items[0].bank_id if self.of_one_bank() else slug(out.stem) or "quiz"

    def title(self, out: Path) -> str:
        return self.banks[0].bank.title if len(self.banks) == 1 else out.stem

    def beside(self) -> list[str]:
        """What the banks have that is no item."""
        said = ["confidence is not asked for"]
        for loaded in self.banks:
            bank = loaded.bank
            if bank.reading:
                said.append(f"reading of {bank.id}: {len(bank.reading)} pages")
            if bank.misconceptions:
                said.append(f"misconceptions of {bank.id}: {len(bank.misconceptions)} entries with their cures")
        return said


def _find(what: Sequence[str], extra: Sequence[Path]) -> _Found:
    found, everything = _Found(), None
    for name in what:
        path = Path(name)
        if path.exists():
            here = load([path], [builtin_folder(), *extra])
            found.faults += here.faults
            found.banks += here.banks
            found.add(here.items.values())
            found.titles |= {key: entry.title for key, entry in here.registry.items()}
            if not here.items and here.faults:
                raise Problem(f"{here.faults[0]} (`quizapp bank lint {name}` shows all faults)")
        else:
            everything = everything or library(extra)
            _named(found, everything, name)
    found.titles |= {key: entry.title for key, entry in load_registry([builtin_folder(), *extra]).items()}
    if not found.items:
        raise Problem(f"no items in {', '.join(what)}; `quizapp bank list` shows what there is")
    return found


def _named(found: _Found, everything: Library, name: str) -> None:
    bank = next((loaded for loaded in everything.banks if loaded.bank.id == name), None)
    if bank is not None:
        found.banks.append(bank)
        found.add(entry for entry in everything.items.values() if entry.bank_id == name)
    elif name in everything.items:
        found.add([everything.items[name]])
    else:
        near = get_close_matches(name, [*everything.items, *(loaded.bank.id for loaded in everything.banks)], n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`quizapp bank list` shows banks and items"
        raise Problem(f"no file, bank or item {name!r}; {hint}")
    found.titles |= {key: entry.title for key, entry in everything.registry.items()}


def _write(files: Mapping[Path, bytes]) -> None:
    for file, content in files.items():
        with whole(file) as out:
            out.write(content)


def _show_import(imported: "Imported", out: Path) -> None:
    for trouble in imported.troubles:
        print(trouble, file=sys.stderr)
    if not imported.text:
        print("quizapp: no question could be read, and no bank was written", file=sys.stderr)
        return
    print(f"{out}: {_count(imported.questions, 'question')} from {imported.format}")
    _list("Lost or changed on the way:", imported.losses)
    if imported.gaps:
        print("Left to fill in (lines of the bank):")
        for what, gaps in _by_what(imported.gaps).items():
            lines = ", ".join(str(gap.line) for gap in gaps)
            print(f"  {what}: line{'s' if len(gaps) > 1 else ''} {lines}")
    print(f"Check it with `quizapp bank lint {out}`.")


def _show_export(exported: "Exported", faults: Sequence[Fault]) -> None:
    for fault in faults:
        print(fault, file=sys.stderr)
    _list("Lost or changed on the way:", exported.losses)
    if not exported.files:
        print("quizapp: none of the items fits this format, and nothing was written", file=sys.stderr)
    for file in exported.files:
        print(f"{file}: {_count(exported.questions, 'question')}")


def _by_what(gaps: Iterable["Gap"]) -> "dict[str, list[Gap]]":
    found: dict[str, list[Gap]] = {}
    for gap in gaps:
        found.setdefault(gap.what, []).append(gap)
    return found


def _list(title: str, lines: Sequence[object]) -> None:
    if lines:
        print(title)
        for line in lines:
            print(f"  {line}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _print_json(value: object) -> None:
    from json import dumps

    print(dumps(value, indent=2))
