"""The answer's side of a question, for a person who compares: the key, and everything that no machine marks. Markdown."""

from quizapp.authoring.formats.numeral import decimal
from quizapp.authoring.formats.question import Choose, Essay, Expression, Number, Question, ShortAnswer
from quizapp.authoring.formats.words import marking_notes

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def answer_side(question: Question) -> str:
    """The right answer, what is said to wrong ones, the rubric and the hint; not the explanation."""
    pieces = [_answer(question)]
    if question.hint:
        pieces.append(f"Hint: {question.hint}")
    return "\n\n".join(filter(None, pieces))


def _answer(question: Question) -> str:
    match question.body:
        case Choose() as body:
            lettered = list(zip(LETTERS, body.options, strict=False))
            right = "\n\n".join(f"**{letter}**: {option.text}" for letter, option in lettered if option.key)
            notes = [f"- **{letter}**: {_line(option.note)}" for letter, option in lettered if option.note]
            return right + ("\n\n" + "\n".join(notes) if notes else "")
        case Number() as body:
            unit = f" {body.unit}" if body.unit else ""
            exact = f" ({decimal(body.key)})" if body.key.denominator != 1 and decimal(body.key) != str(body.key) else ""
            shown = str(body.key) if exact else decimal(body.key)
            notes = [f"- {decimal(wrong.value)}: {_line(wrong.note)}" for wrong in body.wrong]
            lines = f"**{shown}**{exact}{unit}, give or take {float(body.tolerance):.3g} for decimals"
            return lines + ("\n\n" + "\n".join(notes) if notes else "")
        case ShortAnswer() as body:
            return " or ".join(f"**{text}**" for text in body.accepted)
        case Essay() | Expression() as body:
            return marking_notes(body)


def _line(text: str) -> str:
    return " ".join(text.split())
