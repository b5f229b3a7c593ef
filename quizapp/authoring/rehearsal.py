"""Running a lab's own programs through the judge: starters fail, right ones pass, known wrong ones fail under their own name."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from quizapp.authoring.programs import SOLUTION, STARTER, VARIANT
from quizapp.bank.fault import Fault
from quizapp.bank.find import role, yaml_files
from quizapp.bank.lab import FILE, LabError, load_lab
from quizapp.judge.bench import Bench, FaultyLab
from quizapp.model.verdict import Verdict

Told = Callable[[str], None]
FAILING = ("wrong", "desync", "error", "invalid")
"""Outcomes that a program may be known for."""


def labs_under(paths: Sequence[Path]) -> list[Path]:
    """The folders of the labs under some folders or files, each once."""
    files = (file for path in paths if path.exists() for file in yaml_files(path))
    return list(dict.fromkeys(file.parent for file in files if role(file) == "lab"))


def rehearse(folders: Sequence[Path], bench: Bench, titles: Mapping[str, str], told: Told = lambda text: None) -> list[Fault]:
    """Runs every program of some labs and says which don't end as their place in the lab says.

    Labs that have faults already are passed over. ``titles``: misconception id -> title. ``told`` is called with what runs now.

    Raises:
        quizapp.judge.bench.BackendUnavailable: programs can't run here.
    """
    return [fault for folder in folders for fault in _lab(folder, bench, titles, told)]


def _lab(folder: Path, bench: Bench, titles: Mapping[str, str], told: Told) -> Iterator[Fault]:
    try:
        lab = load_lab(folder)
    except LabError:
        return
    for program in _programs(folder):
        told(f"{folder.name}: {program.relative_to(folder)}")
        try:
            source = program.read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            continue  # said by lint
        try:
            verdict = bench.judge(lab, folder, source, program.name, points=1, titles=titles)
        except FaultyLab as error:
            message = f"the lab can't judge its own programs: {' '.join(str(error).split())}"
            yield Fault(folder / FILE, 1, 1, "lab-faulty", message, "mend the lab's oracle, drive or objective")
            return
        yield from _complaint(folder, program, verdict)


def _programs(folder: Path) -> list[Path]:
    own = [folder / STARTER, folder / SOLUTION]
    return [
        file
        for file in (*own, *sorted((folder / "right").glob("*.py")), *sorted((folder / "wrong").glob("*.py")))
        if file.is_file()
    ]


def _complaint(folder: Path, program: Path, verdict: Verdict) -> Iterator[Fault]:
    seen = f"seed {verdict.seed}: {' '.join(verdict.summary.split()).rstrip('.')}"
    if program.name == SOLUTION or program.parent.name == "right":
        if verdict.outcome != "pass":
            yield Fault(
                program, 1, 1, "program-outcome", f"must pass, and is {verdict.outcome} ({seen})", "mend the program, or the lab"
            )
        return
    if verdict.outcome not in FAILING:
        message = f"must fail, and is {verdict.outcome} ({seen})"
        yield Fault(program, 1, 1, "program-outcome", message, "mend the program, or add a scenario in which it is wrong")
        return
    wanted, named = program.stem.partition(VARIANT)[0], [found.id for found in verdict.diagnosis]
    if program.parent.name == "wrong" and named != [wanted]:
        message = f"must be named {wanted!r}, and is named {', '.join(map(repr, named)) or 'nothing'} ({seen})"
        yield Fault(
            program,
            1,
            1,
            "program-misnamed",
            message,
            f"mend the prediction of {wanted!r} in {FILE} or oracle.py, or rename the file",
        )
