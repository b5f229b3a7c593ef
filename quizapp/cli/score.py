"""``quizapp score``: one answer to one part of an item, scored and explained.

Here: finding the item, reading the answer, printing. What the answer earns is ``quizapp.scoring``.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from quizapp.bank.draw import DrawError, draw, shown_choices
from quizapp.bank.load import LoadedItem
from quizapp.cli.bank import Folders, Json, library
from quizapp.cli.items import find_item
from quizapp.cli.problem import Problem
from quizapp.model.formula import FormulaError
from quizapp.model.nouns import points
from quizapp.model.question import ChoicePart, CodePart, Part
from quizapp.model.variant import fill

if TYPE_CHECKING:
    from quizapp.model.score import Score
    from quizapp.model.variant import Variant

STYLES = {"met": "green", "unsure": "yellow", "unmet": "red"}
SIGNS = {"met": "+", "unsure": "?", "unmet": "-"}


def score(
    item: str,
    /,
    *,
    answer: Annotated[str, Parameter(allow_leading_hyphen=True)],
    part: str | None = None,
    seed: int | None = None,
    json: Json = False,
    bank: Folders = (),
) -> int:
    """Score one answer to one item.

    Parameters
    ----------
    item
        The item's id; `quizapp bank list` shows them.
    answer
        The answer; - reads it from standard input.
    part
        The part's id, for items of several parts.
    seed
        The variant that is answered; without it, the bank's own figures.
    """
    from quizapp.scoring.score import AnswerError, score_part

    found = library(bank)
    loaded = find_item(found, item)
    chosen = _part(loaded, part)
    titles = {id: misconception.title for id, misconception in found.registry.items()}
    # A terminal in another encoding gives lone surrogates, which no JSON can hold.
    text = _standard_input() if answer == "-" else answer.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        variant = draw(loaded.item, seed)
        shown = shown_choices(chosen, variant) if isinstance(chosen, ChoicePart) else ()
        stem = "\n\n".join(fill(words, variant.values) for words in (loaded.item.stem, chosen.stem) if words)
        result = score_part(chosen, variant, shown, text, stem=stem, titles=titles)
    except AnswerError as error:
        raise Problem(f"{item}: {error}") from None
    except (DrawError, FormulaError) as error:
        raise Problem(f"{loaded.file}:{loaded.line}: {item} can't be scored: {error}; `quizapp bank lint` checks banks") from None
    if json:
        print(result.model_dump_json(exclude_none=True))
    else:
        _show(result, loaded, chosen, variant, titles)
    return 0 if result.points == result.max_points else 1


def _part(loaded: LoadedItem, name: str | None) -> Part:
    item, parts = loaded.item, loaded.item.parts
    names = ", ".join(part.id for part in parts)
    if name is None and len(parts) > 1:
        raise Problem(f"{item.id} has {len(parts)} parts; name one with --part: {names}")
    chosen = parts[0] if name is None else next((part for part in parts if part.id == name), None)
    if chosen is None:
        raise Problem(f"{item.id} has no part {name!r}; its parts: {names}")
    if isinstance(chosen, CodePart):
        extra = f" --part {chosen.id}" if len(parts) > 1 else ""
        raise Problem(f"{item.id} is answered with a program: quizapp submit {item.id} FILE{extra}")
    return chosen


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(f"the answer on standard input is not UTF-8 text: byte {error.start} can't be read") from None


def _show(result: "Score", loaded: LoadedItem, part: Part, variant: "Variant", titles: dict[str, str]) -> None:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.padding import Padding
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(f"{points(result.points, result.max_points)}: {result.outcome}", style="bold"))
    for criterion in result.criteria:
        line = Text(f"{SIGNS[criterion.met]} {criterion.points}/{criterion.max_points}  ", style=STYLES[criterion.met])
        if len(result.criteria) > 1:
            line.append(f"{criterion.id}: ", style="bold")
        console.print(line.append(criterion.reason, style="default"))
    for name in result.misconceptions:
        console.print(Text(f"Misconception: {titles.get(name, name)} [{name}]", style="yellow"))
    if result.follow_up:
        console.print(Text(f"Next question: {' '.join(result.follow_up.split())}", style="cyan"))
    if loaded.item.audit is not None:
        from quizapp.bank.record import origin

        told = f"Weights: {origin(loaded.file, loaded.item.audit)} Live ones: quizapp audit --item {loaded.item.id}"
        console.print(Text(told, style="dim"))
    for explanation in _explanations(loaded, part, variant):
        console.print(Padding(Markdown(explanation), (1, 0, 0, 2)))


def _explanations(loaded: LoadedItem, part: Part, variant: "Variant") -> Sequence[str]:
    """What is told after an answer: the part's explanation, else the item's."""
    text = part.explanation or loaded.item.explanation
    return [fill(text, variant.values)]
