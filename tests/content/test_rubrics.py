"""Sample answers to the bank's written questions: what a good one earns, and that a wrong or empty one earns nothing."""

import pytest
from answering import scored, written

from quizapp.bank.load import Library


@pytest.mark.parametrize(
    ("item", "part", "answer"),
    [
        ("two-rank-tokens", "mismatch", "The ranks have different token counts, and DDP gives both means the same weight."),
        ("two-rank-tokens", "fix", "All-reduce the valid token counts and divide each loss sum by the global count, times R."),
        (
            "three-rank-tokens",
            "compensation",
            "DDP divides by R, so multiply each local sum by R/N. Run the same tokens on a single device and compare gradients.",
        ),
        ("reduced-loss-backward", "mend", "Log the reduced value, and back-propagate R times the local loss sum over N."),
        (
            "uneven-accumulation",
            "mend",
            "Divide the summed loss by the number of tokens in the whole window. "
            "For the last window use the tokens it actually has, not the planned number of microbatches.",
        ),
        (
            "equal-work",
            "report",
            "Report how many examples were dropped or repeated. "
            "Before that, show that both runs compute the same gradient as a single-device reference.",
        ),
        (
            "final-packet",
            "main",
            "DDP averages gradients over all ranks. The local loss is the sum over valid tokens, padding masked out. "
            "The denominator is the all-reduced count of valid tokens on all ranks. "
            "An accumulation window is divided by its own token count, a short last one too. "
            "The sampler gives each rank its own shard, reshuffles with set_epoch and drops the tail.",
        ),
        (
            "why-gpus-change-loss",
            "main",
            "Every rank averages the loss over its own tokens and DDP averages the ranks with equal weight. "
            "The number of unmasked tokens differs from rank to rank. "
            "There are fewer gradient accumulation steps, so the divisor changes. "
            "And the sampler may repeat examples or drop the tail.",
        ),
        (
            "why-gpus-change-loss",
            "uneven-final-batch",
            "A rank with fewer examples gets the same weight as a full one, so divide by the global count. "
            "The empty rank must take part in every collective and in backward, or the others hang. "
            "State whether the tail is dropped or padded with repeats.",
        ),
        ("why-gpus-change-loss", "who-divides", "DDP averages 3 and 1.5 and gets 2.25, but the global mean is 12/6 = 2."),
    ],
)
def test_a_good_answer_earns_everything(library: Library, item: str, part: str, answer: str) -> None:
    found = scored(library, item, part, answer)
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met")
    assert not found.misconceptions


WRITTEN = [
    ("two-rank-tokens", "mismatch"),
    ("two-rank-tokens", "fix"),
    ("three-rank-tokens", "compensation"),
    ("reduced-loss-backward", "mend"),
    ("uneven-accumulation", "mend"),
    ("equal-work", "report"),
    ("final-packet", "main"),
    ("why-gpus-change-loss", "main"),
    ("why-gpus-change-loss", "uneven-final-batch"),
]


@pytest.mark.parametrize(("item", "part"), WRITTEN)
@pytest.mark.parametrize(
    "answer", ["", "I don't know.", "We bought faster GPUs, use AdamW with a cosine schedule, and NCCL is the backend."]
)
def test_an_answer_beside_the_point_earns_nothing(library: Library, item: str, part: str, answer: str) -> None:
    assert scored(library, item, part, answer).points == 0


@pytest.mark.parametrize(("item", "part"), WRITTEN)
def test_repeating_the_question_earns_nothing(library: Library, item: str, part: str) -> None:
    assert scored(library, item, part, written(library, item, part)[1]).points == 0


@pytest.mark.parametrize(
    ("answer", "misconception", "cancelled"),
    [
        (
            "It can't change: DDP picks the right denominator automatically.",
            "ddp-picks-the-denominator",
            ("reduction", "valid-tokens"),
        ),
        (
            "Equal numbers of devices and steps mean equal training exposure, so it must be noise.",
            "equal-devices-equal-exposure",
            ("sampling",),
        ),
    ],
)
def test_the_two_misconceptions_are_named(library: Library, answer: str, misconception: str, cancelled: tuple[str, ...]) -> None:
    found = scored(library, "why-gpus-change-loss", "main", answer)
    assert misconception in found.misconceptions
    assert all(c.points == 0 for c in found.criteria if c.id in cancelled)
    assert found.follow_up


@pytest.mark.parametrize(
    "answer",
    [
        "DDP does not know how many tokens a rank has. It averages gradients with equal weight per rank.",
        "It is a myth that DDP picks the right denominator: each rank divides by its own token count.",
    ],
)
def test_denying_a_misconception_is_not_showing_it(library: Library, answer: str) -> None:
    assert not scored(library, "why-gpus-change-loss", "main", answer).misconceptions
