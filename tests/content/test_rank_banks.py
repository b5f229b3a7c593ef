"""Samplers, DDP's contract, statistics: figures worked out apart from the banks' formulas, variants, written answers."""

import itertools
import math
import statistics
from fractions import Fraction

import pytest
from answering import part_of, score

from quizapp.bank.draw import draw, shown_choices
from quizapp.bank.load import Library
from quizapp.model.formula import Formula
from quizapp.model.question import ChoicePart, NumericPart, Probe, TextPart
from quizapp.model.score import Score
from quizapp.model.variant import fill
from quizapp.scoring.text import score_text

BANKS = ("samplers-and-evaluation", "ddp-contract", "statistics-across-ranks")


def test_each_bank_has_reading_checkpoints_an_exercise_a_probe_and_a_lab(library: Library) -> None:
    for bank in BANKS:
        items = [loaded.item for loaded in library.items.values() if loaded.bank_id == bank]
        kinds = [item.kind for item in items]
        assert kinds.count("checkpoint") >= 3
        assert kinds.count("probe") >= 1
        assert any(item.kind == "exercise" and item.variables for item in items)
        assert any(part.kind == "code" for item in items for part in item.parts)
        assert next(loaded.bank for loaded in library.banks if loaded.bank.id == bank).reading


@pytest.mark.parametrize(
    ("item", "part", "answer", "misconception"),
    [
        ("accuracy-without-repeats", "main", "4/7", None),
        ("accuracy-without-repeats", "main", "5/8", "repeats-are-new-data"),
        ("accuracy-without-repeats", "main", "5/7", "repeats-are-new-data"),
        ("when-to-set-the-epoch", "main", "before-iterating", None),
        ("when-to-set-the-epoch", "main", "at-the-end", "epoch-set-late"),
        ("perplexity-of-two-batches", "main", "exp-of-token-mean", None),
        ("perplexity-of-two-batches", "main", "mean-of-perplexities", "mean-of-exponentials"),
        ("f1-over-ranks", "pooled", "0.5", None),
        ("f1-over-ranks", "pooled", "0.7", "ratio-metric-averaged"),
        ("f1-over-ranks", "averaged", "0.7", None),
        ("sum-hook", "main", "token-mean", None),
        ("sum-hook", "main", "too-small", "forgot-world-size-factor"),
        ("steps-mixed-up", "main", "4", None),
        ("steps-mixed-up", "main", "9", "rank-left-out"),
        ("join-divides-by", "main", "6", None),
        ("join-divides-by", "main", "8", "mean-over-active-ranks"),
        ("weights-in-a-hook", "plain-sum", "12", None),
        ("weights-in-a-hook", "plain-sum", "6", "mean-of-rank-means"),
        ("weights-in-a-hook", "token-mean", "5", None),
        ("weights-in-a-hook", "factor", "n_r/N", None),
        ("weights-in-a-hook", "factor", "R*n_r/N", "world-size-factor-twice"),
        ("no-spread-on-either-rank", "main", "25", None),
        ("no-spread-on-either-rank", "main", "0", "between-rank-variance-missing"),
        ("which-variance-where", "main", "minus-ranks", "bessel-correction-misplaced"),
        ("sign-of-an-advantage", "main", "-2", None),
        ("sign-of-an-advantage", "main", "1", "one-rank-alone"),
        ("merge-two-ranks", "mean", "8", None),
        ("merge-two-ranks", "mean", "6", "mean-of-rank-means"),
        ("merge-two-ranks", "variance", "15", None),
        ("merge-two-ranks", "variance", "3", "between-rank-variance-missing"),
        ("merge-two-ranks", "unbiased", "20", None),
        ("merge-two-ranks", "unbiased", "30", "bessel-correction-misplaced"),
    ],
)
def test_answers_earn_their_points_or_are_named(
    library: Library, item: str, part: str, answer: str, misconception: str | None
) -> None:
    scored = score(library, item, part, answer)
    assert scored.points == (scored.max_points if misconception is None else 0)
    assert scored.misconceptions == (() if misconception is None else (misconception,))


def test_the_readings_figures() -> None:
    ranks = [[1], [2, 3, 6]]
    everything = [Fraction(value) for rank in ranks for value in rank]
    assert (statistics.mean(everything), statistics.pvariance(everything)) == (3, Fraction(7, 2))
    within = sum(len(rank) * Fraction(statistics.pvariance(map(Fraction, rank))) for rank in ranks) / 4
    between = sum(len(rank) * (Fraction(sum(rank), len(rank)) - 3) ** 2 for rank in ranks) / 4
    assert (within, between) == (Fraction(13, 6), Fraction(4, 3))
    assert Fraction(3 + 40, 1 + 20) == Fraction(43, 21)
    assert round(math.exp(18 / 12), 2) == 4.48
    assert round((math.exp(10 / 10) + math.exp(8 / 2)) / 2, 1) == 28.7
    advantages = [1, 3, 5, 7, 9]
    assert round((3 - 5) / statistics.pstdev(advantages), 2) == -0.71
    assert (3 - statistics.mean([1, 3])) / statistics.pstdev([1, 3]) == 1


def test_merged_moments_are_those_of_values_that_have_them(library: Library) -> None:
    """In 50 variants, for data made to have the counts, means and variances that the item shows."""
    item = library.items["merge-two-ranks"].item
    for seed in range(50):
        values = draw(item, seed).values
        data = [moments(int(n), float(m), float(v)) for n, m, v in zip(*(values[name] for name in ("n", "m", "v")), strict=True)]
        everything = list(itertools.chain.from_iterable(data))
        keys = {part.id: float(Formula.parse(part.key).scalar(values)) for part in item.parts if isinstance(part, NumericPart)}
        assert keys["mean"] == pytest.approx(statistics.mean(everything))
        assert keys["variance"] == pytest.approx(statistics.pvariance(everything))
        assert keys["unbiased"] == pytest.approx(statistics.variance(everything))


def moments(n: int, mean: float, variance: float) -> list[float]:
    """``n`` numbers with that mean and biased variance."""
    if n == 1:
        return [mean]
    step = math.sqrt(variance * n / 2)
    return [mean - step, mean + step] + [mean] * (n - 2)


def items_of(library: Library) -> list[str]:
    return sorted(id for id, loaded in library.items.items() if loaded.bank_id in BANKS)


def test_no_variant_makes_a_wrong_answer_right_or_ambiguous(library: Library) -> None:
    for id in items_of(library):
        question = library.items[id].item
        for seed in range(100):
            variant = draw(question, seed)
            for part in question.parts:
                if isinstance(part, NumericPart):
                    key = Formula.parse(part.key).scalar(variant.values)
                    named: dict[object, str] = {}
                    for wrong in part.wrong:
                        value = Formula.parse(wrong.value).scalar(variant.values)
                        assert value != key, (id, part.id, seed, wrong.value)
                        assert named.setdefault(value, wrong.misconception) == wrong.misconception, (id, part.id, seed)
                elif isinstance(part, ChoicePart):
                    texts = [choice.text for choice in shown_choices(part, variant)]
                    assert len(set(texts)) == len(texts), (id, seed, texts)


GOOD = [
    (
        "f1-over-ranks",
        "mend",
        "All-reduce TP, FP and FN with SUM and compute F1 once from the totals. "
        "A mean of ratios is not the ratio of sums, since every rank would weigh the same.",
    ),
    (
        "weights-in-a-hook",
        "second-bucket",
        "The hook is called once per bucket. After the first call state.tokens already holds the global count, "
        "and it is reduced again for the second bucket.",
    ),
    (
        "merge-two-ranks",
        "one-reduction",
        "If the mean is large compared with the spread, both squares are huge and their difference is lost in rounding. "
        "Reduce the mean first and then the squared distances from it.",
    ),
    (
        "accuracy-moves-with-ranks",
        "main",
        "The sampler pads the shards with duplicated samples, which are counted twice. "
        "Each rank averages its own batches and those means are averaged with equal weight; "
        "reduce sums and counts over all ranks and divide once at the end. "
        "The perplexity is the exponential of the mean loss, taken last. "
        "Check it against a single process on the same checkpoint: the figures must agree up to rounding.",
    ),
    (
        "accuracy-moves-with-ranks",
        "rank-without-a-batch",
        "The empty ranks still join every all-reduce and contribute zeros. "
        "A local mean over nothing is NaN, so divide by the global count only.",
    ),
    (
        "one-rank-misbehaves",
        "main",
        "The empty rank takes part in every collective and in backward, with a zero loss that is connected to the graph. "
        "All ranks reduce a flag whether any loss is not finite, and skip the optimizer step together. "
        "The loss is R times the local sum over the all-reduced count of valid tokens. "
        "After a skipped step the gradients are cleared, so that no NaN stays in .grad.",
    ),
    (
        "one-rank-misbehaves",
        "mixed-steps",
        "Collectives are paired by order, so rank 0's gradients were averaged with the previous step of the other ranks.",
    ),
    (
        "batch-norm-on-many-ranks",
        "main",
        "Every replica normalises with the mean and variance of its own single image; DDP does not merge the statistics. "
        "Convert it with SyncBatchNorm. "
        "The ranks' means must be weighted by counts, and the variance between the ranks is added to the one within. "
        "Compare with one process that gets the whole batch.",
    ),
    (
        "batch-norm-on-many-ranks",
        "squares-and-digits",
        "Catastrophic cancellation: the two large squares are nearly equal and float16 has too few digits for their difference.",
    ),
]


def rubric_score(library: Library, item: str, part: str, answer: str) -> Score:
    question = library.items[item].item
    values = draw(question, None).values
    if isinstance(question, Probe) and part != "main":
        follow_up = next(f for f in question.follow_ups if f.id == part)
        return score_text(follow_up.rubric, fill(follow_up.stem, values), answer, {})
    found = part_of(library, item, part)
    assert isinstance(found, TextPart)
    return score_text(found.rubric, fill(f"{question.stem}\n{found.stem or ''}", values), answer, {})


@pytest.mark.parametrize(("item", "part", "answer"), GOOD)
def test_a_good_answer_earns_everything(library: Library, item: str, part: str, answer: str) -> None:
    found = rubric_score(library, item, part, answer)
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met")
    assert not found.misconceptions


@pytest.mark.parametrize(("item", "part"), [(item, part) for item, part, _ in GOOD])
@pytest.mark.parametrize(
    "answer", ["", "I don't know.", "We bought faster GPUs, use AdamW with a cosine schedule, and NCCL is the backend."]
)
def test_an_answer_beside_the_point_earns_nothing(library: Library, item: str, part: str, answer: str) -> None:
    assert rubric_score(library, item, part, answer).points == 0


@pytest.mark.parametrize(
    ("item", "answer", "misconception"),
    [
        ("accuracy-moves-with-ranks", "Just average the metric over the GPUs, that gives the accuracy.", "ratio-metric-averaged"),
        ("one-rank-misbehaves", "The empty rank simply skips the step.", "rank-left-out"),
        ("one-rank-misbehaves", "Rank 0 checks the loss and broadcasts whether to step.", "one-rank-decides"),
        (
            "batch-norm-on-many-ranks",
            "Nothing: DDP keeps the batch norm statistics in sync because it broadcasts the buffers.",
            "one-rank-alone",
        ),
    ],
)
def test_a_wrong_idea_is_named(library: Library, item: str, answer: str, misconception: str) -> None:
    assert misconception in rubric_score(library, item, "main", answer).misconceptions
