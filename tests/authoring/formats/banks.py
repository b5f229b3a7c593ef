"""Banks made up by hypothesis, and the way out and in again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from hypothesis import strategies as st

from quizapp.authoring.formats.bring_in import Imported, bring_in
from quizapp.authoring.formats.markup import to_html
from quizapp.authoring.formats.question import Question
from quizapp.authoring.formats.report import Loss
from quizapp.authoring.formats.send_out import send_out
from quizapp.authoring.formats.take_out import take_out
from quizapp.bank.load import load
from quizapp.model.question import Checkpoint, Choice, ChoicePart, Exercise, Item, NumericPart, TextPart, Wrong
from quizapp.model.rubric import Criterion, Rubric

SIGNS = "ab c1 .,:;=~#{}\\%->[]()*_<>&\"'|!?+/^$@\n\té漢🙂\u00a0"
"""Letters and every sign that some format gives a meaning."""

words = st.text(st.sampled_from(SIGNS), min_size=1, max_size=24).filter(lambda text: text.strip(" \n\t\u00a0") and "{{" not in text)
pieces = st.one_of(
    words.map(lambda text: " ".join(text.split()) or "x"),
    st.sampled_from(
        ("**mean**", "*of*", "`L_r/N = {1}`", "a_1*b_2", "1e-3", "x < y > z", "\\`", "[note](https://example.org/a_b?c=d&e=f)")
    ),
)
lines = st.lists(pieces, min_size=1, max_size=3).map(lambda found: " ".join(found).strip()).filter(lambda text: bool(text.strip()))
blocks = st.one_of(
    lines,
    st.lists(lines, min_size=1, max_size=3).map(lambda found: "\n".join(f"- {line}" for line in found)),
    st.sampled_from(("```python\nx = {1: '#'}\n\n\n    y = x ~ 2\n```", "> quoted\n> twice", "| a | b |\n|---|---|\n| 1 | 2 |")),
)


def sound(text: str) -> bool:
    """Whether a text has no slot of ours, and no entry or quotation without content, which no HTML keeps."""
    html = to_html(text).replace("\n", "")
    return "{{" not in text and not any(empty in html for empty in ("<li></li>", "<blockquote></blockquote>", "></h", "></a>"))


texts = st.lists(blocks, min_size=1, max_size=3).map("\n\n".join).filter(sound)
single_lines = lines.filter(sound)
points = st.integers(1, 9)
fractions = st.builds(Fraction, st.integers(-999, 999), st.sampled_from((1, 2, 4, 5, 8, 10, 100)))


@st.composite
def choice_parts(draw: st.DrawFn) -> ChoicePart:
    found = draw(st.lists(single_lines, min_size=2, max_size=5, unique_by=lambda text: " ".join(text.split())))
    keys = draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)).filter(any))
    notes = draw(st.lists(st.none() | single_lines, min_size=len(found), max_size=len(found)))
    choices = [
        Choice(id=f"c{number}", text=text, key=key, note=note)
        for number, (text, key, note) in enumerate(zip(found, keys, notes, strict=True))
    ]
    return ChoicePart(kind="choice", choices=tuple(choices), points=draw(points), shuffle=draw(st.booleans()))


@st.composite
def numeric_parts(draw: st.DrawFn) -> NumericPart:
    key = draw(fractions)
    values = draw(st.lists(fractions.filter(lambda value: value != key), max_size=2, unique=True))
    wrong = tuple(Wrong(value=str(value), misconception="mean-of-rank-means", note=draw(single_lines)) for value in values)
    tolerance = draw(st.sampled_from(("0.0005", "0.01", "0.2")))
    unit = draw(st.none() | st.sampled_from(("tokens", "% of N", "m/s")))
    return NumericPart(kind="numeric", key=str(key), tolerance=tolerance, unit=unit, wrong=wrong, points=draw(points))


@st.composite
def text_parts(draw: st.DrawFn) -> TextPart:
    criterion = Criterion(id="says", points=draw(points), description=draw(single_lines), accept=("says what is asked",))
    return TextPart(kind="text", points=criterion.points, rubric=Rubric(criteria=(criterion,)))


@st.composite
def items(draw: st.DrawFn) -> tuple[Item, ...]:
    found: list[Item] = []
    for number in range(draw(st.integers(1, 3))):
        part = draw(st.one_of(choice_parts(), numeric_parts(), text_parts()))
        found.append(
            Exercise(
                id=f"item-{number}",
                kind="exercise",
                title=draw(st.none() | single_lines),
                topics=tuple(draw(st.lists(st.sampled_from(("ddp", "tokens", "x-1")), min_size=1, unique=True))),
                difficulty=draw(st.integers(1, 5)),
                points=part.points,
                stem=draw(texts),
                explanation=draw(texts),
                parts=(part.model_copy(update={"hint": draw(st.none() | single_lines)}),),
            )
        )
    return tuple(found)


def checkpoint(**changes: object) -> Checkpoint:
    """A plain checkpoint, with changes."""
    choices = (Choice(id="a", text="one", key=True), Choice(id="b", text="two", misconception="mean-of-rank-means"))
    values = {"id": "pick", "kind": "checkpoint", "topics": ("ddp",), "difficulty": 2, "stem": "Which?", "explanation": "One."}
    return Checkpoint.model_validate({**values, "choices": choices, **changes})


def round_trip(
    items: tuple[Item, ...], format: str, folder: Path
) -> tuple[list[Question], list[Question], tuple[Loss, ...], Imported]:
    """The questions that go out, those that come back after the imported bank was loaded, and both reports."""
    out, back = folder / f"quiz.{format}", folder / "back.yaml"
    exported = send_out(items, format, out, id="made-up", title="Made up: a {quiz} & more")
    for file, content in exported.files.items():
        file.write_bytes(content)
    sent, _ = take_out(items, None, {})
    if not exported.files:
        return sent, [], exported.losses, Imported("", format, 0, (), (), ())
    imported = bring_in(out, back, format)
    back.write_text(imported.text, encoding="utf-8")
    library = load([back]) if imported.text else None
    assert library is None or library.faults == (), library.faults
    came, _ = take_out([entry.item for entry in library.items.values()] if library else [], None, {})
    return sent, came, exported.losses, imported
