"""A quiz to print: the questions on one sheet, the answers on another, as Markdown or as HTML that needs nothing else."""

from collections.abc import Iterator

from quizapp.authoring.formats.answers import LETTERS, answer_side
from quizapp.authoring.formats.markup import escape, to_html, to_html_line
from quizapp.authoring.formats.question import Choose, Essay, Expression, Number, Question, Quiz

_LINES = {1: 4, 2: 6, 3: 8}
"""Points -> lines left for a written answer; more points get :data:`_MOST_LINES`."""
_MOST_LINES = 12
_GAP = "\\_" * 20
"""A line to write on: underlines that Markdown takes for no rule."""

_STYLE = """
body { font: 12pt/1.45 serif; max-width: 42em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.1em; margin: 1.6em 0 0.4em; }
code, pre { font: 0.9em/1.4 monospace; } pre { white-space: pre-wrap; border-left: 2px solid #999; padding-left: 0.8em; }
ol.options { list-style: upper-alpha; } ol.options li { margin: 0.3em 0; } ol.options p { margin: 0; }
table { border-collapse: collapse; } td, th { border: 1px solid #999; padding: 0.2em 0.6em; }
.line { border-bottom: 1px solid #999; height: 1.9em; } .points { color: #444; } section { break-inside: avoid; }
@media print { body { margin: 0; max-width: none; } a { color: inherit; } }
""".strip()


def write_markdown(quiz: Quiz) -> tuple[str, str]:
    """The questions and the answers, each a Markdown file."""
    asked = [f"# {quiz.title}", f"Name: {_GAP} Date: {_GAP}"]
    told = [f"# {quiz.title}: answers"]
    for number, question in enumerate(quiz.questions, 1):
        heading = f"## {number}. {question.title or _points(question)}"
        asked += [heading, *_asked(question)]
        told += [heading, answer_side(question)]
        told += [question.explanation] if question.explanation else []
    return "\n\n".join(asked) + "\n", "\n\n".join(told) + "\n"


def _asked(question: Question) -> Iterator[str]:
    if question.title:
        yield f"*{_points(question)}*"
    yield question.stem
    match question.body:
        case Choose() as body:
            if len(body.keys) > 1:
                yield "Choose all that are right."
            # Loose items, as an option may itself be a list or a block of code; letters, as the answers name them.
            for letter, option in zip(LETTERS, body.options, strict=False):
                yield f"- **{letter}**  " + option.text.replace("\n", "\n  ")
        case Number(unit=unit):
            yield f"Answer: {_GAP}" + (f" {unit}" if unit else "")
        case Expression(symbols=symbols):
            yield "\n".join(f"- `{name}`: {meaning}" for name, meaning in symbols)
            yield f"Answer: {_GAP}"
        case Essay():
            yield "\n\n".join([_GAP * 2] * _lines(question))
        case _:
            yield f"Answer: {_GAP}"


def _asked_html(question: Question) -> str:
    pieces = [f'<p class="points">{_points(question)}</p>' if question.title else "", to_html(question.stem)]
    match question.body:
        case Choose() as body:
            pieces.append("<p>Choose all that are right.</p>" if len(body.keys) > 1 else "")
            options = "\n".join(f"<li>{to_html_line(option.text)}</li>" for option in body.options)
            pieces.append(f'<ol class="options">\n{options}\n</ol>')
        case Number(unit=unit):
            pieces.append(f"<p>Answer: {'_' * 24}{f' {escape(unit)}' if unit else ''}</p>")
        case Expression(symbols=symbols):
            meanings = (f"<li><code>{escape(name)}</code>: {to_html_line(meaning)}</li>" for name, meaning in symbols)
            pieces.append("<ul>" + "".join(meanings) + f"</ul>\n<p>Answer: {'_' * 40}</p>")
        case Essay():
            pieces.append('<div class="line"></div>\n' * _lines(question))
        case _:
            pieces.append(f"<p>Answer: {'_' * 40}</p>")
    return "\n".join(filter(None, pieces))


def _heading_html(number: int, question: Question) -> str:
    return f"{number}. {to_html_line(question.title or _points(question))}"


def _points(question: Question) -> str:
    return f"{question.points} point{'s' if question.points > 1 else ''}"


def _lines(question: Question) -> int:
    return _LINES.get(question.points, _MOST_LINES)


def write_html(quiz: Quiz) -> tuple[str, str]:
    """The questions and the answers, each an HTML file with its style inside, no script, and nothing loaded from elsewhere."""
    asked, told = [], []
    for number, question in enumerate(quiz.questions, 1):
        asked.append(f"<section>\n<h2>{_heading_html(number, question)}</h2>\n{_asked_html(question)}\n</section>")
        answer = to_html(answer_side(question)) + "\n" + to_html(question.explanation or "")
        told.append(f"<section>\n<h2>{_heading_html(number, question)}</h2>\n{answer}\n</section>")
    name = '<p class="points">Name: ______________________________ &nbsp; Date: ______________</p>'
    return _page(quiz.title, [name, *asked]), _page(f"{quiz.title}: answers", told)


def _page(title: str, parts: list[str]) -> str:
    head = f'<meta charset="utf-8">\n<title>{escape(title)}</title>\n<style>\n{_STYLE}\n</style>'
    body = "\n".join((f"<h1>{escape(title)}</h1>", *parts))
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n'
