"""Answering a built-in item as a learner does: its parts, what is asked, and what an answer earns. Asserts nothing itself."""

from quizapp.bank.draw import draw, shown_choices
from quizapp.bank.load import Library
from quizapp.model.question import ChoicePart, Part, Probe, TextPart
from quizapp.model.rubric import Rubric
from quizapp.model.score import Score
from quizapp.model.variant import fill
from quizapp.scoring.score import score_part
from quizapp.scoring.text import score_text


def part_of(library: Library, item: str, part: str = "main") -> Part:
    return next(p for p in library.items[item].item.parts if p.id == part)


def score(library: Library, item: str, part: str, answer: str, seed: int | None = None) -> Score:
    """What an answer to one part earns, in the variant of a seed."""
    question, chosen = library.items[item].item, part_of(library, item, part)
    variant = draw(question, seed)
    shown = shown_choices(chosen, variant) if isinstance(chosen, ChoicePart) else ()
    return score_part(chosen, variant, shown, answer, stem=question.stem, titles={})


def written(library: Library, item: str, part: str) -> tuple[Rubric, str]:
    """The rubric and the question of a written part, or of a probe's follow-up."""
    question = library.items[item].item
    values = draw(question, None).values
    if isinstance(question, Probe) and part != "main":
        follow_up = next(f for f in question.follow_ups if f.id == part)
        return follow_up.rubric, fill(follow_up.stem, values)
    found = part_of(library, item, part)
    assert isinstance(found, TextPart)
    return found.rubric, fill(f"{question.stem}\n{found.stem or ''}", values)


def scored(library: Library, item: str, part: str, answer: str) -> Score:
    """What a written answer earns."""
    rubric, stem = written(library, item, part)
    return score_text(rubric, stem, answer, {})
