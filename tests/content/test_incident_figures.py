"""The figures of items that tell incidents, worked out by playing the story through, apart from the banks' formulas."""

import math
import re
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import pytest
from answering import part_of

from quizapp.bank.draw import draw, shown_choices
from quizapp.bank.load import Library
from quizapp.model.formula import Formula, Scalar
from quizapp.model.question import ChoicePart, NumericPart
from quizapp.scoring.score import score_part

Values = dict[str, Any]
"""A variant's numbers, as integers and tuples of them."""
SEEDS: tuple[int | None, ...] = (None, *range(40))


def variant(library: Library, item: str, seed: int | None) -> Values:
    values = draw(library.items[item].item, seed).values
    return {name: tuple(map(int, value)) if isinstance(value, tuple) else int(value) for name, value in values.items()}


def keyed(library: Library, item: str, part: str, values: Values) -> Scalar:
    found = part_of(library, item, part)
    if isinstance(found, NumericPart):
        return Formula.parse(found.key).scalar(values)
    assert isinstance(found, ChoicePart)
    (key,) = (choice for choice in found.choices if choice.key)
    assert key.value is not None
    return Formula.parse(key.value).scalar(values)


def over_ranks(sums: list[F]) -> F:
    """What DDP makes of the ranks' gradients."""
    return sum(sums, F(0)) / len(sums)


def shifted(v: Values) -> F:
    rows, tokens, mean = v["B"], v["T"], v["m"]
    labels = [[mean] * tokens for _ in range(rows)]
    total = sum(sum(row[1:]) for row in labels)
    return F(total, sum(len(row) for row in labels))


def guarded_samples(v: Values) -> F:
    masks = [v["T"], *[0] * v["M"]]
    return F(sum(masks), sum(max(mask, 1) for mask in masks))


def guarded_boxes(v: Values) -> F:
    ranks, boxes, mean = v["R"], v["B"], v["m"]
    divisor = max(F(boxes, ranks), F(1))
    sums = [F(mean)] * boxes + [F(0)] * (ranks - boxes)
    return over_ranks([s / divisor for s in sums])


def with_the_line(v: Values, own_mean: bool, hook_sums: bool) -> F:
    counts, sums = v["n"], v["S"]
    ranks = [2 * F(s, n if own_mean else sum(counts)) for s, n in zip(sums, counts, strict=True)]
    return sum(ranks, F(0)) if hook_sums else over_ranks(ranks)


def cleared_in_the_loop(v: Values) -> F:
    grad = F(0)
    for mean in v["g"]:
        grad = F(0)
        grad += F(mean, 3)
    return grad


def running_count(v: Values) -> int:
    running = [0, 0]
    for batch in (v["n"], v["m"]):
        running = [have + more for have, more in zip(running, batch, strict=True)]
        running = [sum(running)] * 2
    return running[0]


def true_count(v: Values) -> int:
    return sum(v["n"]) + sum(v["m"])


def divided_later(v: Values, factor: F) -> F:
    total = [F(v["g"] * v["N"])] + [F(0)] * (v["R"] - 1)
    return over_ranks(total) * factor


def head_on_some(v: Values, scaled: bool) -> F:
    ranks, active, gradient, tokens = (v[name] for name in ("R", "A", "g", "t"))
    factor = F(ranks, active * tokens) if scaled else F(1)
    return over_ranks([factor * gradient] * active + [F(0)] * (ranks - active))


def samples_once(v: Values) -> F:
    scores = [F(p, 10) for p, size in zip(v["p"], (v["b"], v["b"], v["s"]), strict=True) for _ in range(size)]
    return sum(scores, F(0)) / len(scores)


def rounded_count(v: Values) -> F:
    total = sum(v["n"])
    return F(v["m"] * total, 2) / math.floor(F(total, 2))


def scored_indices(v: Values) -> list[int]:
    length, ranks, batch = v["D"], v["R"], v["b"]
    order = list(range(length))
    order += order[: -length % ranks]
    found = []
    for rank in range(ranks):
        shard = order[rank::ranks]
        found += shard[: len(shard) // batch * batch]
    return sorted(found)


def window(v: Values, names: tuple[str, str] = ("S", "n"), others: tuple[str, str] = ("U", "m")) -> list[list[tuple[F, int]]]:
    return [[(F(s), n) for s, n in zip(v[a], v[b], strict=True)] for a, b in (names, others)]


def window_mean(v: Values) -> F:
    cells = [cell for rank in window(v) for cell in rank]
    return sum((s for s, _ in cells), F(0)) / sum(n for _, n in cells)


PLAYED: list[tuple[str, str, Callable[[Values], F | int]]] = [
    ("labels-before-the-shift", "main", shifted),
    ("a-guard-for-each-sample", "main", guarded_samples),
    ("boxes-per-rank", "main", guarded_boxes),
    ("one-line-four-trainers", "mean-and-average", lambda v: with_the_line(v, own_mean=True, hook_sums=False)),
    ("one-line-four-trainers", "sum-and-average", lambda v: with_the_line(v, own_mean=False, hook_sums=False)),
    ("one-line-four-trainers", "sum-and-hook", lambda v: with_the_line(v, own_mean=False, hook_sums=True)),
    ("cleared-in-the-inner-loop", "main", cleared_in_the_loop),
    ("a-count-reduced-as-it-grows", "true-count", true_count),
    ("a-count-reduced-as-it-grows", "counted", running_count),
    ("a-count-reduced-as-it-grows", "step", lambda v: F(v["g"] * true_count(v), running_count(v))),
    ("divide-later", "before-scaling", lambda v: divided_later(v, F(1))),
    ("divide-later", "as-shipped", lambda v: divided_later(v, F(1, v["N"]))),
    ("a-head-on-some-ranks", "averaged", lambda v: head_on_some(v, scaled=False)),
    ("a-head-on-some-ranks", "token-mean", lambda v: head_on_some(v, scaled=True)),
    ("ten-samples-in-the-last-batch", "main", samples_once),
    ("a-count-rounded-down", "main", rounded_count),
    ("filled-up-and-cut-off", "dealt", lambda v: -(-v["D"] // v["R"])),
    ("filled-up-and-cut-off", "scored", lambda v: len(scored_indices(v))),
    ("filled-up-and-cut-off", "reported", lambda v: F(sum(scored_indices(v)), len(scored_indices(v)))),
    ("name-that-gradient", "right", window_mean),
]


@pytest.mark.parametrize(("item", "part", "played"), PLAYED, ids=[f"{item}-{part}" for item, part, _ in PLAYED])
def test_keys_are_what_the_story_gives(library: Library, item: str, part: str, played: Callable[[Values], F | int]) -> None:
    for seed in SEEDS:
        values = variant(library, item, seed)
        assert keyed(library, item, part, values) == played(values), (seed, values)


def test_the_divisor_that_is_right_makes_the_token_mean(library: Library) -> None:
    for seed in SEEDS:
        values = variant(library, "divide-later", seed)
        assert divided_later(values, F(values["R"], values["N"])) == values["g"]


def test_the_first_loss_is_a_share_of_the_logarithm(library: Library) -> None:
    item = library.items["first-loss-too-low"].item
    for seed in SEEDS:
        values = draw(item, seed).values
        assert float(Formula.parse("log(50304)/R").scalar(values)) == pytest.approx(math.log(50304) / int(values["R"]))


def test_each_wrong_program_leaves_another_gradient(library: Library) -> None:
    """In every variant of ``name-that-gradient`` the four shown are apart from each other and from all that the notes speak of."""
    item = library.items["name-that-gradient"].item
    for seed in SEEDS:
        values = variant(library, "name-that-gradient", seed)
        ranks = window(values)
        right, total = window_mean(values), sum(n for rank in ranks for _, n in rank)
        means = over_ranks([sum((s for s, _ in rank), F(0)) / sum(n for _, n in rank) for rank in ranks])
        microbatch_means = over_ranks([sum(s / n for s, n in rank) / 3 for rank in ranks])
        last = sum(rank[2][0] for rank in ranks) / total
        found = [right, right / 2, right / 3, means, microbatch_means, last]
        assert len(set(found)) == len(found), (seed, found)
        shown = {part.id: part.stem or "" for part in item.parts}
        formulas = {id: re.findall(r"\{\{(.*?)\}\}", stem) for id, stem in shown.items()}
        assert Formula.parse(formulas["first"][0].strip()).scalar(values) == right / 2
        assert Formula.parse(formulas["second"][0].strip()).scalar(values) == means
        own = [Formula.parse(text.strip()).scalar(values) for text in formulas["third"]]
        assert own == [2 * sum((s for s, _ in rank), F(0)) / total for rank in ranks]
        assert over_ranks(own) == right
        assert Formula.parse(formulas["fourth"][0].strip()).scalar(values) == right / 3


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        # 18, 200 and 2,000 tokens on two ranks
        ("norm-follows-the-tokens", {"3.6": F(18, 2) * F(4, 10), "40": F(200, 2) * F(4, 10), "500": F(2000, 2) * F(5, 10)}),
        ("maintainer-changes-his-mind", {"3": F(12 + 12, 6 + 2), "4": (F(12, 6) + F(12, 2)) / 2}),
        ("replicas-drift-apart", {"5.5": F(2 + 1 + 4 + 4, 2), "4.0": F(2 + 4, 2) + 1, "7.0": F(2 + 4, 2) + 4}),
        ("two-layers-divide", {"0.20": F(8, 10) / 4, "0.05": F(8, 10) / 16}),
        ("about-an-eighth", {"0.125": F(1, 8)}),
    ],
)
def test_figures_told_in_words(library: Library, text: str, figures: dict[str, F]) -> None:
    item = library.items[text].item
    told = f"{item.stem}\n{item.explanation}"
    for shown, value in figures.items():
        assert F(shown) == value
        assert re.search(rf"(?<![\d.]){re.escape(shown)}(?![\d])", told), shown


def test_shards_at_the_end_of_the_epoch() -> None:
    shards = [len(range(rank, 32_003, 4)) for rank in range(4)]
    assert shards == [8001, 8001, 8001, 8000]
    assert [-(-n // 8) for n in shards] == [1001, 1001, 1001, 1000]
    assert [n % 8 for n in shards] == [1, 1, 1, 0]


def test_eight_times_the_evaluation_loss_and_the_last_batch() -> None:
    assert round(4.436 / 0.5536, 2) == 8.01
    assert round((256 * 0.7 + 256 * 0.8 + 10 * 0.9) / (256 + 256 + 10), 3) == 0.753


CHOICES = [
    ("first-loss-too-low", "main", "divided-once-too-often", ()),
    ("first-loss-too-low", "main", "better-start", ("lower-loss-is-better",)),
    ("labels-before-the-shift", "main", "3", ("labels-counted-before-the-shift",)),
    ("flag-between-forward-and-backward", "main", "first-is-reduced", ()),
    ("flag-between-forward-and-backward", "main", "as-intended", ("sync-decided-in-backward",)),
    ("norm-grows-with-the-window", "main", "both-divide", ("divided-again-by-microbatches",)),
    ("which-zero", "main", "empty-sum, times-zero", ()),
    ("which-zero", "main", "fresh", ("zero-without-a-graph",)),
    ("past-the-wrapper", "main", "averaged", ("forward-past-the-wrapper",)),
    ("gather-with-or-without-gradient", "main", "one-over-r", ()),
    ("a-count-rounded-down", "main", "3", ("integer-count-averaged",)),
    ("three-epochs-in-a-log", "main", "late", ()),
    ("evaluation-loss-times-gpus", "main", "batch-means", ("mean-of-batch-means",)),
    ("half-of-what", "main", "four-four", ("one-fixture-for-two-factors",)),
    ("the-right-step-fails", "main", "seed", ("randomness-in-the-fixture",)),
    ("curves-agree-norms-do-not", "main", "sgd", ()),
    ("count-the-collectives", "main", "counting-hook", ()),
]


@pytest.mark.parametrize(("item", "part", "answer", "misconceptions"), CHOICES)
def test_answers_earn_their_points_or_are_named(
    library: Library, item: str, part: str, answer: str, misconceptions: tuple[str, ...]
) -> None:
    question, chosen = library.items[item].item, part_of(library, item, part)
    drawn = draw(question, None)
    shown = shown_choices(chosen, drawn) if isinstance(chosen, ChoicePart) else ()
    scored = score_part(chosen, drawn, shown, answer, stem=question.stem, titles={})
    assert set(misconceptions) <= set(scored.misconceptions)
    assert (scored.points == scored.max_points) == (not misconceptions)


def test_half_of_what_has_one_run_that_tells_the_theories_apart() -> None:
    runs = {
        "same-again": (2, 2, F(1, 2)),
        "four-four": (4, 4, F(1, 3)),
        "three-two": (3, 2, F(1, 2)),
        "three-five": (3, 5, F(1, 4)),
    }
    telling = [id for id, (ranks, microbatches, valid) in runs.items() if len({F(1, ranks), F(1, microbatches), valid}) == 3]
    assert telling == ["three-five"]


def test_the_mixture_is_worked_out_as_the_rubric_and_the_explanation_have_it(library: Library) -> None:
    shares, lengths = (F(6, 10), F(3, 10), F(1, 10)), (1000, 4000, 200)
    tokens = [share * length for share, length in zip(shares, lengths, strict=True)]
    assert tokens == [600, 1200, 20]
    assert [round(100 * count / sum(tokens)) for count in tokens] == [33, 66, 1]
    tenfold = [*tokens[:2], 10 * tokens[2]]
    assert [count / sum(tenfold) for count in tenfold] == [F(3, 10), F(6, 10), F(1, 10)]
    drawn = [share / length for share, length in zip(shares, lengths, strict=True)]
    assert [round(100 * rate / sum(drawn)) for rate in drawn] == [51, 6, 43]
    explanation = library.items["shares-of-a-mixture"].item.explanation or ""
    assert re.search(r"51 %, 6 % and\s+43 %", explanation)
