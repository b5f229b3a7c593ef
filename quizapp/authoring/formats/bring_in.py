"""A foreign file as a bank that loads: reader, ids, YAML, and a trial load of what was written."""

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quizapp.authoring.formats.aiken import read_aiken
from quizapp.authoring.formats.anki_text import is_anki, read_anki
from quizapp.authoring.formats.bank_yaml import bank_yaml
from quizapp.authoring.formats.gift_read import read_gift
from quizapp.authoring.formats.intake import Intake, free
from quizapp.authoring.formats.moodle_read import is_moodle, read_moodle
from quizapp.authoring.formats.question import Question
from quizapp.authoring.formats.report import Gap, Loss, Trouble, Unreadable
from quizapp.authoring.formats.source import Source, sources
from quizapp.authoring.formats.spreadsheet import read_csv
from quizapp.bank.fault import Fault
from quizapp.bank.load import load
from quizapp.bank.words import slug

READERS: Mapping[str, Callable[[Source], Intake]] = {
    "gift": read_gift,
    "moodle": read_moodle,
    "aiken": read_aiken,
    "csv": read_csv,
    "anki": read_anki,
}
SUFFIXES = {".gift": "gift", ".aiken": "aiken", ".csv": "csv", ".tsv": "csv"}
_AIKEN = re.compile(r"(?m)^\s*ANSWER:\s*[A-Z]\s*$")


@dataclass(frozen=True, slots=True)
class Imported:
    """A bank's text, and everything to know about how it came to be."""

    text: str
    """Empty where no question could be read."""
    format: str
    questions: int
    losses: tuple[Loss, ...]
    troubles: tuple[Trouble, ...]
    gaps: tuple[Gap, ...]


def bring_in(file: Path, out: Path, format: str | None = None, encoding: str | None = None) -> Imported:
    """Reads a foreign file, or a zip of them.

    Args:
        out: where the bank will stand; its name gives the bank's id. Nothing is written there.
        format: one of :data:`READERS`; ``None`` to tell by name and content.

    Raises:
        Unreadable: nothing of it can be read.
    """
    intakes, formats = [], []
    for source in sources(file, encoding):
        chosen = format or told(source)
        formats.append(chosen)
        intakes.append(READERS[chosen](source))
    questions, losses = _together(intakes)
    troubles = [trouble for intake in intakes for trouble in intake.troubles]
    id = slug(out.stem)[:80].strip("-") or "imported"
    used = ", ".join(dict.fromkeys(formats))
    description = f"Imported from {file.name} ({used})."
    written = bank_yaml(id, out.stem, description, questions)
    while questions:
        faults, doubts = _faults(written.text)
        bad = _owners(faults, written.lines)
        if not bad:
            names = _owners(doubts, written.lines)
            gaps = (*written.gaps, *(Gap(name, fault.line, f"mend: {fault.message}") for name, fault in names.items()))
            written = replace(written, gaps=gaps)
            break
        where = {question.id: (question, intake.file) for intake in intakes for question in intake.questions}
        general = [fault for fault in faults if fault.line < min(written.lines.values())]
        if general:
            raise Unreadable(str(file), 1, 1, f"as a bank: {general[0].message}", general[0].mend)
        for name, fault in bad.items():
            question, origin = where.get(name, (questions[0], str(file)))
            troubles.append(Trouble(origin, question.line, question.column, f"as a bank's item: {fault.message}", fault.mend))
        questions = [question for question in questions if question.id not in bad]
        losses = [loss for loss in losses if loss.item not in bad]
        written = bank_yaml(id, out.stem, description, questions)
    text = written.text if questions else ""
    gaps = written.gaps if questions else ()
    return Imported(text, used, len(questions), tuple(losses), tuple(troubles), gaps)


def told(source: Source) -> str:
    """The format that a file's name and content tell.

    Raises:
        Unreadable: they tell none.
    """
    suffix = Path(source.name).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if is_moodle(source.text):
        return "moodle"
    if is_anki(source.text):
        return "anki"
    if suffix != ".xml":
        if _AIKEN.search(source.text):
            return "aiken"
        if "{" in source.text and "}" in source.text:
            return "gift"
        if "\t" in source.text:
            return "anki"
    raise Unreadable(source.name, 1, 1, "no telling which format this is", f"name it with --format {'|'.join(READERS)}")


def _together(intakes: Sequence[Intake]) -> tuple[list[Question], list[Loss]]:
    """The questions of several files, with ids that differ between files too."""
    questions: list[Question] = []
    losses: list[Loss] = []
    taken: dict[str, int] = {}
    for intake in intakes:
        renamed: dict[str, str] = {}
        for position, question in enumerate(intake.questions):
            name = free(question.id, taken)
            if name != question.id:
                renamed[question.id] = name
                intake.questions[position] = question = replace(question, id=name)
            questions.append(question)
        losses += [replace(loss, item=renamed.get(loss.item or "", loss.item)) for loss in intake.losses]
    return questions, losses


def _faults(text: str) -> tuple[list[Fault], list[Fault]]:
    """What keeps items of a bank from loading, and what the deeper check says of it besides."""
    # The checks load what scores answers.
    from quizapp.authoring.lint import lint

    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder, "trial.yaml")
        trial.write_text(text, encoding="utf-8")
        if faults := load([trial]).faults:
            return list(faults), []
        return [], lint([trial])


def _owners(faults: Sequence[Fault], lines: Mapping[str, int]) -> dict[str, Fault]:
    """The item in whose lines each fault stands, and its first fault."""
    found: dict[str, Fault] = {}
    for fault in faults:
        before = [(line, name) for name, line in lines.items() if line <= fault.line]
        name = max(before)[1] if before else next(iter(lines))
        found.setdefault(name, fault)
    return found
