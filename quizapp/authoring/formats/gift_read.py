"""Moodle's text format GIFT, read as Moodle reads it, with the place of everything that can't be.

Format: "GIFT format" (MoodleDocs). Questions are parted by blank lines; a backslash takes a sign its meaning.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from quizapp.authoring.formats.intake import Intake, Share
from quizapp.authoring.formats.markup import TooMuch, from_html, from_plain, without_slots
from quizapp.authoring.formats.numeral import read_number
from quizapp.authoring.formats.question import Body, Essay, Number, Question, ShortAnswer
from quizapp.authoring.formats.source import Source
from quizapp.authoring.formats.tags import read_tags

_HIDDEN, _FILL = 0xF0000, "\U000fffff"
"""Signs after a backslash are moved to a private plane while the syntax is read; the fill keeps offsets as they were."""
_ESCAPE = re.compile(r"\\([\\~=#{}:n])")
_PRIVATE = re.compile("[\U000f0000-\U000fffff]")
_TAG = re.compile(r"\[(id|tag):([^\[\]]*)\]")
_FORMAT = re.compile(r"\s*\[(html|moodle|plain|markdown)\]", re.I)
_WEIGHT = re.compile(r"%(-?[0-9]{1,3}(?:\.[0-9]*)?)%")
_TRUE_FALSE = {"T": True, "TRUE": True, "F": False, "FALSE": False}


class _Refused(Exception):
    """A question that can't be read: offset in its block, what is wrong, the mend."""

    def __init__(self, offset: int, message: str, mend: str) -> None:
        super().__init__(message)
        self.args = (offset, message, mend)


@dataclass(frozen=True, slots=True)
class _Block:
    """One question's lines, comments blanked, escaped signs hidden."""

    text: str
    line: int
    """Of its first line, from 1."""
    name: str
    tags: tuple[str, ...]

    def place(self, offset: int) -> tuple[int, int]:
        before = self.text[:offset]
        return self.line + before.count("\n"), offset - (before.rfind("\n") + 1) + 1


@dataclass(frozen=True, slots=True)
class _Piece:
    """An answer as it stands between two signs."""

    offset: int
    sign: str
    """``=``, ``~``, or nothing."""
    text: str
    """Without weight and note."""
    weight: Fraction | None
    note: str | None


def read_gift(source: Source) -> Intake:
    """Every question that can be read; what can't is in the troubles."""
    intake = Intake(source.name)
    category: tuple[str, ...] = ()
    for block in _blocks(source.text):
        if block.text.lstrip().startswith("$CATEGORY:"):
            last = _plain(block.text).strip().removeprefix("$CATEGORY:").rsplit("/", 1)[-1]
            category = tuple(name for name in read_tags((last,))[0] if name not in ("top", "course"))
            continue
        reader = _Reader(intake, block, category)
        try:
            reader.read()
        except _Refused as refusal:
            offset, message, mend = refusal.args
            intake.fail(*block.place(offset), message, mend)
            intake.drop(reader.id)
        except TooMuch as error:
            intake.fail(*block.place(0), str(error), "write it in fewer words, with less markup")
            intake.drop(reader.id)
    return intake


def _blocks(text: str) -> Iterator[_Block]:
    lines = _PRIVATE.sub("\ufffd", text).split("\n")
    start: int | None = None
    for number, line in enumerate((*lines, ""), 1):
        if line.strip():
            start = number if start is None else start
        elif start is not None:
            yield from _block(lines[start - 1 : number - 1], start)
            start = None


def _block(lines: list[str], start: int) -> Iterator[_Block]:
    name, tags, kept = "", [], []
    for line in lines:
        comment = line.strip().startswith("//")
        kept.append(" " * len(line) if comment else line)
        for key, value in _TAG.findall(line) if comment else ():
            if key == "id":
                name = value.strip()
            else:
                tags.append(value.strip())
    text = _ESCAPE.sub(lambda match: chr(_HIDDEN + ord(match[1])) + _FILL, "\n".join(kept))
    if text.strip():
        yield _Block(text, start, name, tuple(tags))


def _plain(text: str) -> str:
    """The text with the hidden signs back in place, and no backslash before them."""
    if not _PRIVATE.search(text):
        return text
    text = text.replace(_FILL, "").replace(chr(_HIDDEN + ord("n")), "\n")
    return _PRIVATE.sub(lambda match: chr(ord(match.group()) - _HIDDEN), text)


class _Reader:
    """One question on its way."""

    def __init__(self, intake: Intake, block: _Block, category: tuple[str, ...]) -> None:
        self.intake, self.block = intake, block
        self.category = category
        self.id = ""
        self.format = "moodle"

    def read(self) -> None:
        block, text = self.block, self.block.text
        start = len(text) - len(text.lstrip())
        title, begin = "", start
        if text.startswith("::", start):
            end = text.find("::", start + 2)
            if end < 0:
                raise _Refused(start, "a title that isn't closed", "write ::title::")
            title, begin = " ".join(_plain(text[start + 2 : end]).split()), end + 2
        opened, closed = text.find("{", begin), text.find("}", begin)
        if opened < 0 and closed < 0:
            self.id = self.intake.name(block.name or title or _plain(text[begin:])[:40])
            self.intake.lose(self.id, "question", "lost", "a description that asks nothing; put it into the bank's `reading:`")
            return
        if opened < 0 or (0 <= closed < opened):
            raise _Refused(closed, "a } without a { before it", "write \\} for the sign itself")
        if closed < 0:
            raise _Refused(opened, "a { that isn't closed", "close it with }, and leave no blank line inside a question")
        stray = next((at for at in range(closed + 1, len(text)) if text[at] in "{}"), None)
        if stray is not None:
            raise _Refused(
                stray, f"a second {text[stray]} in one question", "leave a blank line between questions, or write \\{ and \\}"
            )
        after = text[closed + 1 :].strip()
        asked = text[begin:opened] + ("_____ " + after if after else "")
        if match := _FORMAT.match(asked):
            self.format, asked = match[1].lower(), asked[match.end() :]
        self.id = self.intake.name(block.name or title or _plain(asked)[:40])
        stem = self.text(asked)
        stem = stem.replace(r"\_\_\_\_\_", "[...]", 1) if after else stem
        answers = text[opened + 1 : closed]
        explanation = None
        cut = answers.rfind("####")
        if cut >= 0:
            explanation, answers = self.text(answers[cut + 4 :]) or None, answers[:cut]
        body = self.body(answers, opened + 1)
        if after and isinstance(body, Essay):
            raise _Refused(opened, "an essay in the middle of a sentence", "move the { } to the end")
        topics, difficulty = read_tags(block.tags)
        line, column = block.place(start)
        bodies = body if isinstance(body, list) else [(stem, body)]
        for number, (prompt, answer) in enumerate(bodies, 1):
            whole = len(bodies) == 1
            question = Question(
                id=self.id if whole else self.intake.name(f"{self.id}-{number}"),
                stem=prompt if whole else f"{stem}\n\n{prompt}",
                body=answer,
                title=title if title and title != self.id else None,
                explanation=explanation,
                topics=topics or self.category,
                difficulty=difficulty,
                line=line,
                column=column,
            )
            self.intake.add(question)

    def text(self, raw: str) -> str:
        """A text as Markdown, by the format that it or its question names."""
        match = _FORMAT.match(raw)
        format, raw = (match[1].lower(), raw[match.end() :]) if match else (self.format, raw)
        text = _plain(raw).strip()
        if format == "markdown":
            return without_slots(text)
        if format == "plain":
            return from_plain(text)
        if format == "moodle" and "<" not in text:
            # Moodle's own format keeps line breaks.
            text = text.replace("\n", "<br>")
        found, gone = from_html(text)
        for element in gone:
            self.intake.lose(self.id, "markup", "lost", f"<{element}>")
        return found

    def body(self, answers: str, base: int) -> "Body | list[tuple[str, Body]]":
        shown = answers.strip()
        base += len(answers) - len(answers.lstrip())
        if not shown:
            return Essay()
        if shown.startswith("#"):
            return self.number(shown[1:], base + 1)
        if "~" in shown:
            shares = [self.share(piece) for piece in self.pieces(shown, base)]
            return self.intake.choose(self.id, shares, single="=" in shown)
        word, _, notes = shown.partition("#")
        if (truth := _TRUE_FALSE.get(word.strip())) is not None:
            wrong, _, right = notes.partition("#")
            said = [self.text(note) or None for note in ((right, wrong) if truth else (wrong, right))]
            shares = [Share("True", Fraction(truth), said[0]), Share("False", Fraction(not truth), said[1])]
            return self.intake.choose(self.id, shares, single=True, shuffle=False)
        if "->" in shown and "=" in shown:
            return self.matching(shown, base)
        return self.short(shown, base)

    def pieces(self, text: str, base: int, signs: str = "=~") -> Iterator[_Piece]:
        """The answers between signs; what stands before the first sign counts as one where there is anything."""
        starts = [match.start() for match in re.finditer(f"[{signs}]", text)]
        if text[: starts[0] if starts else None].strip():
            starts = [-1, *starts]
        for start, end in zip(starts, (*starts[1:], len(text)), strict=False):
            sign, content = (text[start], text[start + 1 : end]) if start >= 0 else ("", text[:end])
            answer, marked, note = content.partition("#")
            weight = None
            if match := _WEIGHT.match(answer.lstrip()):
                weight, answer = Fraction(match[1]) / 100, answer.lstrip()[match.end() :]
            yield _Piece(base + max(start, 0), sign, answer, weight, self.text(note) or None if marked else None)

    def share(self, piece: _Piece) -> Share:
        weight = piece.weight if piece.weight is not None else Fraction(piece.sign == "=")
        return Share(self.text(piece.text), weight, piece.note)

    def short(self, shown: str, base: int) -> ShortAnswer:
        accepted = []
        for piece in self.pieces(shown, base, "="):
            answer = " ".join(_plain(piece.text).split())
            if piece.weight is not None and piece.weight < 1:
                self.intake.lose(self.id, "partial-credit", "lost", f"{answer!r} earned {float(piece.weight) * 100:g} %")
            elif answer:
                accepted.append(answer)
            if piece.note:
                self.intake.lose(self.id, "option-notes", "lost", f"what was said to {answer!r}")
        return ShortAnswer(tuple(accepted))

    def matching(self, shown: str, base: int) -> list[tuple[str, Body]]:
        pairs = []
        for piece in self.pieces(shown, base, "="):
            left, arrow, right = piece.text.partition("->")
            if not arrow:
                raise _Refused(piece.offset, "a pair without ->", "write =question -> answer")
            pairs.append((self.text(left), " ".join(_plain(right).split())))
        return self.intake.matched(self.id, pairs)

    def number(self, shown: str, base: int) -> Number:
        if (cut := shown.find("~")) >= 0:
            self.intake.lose(self.id, "wrong-numbers", "lost", "what was said to any other number")
            shown = shown[:cut]
        found: list[tuple[Fraction, Fraction, Fraction, str | None]] = []
        for piece in self.pieces(shown, base, "="):
            text = _plain(piece.text).strip()
            weight = Fraction(1) if piece.weight is None else piece.weight
            if text == "*":
                self.intake.lose(self.id, "wrong-numbers", "lost", "what was said to any other number")
                continue
            value = _value(text)
            if value is None:
                raise _Refused(piece.offset, f"{text[:40]!r} is no number", "write 3, 3:0.1 or 2.9..3.1")
            found.append((*value, weight, piece.note))
        return self.intake.number(self.id, found) or self._no_number(base)

    def _no_number(self, base: int) -> Number:
        raise _Refused(base, "no number that is right", "write {#3} or {#3:0.1}")


def _value(text: str) -> tuple[Fraction, Fraction] | None:
    """A number and its absolute tolerance."""
    if ".." in text:
        low, high = (read_number(part) for part in text.split("..", 1))
        if low is None or high is None or high < low:
            return None
        return (low + high) / 2, (high - low) / 2
    value, _, tolerance = text.partition(":")
    number, width = read_number(value), read_number(tolerance) if tolerance.strip() else Fraction(0)
    return None if number is None or width is None or width < 0 else (number, width)
