"""What an answer earned: point by point with the reason, the misconception by name, the explanation, the sources."""

from collections.abc import Iterable, Mapping

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown, Static

from quizapp.model.formula import Formula, FormulaError
from quizapp.model.misconception import Misconception
from quizapp.model.question import ChoicePart, NumericPart, SymbolicPart
from quizapp.model.rubric import Rubric
from quizapp.model.score import CriterionScore, Score
from quizapp.model.variant import ShownChoice, shown
from quizapp.practice.asked import Asked
from quizapp.store.record import Attempt
from quizapp.tui.signs import points, sign, signed, style, word


def headline(score: Score, confidence: int | None = None) -> Content:
    """``✓ right · 1 of 1 point · you were sure (4)``."""
    from quizapp.tui.confidence import LEVELS

    rated = f" · you rated it {confidence}, {LEVELS[confidence - 1]}" if confidence else ""
    return Content.assemble(signed(score.outcome), (f" · {points(score.points, score.max_points)}", "bold"), (rated, "$text-muted"))


def quotes(answer: str, spans: Iterable[tuple[int, int]]) -> str:
    """The learner's own words at those spans, each in quotation marks."""
    found = (" ".join(answer[start:end].split()) for start, end in spans)
    return " … ".join(f"“{words}”" for words in found if words)


def criterion_lines(criterion: CriterionScore, answer: str, description: str | None = None, evidence: bool = True) -> Content:
    """One criterion: sign, word, points; what was asked for; why; the words that decided it."""
    words = quotes(answer, criterion.evidence) if evidence else ""
    return Content.assemble(
        (f"{sign(criterion.met)} {word(criterion.met)} {criterion.points}/{criterion.max_points}", style(criterion.met)),
        f"  {description}\n  {criterion.reason}" if description else f"  {criterion.reason}",
        (f"\n  {words}", "$text-muted") if words else "",
    )


def option_lines(choices: Iterable[ShownChoice], answer: str) -> Content:
    """Each option with whether it is right and whether it was chosen, and the bank's note on it."""
    given = {id_.strip() for id_ in answer.split(",")}
    lines = []
    for choice in choices:
        chosen = choice.id in given
        verdict = ("right" if choice.key else "wrong") if chosen or choice.key else "new"
        said = ", ".join(
            text
            for text, holds in (("right answer" if choice.key else "not right", chosen or choice.key), ("yours", chosen))
            if holds
        )
        note = f"\n     {choice.note}" if choice.note and choice.key and not chosen else ""
        lines.append(
            Content.assemble(
                (sign(verdict), style(verdict)),
                f" {choice.letter}  {choice.text}",
                (f"  ({said})" if said else "", style(verdict)),
                note,
            )
        )
    return Content("\n").join(lines)


def key_line(asked: Asked) -> str:
    """The right answer of a numeric or symbolic part, else nothing."""
    if isinstance(asked.part, SymbolicPart):
        return f"Right: {asked.part.key}"
    if isinstance(asked.part, NumericPart):
        try:
            value = shown(Formula.parse(asked.part.key).scalar(asked.variant.values))
        except FormulaError:
            return ""
        return f"Right: {value}{f' {asked.part.unit}' if asked.part.unit else ''}"
    return ""


def misconception_lines(id_: str, registry: Mapping[str, Misconception]) -> Content:
    """A misconception by its title, with why people have it and what to do instead."""
    known = registry.get(id_)
    if known is None:
        return Content.assemble(("Misconception: ", "bold $text-warning"), id_)
    return Content.assemble(
        ("Misconception: ", "bold $text-warning"),
        (known.title, "bold"),
        f"\n  It computes: {known.computes}\n  Why people do it: {known.why}\n  Instead: {known.cure}",
    )


class Result(Widget):
    """An attempt's score on the question that was asked."""

    def __init__(self, asked: Asked, attempt: Attempt, score: Score, registry: Mapping[str, Misconception]) -> None:
        super().__init__()
        self._asked, self._attempt, self._score, self._registry = asked, attempt, score, registry

    def compose(self) -> ComposeResult:
        asked, attempt, score = self._asked, self._attempt, self._score
        yield Static(headline(score, attempt.confidence), id="headline")
        if isinstance(asked.part, ChoicePart):
            yield Static(option_lines(asked.choices, attempt.text))
        else:
            yield Static(Content.assemble(("Your answer: ", "bold"), attempt.text))
        rubric: Rubric | None = getattr(asked.part, "rubric", None)
        descriptions = {criterion.id: criterion.description for criterion in rubric.criteria} if rubric else {}
        for criterion in score.criteria:
            yield Static(criterion_lines(criterion, attempt.text, descriptions.get(criterion.id), evidence=rubric is not None))
        if key := key_line(asked):
            yield Static(Content(key), classes="key")
        for id_ in score.misconceptions:
            yield Static(misconception_lines(id_, self._registry), classes="misconception")
        yield Static("Explanation", classes="caption")
        yield Markdown(asked.explanation)
        if asked.loaded.item.sources:
            yield Static("Sources", classes="caption")
            yield Markdown("\n".join(f"- {source}" for source in asked.loaded.item.sources))
