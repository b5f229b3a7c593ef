"""The bank on accumulation: its written questions with sample answers, and the figures that its reading works with."""

from fractions import Fraction

import pytest
from answering import scored, written

from quizapp.bank.load import Library

GOOD = [
    (
        "end-of-epoch",
        "mend",
        "Step after the last batch too, and divide the tail by the number of microbatches that it actually holds.",
    ),
    (
        "end-of-epoch",
        "mend",
        "Cut the epoch into windows and normalise each by its own valid token count, the last short one included.",
    ),
    (
        "review-accumulation-loop",
        "main",
        "Dividing by accumulation_steps averages microbatch means, so labels in sparse microbatches weigh more; I'd want one "
        "count of valid tokens over the window and all ranks. The last backward of each window must run outside no_sync, and its "
        "forward too, otherwise ranks step with different gradients. At the end of the epoch leftover microbatches never get a "
        "step and leak into the next epoch. I'd ask for a test that compares gradients with a single device on one big batch.",
    ),
    (
        "review-accumulation-loop",
        "when-is-n-known",
        "Backward on plain sums, count tokens as they come, and scale the accumulated gradients by R/N before the step.",
    ),
    (
        "review-accumulation-loop",
        "walk-the-tail",
        "Both backwards ran under no_sync, so every rank steps with its own local gradient, and the losses were still divided "
        "by 4, so it's half the size it should be.",
    ),
]


@pytest.mark.parametrize(("item", "part", "answer"), GOOD)
def test_a_good_answer_earns_everything(library: Library, item: str, part: str, answer: str) -> None:
    found = scored(library, item, part, answer)
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met")
    assert not found.misconceptions


WRITTEN = sorted({(item, part) for item, part, _ in GOOD})


@pytest.mark.parametrize(("item", "part"), WRITTEN)
@pytest.mark.parametrize("answer", ["", "I don't know.", "We bought faster GPUs and use AdamW; NCCL is the backend.", None])
def test_nothing_is_earned_beside_the_point_or_by_repeating_the_question(
    library: Library, item: str, part: str, answer: str | None
) -> None:
    assert scored(library, item, part, written(library, item, part)[1] if answer is None else answer).points == 0


@pytest.mark.parametrize(
    ("item", "part", "answer", "misconception"),
    [
        ("end-of-epoch", "mend", "Call zero_grad at the start of every epoch so that nothing leaks.", "tail-dropped"),
        (
            "review-accumulation-loop",
            "main",
            "Looks fine: accumulation is mathematically the same as a bigger batch.",
            "mean-of-microbatch-means",
        ),
        (
            "review-accumulation-loop",
            "main",
            "Fine, DDP synchronises automatically when the context is left.",
            "gradients-not-reduced",
        ),
    ],
)
def test_a_wrong_idea_is_named_and_earns_nothing(library: Library, item: str, part: str, answer: str, misconception: str) -> None:
    found = scored(library, item, part, answer)
    assert misconception in found.misconceptions
    assert found.points == 0


def test_the_reading_gives_the_figures_of_its_example(library: Library) -> None:
    counts, sums = ((1, 2, 1), (4, 1, 3)), ((6, 2, 3), (4, 5, 4))
    cells = [(Fraction(s), n) for row, its in zip(sums, counts, strict=True) for s, n in zip(row, its, strict=True)]
    by_microbatch = [Fraction(sum(row[k] for row in sums), sum(row[k] for row in counts)) for k in range(3)]
    figures = {
        "24/12": Fraction(sum(map(sum, sums)), sum(map(sum, counts))),
        "26/9": sum(s / n for s, n in cells) / 6,
        "35/16": sum(Fraction(sum(s), sum(n)) for s, n in zip(sums, counts, strict=True)) / 2,
        "73/36": sum(by_microbatch) / 3,
        "26/3": sum(s / n for s, n in cells) / 2,
    }
    bank = next(found.bank for found in library.banks if found.bank.id == "gradient-accumulation")
    text = next(page.text for page in bank.reading if page.id == "one-window-one-denominator")
    for shown, value in figures.items():
        assert Fraction(shown) == value
        assert shown in text
