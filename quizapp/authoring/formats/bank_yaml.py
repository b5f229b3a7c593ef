"""Neutral questions as a bank's YAML, in the house style, with comments where an author has something to fill in.

Everything becomes an exercise with one part: a checkpoint must name the misconception behind each distractor, and no foreign
file has any. Not here: whether the written bank loads (``quizapp.authoring.formats.bring_in`` tries it).
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from quizapp.authoring.formats.numeral import formula
from quizapp.authoring.formats.question import Choose, Essay, Expression, Number, Question, ShortAnswer
from quizapp.authoring.formats.report import Gap
from quizapp.authoring.formats.short import pattern_of
from quizapp.authoring.written import PLACEHOLDER
from quizapp.bank.document import scalar
from quizapp.model.question import MAX_TOLERANCE
from quizapp.model.rubric import Criterion, Rubric

DIFFICULTY, TOPIC = 3, "imported"
LONGEST_LINE = 100
LONGEST_PHRASE = 400
FINEST = Fraction(1, 10**9)
"""A relative tolerance for numbers that had none."""

_PLAIN = re.compile(r"[A-Za-z(][^\n\t#:\"'\\{}\[\],&*!|>%@`]*")
_BREAKS = re.compile("[\x85\u2028\u2029\ufeff\ufffe\uffff\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Written:
    """A bank's text, the line at which each item begins, and what is left to fill in."""

    text: str
    lines: dict[str, int]
    gaps: tuple[Gap, ...]


def quoted(text: str) -> str:
    """A text as a YAML scalar in one line: as it stands where nothing in it means anything to YAML, else in double quotes."""
    plain = _PLAIN.fullmatch(text) and not _BREAKS.search(text) and text == text.strip() and len(text) <= LONGEST_LINE
    if plain and isinstance(scalar(text), str):
        return text
    return _BREAKS.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(text, ensure_ascii=False))


def block(key: str, text: str, indent: int) -> list[str]:
    """``key: text`` as lines: a literal block where the text is long or has several lines."""
    space = " " * indent
    text = text.strip()
    if _BREAKS.search(text) or ("\n" not in text and len(text) <= LONGEST_LINE):
        return [f"{space}{key}: {quoted(text)}"]
    if text[0] in " \t" or any(line != line.rstrip(" \t") and not line.strip() for line in text.split("\n")):
        return [f"{space}{key}: {quoted(text)}"]
    return [f"{space}{key}: |", *(f"{space}  {line}" if line else "" for line in text.split("\n"))]


def bank_yaml(id: str, title: str, description: str, questions: Sequence[Question]) -> Written:
    """The bank of some questions, whose ids are unique."""
    writer = _Writer()
    writer.add("# Imported. Comments that say 'fill in' mark what the other format had no place for.")
    writer.add(f"id: {quoted(id)}")
    writer.add(*block("title", title, 0))
    writer.add("version: 1")
    writer.add(*block("description", description, 0))
    writer.add("", "items:")
    for question in questions:
        writer.question(question)
    return Written("\n".join(writer.out) + "\n", writer.lines, tuple(writer.gaps))


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.lines: dict[str, int] = {}
        self.gaps: list[Gap] = []
        self.item = ""

    def add(self, *lines: str) -> None:
        self.out += lines

    def gap(self, what: str) -> None:
        """Something to fill in in the line that comes next."""
        self.gaps.append(Gap(self.item, len(self.out) + 1, what))

    def question(self, question: Question) -> None:
        self.item = question.id
        self.add("")
        self.lines[question.id] = len(self.out) + 1
        self.add("  - kind: exercise", f"    id: {quoted(question.id)}")
        if question.title:
            self.add(*block("title", question.title, 4))
        if not question.topics:
            self.gap("topics: what it is about")
        topics = ", ".join(quoted(topic) for topic in question.topics or (TOPIC,))
        self.add(f"    topics: [{topics}]" + ("" if question.topics else "  # fill in"))
        if question.difficulty is None:
            self.gap("difficulty: 1 to 5")
        self.add(f"    difficulty: {question.difficulty or DIFFICULTY}" + ("" if question.difficulty else "  # fill in: 1 to 5"))
        self.add(f"    points: {question.points}")
        self.add(*block("stem", question.stem, 4))
        self.add("    parts:")
        self.body(question)
        if question.hint:
            self.add(*block("hint", question.hint, 8))
        if not question.explanation:
            self.gap("explanation: why the key is right, and each other answer wrong")
            self.add("    # fill in: why this is right, and each other answer wrong")
        self.add(*block("explanation", question.explanation or f"The answer: {_answer(question)}", 4))

    def body(self, question: Question) -> None:
        body = question.body
        kinds = {Choose: "choice", Number: "numeric", Expression: "symbolic", ShortAnswer: "text", Essay: "text"}
        self.add(f"      - kind: {kinds[type(body)]}")
        if question.points != 1:
            self.add(f"        points: {question.points}")
        match body:
            case Choose():
                self.choices(body)
            case Number():
                self.number(body)
            case ShortAnswer():
                self.rubric(question.points, "Gives the answer asked for.", "regex", [pattern_of(text) for text in body.accepted])
            case Essay():
                self.essay(question, body)
            case Expression():
                raise ValueError("no foreign file has an expression")

    def choices(self, body: Choose) -> None:
        if not body.shuffle:
            self.add("        shuffle: false")
        if len(body.keys) < len(body.options):
            self.gap("misconception of each wrong choice; with them it can be a checkpoint")
            self.add("        # fill in: `misconception:` with an id of the registry below each wrong choice")
        self.add("        choices:")
        for letter, option in zip("abcdefghijklmnopqrstuvwxyz", body.options, strict=False):
            self.add(f"          - id: {letter}", *block("text", option.text, 12))
            if option.key:
                self.add("            key: true")
            if option.note:
                self.add(*block("note", option.note, 12))

    def number(self, body: Number) -> None:
        self.add(f"        key: {formula(body.key)}", f"        tolerance: {relative(body):.6g}")
        if body.unit:
            self.add(*block("unit", body.unit, 8))
        if body.wrong:
            self.gap("wrong numbers: the misconception behind each")
            self.add("        # fill in: the misconception behind each, then remove the signs of comment")
            self.add("        # wrong:")
            for wrong in body.wrong:
                self.add(f"        #   - {{value: {formula(wrong.value)}, misconception: '', note: {quoted(_line(wrong.note))}}}")

    def essay(self, question: Question, body: Essay) -> None:
        model = body.model_answer or question.explanation
        self.gap("rubric: what earns the points, and phrasings that say it")
        self.add("        # fill in: a criterion for each thing to say, with phrasings that earn its points")
        description = model or "Answers the question."
        self.rubric(question.points, description, "accept", [_phrase(question.stem, model or "", description)])

    def rubric(self, points: int, description: str, key: str, phrases: Sequence[str]) -> None:
        self.add("        rubric:", "          criteria:", "            - id: answer", f"              points: {points}")
        self.add(*block("description", description, 14))
        self.add(f"              {key}:", *(f"                - {quoted(phrase)}" for phrase in phrases))


def relative(body: Number) -> float:
    """The tolerance relative to the key's size, within what a bank takes."""
    return float(min(max(body.tolerance / (abs(body.key) or 1), FINEST), MAX_TOLERANCE))


def unfit(question: Question) -> Iterator[tuple[str, str]]:
    """What of a question a bank can't hold as it is: the word for the report, and what happens to it."""
    body = question.body
    if isinstance(body, Number):
        size = abs(body.key) or Fraction(1)
        if body.tolerance > MAX_TOLERANCE * size:
            most = f"{float(MAX_TOLERANCE * size):.6g}"
            yield "tolerance", f"{float(body.tolerance):.6g} is more than a fifth of the key; it becomes {most}"
        if body.key.denominator == 1 and body.tolerance >= 1:
            yield "tolerance", "an answer that is a whole number must equal the key; the tolerance holds for decimals alone"
        if body.wrong:
            yield "wrong-numbers", "wrong numbers must name misconceptions; they are kept as comments"


def _phrase(stem: str, model: str, description: str) -> str:
    """The longest beginning of a model answer that earns the points when it is given as an answer, or the placeholder."""
    from quizapp.scoring.text import score_text

    sentences = re.split(r"(?<=[.!?])\s+", _line(model))
    for count in range(len(sentences), 0, -1):
        phrase = " ".join(sentences[:count])
        if 0 < len(phrase) <= LONGEST_PHRASE:
            rubric = Rubric(criteria=(Criterion(id="answer", points=1, description=description, accept=(phrase,)),))
            if score_text(rubric, stem, phrase, {}).points == 1:
                return phrase
    return PLACEHOLDER


def _answer(question: Question) -> str:
    match question.body:
        case Choose() as body:
            return "; ".join(option.text for option in body.keys)
        case Number() as body:
            return formula(body.key)
        case ShortAnswer() as body:
            return ", ".join(body.accepted).replace("*", "\\*")
        case Essay() as body:
            return body.model_answer or "not given"
        case _:
            return "not given"


def _line(text: str) -> str:
    return " ".join(text.split())
