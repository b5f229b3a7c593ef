"""Losses, policy losses, precision, meshes, statistics: figures worked out apart from the banks' formulas, and variants."""

import math
import statistics
from fractions import Fraction

import pytest
from answering import score

from quizapp.bank.draw import draw, shown_choices
from quizapp.bank.load import Library
from quizapp.model.formula import Formula
from quizapp.model.question import ChoicePart, NumericPart, Probe

BANKS = (
    "losses-with-several-terms",
    "preference-and-policy",
    "precision-and-clipping",
    "sharded-and-hybrid",
    "statistics-across-ranks",
)


# Answers worked out by hand from the stem's figures.
@pytest.mark.parametrize(
    ("item", "part", "answer", "misconception"),
    [
        ("token-or-sequence-mean", "main", "1/10", None),
        ("token-or-sequence-mean", "main", "1/6", "another-mean-than-stated"),
        ("constant-without-rows", "main", "grows", None),
        ("truncated-below-the-line", "main", "0.5", None),
        ("truncated-below-the-line", "main", "1", "two-masks"),
        ("first-loss-of-a-dpo-run", "main", "added-up", None),
        ("target-of-ipo", "main", "0.025", None),
        ("target-of-ipo", "main", "5", "mean-log-probability"),
        ("filter-that-emptied-a-group", "main", "0", None),
        ("filter-that-emptied-a-group", "main", "before", "rows-filtered-from-a-group"),
        ("three-objectives-on-two-ranks", "tokens", "13/6", None),
        ("three-objectives-on-two-ranks", "tokens", "2.625", "mean-of-rank-means"),
        ("three-objectives-on-two-ranks", "answers", "7/3", None),
        ("three-objectives-on-two-ranks", "answers", "2.75", "mean-of-rank-means"),
        ("three-objectives-on-two-ranks", "answer-scalar", "R*S/(n*B)", None),
        ("three-objectives-on-two-ranks", "answer-scalar", "S/(b*n)", "mean-of-rank-means"),
        ("three-objectives-on-two-ranks", "constant-scalar", "(R/(B*L))*S", None),
        ("three-objectives-on-two-ranks", "constant-scalar", "R*S/L", "rows-missing-from-constant"),
        ("groups-without-signal", "all-sampled", "0.45", None),
        ("groups-without-signal", "survivors", "1/2", None),
        ("groups-without-signal", "survivors", "0.45", "dropped-kept-in-denominator"),
        ("groups-without-signal", "ratio", "1 + Z/T", None),
        ("groups-without-signal", "ratio", "T/(T+Z)", "factor-upside-down"),
        ("weights-that-cancel", "main", "0.25", None),
        ("weights-that-cancel", "main", "20/23", "ddp-picks-the-denominator"),
        ("indices-or-probabilities", "main", "rows", None),
        ("indices-or-probabilities", "main", "weights", "probabilities-divide-by-weights"),
        ("smoothing-and-ignored-rows", "right", "2.1", None),
        ("smoothing-and-ignored-rows", "right", "2.85", "ignored-rows-smoothed"),
        ("smoothing-and-ignored-rows", "buggy", "2.85", None),
        ("smoothing-and-ignored-rows", "excess", "g*m*e/v", None),
        ("smoothing-and-ignored-rows", "excess", "e*m*g/(g+v)", "padding-counted"),
        ("loss-that-went-to-zero", "main", "total-stalls", None),
        ("norm-logged-nothing-clipped", "main", "15", None),
        ("norm-logged-nothing-clipped", "main", "1", "norm-without-clipping"),
        ("one-scaler-two-optimizers", "main", "5", None),
        ("one-scaler-two-optimizers", "main", "8", "scale-changed-in-mid-window"),
        ("counting-in-bfloat16", "stalls-at", "1024", None),
        ("counting-in-bfloat16", "stalls-at", "4096", "total-in-low-precision"),
        ("counting-in-bfloat16", "wrong-loss", "12", None),
        ("counting-in-bfloat16", "how-much-larger", "4", None),
        ("divide-before-or-after", "sum-first", "76800", None),
        ("divide-before-or-after", "largest", "255.9", None),
        ("divide-before-or-after", "smallest", "R*t/2", None),
        ("divide-before-or-after", "smallest", "t/2", "underflow-by-dividing-first"),
        ("replicas-meet-last", "main", "9", None),
        ("replicas-meet-last", "main", "11", "only-last-reduced"),
        ("factor-on-two-axes", "main", "6", None),
        ("factor-on-two-axes", "main", "3", "averaged-on-top-of-the-factor"),
        ("norm-of-a-mixed-model", "true-norm", "10", None),
        ("norm-of-a-mixed-model", "reported-norm", "18.76", None),
        ("norm-of-a-mixed-model", "share", "0.277", None),
        ("norm-of-a-mixed-model", "reported-norm", "10", "replicated-norm-summed"),
        ("pipeline-divides-again", "right", "6", None),
        ("pipeline-divides-again", "right", "12", "microbatch-means-added-up"),
        ("pipeline-divides-again", "got", "9", None),
        ("pipeline-divides-again", "first-of-k", "1/m**K", None),
        ("pipeline-divides-again", "first-of-k", "1/m", "accumulated-gradient-rescaled"),
        ("perfect-on-every-rank", "main", "pooled", None),
        ("two-tokenizers-one-text", "main", "model-b", None),
        ("average-of-the-norms", "main", "4", None),
        ("average-of-the-norms", "main", "5", "norm-before-reduction"),
        ("its-own-count-for-both", "right", "96/7", None),
        ("its-own-count-for-both", "rank-zero", "44/3", None),
        ("its-own-count-for-both", "rank-zero", "11", "bessel-correction-misplaced"),
        ("its-own-count-for-both", "rank-one", "12", None),
    ],
)
def test_answers_earn_their_points_or_are_named(
    library: Library, item: str, part: str, answer: str, misconception: str | None
) -> None:
    scored = score(library, item, part, answer)
    assert scored.points == (scored.max_points if misconception is None else 0)
    assert scored.misconceptions == (() if misconception is None else (misconception,))


def test_no_variant_makes_a_wrong_answer_right_or_ambiguous(library: Library) -> None:
    for id, loaded in library.items.items():
        question = loaded.item
        if loaded.bank_id not in BANKS:
            continue
        for seed in range(60):
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


def test_every_distractor_says_why_it_is_wrong(library: Library) -> None:
    silent = [
        (id, choice.id)
        for id, loaded in library.items.items()
        if loaded.bank_id in BANKS
        for part in loaded.item.parts
        if isinstance(part, ChoicePart)
        for choice in part.choices
        if not choice.note
    ]
    assert not silent


def test_incidents_link_to_what_they_tell(library: Library) -> None:
    incidents = {
        id: loaded.item for id, loaded in library.items.items() if "incident" in loaded.item.topics and loaded.bank_id in BANKS
    }
    assert len(incidents) >= 25
    assert not [id for id, item in incidents.items() if not any("](https://github.com/" in source for source in item.sources)]


def test_probes_ask_for_three_things_and_go_on(library: Library) -> None:
    for id, loaded in library.items.items():
        if isinstance(loaded.item, Probe) and loaded.bank_id in BANKS:
            assert len(loaded.item.rubric.criteria) >= 3, id
            assert loaded.item.follow_ups, id
            assert all(len(criterion.accept) >= 5 and criterion.follow_up for criterion in loaded.item.rubric.criteria), id
            assert loaded.item.rubric.misconceptions, id


def test_a_pipeline_that_divides_what_it_finds(library: Library) -> None:
    """The schedules, run as the stem tells them, in 30 variants."""
    item = library.items["pipeline-divides-again"].item
    for seed in range(30):
        values = draw(item, seed).values
        m, (first, second) = values["m"], values["g"]
        grad = Fraction(0)
        for added in (first, second):
            grad = (grad + added) / m
        key = next(part.key for part in item.parts if isinstance(part, NumericPart) and part.id == "got")
        assert Formula.parse(key).scalar(values) == grad


def test_a_merge_with_ones_own_count(library: Library) -> None:
    """Each rank's unbiased variance, from data that has the moments it believes in."""
    item = library.items["its-own-count-for-both"].item
    for seed in range(30):
        values = draw(item, seed).values
        n, m, v = (tuple(float(entry) for entry in values[name]) for name in "nmv")
        keys = {part.id: float(Formula.parse(part.key).scalar(values)) for part in item.parts if isinstance(part, NumericPart)}
        assert keys["right"] == pytest.approx(statistics.variance([*moments(n[0], m[0], v[0]), *moments(n[1], m[1], v[1])]))
        for own, part in zip(n, ("rank-zero", "rank-one"), strict=True):
            believed = [*moments(own, m[0], v[0]), *moments(own, m[1], v[1])]
            assert keys[part] == pytest.approx(statistics.variance(believed))


def moments(n: float, mean: float, variance: float) -> list[float]:
    """``n`` (at least 2) numbers with that mean and biased variance."""
    step = math.sqrt(variance * n / 2)
    return [mean - step, mean + step] + [mean] * (int(n) - 2)


def test_leave_one_out_baselines(library: Library) -> None:
    def advantages(rewards: list[Fraction]) -> list[Fraction]:
        return [r - (sum(rewards) - r) / (len(rewards) - 1) for r in rewards]

    values = draw(library.items["filter-that-emptied-a-group"].item, None).values
    group = [Fraction(0)] + [Fraction(values["r"], 100)] * (int(values["G"]) - 1)
    kept = [r for at, r in enumerate(group) if len(set(group[:at] + group[at + 1 :])) > 1]
    assert kept == group[1:]
    assert set(advantages(kept)) == {0}
    assert set(advantages(group)[1:]) == {Fraction(values["r"], 100) / (int(values["G"]) - 1)}


def test_the_areas_of_the_two_ranks() -> None:
    def area(positive: list[float], negative: list[float]) -> float:
        return statistics.mean(float(p > n) for p in positive for n in negative)

    assert (area([0.9], [0.8]), area([0.3], [0.2])) == (1, 1)
    assert area([0.9, 0.3], [0.8, 0.2]) == 0.75


def test_figures_told_in_texts() -> None:
    # Truncated, filtered and rolled tokens.
    assert Fraction(100, 90) == 1 + Fraction(10, 90)
    assert 1 / 0.3 > 3
    assert round(100 / 4096, 3) == 0.024
    # Whitening 1, 3 | 5, 7, 9.
    assert round((3 - 5) / statistics.pstdev([1, 3, 5, 7, 9]), 3) == -0.707
    assert (3 - 2) / statistics.pstdev([1, 3]) == 1
    # A reported norm of 48 where 28 is right, on 8 ranks.
    replicated = Fraction(48**2 - 28**2, 7)
    assert round(float(replicated), 1) == 217.1
    assert round(100 * float(replicated / 28**2), 1) == 27.7
    # Perplexities of (12, 6) and (20, 5), and of losses 0 and 4.
    assert [round(x, 1) for x in (math.exp(3), (math.exp(2) + math.exp(4)) / 2, math.exp(32 / 11))] == [20.1, 31.0, 18.3]
    assert (round(math.exp(2), 2), round(math.exp(4), 2)) == (7.39, 54.6)
    # Answers of 10 and 1000 tokens with losses 1 and 0.
    assert round(10 / 1010, 4) == 0.0099
