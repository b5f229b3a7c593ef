"""Questions as a QTI 1.2 content package, in the form that Canvas takes (Classic Quizzes, and New Quizzes through their importer).

A zip of three files: ``imsmanifest.xml``, the assessment, and Canvas's settings of the quiz. Every id comes from the bank's and
the questions' ids, so that the same questions always give the same bytes.

Formats: IMS QTI 1.2.1 (ASI binding), IMS content packaging 1.1.3, and what Canvas itself exports.
"""

import io
import zipfile
from collections.abc import Iterator
from hashlib import sha256

from quizapp.authoring.formats.markup import escape, to_html, to_html_line
from quizapp.authoring.formats.numeral import decimal
from quizapp.authoring.formats.question import Choose, Number, Question, Quiz, ShortAnswer
from quizapp.authoring.formats.words import stem_with_unit

_QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
_PACKAGE = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"
_METADATA = "http://www.imsglobal.org/xsd/imsmd_v1p2"
_CANVAS = "http://canvas.instructure.com/xsd/cccv1p0"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def write_qti(quiz: Quiz) -> bytes:
    """The quiz as one zip."""
    name, meta = _id(quiz.id), _id(quiz.id, "meta")
    files = {
        "imsmanifest.xml": _manifest(quiz, name, meta),
        f"{name}/{name}.xml": _assessment(quiz, name),
        f"{name}/assessment_meta.xml": _meta(quiz, name),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path, _EPOCH), text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def question_type(question: Question) -> str:
    """Canvas's name for the kind of a question."""
    match question.body:
        case Choose() as body:
            return "multiple_answers_question" if len(body.keys) > 1 else "multiple_choice_question"
        case Number():
            return "numerical_question"
        case ShortAnswer():
            return "short_answer_question"
        case _:
            return "essay_question"


def _id(*words: str) -> str:
    """An identifier made of words, the same for ever; a letter comes first, as XML wants it."""
    return "q" + sha256("\0".join(words).encode()).hexdigest()[:32]


def _number(*words: str) -> str:
    """An identifier for an answer: Canvas wants whole numbers."""
    return str(int(sha256("\0".join(words).encode()).hexdigest()[:8], 16) % 900_000 + 100_000)


def _manifest(quiz: Quiz, name: str, meta: str) -> str:
    lines = [
        _HEAD,
        f'<manifest identifier="{_id(quiz.id, "manifest")}" xmlns="{_PACKAGE}" xmlns:imsmd="{_METADATA}" xmlns:xsi="{_XSI}">',
        "  <metadata>",
        "    <schema>IMS Content</schema>",
        "    <schemaversion>1.1.3</schemaversion>",
        f"    <imsmd:lom><imsmd:general><imsmd:title><imsmd:string>{escape(quiz.title)}</imsmd:string></imsmd:title>"
        "</imsmd:general></imsmd:lom>",
        "  </metadata>",
        "  <organizations/>",
        "  <resources>",
        f'    <resource identifier="{name}" type="imsqti_xmlv1p2">',
        f'      <file href="{name}/{name}.xml"/>',
        f'      <dependency identifierref="{meta}"/>',
        "    </resource>",
        f'    <resource identifier="{meta}" type="associatedcontent/imscc_xmlv1p1/learning-application-resource"'
        f' href="{name}/assessment_meta.xml">',
        f'      <file href="{name}/assessment_meta.xml"/>',
        "    </resource>",
        "  </resources>",
        "</manifest>",
        "",
    ]
    return "\n".join(lines)


def _meta(quiz: Quiz, name: str) -> str:
    points = sum(question.points for question in quiz.questions)
    shuffle = all(question.body.shuffle for question in quiz.questions if isinstance(question.body, Choose))
    lines = [
        _HEAD,
        f'<quiz identifier="{name}" xmlns="{_CANVAS}" xmlns:xsi="{_XSI}">',
        f"  <title>{escape(quiz.title)}</title>",
        f"  <description>{escape(to_html(quiz.description))}</description>",
        # Canvas shuffles all questions of a quiz or none.
        f"  <shuffle_answers>{'true' if shuffle else 'false'}</shuffle_answers>",
        "  <scoring_policy>keep_highest</scoring_policy>",
        "  <quiz_type>assignment</quiz_type>",
        f"  <points_possible>{points}.0</points_possible>",
        "  <show_correct_answers>true</show_correct_answers>",
        "  <allowed_attempts>1</allowed_attempts>",
        "  <one_question_at_a_time>false</one_question_at_a_time>",
        "  <available>false</available>",
        "</quiz>",
        "",
    ]
    return "\n".join(lines)


def _assessment(quiz: Quiz, name: str) -> str:
    lines = [
        _HEAD,
        f'<questestinterop xmlns="{_QTI}" xmlns:xsi="{_XSI}" xsi:schemaLocation="{_QTI} {_QTI}p1.xsd">',
        f'  <assessment ident="{name}" title="{escape(quiz.title)}">',
        "    <qtimetadata>",
        *_field("qmd_assessmenttype", "Assessment", 6),
        *_field("cc_maxattempts", "1", 6),
        "    </qtimetadata>",
        '    <section ident="root_section">',
    ]
    for question in quiz.questions:
        lines += (f"      {line}" for line in _item(quiz, question))
    return "\n".join((*lines, "    </section>", "  </assessment>", "</questestinterop>", ""))


def _field(label: str, entry: str, indent: int) -> Iterator[str]:
    space = " " * indent
    yield f"{space}<qtimetadatafield>"
    yield f"{space}  <fieldlabel>{label}</fieldlabel>"
    yield f"{space}  <fieldentry>{escape(entry)}</fieldentry>"
    yield f"{space}</qtimetadatafield>"


def _item(quiz: Quiz, question: Question) -> Iterator[str]:
    answers = _answers(quiz, question)
    yield f'<item ident="{_id(quiz.id, question.id)}" title="{escape(question.title or question.id)}">'
    yield "  <itemmetadata>"
    yield "    <qtimetadata>"
    yield from _field("question_type", question_type(question), 6)
    yield from _field("points_possible", str(question.points), 6)
    yield from _field("original_answer_ids", ",".join(answers), 6)
    yield from _field("assessment_question_identifierref", _id(quiz.id, question.id, "question"), 6)
    yield "    </qtimetadata>"
    yield "  </itemmetadata>"
    yield "  <presentation>"
    yield from _material(to_html(stem_with_unit(question)), 4)
    yield from _response(question, answers)
    yield "  </presentation>"
    yield "  <resprocessing>"
    yield "    <outcomes>"
    yield '      <decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/>'
    yield "    </outcomes>"
    if question.explanation:
        yield from _condition(["<other/>"], shows="general_fb")
    yield from _conditions(question, answers)
    yield "  </resprocessing>"
    if question.explanation:
        yield from _feedback("general_fb", question.explanation)
    if isinstance(question.body, Choose):
        for ident, option in zip(answers, question.body.options, strict=True):
            if option.note:
                yield from _feedback(f"{ident}_fb", option.note)
    yield "</item>"


def _answers(quiz: Quiz, question: Question) -> list[str]:
    """Identifiers of a question's options or accepted words, no two alike."""
    match question.body:
        case Choose() as body:
            texts = [option.text for option in body.options]
        case ShortAnswer() as short:
            texts = list(short.accepted)
        case _:
            return []
    found: list[str] = []
    for place, text in enumerate(texts):
        ident = _number(quiz.id, question.id, text)
        while ident in found:
            ident = _number(quiz.id, question.id, text, str(place), ident)
        found.append(ident)
    return found


def _response(question: Question, answers: list[str]) -> Iterator[str]:
    match question.body:
        case Choose() as body:
            yield f'    <response_lid ident="response1" rcardinality="{"Multiple" if len(body.keys) > 1 else "Single"}">'
            yield "      <render_choice>"
            for ident, option in zip(answers, body.options, strict=True):
                yield f'        <response_label ident="{ident}">'
                yield from _material(to_html_line(option.text), 10)
                yield "        </response_label>"
            yield "      </render_choice>"
            yield "    </response_lid>"
        case body:
            decimal_only = ' fibtype="Decimal"' if isinstance(body, Number) else ""
            yield '    <response_str ident="response1" rcardinality="Single">'
            yield f"      <render_fib{decimal_only}>"
            yield '        <response_label ident="answer1" rshuffle="No"/>'
            yield "      </render_fib>"
            yield "    </response_str>"


def _conditions(question: Question, answers: list[str]) -> Iterator[str]:
    match question.body:
        case Choose() as body:
            for ident, option in zip(answers, body.options, strict=True):
                if option.note:
                    yield from _condition([_equal(ident)], shows=f"{ident}_fb")
            right = [ident for ident, option in zip(answers, body.options, strict=True) if option.key]
            if len(right) == 1:
                yield from _condition([_equal(right[0])], scores=True)
            else:
                each = [_equal(ident) if ident in right else f"<not>{_equal(ident)}</not>" for ident in answers]
                yield from _condition(["<and>", *(f"  {line}" for line in each), "</and>"], scores=True)
        case Number() as body:
            low, high = (decimal(body.key + sign * body.tolerance) for sign in (-1, 1))
            lines = ["<or>", f"  {_equal(decimal(body.key))}", "  <and>"]
            lines += [f'    <vargte respident="response1">{low}</vargte>', f'    <varlte respident="response1">{high}</varlte>']
            yield from _condition([*lines, "  </and>", "</or>"], scores=True)
        case ShortAnswer() as body:
            yield from _condition([_equal(escape(text)) for text in body.accepted], scores=True)
        case _:
            yield from _condition(["<other/>"])


def _equal(text: str) -> str:
    return f'<varequal respident="response1">{text}</varequal>'


def _condition(tests: list[str], *, scores: bool = False, shows: str = "") -> Iterator[str]:
    yield f'    <respcondition continue="{"Yes" if shows else "No"}">'
    yield "      <conditionvar>"
    yield from (f"        {test}" for test in tests)
    yield "      </conditionvar>"
    if scores:
        yield '      <setvar action="Set" varname="SCORE">100</setvar>'
    if shows:
        yield f'      <displayfeedback feedbacktype="Response" linkrefid="{shows}"/>'
    yield "    </respcondition>"


def _material(html: str, indent: int) -> Iterator[str]:
    space = " " * indent
    yield f"{space}<material>"
    yield f'{space}  <mattext texttype="text/html">{escape(html)}</mattext>'
    yield f"{space}</material>"


def _feedback(ident: str, text: str) -> Iterator[str]:
    yield f'  <itemfeedback ident="{ident}">'
    yield "    <flow_mat>"
    yield from _material(to_html(text), 6)
    yield "    </flow_mat>"
    yield "  </itemfeedback>"
