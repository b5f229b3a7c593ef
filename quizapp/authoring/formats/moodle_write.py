"""Questions as Moodle XML; texts become HTML, which Moodle's editor shows as it will look.

Format: "Moodle XML format" (MoodleDocs).
"""

from collections.abc import Iterator
from fractions import Fraction

from quizapp.authoring.formats.markup import escape, to_html, to_html_line
from quizapp.authoring.formats.numeral import decimal
from quizapp.authoring.formats.question import Choose, Essay, Expression, Number, Question, Quiz, ShortAnswer
from quizapp.authoring.formats.tags import tags_of
from quizapp.authoring.formats.words import marking_notes

_TYPES = {Choose: "multichoice", Number: "numerical", ShortAnswer: "shortanswer", Essay: "essay", Expression: "essay"}


def write_moodle(quiz: Quiz) -> str:
    """The quiz as one Moodle XML file."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<quiz>"]
    for question in quiz.questions:
        lines += _question(question)
    return "\n".join((*lines, "</quiz>", ""))


def _question(question: Question) -> Iterator[str]:
    body = question.body
    yield f'<question type="{_TYPES[type(body)]}">'
    yield f"  <name><text>{escape(question.title or question.id)}</text></name>"
    yield _text("questiontext", question.stem)
    yield _text("generalfeedback", question.explanation or "")
    yield f"  <defaultgrade>{question.points}</defaultgrade>"
    yield "  <penalty>0</penalty>"
    yield "  <hidden>0</hidden>"
    yield f"  <idnumber>{escape(question.id)}</idnumber>"
    match body:
        case Choose():
            yield from _choose(body)
        case Number():
            yield from _number(body)
        case ShortAnswer():
            yield "  <usecase>0</usecase>"
            yield from (_answer(100, escape(text), "plain_text", None) for text in body.accepted)
        case Essay() | Expression():
            yield "  <responseformat>editor</responseformat>"
            yield "  <responserequired>1</responserequired>"
            yield "  <responsefieldlines>15</responsefieldlines>"
            yield "  <attachments>0</attachments>"
            yield _text("graderinfo", marking_notes(body))
            yield '  <responsetemplate format="html"><text></text></responsetemplate>'
    if question.hint:
        yield _text("hint", question.hint)
    if tags := tags_of(question):
        yield "  <tags>" + "".join(f"<tag><text>{escape(tag)}</text></tag>" for tag in tags) + "</tags>"
    yield "</question>"


def _choose(body: Choose) -> Iterator[str]:
    several = len(body.keys) > 1
    yield f"  <single>{'false' if several else 'true'}</single>"
    yield f"  <shuffleanswers>{'true' if body.shuffle else 'false'}</shuffleanswers>"
    yield "  <answernumbering>ABCD</answernumbering>"
    share = float(Fraction(100, len(body.keys)))
    for option in body.options:
        earned = share if option.key else -share if several else 0
        yield _answer(earned, _cdata(to_html_line(option.text)), "html", option.note)


def _number(body: Number) -> Iterator[str]:
    width = f"    <tolerance>{decimal(body.tolerance)}</tolerance>"
    yield _answer(100, decimal(body.key), "moodle_auto_format", None, width)
    for wrong in body.wrong:
        yield _answer(0, decimal(wrong.value), "moodle_auto_format", wrong.note, width)
    if body.unit:
        yield f"  <units><unit><multiplier>1</multiplier><unit_name>{escape(body.unit)}</unit_name></unit></units>"
    # Type 0: the unit is not graded; 3 shows no field for one.
    yield "  <unitgradingtype>0</unitgradingtype>"
    yield "  <unitpenalty>0</unitpenalty>"
    yield f"  <showunits>{0 if body.unit else 3}</showunits>"
    yield "  <unitsleft>0</unitsleft>"


def _answer(share: float, text: str, format: str, note: str | None, extra: str = "") -> str:
    lines = [f'  <answer fraction="{share:.7g}" format="{format}">', f"    <text>{text}</text>"]
    lines += [extra] if extra else []
    lines.append(f'    <feedback format="html"><text>{_cdata(to_html(note)) if note else ""}</text></feedback>')
    return "\n".join((*lines, "  </answer>"))


def _text(tag: str, text: str) -> str:
    inner = _cdata(to_html(text)) if text else ""
    return f'  <{tag} format="html">\n    <text>{inner}</text>\n  </{tag}>'


def _cdata(text: str) -> str:
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"
