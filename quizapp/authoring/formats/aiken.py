"""Aiken: a question, its options with letters, and the letter of the right one. Plain text, one right option, nothing else.

Format: "Aiken format" (MoodleDocs).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from quizapp.authoring.formats.intake import Intake
from quizapp.authoring.formats.markup import TooMuch, from_plain, to_html, to_plain
from quizapp.authoring.formats.question import Choose, Option, Question, Quiz
from quizapp.authoring.formats.report import Loss
from quizapp.authoring.formats.source import Source

_OPTION = re.compile(r"([A-Z])[.)]\s+(\S.*)")
_ANSWER = re.compile(r"ANSWER:\s*(.*)", re.I)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(slots=True)
class _Open:
    """A question that isn't at its end."""

    line: int
    stem: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    broken: bool = False


def read_aiken(source: Source) -> Intake:
    """Every question that can be read; what can't is in the troubles."""
    intake = Intake(source.name)
    found: _Open | None = None
    for number, raw in enumerate(source.text.split("\n"), 1):
        line = raw.strip()
        column = len(raw) - len(raw.lstrip()) + 1
        if not line:
            continue
        if answer := _ANSWER.fullmatch(line):
            if found is None:
                intake.fail(number, column, "an ANSWER without a question", "write the question and its options above it")
            else:
                try:
                    _close(intake, found, number, column, answer[1].strip())
                except TooMuch as error:
                    intake.fail(found.line, 1, str(error), "write it in fewer words")
            found = None
            continue
        option = _OPTION.fullmatch(line)
        if found is None or (found.options and not option):
            if found is not None:
                _unanswered(intake, found)
            found = _Open(number)
        if option and (found.stem or found.broken):
            _option(intake, found, option, number, column)
        else:
            found.stem.append(line)
    if found is not None:
        _unanswered(intake, found)
    return intake


def _option(intake: Intake, found: _Open, option: "re.Match[str]", line: int, column: int) -> None:
    wanted = _LETTERS[len(found.options) : len(found.options) + 1]
    if option[1] != wanted and not found.broken:
        intake.fail(line, column, f"the option {option[1]} where {wanted or 'no more'} is wanted", "letter the options A, B, C")
        found.broken = True
    found.options.append(option[2])


def _unanswered(intake: Intake, found: _Open) -> None:
    if not found.broken:
        mend = "write `A. option` lines and `ANSWER: A` below it, with no other text between"
        intake.fail(found.line, 1, "a question without an ANSWER", mend)


def _close(intake: Intake, found: _Open, line: int, column: int, answer: str) -> None:
    if found.broken:
        return
    letters = _LETTERS[: len(found.options)]
    if not found.options:
        intake.fail(line, column, "an ANSWER without options", "write `A. option` lines above it")
        return
    if len(answer) != 1 or answer.upper() not in letters:
        intake.fail(line, column, f"the ANSWER {answer[:20]!r} is none of the options", f"write one of {', '.join(letters)}")
        return
    right = letters.index(answer.upper())
    options = tuple(Option(from_plain(text), number == right) for number, text in enumerate(found.options))
    stem = from_plain("\n".join(found.stem))
    intake.add(Question(intake.name(found.stem[0][:40]), stem, Choose(options), line=found.line))


def write_aiken(quiz: Quiz) -> str:
    """The quiz as Aiken; what doesn't fit (``quizapp.authoring.formats.holds``) is left out."""
    pieces = []
    for question in quiz.questions:
        body = question.body
        if isinstance(body, Choose) and len(body.keys) == 1:
            lines = [_stem(question.stem)]
            lines += [f"{letter}. {_plain(option.text)}" for letter, option in zip(_LETTERS, body.options, strict=False)]
            key = next(letter for letter, option in zip(_LETTERS, body.options, strict=False) if option.key)
            pieces.append("\n".join((*lines, f"ANSWER: {key}", "")))
    return "\n".join(pieces)


def aiken_losses(question: Question) -> Iterator[Loss]:
    """The markup and the line breaks that plain lines can't hold."""
    if not isinstance(question.body, Choose):
        return
    texts = [question.stem, *(option.text for option in question.body.options)]
    if any(to_html(from_plain(_plain(text))) != to_html(text) for text in texts):
        yield Loss(question.id, "markup", "lost", "texts become plain lines")


def _plain(text: str) -> str:
    return " ".join(to_plain(text).split())


def _stem(text: str) -> str:
    line = _plain(text)
    # A question that looks like an option or an answer would be read as one.
    return f"- {line}" if _OPTION.fullmatch(line) or _ANSWER.fullmatch(line) else line
