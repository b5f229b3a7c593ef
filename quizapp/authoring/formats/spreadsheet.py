"""CSV: a row for each question, with a row of names above. Cells are Markdown.

Columns (any order, capitals and spaces don't count; only ``question`` is needed): ``question``, ``a`` to ``z`` for the options,
``answer``, ``tolerance``, ``unit``, ``explanation``, ``points``, ``hint``, ``topics``, ``difficulty``, ``title``, ``id``, ``kind``.
"""

import csv
import io
import re
from collections.abc import Mapping
from fractions import Fraction

from quizapp.authoring.formats.intake import Intake
from quizapp.authoring.formats.markup import TooMuch, without_slots
from quizapp.authoring.formats.numeral import decimal, read_number
from quizapp.authoring.formats.question import Body, Choose, Essay, Number, Option, Question, Quiz, ShortAnswer
from quizapp.authoring.formats.source import Source
from quizapp.authoring.formats.table import rows
from quizapp.authoring.formats.tags import LEVEL, read_tags

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_NAMES: Mapping[str, str] = {
    **{name: name for name in ("question", "answer", "tolerance", "unit", "explanation", "points", "hint", "topics", "difficulty")},
    **{name: name for name in ("title", "id", "kind")},
    **dict.fromkeys(("stem", "text", "questiontext", "prompt"), "question"),
    **dict.fromkeys(("key", "correct", "correctanswer", "rightanswer", "answers"), "answer"),
    **dict.fromkeys(("feedback", "generalfeedback", "rationale", "comment"), "explanation"),
    **dict.fromkeys(("tags", "topic", "category"), "topics"),
    **dict.fromkeys(("level",), "difficulty"),
    **dict.fromkeys(("name", "questiontitle"), "title"),
    **dict.fromkeys(("type", "questiontype"), "kind"),
    **dict.fromkeys(("mark", "marks", "grade", "score"), "points"),
}
_OPTION = re.compile(r"(?:option|choice|answer)?([a-z]|[1-9]|1[0-9]|2[0-6])")
_KINDS = ("choice", "number", "short", "essay")
_ALTERNATIVE = "|"


class _Refused(Exception):
    """A row that can't be read: what is wrong, the mend."""


def read_csv(source: Source) -> Intake:
    """Every question that can be read; what can't is in the troubles."""
    intake = Intake(source.name)
    start = next((number for number, line in enumerate(source.text.split("\n"), 1) if line.strip()), 1)
    separator = _separator(source.text)
    columns: list[str] | None = None
    for row in rows(source.text, separator, start):
        if row.fields is None:
            intake.fail(
                row.line, row.column, "a quote that isn't closed, or a cell that is too long", 'write "" for a quote in a cell'
            )
        elif columns is None:
            columns = [_column(name) for name in row.fields]
            for name, column in zip(row.fields, columns, strict=True):
                if not column and name.strip():
                    intake.lose(None, "column", "lost", f"{name.strip()!r} is no column that is known")
            if "question" not in columns:
                mend = "name the columns in the first row: question, a, b, c, answer, explanation"
                intake.fail(row.line, 1, "no column `question` in the first row", mend)
                return intake
        elif len(row.fields) > len(columns):
            message = f"{len(row.fields)} cells in a table of {len(columns)} columns"
            intake.fail(row.line, 1, message, f"put a cell that holds {separator!r} in quotes")
        else:
            cells: dict[str, str] = {}
            try:
                for name, cell in zip(columns, row.fields, strict=False):
                    if name and cell.strip():
                        cells.setdefault(name, without_slots(cell.strip()))
                if cells:
                    _Row(intake, cells, row.line).read()
            except _Refused as refusal:
                intake.fail(row.line, 1, *refusal.args)
            except TooMuch as error:
                intake.fail(row.line, 1, str(error), "write it in fewer words")
    return intake


def _separator(text: str) -> str:
    head = next((line for line in text.split("\n") if line.strip()), "")
    return max(",;\t", key=head.count)


def _column(name: str) -> str:
    """The column that a name means: a known one, an option's letter, or none."""
    plain = re.sub(r"[\s_.-]", "", name).lower()
    if plain in _NAMES:
        return _NAMES[plain]
    option = _OPTION.fullmatch(plain)
    if option is None:
        return ""
    return option[1] if option[1].isalpha() else _LETTERS[int(option[1]) - 1]


class _Row:
    """One question's cells, by column."""

    def __init__(self, intake: Intake, cells: Mapping[str, str], line: int) -> None:
        self.intake, self.cells, self.line = intake, cells, line

    def read(self) -> None:
        intake, cells = self.intake, self.cells
        name = intake.name(cells.get("id") or cells.get("title") or cells.get("question", "")[:40])
        body = self.body(name)
        points = read_number(cells["points"]) if "points" in cells else None
        if "points" in cells and points is None:
            raise _Refused(f"points that are no number ({cells['points'][:20]!r})", "write a whole number")
        topics, _ = read_tags(re.split(r"[,;\s]+", cells.get("topics", "")))
        difficulty = None
        if "difficulty" in cells:
            _, difficulty = read_tags((LEVEL + cells["difficulty"],))
            if difficulty is None:
                intake.lose(name, "difficulty", "lost", f"{cells['difficulty'][:20]!r} is not 1 to 5")
        question = Question(
            id=name,
            stem=cells.get("question", ""),
            body=body,
            title=cells.get("title"),
            explanation=cells.get("explanation"),
            points=intake.points(name, points),
            hint=cells.get("hint"),
            topics=topics,
            difficulty=difficulty,
            line=self.line,
        )
        intake.add(question)

    def body(self, name: str) -> Body:
        """How it is answered."""
        options = [(letter, self.cells[letter]) for letter in _LETTERS if letter in self.cells]
        answer = self.cells.get("answer", "")
        kind = self.cells.get("kind", "").lower()
        if kind and kind not in _KINDS:
            self.intake.lose(name, "kind", "lost", f"{kind[:20]!r} is none of {', '.join(_KINDS)}")
            kind = ""
        if options and kind in ("", "choice"):
            return self.choose(options, answer)
        number = read_number(answer)
        if number is not None and kind in ("", "number"):
            return self.number(number)
        if kind == "number":
            raise _Refused(f"the answer {answer[:40]!r} is no number", "write it with a decimal point")
        if kind == "essay" or not answer:
            return Essay(model_answer=answer or None)
        return ShortAnswer(tuple(filter(None, (" ".join(text.split()) for text in answer.split(_ALTERNATIVE)))))

    def choose(self, options: list[tuple[str, str]], answer: str) -> Choose:
        keys = self.named(options, answer) if answer else []
        if not keys:
            what = f"the answer {answer[:40]!r} is none of the options" if answer else "a choice without an answer"
            raise _Refused(what, "write the letter of the right option, or several: A, C")
        return Choose(tuple(Option(text, letter in keys) for letter, text in options))

    def named(self, options: list[tuple[str, str]], answer: str) -> list[str]:
        """The letters of the options that an answer names: by text, by letters, by places; none where one names nothing."""
        known = {letter for letter, _ in options}
        whole = [letter for letter, text in options if text == answer]
        if whole:
            return whole
        pieces = [piece for piece in re.split(r"[,;\s]+", answer.lower()) if piece]
        places = [_LETTERS[int(piece) - 1] if piece.isdecimal() and 1 <= int(piece) <= 26 else piece for piece in pieces]
        return places if all(place in known for place in places) else []

    def number(self, key: Fraction) -> Number:
        width = read_number(self.cells["tolerance"]) if "tolerance" in self.cells else Fraction(0)
        if width is None or width < 0:
            raise _Refused(f"a tolerance that is no number ({self.cells['tolerance'][:20]!r})", "write it with a decimal point")
        return Number(key, width, self.cells.get("unit"))


def write_csv(quiz: Quiz) -> str:
    """The quiz as CSV with all columns, as many options as the longest choice has."""
    most = max((len(question.body.options) for question in quiz.questions if isinstance(question.body, Choose)), default=0)
    letters = _LETTERS[:most]
    first = ("id", "title", "kind", "question", *letters, "answer", "tolerance", "unit")
    columns = (*first, "explanation", "points", "hint", "topics", "difficulty")
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for question in quiz.questions:
        writer.writerow(
            {
                "id": question.id,
                "title": question.title or "",
                "question": question.stem,
                "explanation": question.explanation or "",
                "points": question.points,
                "hint": question.hint or "",
                "topics": ", ".join(question.topics),
                "difficulty": question.difficulty or "",
                **_cells(question.body),
            }
        )
    return out.getvalue()


def _cells(body: Body) -> dict[str, str]:
    match body:
        case Choose(options=options):
            cells = {letter: option.text for letter, option in zip(_LETTERS, options, strict=False)}
            keys = [letter.upper() for letter, option in zip(_LETTERS, options, strict=False) if option.key]
            return {"kind": "choice", "answer": ", ".join(keys), **cells}
        case Number():
            return {"kind": "number", "answer": decimal(body.key), "tolerance": decimal(body.tolerance), "unit": body.unit or ""}
        case ShortAnswer():
            return {"kind": "short", "answer": f" {_ALTERNATIVE} ".join(body.accepted)}
        case _:
            return {"kind": "essay"}
