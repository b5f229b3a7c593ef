"""What sample answers to the built-in written questions earn. The answers are data, in ``answers``: a new probe adds to them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from answering import scored, written

from quizapp.bank.load import Library
from quizapp.model.question import Probe

ANSWERS = Path(__file__).with_name("answers")


def told(name: str) -> Any:
    return yaml.safe_load((ANSWERS / f"{name}.yaml").read_text("utf-8"))


GOOD = told("good")
PARTS = [(item, part) for item, parts in GOOD.items() for part in parts]
BESIDE = "We bought faster GPUs, use AdamW with a cosine schedule, and NCCL is the backend."


def good() -> Iterator[object]:
    for item, part in PARTS:
        for number, answer in enumerate(GOOD[item][part]):
            yield pytest.param(item, part, answer, id=f"{item}-{part}-{number}")


@pytest.mark.parametrize(("item", "part", "answer"), good())
def test_a_good_answer_earns_everything(library: Library, item: str, part: str, answer: str) -> None:
    found = scored(library, item, part, answer)
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met")
    assert not found.misconceptions


@pytest.mark.parametrize(("item", "part"), PARTS)
@pytest.mark.parametrize("answer", ["", "I don't know.", BESIDE, None], ids=["empty", "unknown", "beside", "question"])
def test_nothing_is_earned_beside_the_point_or_by_repeating_the_question(
    library: Library, item: str, part: str, answer: str | None
) -> None:
    assert scored(library, item, part, written(library, item, part)[1] if answer is None else answer).points == 0


@pytest.mark.parametrize(("item", "answer"), [(item, answer) for item, answers in told("nothing").items() for answer in answers])
def test_denials_and_lists_of_words_earn_nothing(library: Library, item: str, answer: str) -> None:
    assert scored(library, item, "main", answer).points == 0


@pytest.mark.parametrize(
    ("item", "misconception", "answer"),
    [(item, shown, answer) for item, answers in told("wrong_ideas").items() for shown, answer in answers.items()],
)
def test_a_wrong_idea_is_named_and_what_it_cancels_earns_nothing(
    library: Library, item: str, misconception: str, answer: str
) -> None:
    found = scored(library, item, "main", answer)
    assert misconception in found.misconceptions
    (cancelled,) = (shown.cancels for shown in written(library, item, "main")[0].misconceptions if shown.id == misconception)
    assert cancelled
    assert all(criterion.points == 0 for criterion in found.criteria if criterion.id in cancelled)
    assert found.follow_up


@pytest.mark.parametrize(
    ("item", "answer"), [(item, answer) for item, answers in told("no_wrong_ideas").items() for answer in answers]
)
def test_no_wrong_idea_is_named_for_words_that_say_a_criterion_as_well(library: Library, item: str, answer: str) -> None:
    found = scored(library, item, "main", answer)
    assert found.points
    assert not found.misconceptions


def test_naming_a_wrong_idea_in_order_to_deny_it_is_not_showing_it(library: Library) -> None:
    shown = []
    for item, loaded in library.items.items():
        for idea in loaded.item.rubric.misconceptions if isinstance(loaded.item, Probe) else ():
            shown += [
                (item, idea.id, refutation)
                for refutation in idea.refute
                if idea.id in scored(library, item, "main", refutation).misconceptions
            ]
    assert not shown


@pytest.mark.parametrize(
    "answer",
    [
        "DDP does not know how many tokens a rank has. It averages gradients with equal weight per rank.",
        "It is a myth that DDP picks the right denominator: each rank divides by its own token count.",
    ],
)
def test_so_it_is_in_other_words(library: Library, answer: str) -> None:
    assert not scored(library, "why-gpus-change-loss", "main", answer).misconceptions
