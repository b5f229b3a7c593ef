"""What an answer earned: point by point with the reason, the misconception by name, the explanation, the sources."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Markdown, Static

from quizapp.model.formula import Formula, FormulaError, Value
from quizapp.model.misconception import Misconception
from quizapp.model.question import ChoicePart, NumericPart, SymbolicPart
from quizapp.model.rubric import Rubric
from quizapp.model.score import Score
from quizapp.model.variant import ShownChoice, fill, shown
from quizapp.practice.asked import Asked
from quizapp.practice.standing import denied_by
from quizapp.store.record import Attempt
from quizapp.tui.confidence import LEVELS
from quizapp.tui.inline import inline
from quizapp.tui.signs import points, sign, signed, style, word


def headline(score: Score, confidence: int | None = None) -> Content:
    """``✓ right · 1 of 1 point · you rated it 4, sure``; a range where something is unsure."""
    earned = points(score.points, score.max_points)
    if score.most > score.points:
        earned = f"{score.points} to {points(score.most, score.max_points)}"
    rated = f" · you rated it {confidence}, {LEVELS[confidence - 1]}" if confidence else ""
    return Content.assemble(signed(score.outcome), (f" · {earned}", "bold"), (rated, "$foreground-muted"))


def answered(text: str, score: Score) -> Content:
    """The answer, its words underlined that earned or lost points, in the colour of the criterion that they decided."""
    content = Content(text)
    for state in ("unmet", "unsure", "met"):
        for criterion in score.criteria:
            if criterion.met == state:
                for start, end in criterion.evidence:
                    content = content.stylize(f"{style(state)} underline", start, end)
    return content


def criteria(score: Score, rubric: Rubric | None, values: Mapping[str, Value], disputed: Collection[str] = ()) -> Iterator[Static]:
    """Each criterion: sign, word and points with what was asked for; below, why, with the words that decided it; and whether the
    learner disputes it."""
    descriptions = {one.id: " ".join(fill(one.description, values).split()) for one in rubric.criteria} if rubric else {}
    for criterion in score.criteria:
        head = f"{sign(criterion.met)} {word(criterion.met)} {criterion.points}/{criterion.max_points}  "
        if criterion.id in disputed:
            head = f"{sign(criterion.met)} {word(criterion.met)}, disputed {criterion.points}/{criterion.max_points}  "
        description = descriptions.get(criterion.id)
        if description is None or description.rstrip(".") in criterion.reason:
            said = criterion.reason.removeprefix("Missing: ") if criterion.met == "unmet" else criterion.reason
            yield Static(Content.assemble((head, style(criterion.met)), inline(said)), classes="criterion")
            continue
        yield Static(Content.assemble((head, style(criterion.met)), inline(description)), classes="criterion -headed")
        yield Static(inline(criterion.reason), classes="reason")


def options(choices: Iterable[ShownChoice], answer: str) -> Iterator[Widget]:
    """Each option with whether it is right and whether it was chosen; the bank's note on a right one that was not."""
    given = {id_.strip() for id_ in answer.split(",")}
    for choice in choices:
        chosen = choice.id in given
        told = chosen or choice.key
        state = ("right" if choice.key else "wrong") if told else "new"
        said = ["right answer" if choice.key else "not right"] * told + ["yours"] * chosen
        box = Content.assemble((f"{sign(state)} ", style(state)), (f"{choice.letter}  ", "bold"))
        text = Content.assemble(inline(choice.text), (f"  ({', '.join(said)})" if said else "", style(state)))
        yield Horizontal(Static(box, classes="box"), Static(text, classes="text"), classes="option")
        if choice.note and choice.key and not chosen:
            yield Static(inline(choice.note), classes="reason")


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


def misconception(id_: str, registry: Mapping[str, Misconception], denied: bool = False) -> Content:
    """A misconception by its title, with what it computes, why people have it and what to do instead; whether it is ``denied``."""
    called = "Misconception, disputed: " if denied else "Misconception: "
    known = registry.get(id_)
    if known is None:
        return Content.assemble((called, "bold $text-warning"), id_)
    return Content("\n").join(
        [
            Content.assemble((called, "bold $text-warning"), inline(known.title, "bold")),
            Content.assemble(("It computes: ", "$foreground-muted"), inline(known.computes)),
            Content.assemble(("Why people do it: ", "$foreground-muted"), inline(known.why)),
            Content.assemble(("Instead: ", "$foreground-muted"), inline(known.cure)),
        ]
    )


class Result(Widget):
    """An attempt's score on the question that was asked."""

    def __init__(
        self,
        asked: Asked,
        attempt: Attempt,
        score: Score,
        registry: Mapping[str, Misconception],
        disputed: Collection[str] = (),
    ) -> None:
        """``score``: what the answer stands at; ``disputed``: criteria of which the learner says *I did say that*."""
        super().__init__()
        self._asked, self._attempt, self._score, self._registry = asked, attempt, score, registry
        self._disputed = disputed

    def compose(self) -> ComposeResult:
        asked, attempt, score = self._asked, self._attempt, self._score
        yield Static(headline(score, attempt.confidence), classes="headline")
        if isinstance(asked.part, ChoicePart):
            yield Vertical(*options(asked.choices, attempt.text), classes="options")
        else:
            yield Static(Content.assemble(("Your answer: ", "bold"), answered(attempt.text, score)))
        yield from criteria(score, getattr(asked.part, "rubric", None), asked.variant.values, self._disputed)
        if key := key_line(asked):
            yield Static(Content(key), classes="key")
        rubric = getattr(asked.part, "rubric", None)
        denied = denied_by(rubric, self._disputed) if rubric is not None else frozenset()
        for id_ in score.misconceptions:
            yield Static(misconception(id_, self._registry, id_ in denied), classes="misconception")
        yield Static("Explanation", classes="caption")
        yield Markdown(asked.explanation)
        if asked.loaded.item.sources:
            yield Static("Sources", classes="caption")
            yield Markdown("\n".join(f"- {source}" for source in asked.loaded.item.sources))
