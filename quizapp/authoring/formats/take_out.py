"""A bank's items as neutral questions: one variant each, every part a question of its own, and what that costs.

What a particular format costs beyond this is ``quizapp.authoring.formats.holds``.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from quizapp.authoring.formats.question import (
    Body,
    Choose,
    Essay,
    Expression,
    Number,
    Option,
    Point,
    Question,
    ShortAnswer,
    WrongNumber,
)
from quizapp.authoring.formats.report import Loss
from quizapp.authoring.formats.short import answer_of
from quizapp.bank.draw import draw, shown_choices
from quizapp.model.formula import Formula, Scalar
from quizapp.model.question import ChoicePart, CodePart, Item, NumericPart, Part, SymbolicPart, TextPart
from quizapp.model.rubric import Rubric
from quizapp.model.variant import Variant, fill
from quizapp.scoring.numeric import tolerance_of


def take_out(
    items: Sequence[Item], seed: int | None, titles: Mapping[str, str], format: str = ""
) -> tuple[list[Question], list[Loss]]:
    """The questions of some items, in their order.

    Args:
        seed: of the variant; ``None`` for the bank's own figures.
        titles: misconception id -> title; they become notes where an option or wrong number has none of its own.
        format: where they go, for what is said of it.

    Raises:
        DrawError, FormulaError: an item has no such variant.
    """
    questions: list[Question] = []
    losses: list[Loss] = []
    taken: set[str] = set()
    for item in items:
        variant = draw(item, seed)
        losses += _of_item(item, seed, format)
        parts = [part for part in item.parts if not isinstance(part, CodePart)]
        for part in parts:
            name = item.id if len(item.parts) == 1 else f"{item.id}-{part.id}"
            question = _question(item, part, variant, _free(name, taken), titles)
            taken.add(question.id)
            questions.append(question)
            losses += _of_part(item, part, question)
    return questions, losses


def _free(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def _of_item(item: Item, seed: int | None, format: str) -> Iterator[Loss]:
    """What an item loses anywhere, whatever its parts."""
    drawn = [name for name, variable in item.variables.items() if variable.range is not None]
    if drawn:
        which = "the bank's own figures" if seed is None else f"the variant of seed {seed}"
        detail = f"{which} alone; {', '.join(drawn)} no longer vary"
        if item.constraints:
            detail += f", nor does the constraint {' and '.join(item.constraints)} hold anything"
        if format == "moodle" and any(isinstance(part, NumericPart) for part in item.parts):
            detail += "; a calculated question would vary, but draw its numbers without the constraints and name no wrong ones"
        yield Loss(item.id, "variants", "lost", detail)
    if len(item.parts) > 1:
        yield Loss(item.id, "parts", "changed", f"its {len(item.parts)} parts become questions of their own")
    for part in item.parts:
        if isinstance(part, CodePart):
            yield Loss(item.id, "question", "lost", f"the part {part.id!r} is a program ({part.folder}); it is left out")
    if all(isinstance(part, CodePart) for part in item.parts):
        return
    if item.prerequisites:
        yield Loss(item.id, "prerequisites", "lost", ", ".join(item.prerequisites))
    if item.audit is not None:
        yield Loss(item.id, "audit", "lost", f"the table stays; running {item.audit.requires[0]} does not")
    if item.sources:
        yield Loss(item.id, "sources", "changed", "they stand at the end of the explanation")


def _of_part(item: Item, part: Part, question: Question) -> Iterator[Loss]:
    names: list[str] = []
    if isinstance(part, ChoicePart):
        names = [choice.misconception for choice in part.choices if choice.misconception]
    elif isinstance(part, NumericPart | SymbolicPart):
        names = [wrong.misconception for wrong in part.wrong]
    elif isinstance(part, TextPart):
        names = [shown.id for shown in part.rubric.misconceptions]
        if item.kind == "probe":
            names += [shown.id for follow_up in item.follow_ups for shown in follow_up.rubric.misconceptions]
        if isinstance(question.body, Essay):
            yield Loss(question.id, "scoring", "lost", "the phrasings that earn or cancel points; a person marks")
        else:
            yield Loss(question.id, "scoring", "changed", "marked by the other program's own rules for short answers")
    if names:
        yield Loss(question.id, "misconceptions", "lost", ", ".join(dict.fromkeys(names)))


def _question(item: Item, part: Part, variant: Variant, name: str, titles: Mapping[str, str]) -> Question:
    def filled(text: str) -> str:
        return fill(text, variant.values).strip()

    stem = "\n\n".join(filled(text) for text in (item.stem, part.stem) if text)
    explanation = filled(part.explanation or item.explanation)
    if item.sources:
        explanation += "\n\nSources: " + "; ".join(item.sources)
    title = filled(item.title) if item.title else None
    if title and len(item.parts) > 1:
        title = f"{title} ({part.id})"
    return Question(
        id=name,
        stem=stem,
        body=_body(item, part, variant, titles),
        title=title,
        explanation=explanation,
        points=part.points,
        hint=filled(part.hint) if part.hint else None,
        topics=item.topics,
        difficulty=item.difficulty,
    )


def _body(item: Item, part: Part, variant: Variant, titles: Mapping[str, str]) -> Body:
    def said(note: str | None, misconception: str | None) -> str | None:
        return note or (titles.get(misconception, misconception) if misconception else None)

    match part:
        case ChoicePart():
            shown = shown_choices(part, variant)
            options = [Option(option.text.strip(), option.key, said(option.note, option.misconception)) for option in shown]
            return Choose(tuple(options), part.shuffle)
        case NumericPart():
            key = _rational(Formula.parse(part.key).scalar(variant.values))
            tolerance = tolerance_of(part, variant.values) * (abs(key) or 1)
            wrong = []
            for entry in part.wrong:
                value = _rational(Formula.parse(entry.value).scalar(variant.values))
                note = fill(entry.note, variant.values) if entry.note else None
                wrong.append(WrongNumber(value, said(note, entry.misconception) or ""))
            return Number(key, tolerance, part.unit, tuple(wrong))
        case SymbolicPart():
            symbols = tuple((name, fill(domain.meaning, variant.values)) for name, domain in part.symbols.items())
            notes = [fill(entry.note, variant.values) if entry.note else None for entry in part.wrong]
            said_of = (said(note, entry.misconception) or "" for note, entry in zip(notes, part.wrong, strict=True))
            return Expression(part.key, symbols, tuple(zip((entry.value for entry in part.wrong), said_of, strict=True)))
        case TextPart():
            return _short(part.rubric) or _essay(item, part.rubric, variant)
        case CodePart():
            raise ValueError("a program is no question for other programs")


def _short(rubric: Rubric) -> ShortAnswer | None:
    """The short answer that a rubric stands for, where it is nothing but patterns made of answers."""
    if len(rubric.criteria) != 1 or rubric.misconceptions:
        return None
    only = rubric.criteria[0]
    answers = [answer_of(pattern) for pattern in only.regex]
    if only.accept or only.groups or only.reject or not answers or None in answers:
        return None
    return ShortAnswer(tuple(answer for answer in answers if answer is not None))


def _essay(item: Item, rubric: Rubric, variant: Variant) -> Essay:
    points = tuple(Point(entry.points, fill(entry.description, variant.values)) for entry in rubric.criteria)
    asked = item.follow_ups if item.kind == "probe" else ()
    return Essay(points, tuple(fill(follow_up.stem, variant.values) for follow_up in asked))


def _rational(value: Scalar) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(float(value))
