"""Anki's "Notes in Plain Text": cards become questions to be answered in words.

Format: "Text files" (Anki manual): optional ``#key:value`` lines, then rows parted by tabs. The first field of a note that isn't a
deck, type, tag or guid is its front, the second its back.
"""

import re
from collections.abc import Mapping, Sequence

from quizapp.authoring.formats.anki_package import FIELDS, NOTE_TYPE
from quizapp.authoring.formats.intake import Intake
from quizapp.authoring.formats.markup import TooMuch, from_html, from_plain
from quizapp.authoring.formats.question import Body, Essay, Question, ShortAnswer
from quizapp.authoring.formats.source import Source
from quizapp.authoring.formats.table import rows
from quizapp.authoring.formats.tags import read_tags

_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|", "colon": ":"}
_HEADER = re.compile(r"#([a-z ]+):(.*)", re.I)
_CLOZE = re.compile(r"\{\{c(\d+)::((?:(?!\}\}|\{\{|::).)*)(?:::((?:(?!\}\}|\{\{).)*))?\}\}", re.S)
_SOUND = re.compile(r"\[sound:([^\[\]]*)\]")
SHORT_WORDS, SHORT_CHARACTERS = 3, 40
"""A back of at most these is typed as it stands; a longer one is told in words."""


def read_anki(source: Source) -> Intake:
    """Every note that can be read; what can't is in the troubles."""
    intake = Intake(source.name)
    headers, first = _headers(source.text)
    named = headers.get("separator", "tab").strip()
    separator = _SEPARATORS.get(named.lower(), named if len(named) == 1 else "\t")
    special = {_number(value): key.removesuffix(" column") for key, value in headers.items() if key.endswith(" column")}
    html = headers.get("html", "").strip().lower()
    for row in rows(source.text, separator, first):
        if row.fields is None:
            intake.fail(row.line, row.column, "a quote that isn't closed", 'write "" for a quote in a field that stands in quotes')
            continue
        fields = [field for number, field in enumerate(row.fields, 1) if number not in special]
        of = {key: row.fields[number - 1] for number, key in special.items() if 0 < number <= len(row.fields)}
        try:
            _Note(intake, row.line, html != "false" and (html == "true" or "<" in "".join(fields))).read(fields, of, headers)
        except TooMuch as error:
            intake.fail(row.line, 1, str(error), "write it in fewer words, with less markup")
    return intake


def is_anki(text: str) -> bool:
    """Whether a text begins as Anki's export does."""
    return re.match(r"#(separator|html|notetype|deck|columns|guid|tags)\b[a-z ]*:", text, re.I) is not None


def _headers(text: str) -> tuple[dict[str, str], int]:
    """The ``#key:value`` lines, and the first line after them."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        match = _HEADER.fullmatch(line)
        if match is None:
            return found, number
        found[match[1].strip().lower()] = match[2]
    return found, text.count("\n") + 2


def _number(text: str) -> int:
    return int(text) if text.strip().isdecimal() else 0


class _Note:
    """One note on its way."""

    def __init__(self, intake: Intake, line: int, html: bool) -> None:
        self.intake, self.line, self.html = intake, line, html
        self.id = ""

    def read(self, fields: Sequence[str], of: Mapping[str, str], headers: Mapping[str, str]) -> None:
        if not fields or not fields[0].strip():
            self.intake.fail(self.line, 1, "a note without a front", "write what is asked in its first field")
            return
        ours = of.get("notetype", headers.get("notetype", "")) == NOTE_TYPE and len(fields) == len(FIELDS)
        wanted = fields[-1] if ours else re.sub(r"<[^<>]*>", " ", _CLOZE.sub(r"\2", fields[0]))[:40]
        fields = fields[:-1] if ours else fields
        front, back = fields[0], fields[1] if len(fields) > 1 else ""
        self.id = self.intake.name(wanted)
        extra = [text for text in (self.text(field) for field in fields[2:]) if text]
        deck = of.get("deck", headers.get("deck", "")).rsplit("::", 1)[-1]
        tags, difficulty = read_tags(f"{of.get('tags', '')} {headers.get('tags', '')}".split())
        topics = tags or tuple(name for name in read_tags((deck,))[0] if name != "default")
        stem, body = self.cloze(front) if _CLOZE.search(front) else (self.text(front), self.answer(back))
        if body is None:
            self.intake.fail(self.line, 1, "a note without a back", "write the answer in its second field")
            return
        parts = [self.text(back), *extra] if back.strip() else extra
        explanation = "\n\n".join(filter(None, parts)) or None
        self.intake.add(
            Question(self.id, stem, body, explanation=explanation, topics=topics, difficulty=difficulty, line=self.line)
        )

    def text(self, raw: str) -> str:
        """A field as Markdown."""
        for sound in _SOUND.findall(raw):
            self.intake.lose(self.id, "file", "lost", sound)
        raw = _SOUND.sub("", raw)
        if not self.html:
            return from_plain(raw)
        found, gone = from_html(raw)
        for element in gone:
            self.intake.lose(self.id, "markup", "lost", f"<{element}>")
        return found

    def answer(self, back: str) -> Body | None:
        text = self.text(back)
        if not text:
            return None
        plain = re.sub(r"\\(.)", r"\1", text)
        if len(plain.split()) <= SHORT_WORDS and len(plain) <= SHORT_CHARACTERS and not re.search(r"[\n`*_\[<]", plain):
            return ShortAnswer((plain,))
        self.intake.lose(self.id, "marking", "changed", "a card that its owner marks becomes a written answer; fill in its rubric")
        return Essay(model_answer=text)

    def cloze(self, front: str) -> tuple[str, Body]:
        """A cloze deletion: its text with gaps, and what belongs into them."""
        hidden = [" ".join(self.text(match[2]).split()) for match in _CLOZE.finditer(front)]
        stem = self.text(_CLOZE.sub(lambda match: f"[{match[3] or '...'}]", front)).replace("\\[", "[").replace("\\]", "]")
        if len(set(hidden)) == 1:
            return stem, ShortAnswer((re.sub(r"\\(.)", r"\1", hidden[0]),))
        self.intake.lose(self.id, "cloze", "changed", f"{len(hidden)} gaps become one written answer")
        return stem, Essay(model_answer="; ".join(hidden))
