"""What stands in words where a format has no field for it: units, and notes for whoever marks. Markdown."""

from quizapp.authoring.formats.question import Essay, Expression, Number, Question


def stem_with_unit(question: Question) -> str:
    """The question's text, with the unit as a line of its own."""
    body = question.body
    return f"{question.stem}\n\n*Unit: {body.unit}*" if isinstance(body, Number) and body.unit else question.stem


def marking_notes(body: Essay | Expression) -> str:
    """What earns points in an answer that a person marks; empty where nothing is known."""
    if isinstance(body, Expression):
        symbols = "\n".join(f"- `{name}`: {meaning}" for name, meaning in body.symbols)
        wrong = "\n".join(f"- `{value}`: {note}" for value, note in body.wrong)
        return f"Key: `{body.key}`\n\n{symbols}" + (f"\n\nKnown wrong answers:\n\n{wrong}" if wrong else "")
    lines = [f"- {entry.points} point{'s' if entry.points > 1 else ''}: {_line(entry.description)}" for entry in body.rubric]
    if body.follow_ups:
        lines += ["", "Questions to go on with:", "", *(f"- {_line(text)}" for text in body.follow_ups)]
    return "\n".join(filter(None, (body.model_answer, "\n".join(lines))))


def _line(text: str) -> str:
    return " ".join(text.split())
