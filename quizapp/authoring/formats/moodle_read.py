"""Moodle XML, read question by question, with the place of everything that can't be.

Format: "Moodle XML format" (MoodleDocs). HTML becomes Markdown. A file that is broken in the middle is read on from the next
``<question``.
"""

import re
from fractions import Fraction

from quizapp.authoring.formats.intake import Intake, Share
from quizapp.authoring.formats.markup import TooMuch, from_html, from_plain, without_slots
from quizapp.authoring.formats.numeral import formula, read_number
from quizapp.authoring.formats.question import Body, Essay, Number, Question, ShortAnswer
from quizapp.authoring.formats.source import Source
from quizapp.authoring.formats.tags import read_tags
from quizapp.authoring.formats.xml_tree import BrokenXml, Element, parse
from quizapp.model.formula import MAX_CHARACTERS, Formula, FormulaError
from quizapp.model.variant import number

RESTARTS = 50
"""Breaks after which the rest of a file is given up."""
_QUESTION = re.compile(r"<question[\s>]")
_WORKED_OUT = re.compile(r"\{=((?:[^{}]|\{[^{}]*\})*)\}")
_POWER = re.compile(r"\bpow\(([^(),]*(?:\([^()]*\))?[^(),]*),([^(),]*(?:\([^()]*\))?[^(),]*)\)")


class _Refused(Exception):
    """A question that can't be read: the element, what is wrong, the mend."""

    def __init__(self, element: Element, message: str, mend: str) -> None:
        super().__init__(message)
        self.args = (element, message, mend)


def read_moodle(source: Source) -> Intake:
    """Every question that can be read; what can't is in the troubles."""
    intake = Intake(source.name)
    reader = _Reader(intake)
    text, before = source.text, ""
    for _ in range(RESTARTS):
        try:
            reader.questions(parse(text))
            return intake
        except BrokenXml as broken:
            unclosed = _unclosed(broken.root)
            inside = f" (in the <{unclosed.tag}> that begins in line {unclosed.line})" if unclosed else ""
            intake.fail(broken.line, broken.column, broken.message + inside, broken.mend)
            if broken.root is None:
                return intake
            reader.questions(broken.root)
            # An element left open swallows the questions after it, so reading starts again behind its beginning.
            at = (unclosed.line, unclosed.column) if unclosed else (broken.line, broken.column)
            found = _QUESTION.search(text, max(_offset(text, *at), len(before)) + 1)
            if found is None:
                return intake
            # Lines and columns stay as they are in the file: what was read becomes white space.
            before = re.sub(r"[^\n]", " ", text[: found.start()])
            text = _opened(before) + text[found.start() :]
    return intake


def _unclosed(root: Element | None) -> Element | None:
    """The element below the root that was open when the document broke off."""
    last = root.children[-1] if root is not None and root.children else None
    return last if last is not None and not last.closed else None


def _opened(blank: str) -> str:
    """White space with ``<quiz>`` at its start; its first line is long enough, as something was read before."""
    first, newline, rest = blank.partition("\n")
    return "<quiz>" + " " * max(len(first) - len("<quiz>"), 0) + newline + rest


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if not start:
            return len(text)
    return min(start + column - 1, len(text))


class _Reader:
    """The questions of a file; categories hold until the next one."""

    def __init__(self, intake: Intake) -> None:
        self.intake = intake
        self.category: tuple[str, ...] = ()
        self.id = ""
        self.figures: dict[str, str] = {}
        """Of a calculated question: what stands for each ``{name}``."""

    def questions(self, root: Element) -> None:
        """Reads the questions below the root that were read to their end."""
        if root.tag != "quiz":
            self.intake.fail(root.line, root.column, f"<{root.tag}> where <quiz> is wanted", "export the questions as Moodle XML")
            return
        for element in root.children:
            if element.tag != "question":
                self.intake.fail(element.line, element.column, f"<{element.tag}> where <question> is wanted", "remove it")
            elif element.closed:
                self.question(element)

    def question(self, element: Element) -> None:
        kind = element.attributes.get("type", "")
        if kind == "category":
            last = element.value("category", "text").rsplit("/", 1)[-1]
            self.category = tuple(name for name in read_tags((last,))[0] if name not in ("top", "course"))
            return
        name = " ".join(element.value("name", "text").split())
        self.id = self.intake.name(element.value("idnumber") or name or "question")
        if kind == "description":
            self.intake.lose(self.id, "question", "lost", "a description that asks nothing; put it into the bank's `reading:`")
            return
        try:
            self._question(element, kind, name)
        except _Refused as refusal:
            where, message, mend = refusal.args
            self.intake.fail(where.line, where.column, message, mend)
            self.intake.drop(self.id)
        except TooMuch as error:
            self.intake.fail(element.line, element.column, str(error), "write it in fewer words, with less markup")
            self.intake.drop(self.id)

    def _question(self, element: Element, kind: str, name: str) -> None:
        self.figures = self.first_figures(element) if kind.startswith("calculated") else {}
        stem = self.text(element.first("questiontext"))
        found = self.body(element, kind)
        points = self.intake.points(self.id, read_number(element.value("defaultgrade")) if element.first("defaultgrade") else None)
        hints = [self.text(hint) for hint in element.all("hint")]
        hints = [hint for hint in hints if hint]
        if len(hints) > 1:
            self.intake.lose(self.id, "hint", "changed", f"{len(hints)} hints become one")
        tags = (tag.value("text") for holder in element.all("tags") for tag in holder.all("tag"))
        topics, difficulty = read_tags(tags)
        bodies = found if isinstance(found, list) else [("", found)]
        for place, (prompt, body) in enumerate(bodies, 1):
            whole = len(bodies) == 1
            self.intake.add(
                Question(
                    id=self.id if whole else self.intake.name(f"{self.id}-{place}"),
                    stem="\n\n".join(filter(None, (stem, prompt))),
                    body=body,
                    title=name if name and name != self.id else None,
                    explanation=self.text(element.first("generalfeedback")) or None,
                    points=points if whole else 1,
                    hint="\n\n".join(hints) or None,
                    topics=topics or self.category,
                    difficulty=difficulty,
                    line=element.line,
                    column=element.column,
                )
            )

    def text(self, holder: Element | None) -> str:
        """The text of an element as Markdown, by the format it names."""
        if holder is None:
            return ""
        child = holder.first("text")
        if child is not None and child.children:
            inner = child.children[0]
            raise _Refused(inner, f"<{inner.tag}> inside <text>", "put HTML in <![CDATA[ ... ]]>, or write &lt; for each <")
        text = self.filled((child if child is not None else holder).text.strip(), holder)
        for file in holder.all("file"):
            self.intake.lose(self.id, "file", "lost", file.attributes.get("name", "without a name"))
        match holder.attributes.get("format", "html"):
            case "markdown":
                return without_slots(text)
            case "plain_text":
                return from_plain(text)
            case "moodle_auto_format" if "<" not in text:
                text = text.replace("\n", "<br>")
        found, gone = from_html(text)
        for name in gone:
            self.intake.lose(self.id, "markup", "lost", f"<{name}>")
        return found

    def body(self, element: Element, kind: str) -> "Body | list[tuple[str, Body]]":
        answers = list(element.all("answer"))
        shuffle = element.value("shuffleanswers") not in ("0", "false")
        match kind:
            case "multichoice":
                single = element.value("single") not in ("0", "false")
                return self.intake.choose(self.id, [self.share(answer) for answer in answers], single=single, shuffle=shuffle)
            case "truefalse":
                return self.intake.choose(self.id, [self.share(answer) for answer in answers], single=True, shuffle=False)
            case "numerical" | "calculated" | "calculatedsimple":
                return self.number(element, answers)
            case "shortanswer":
                return self.short(element, answers)
            case "essay":
                return Essay(model_answer=self.text(element.first("graderinfo")) or None)
            case "matching":
                pairs = [(self.text(pair), " ".join(pair.value("answer", "text").split())) for pair in element.all("subquestion")]
                return self.intake.matched(self.id, pairs)
            case _:
                message = f"a question of the type {kind or 'without a name'!r}, which isn't read"
                raise _Refused(element, message, "write it as multichoice, truefalse, numerical, shortanswer, matching or essay")

    def fraction(self, answer: Element) -> Fraction:
        given = read_number(answer.attributes.get("fraction", "0"))
        if given is None:
            raise _Refused(answer, f"the fraction {answer.attributes['fraction']!r} is no number", "write 100, 0 or the like")
        return given / 100

    def share(self, answer: Element) -> Share:
        text = answer.value("text")
        if answer.first("text") is None:
            raise _Refused(answer, "an <answer> without <text>", "write <answer fraction=...><text>...</text></answer>")
        shown = self.text(answer) if text.lower() not in ("true", "false") else text.capitalize()
        return Share(shown, self.fraction(answer), self.text(answer.first("feedback")) or None)

    def number(self, element: Element, answers: list[Element]) -> Number:
        found = []
        for answer in answers:
            text, width = answer.value("text"), answer.value("tolerance")
            if self.figures:
                text = self.filled(f"{{={text}}}", answer)
            if text == "*":
                self.intake.lose(self.id, "wrong-numbers", "lost", "what was said to any other number")
                continue
            value, tolerance = read_number(text), read_number(width) if width else Fraction(0)
            if value is not None and tolerance is not None and self.figures and answer.value("tolerancetype") in ("", "1"):
                tolerance *= abs(value)
            if value is None or tolerance is None or tolerance < 0:
                raise _Refused(answer, f"{(text if value is None else width)[:40]!r} is no number", "write it with a decimal point")
            found.append((value, tolerance, self.fraction(answer), self.text(answer.first("feedback")) or None))
        right = self.intake.number(self.id, found)
        if right is None:
            raise _Refused(element, "no number that is right", 'give one answer fraction="100"')
        units = [unit.value("unit_name") for holder in element.all("units") for unit in holder.all("unit")]
        if len(units) > 1:
            self.intake.lose(self.id, "unit", "lost", f"units other than {units[0]}: {', '.join(units[1:])}")
        return Number(right.key, right.tolerance, units[0] or None if units else None, right.wrong)

    def first_figures(self, element: Element) -> dict[str, str]:
        """The first of a calculated question's sets of numbers."""
        found, said = {}, []
        for definition in (entry for holder in element.all("dataset_definitions") for entry in holder.all("dataset_definition")):
            name = definition.value("name", "text")
            items = [item for holder in definition.all("dataset_items") for item in holder.all("dataset_item")]
            value = read_number(items[0].value("value")) if items else None
            if value is None:
                raise _Refused(definition, f"no number for {{{name}}}", "export it from Moodle with its numbers")
            found[name] = formula(value)
            low, high = definition.value("minimum", "text"), definition.value("maximum", "text")
            said.append(f"{name} = {found[name]} (of {low} to {high})")
        detail = f"the first set of numbers alone: {', '.join(said)}; declare `variables:` to have others"
        self.intake.lose(self.id, "variants", "lost", detail)
        return found

    def filled(self, text: str, where: Element) -> str:
        """A calculated question's text with its numbers; ``{=...}`` is worked out. Other questions' texts stay as they are."""
        if not self.figures:
            return text

        def worked_out(match: "re.Match[str]") -> str:
            source = match[1]
            if len(source) > MAX_CHARACTERS:
                raise _Refused(where, f"a formula of more than {MAX_CHARACTERS} characters", "write it by hand")
            for name, value in self.figures.items():
                source = source.replace(f"{{{name}}}", f"({value})")
            try:
                return number(Formula.parse(_POWER.sub(r"((\1)**(\2))", source)).scalar({}))
            except FormulaError as error:
                raise _Refused(where, f"the formula {match[1][:60]!r} can't be worked out ({error})", "write it by hand") from None

        text = _WORKED_OUT.sub(worked_out, text)
        for name, value in self.figures.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def short(self, element: Element, answers: list[Element]) -> ShortAnswer:
        accepted = []
        if element.value("usecase") == "1":
            self.intake.lose(self.id, "capitals", "changed", "capitals no longer count")
        for answer in answers:
            text, share = " ".join(answer.value("text").split()), self.fraction(answer)
            if share >= 1:
                accepted.append(text)
            elif share > 0:
                self.intake.lose(self.id, "partial-credit", "lost", f"{text!r} earned {float(share) * 100:g} %")
            if self.text(answer.first("feedback")):
                self.intake.lose(self.id, "option-notes", "lost", f"what was said to {text!r}")
        return ShortAnswer(tuple(accepted))


def is_moodle(text: str) -> bool:
    """Whether a text begins as Moodle XML does."""
    return re.match(r"\s*(<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<quiz[\s>]", text[:5000], re.S) is not None
