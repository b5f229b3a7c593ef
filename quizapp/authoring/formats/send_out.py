"""A bank's items as a file of another program, and the report of what that costs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quizapp.authoring.formats.aiken import aiken_losses, write_aiken
from quizapp.authoring.formats.anki_package import write_apkg
from quizapp.authoring.formats.gift_write import write_gift
from quizapp.authoring.formats.holds import fits, losses
from quizapp.authoring.formats.moodle_write import write_moodle
from quizapp.authoring.formats.qti_write import write_qti
from quizapp.authoring.formats.question import Choose, Question, Quiz
from quizapp.authoring.formats.report import Loss
from quizapp.authoring.formats.sheet import write_html, write_markdown
from quizapp.authoring.formats.spreadsheet import write_csv
from quizapp.authoring.formats.take_out import take_out
from quizapp.model.question import Item

WRITERS: Mapping[str, Callable[[Quiz], str | bytes | tuple[str, str]]] = {
    "gift": write_gift,
    "moodle": write_moodle,
    "qti": write_qti,
    "anki": write_apkg,
    "markdown": write_markdown,
    "html": write_html,
    "aiken": write_aiken,
    "csv": write_csv,
}
"""Format -> its writer. Two texts are a sheet of questions and one of answers."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The files to write, by name, and everything that didn't fit."""

    files: Mapping[Path, bytes]
    """Empty where no question fits."""
    questions: int
    losses: tuple[Loss, ...]


def send_out(
    items: Sequence[Item],
    format: str,
    out: Path,
    *,
    id: str,
    title: str,
    description: str = "",
    seed: int | None = None,
    titles: Mapping[str, str] | None = None,
    beside: Sequence[str] = (),
) -> Exported:
    """Writes items in a format, into memory.

    Args:
        format: one of :data:`WRITERS`.
        out: the file's name. A sheet of answers stands beside it, named ``...-answers``.
        id, title, description: of the quiz; Anki and QTI know it again by its id.
        seed: of the variants; ``None`` for the bank's own figures.
        titles: misconception id -> title.
        beside: what else the bank has that no quiz has, for the report.

    Raises:
        DrawError, FormulaError: an item has no variant for the seed.
    """
    questions, found = take_out(items, seed, titles or {}, format)
    for question in questions:
        found += losses(question, format)
        if format == "aiken" and fits(question, format):
            found += aiken_losses(question)
    shuffled = {question.body.shuffle for question in questions if isinstance(question.body, Choose)}
    if format == "qti" and len(shuffled) > 1:
        found.append(Loss(None, "order", "changed", "Canvas shuffles the options of all questions or of none; none are"))
    found += [Loss(None, what.split()[0], "lost", what) for what in beside]
    order = {name: place for place, name in enumerate((None, *_names(items, questions)))}
    found.sort(key=lambda loss: order.get(loss.item, len(order)))
    kept = tuple(question for question in questions if fits(question, format))
    quiz = Quiz(id, title, description, kept)
    files = {}
    if kept:
        written = WRITERS[format](quiz)
        if isinstance(written, tuple):
            answers = out.with_name(f"{out.stem}-answers{out.suffix}")
            files = {out: written[0].encode(), answers: written[1].encode()}
        else:
            files = {out: written.encode() if isinstance(written, str) else written}
    return Exported(files, len(kept), tuple(found))


def _names(items: Sequence[Item], questions: Sequence[Question]) -> Iterator[str]:
    """Ids of items and of their parts' questions, as they follow each other."""
    for item in items:
        yield item.id
        if len(item.parts) > 1:
            yield from (question.id for question in questions if question.id.startswith(f"{item.id}-"))
