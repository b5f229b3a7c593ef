"""Questions as GIFT, Moodle's text format; texts stay Markdown, which Moodle renders itself (``[markdown]``).

Format: "GIFT format" (MoodleDocs). Ids and tags go into the comment before a question, as Moodle 3.8 and later read them.
"""

from collections.abc import Iterator
from fractions import Fraction

from quizapp.authoring.formats.numeral import decimal
from quizapp.authoring.formats.question import Choose, Number, Question, Quiz, ShortAnswer
from quizapp.authoring.formats.tags import tags_of
from quizapp.authoring.formats.words import stem_with_unit

_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\~=#{}:"})


def write_gift(quiz: Quiz) -> str:
    """The quiz as one GIFT file."""
    head = f"// {' '.join(quiz.title.split())}\n"
    return "\n".join((head, *(question_text(question) for question in quiz.questions)))


def question_text(question: Question) -> str:
    """One question, with the line break after it."""
    tags = "".join(f" [tag:{tag}]" for tag in tags_of(question))
    stem = stem_with_unit(question)
    lines = [
        f"// [id:{question.id}]{tags}",
        f"::{_signs(question.title or question.id)}::[markdown]{_signs(stem)}" + " {",
        *_answers(question),
    ]
    if question.explanation:
        lines.append(f"\t####{escaped(question.explanation)}")
    return "\n".join((*lines, "}", ""))


def escaped(text: str) -> str:
    """A text with GIFT's own signs made harmless, in one line."""
    # At the beginning, brackets could be taken for the name of a format, and a percentage for a weight.
    start = "[markdown]" if text.lstrip().startswith(("[", "%")) else ""
    return start + _signs(text)


def _signs(text: str) -> str:
    return "\\n".join(line.translate(_SPECIAL) for line in text.strip().split("\n"))


def _answers(question: Question) -> Iterator[str]:
    match question.body:
        case Choose() as body:
            several = len(body.keys) > 1
            share = f"{float(Fraction(100, len(body.keys))):.7g}"
            for option in body.options:
                sign = (f"~%{share}%" if option.key else f"~%-{share}%") if several else "=" if option.key else "~"
                yield f"\t{sign}{escaped(option.text)}{_note(option.note)}"
        case Number() as body:
            yield f"\t#={decimal(body.key)}:{decimal(body.tolerance)}"
            for wrong in body.wrong:
                yield f"\t=%0%{decimal(wrong.value)}:{decimal(body.tolerance)}{_note(wrong.note)}"
        case ShortAnswer() as body:
            yield from (f"\t={escaped(text)}" for text in body.accepted)
        case _:
            return


def _note(note: str | None) -> str:
    return f"#{escaped(note)}" if note else ""
