"""What each foreign format can hold, as one table, and what a question loses in it.

The table is the single truth: loss reports, documentation and the round-trip tests read it.
"""

from collections.abc import Iterator, Mapping

from quizapp.authoring.formats.question import Choose, Essay, Expression, Number, Question, ShortAnswer
from quizapp.authoring.formats.report import Loss


def _all(words: str) -> frozenset[str]:
    return frozenset(words.split())


HOLDS: Mapping[str, frozenset[str]] = {
    "gift": _all("id title topics difficulty explanation option-notes wrong-numbers"),
    "moodle": _all("id title topics difficulty explanation points hint option-notes wrong-numbers order unit marking-notes"),
    "qti": _all("id title explanation points option-notes order"),
    "aiken": _all(""),
    "csv": _all("id title topics difficulty explanation points hint unit"),
    "anki": _all("id title topics difficulty unit order"),
    "markdown": _all("title points order unit"),
    "html": _all("title points order unit"),
}
"""Format -> what has a place of its own there. What isn't named is lost, or changed as :func:`losses` says."""
PAPER = frozenset(("anki", "markdown", "html"))
"""Formats in which a person, not a program, compares the answer with the right one: any question fits."""


def fits(question: Question, format: str) -> bool:
    """Whether a format can hold a question at all."""
    if format != "aiken":
        return True
    return isinstance(question.body, Choose) and len(question.body.keys) == 1


def losses(question: Question, format: str) -> Iterator[Loss]:
    """Everything of a question that a format has no place for."""
    holds, name, paper = HOLDS[format], question.id, format in PAPER
    if not fits(question, format):
        yield Loss(name, "question", "lost", "only choices with one key fit; it is left out")
        return
    if "id" not in holds:
        yield Loss(name, "id", "lost", "questions have no ids there")
    if question.title and "title" not in holds:
        yield Loss(name, "title", "lost", question.title)
    for what, value in (("topics", ", ".join(question.topics)), ("difficulty", str(question.difficulty or ""))):
        if value and what not in holds:
            yield Loss(name, what, "lost", value)
    if question.explanation and "explanation" not in holds:
        yield from _kept_or_lost(name, "explanation", paper, "it stands with the answer", "there is no place for it")
    if question.points != 1 and "points" not in holds:
        yield Loss(name, "points", "lost", f"{question.points} points; every question counts 1")
    if question.hint and "hint" not in holds:
        yield from _kept_or_lost(name, "hint", paper, "it stands with the answer", "there is no place for it")
    yield from _body(question, format)


def _body(question: Question, format: str) -> Iterator[Loss]:
    holds, name, body, paper = HOLDS[format], question.id, question.body, format in PAPER
    match body:
        case Choose():
            if any(option.note for option in body.options) and "option-notes" not in holds:
                yield from _kept_or_lost(
                    name, "option-notes", paper, "they stand with the answer", "no answer has a note of its own"
                )
            if not body.shuffle and "order" not in holds:
                yield Loss(name, "order", "lost", "the program may shuffle the options")
            if len(body.keys) > 10 and format in ("gift", "moodle"):
                yield Loss(name, "several", "changed", "shares smaller than a tenth are rounded on import there")
            if len(body.keys) > 1 and format == "qti":
                yield Loss(
                    name, "several", "changed", "full points for exactly the right options; partial credit as Canvas gives it"
                )
        case Number():
            if body.unit and "unit" not in holds:
                yield Loss(name, "unit", "changed", f"{body.unit!r} stands as a line of the question")
            if body.wrong and "wrong-numbers" not in holds:
                yield from _kept_or_lost(name, "wrong-numbers", paper, "they stand with the answer", "only the key is known there")
            if body.key.denominator != 1 and not paper and len(str(body.key.denominator).strip("0")) > 1:
                yield Loss(
                    name, "fraction", "changed", f"{body.key} is written with twelve digits, and a fraction may not be typed"
                )
        case Expression():
            if not paper:
                yield Loss(name, "expression", "changed", f"no program marks derivations: a person does; the key is {body.key}")
                if "marking-notes" not in holds:
                    yield Loss(name, "key", "lost", body.key)
        case ShortAnswer():
            pass
        case Essay():
            if body.rubric and not paper:
                kept = "marking-notes" in holds
                detail = "it is kept as notes for whoever marks" if kept else "a person marks, without it"
                yield Loss(name, "rubric", "changed" if kept else "lost", detail)
            if body.follow_ups:
                detail = f"{len(body.follow_ups)} further questions"
                kept = paper or "marking-notes" in holds
                yield Loss(name, "follow-ups", "changed" if kept else "lost", detail + (", with the answer" if kept else ""))


def _kept_or_lost(name: str, what: str, kept: bool, how: str, why: str) -> Iterator[Loss]:
    yield Loss(name, what, "changed" if kept else "lost", how if kept else why)
