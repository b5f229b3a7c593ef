"""The lesson's figures, as the bank's own formulas and the real scorers give them."""

from fractions import Fraction

import pytest
from answering import part_of, score

from quizapp.bank.draw import draw, shown_choices
from quizapp.bank.load import Library
from quizapp.model.formula import Formula
from quizapp.model.question import Choice, ChoicePart, NumericPart

ITEMS = {
    "two-rank-mean": "checkpoint",
    "averaged-gradient-scalar": "checkpoint",
    "zero-token-rank": "checkpoint",
    "accumulation-mean": "checkpoint",
    "duplicated-tail": "checkpoint",
    "two-rank-tokens": "exercise",
    "three-rank-tokens": "exercise",
    "ddp-compensation": "exercise",
    "uneven-accumulation": "exercise",
    "reduced-loss-backward": "exercise",
    "equal-work": "exercise",
    "final-packet": "exercise",
    "scale-local-loss": "exercise",
    "why-gpus-change-loss": "probe",
}


def test_the_bank_holds_the_lesson(library: Library) -> None:
    assert not library.faults
    found = {id: loaded.item.kind for id, loaded in library.items.items() if loaded.bank_id == "intended-average"}
    assert found.items() >= ITEMS.items()
    assert all(library.items[id].item.confidence for id in found)
    assert [p.points for p in library.items["two-rank-tokens"].item.parts] == [1, 1, 1, 1]
    assert [p.points for p in library.items["three-rank-tokens"].item.parts] == [1, 1, 1, 2]


# Counts, sums, and what was worked out from them by hand.
@pytest.mark.parametrize(
    ("item", "part", "n", "S", "right", "mean_of_means"),
    [
        ("two-rank-tokens", "global-mean", (2, 4), (6, 6), Fraction(2), Fraction(9, 4)),
        ("three-rank-tokens", "global-mean", (2, 1, 3), (4, 5, 3), Fraction(2), Fraction(8, 3)),
        ("uneven-accumulation", "window-mean", (1, 3), (4, 6), Fraction(5, 2), Fraction(3)),
    ],
)
def test_means_are_computed_from_counts_and_sums(
    library: Library, item: str, part: str, n: tuple[int, ...], S: tuple[int, ...], right: Fraction, mean_of_means: Fraction
) -> None:
    assert Fraction(sum(S), sum(n)) == right
    assert sum(Fraction(s, c) for s, c in zip(S, n, strict=True)) / len(n) == mean_of_means
    values = draw(library.items[item].item, None).values
    assert (values["n"], values["S"]) == (n, S)
    for name, wanted in ((part, right), ("mean-of-means", mean_of_means)):
        numeric = part_of(library, item, name)
        assert isinstance(numeric, NumericPart)
        assert Formula.parse(numeric.key).scalar(values) == wanted


def test_the_compensation_of_the_three_ranks(library: Library) -> None:
    values = draw(library.items["three-rank-tokens"].item, None).values
    contributions = Formula.parse("len(n)/sum(n)*S").value(values)
    assert contributions == (Fraction(2), Fraction(5, 2), Fraction(3, 2))
    assert Formula.parse("mean(len(n)/sum(n)*S)").scalar(values) == 2


@pytest.mark.parametrize(
    ("item", "part", "answer", "misconception"),
    [
        ("two-rank-mean", "main", "1", None),
        ("two-rank-mean", "main", "2", "mean-of-rank-means"),
        ("two-rank-mean", "main", "4", "raw-sum"),
        ("two-rank-mean", "main", "0", "one-rank-alone"),
        ("averaged-gradient-scalar", "main", "R*L_r/N", None),
        ("averaged-gradient-scalar", "main", "L_r/N", "forgot-world-size-factor"),
        ("averaged-gradient-scalar", "main", "L_r/n_r", "mean-of-rank-means"),
        ("averaged-gradient-scalar", "main", "R*L_r/n_r", "means-summed"),
        ("zero-token-rank", "main", "synchronised-zero", None),
        ("zero-token-rank", "main", "skip-there", "rank-left-out"),
        ("accumulation-mean", "main", "2.5", None),
        ("accumulation-mean", "main", "3", "mean-of-microbatch-means"),
        ("accumulation-mean", "main", "5", "pieces-as-denominator"),
        ("accumulation-mean", "main", "10", "raw-sum"),
        ("duplicated-tail", "main", "record-sampling", None),
        ("duplicated-tail", "main", "assume-equal", "equal-devices-equal-exposure"),
        ("two-rank-tokens", "global-mean", "2", None),
        ("two-rank-tokens", "global-mean", "2.25", "mean-of-rank-means"),
        ("two-rank-tokens", "mean-of-means", "2.25", None),
        ("two-rank-tokens", "mean-of-means", "2", "ddp-picks-the-denominator"),
        ("three-rank-tokens", "global-count", "6", None),
        ("three-rank-tokens", "global-mean", "2", None),
        ("three-rank-tokens", "global-mean", "8/3", "mean-of-rank-means"),
        ("three-rank-tokens", "mean-of-means", "8/3", None),
        ("three-rank-tokens", "mean-of-means", "2 2/3", None),
        ("uneven-accumulation", "short-window-code", "1.5", None),
        ("uneven-accumulation", "short-window-mean", "3", None),
        ("uneven-accumulation", "short-window-mean", "1.5", "planned-microbatches"),
        ("reduced-loss-backward", "logged", "2", None),
        ("reduced-loss-backward", "gradient", "1.25", None),
        ("reduced-loss-backward", "gradient", "2.5", "plain-collective-gradient"),
        ("equal-work", "distinct", "8", None),
        ("equal-work", "distinct", "12", "repeats-are-new-data"),
        ("equal-work", "epoch-ratio", "2.5", None),
        ("equal-work", "equal-work-ratio", "2", None),
        ("equal-work", "equal-work-ratio", "2.5", "throughput-is-all"),
        ("ddp-compensation", "main", "(R/N) L_r", None),
        ("ddp-compensation", "main", "L_r/(N/R)", None),
        ("ddp-compensation", "main", "L_r/N", "forgot-world-size-factor"),
        ("ddp-compensation", "main", "R*L_r/n_r", "means-summed"),
        ("ddp-compensation", "main", "L_r/(R*N)", "factor-upside-down"),
    ],
)
def test_answers_earn_their_points_or_are_named(
    library: Library, item: str, part: str, answer: str, misconception: str | None
) -> None:
    scored = score(library, item, part, answer)
    assert scored.points == (scored.max_points if misconception is None else 0)
    assert scored.misconceptions == (() if misconception is None else (misconception,))


@pytest.mark.parametrize("item", sorted(ITEMS))
def test_no_variant_makes_a_wrong_answer_right_or_ambiguous(library: Library, item: str) -> None:
    question = library.items[item].item
    for seed in range(200):
        variant = draw(question, seed)
        for part in question.parts:
            if isinstance(part, NumericPart):
                key = Formula.parse(part.key).scalar(variant.values)
                named: dict[object, str] = {}
                for wrong in part.wrong:
                    value = Formula.parse(wrong.value).scalar(variant.values)
                    assert value != key, (part.id, seed, wrong.value)
                    assert named.setdefault(value, wrong.misconception) == wrong.misconception, (part.id, seed, wrong.value)
            elif isinstance(part, ChoicePart):
                texts = [choice.text for choice in shown_choices(part, variant)]
                assert len(set(texts)) == len(texts), (part.id, seed)


def test_every_distractor_says_why_it_is_wrong(library: Library) -> None:
    choices: list[Choice] = [
        choice for id in ITEMS for part in library.items[id].item.parts if isinstance(part, ChoicePart) for choice in part.choices
    ]
    assert len(choices) >= 20
    assert all(choice.note for choice in choices)
