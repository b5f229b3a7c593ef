"""Written questions of the losses, policy, precision, sharded and statistics banks, with sample answers."""

import pytest
from answering import scored, written

from quizapp.bank.load import Library

GOOD = [
    (
        "long-gibberish",
        "main",
        "Each answer is normalised by its own length, so a single token in a long completion has hardly any weight. "
        "If the advantage is negative, a long wrong completion gets a weaker push per token than a short one, so rambling pays. "
        "I'd divide the sum over all tokens by the token count of the whole step. "
        "To convince a sceptic, take a short and a long wrong answer and compare the gradient of one token in each.",
    ),
    (
        "long-gibberish",
        "main",
        "The longer the text, the less each of its tokens counts. "
        "A bad answer can escape its punishment by getting longer. "
        "Give all tokens the same weight, with one common divisor for the step. "
        "To show it, I would write down for two made-up texts what a single token of each gets, and compare the gradients.",
    ),
    ("long-gibberish", "right-answers", "Short correct answers get the bigger push per token, so correct answers become shorter."),
    (
        "long-gibberish",
        "price-of-the-change",
        "An answer now has a say in proportion to its length, so long ones dominate the step.",
    ),
    (
        "one-answer-at-a-time",
        "main",
        "A microbatch mean is one answer's, so this trains an average over answers, in which each has the same weight. "
        "I'd sum the token losses, divide by the token count of the whole window over all ranks and multiply by the world size. "
        "The test is to cut the same answers into other microbatches and compare gradients.",
    ),
    ("one-answer-at-a-time", "which-factor", "Two, because DDP averages over two ranks; accumulation only sums."),
    ("one-answer-at-a-time", "and-the-clamp", "The first gives 0.5, the second 10/1010."),
    (
        "filtered-groups-hang",
        "main",
        "After filtering some ranks have fewer microbatches left than others, so the rest wait in a gradient all-reduce. "
        "Gather what is left and distribute it evenly over the ranks, or pad with dummy microbatches. "
        "Count the tokens that are left after filtering on all ranks together and divide by that. "
        "Whether dropped prompts stay in the denominator as zeros is a choice of objective that has to be documented.",
    ),
    ("filtered-groups-hang", "nobody-left", "Everyone sees a global count of zero, so all ranks skip the step together."),
    (
        "whitened-in-slices",
        "main",
        "The all-reduce runs over the data-parallel group only, so each context rank uses the moments of its own slices. "
        "A rank whose slice is empty has to enter the all-reduce with zeros. "
        "Compare the advantages with cp 1 and cp 2 on the same batch; they must be equal.",
    ),
    ("whitened-in-slices", "moments-of-slices", "With all five it is -0.71, with its own slice +1, so the sign flips."),
    (
        "whitened-in-slices",
        "why-the-error",
        "All slices at one context position can be prompt, so the sum of that group is zero. Check the global count instead.",
    ),
    (
        "tokens-in-dpo",
        "main",
        "Each pair yields one loss and DPO is their mean, so pairs are the unit and not tokens. "
        "An answer's probability is a product over its tokens, so the logs are added. "
        "Averaging gives another objective, like SimPO, in which beta means something else. "
        "Each rank multiplies the sum over its pairs by the world size and divides by the number of pairs on all ranks.",
    ),
    ("tokens-in-dpo", "first-loss", "It starts at ln 2, that is 0.693."),
    (
        "groups-without-signal",
        "on-two-ranks",
        "Rank 1 runs forward and backward with a loss of zero and joins the all-reduces. "
        "Rank 0 divides by the token count of both ranks together and keeps the factor 2.",
    ),
    (
        "smoothing-and-ignored-rows",
        "test",
        "The smoothing term never looks at the label, so ignored rows were not skipped. "
        "Remove the ignored rows: loss and gradient must stay the same.",
    ),
    (
        "tokens-that-were-rolled-out",
        "main",
        "The rolled mask has one token less per sequence, so its sum is divided by a count that is too large. "
        "For short documents of eight tokens that is a large error. "
        "Each term should be divided by its own token count over all ranks. "
        "After the roll a rank's slice can have no valid token, and 0/0 is NaN.",
    ),
    ("tokens-that-were-rolled-out", "number-for-eight", "7/8 for the first and 6/8 for the second."),
    (
        "tokens-that-were-rolled-out",
        "clamp-hides",
        "An empty slice gives zero now, but every slice still divides by its own local count, so it is a mean of means.",
    ),
    ("counting-in-bfloat16", "where-it-belongs", "Every += rounds the running total to bfloat16, so keep the count in an int64."),
    (
        "divide-before-or-after",
        "both",
        "Divide by the square root of R before the sum and once more after it, or reduce in float32.",
    ),
    (
        "sums-over-a-million-tokens",
        "main",
        "Logits are cast to float32 before cross entropy, so the loss sum is in float32. "
        "The token count is an integer; in bfloat16 it would stop at 256. "
        "Gradients of microbatches should be accumulated and reduced in float32, which FSDP2 calls reduce_dtype. "
        "I'd print the dtypes, and compare one step's gradient with a float64 run.",
    ),
    ("sums-over-a-million-tokens", "sixty-four-microbatches", "It stays at 1.0, because each addition is rounded back."),
    (
        "norm-of-a-mixed-model",
        "does-it-matter",
        "Clipping divides max_norm by this norm, so gradients are cut too early and too hard. "
        "The error depends on the share of the replicated parameters and on the number of ranks.",
    ),
    ("pipeline-divides-again", "mend", "Turn off the schedule's division and scale each microbatch's loss once."),
    (
        "copies-of-a-norm-weight",
        "main",
        "Each rank only sees a quarter of the positions, so its gradient is a part of the whole. "
        "The four have to be summed over the tensor-parallel group; an average would be four times too small. "
        "Compare with the gradient of a run without sequence parallelism on the same batch.",
    ),
    (
        "copies-of-a-norm-weight",
        "other-parameters",
        "All replicated parameters that work on a slice, such as biases and the router. The split matrices see all positions.",
    ),
    ("copies-of-a-norm-weight", "how-slow", "A quarter of what it should be, and Adam hides most of it."),
    (
        "is-times-cp-a-bug",
        "main",
        "It depends on whether the gradient reduction averages over the context ranks or sums over them. "
        "Another layer, such as the schedule, may multiply already, so the factor comes in twice. "
        "Run one step on the same batch with cp 1 and cp 2 and compare the gradient norm.",
    ),
    ("is-times-cp-a-bug", "by-the-numbers", "If it averages 2 comes out, and if it sums 4."),
    (
        "right-outputs-wrong-gradients",
        "main",
        "The backward of batch norm contains two averages over the whole batch, of dy and of dy times the normalised input. "
        "They averaged each rank's local mean with equal weight. "
        "A test that compares input gradients with one process on the concatenated data was missing, with uneven counts.",
    ),
    ("right-outputs-wrong-gradients", "shift-check", "The input gradients must add up to zero over all ranks."),
    (
        "its-own-count-for-both",
        "broadcast",
        "All ranks then agree on the same wrong value, and the batch is still normalised with unweighted moments. "
        "The tests used the same batch size on every rank.",
    ),
    (
        "mean-of-the-exponentials",
        "main",
        "The old order was right: first the mean, then a single exp at the end. "
        "By Jensen the new line is larger. "
        "Neither weighs batches by their number of tokens: sum losses and count tokens over batches and ranks. "
        "Evaluate with another batch size; the number must not change.",
    ),
    (
        "mean-of-the-exponentials",
        "three-numbers",
        "The old line gives exp(3) = 20.1 and the new one 31.0. The data has exp(32/11), about 18.3.",
    ),
]
PARTS = sorted({(item, part) for item, part, _ in GOOD})


@pytest.mark.parametrize(("item", "part", "answer"), GOOD)
def test_a_good_answer_earns_everything(library: Library, item: str, part: str, answer: str) -> None:
    found = scored(library, item, part, answer)
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met"), found.criteria
    assert not found.misconceptions


@pytest.mark.parametrize(("item", "part"), PARTS)
@pytest.mark.parametrize(
    "answer", ["", "I don't know.", "We bought faster GPUs, use AdamW with a cosine schedule, and NCCL is the backend.", None]
)
def test_nothing_is_earned_beside_the_point_or_by_repeating_the_question(
    library: Library, item: str, part: str, answer: str | None
) -> None:
    assert scored(library, item, part, written(library, item, part)[1] if answer is None else answer).points == 0


@pytest.mark.parametrize(
    ("item", "answer", "misconception"),
    [
        ("long-gibberish", "It is one constant factor that the learning rate absorbs.", "loss-per-sequence-for-nothing"),
        (
            "one-answer-at-a-time",
            "Accumulation is the same as a larger batch, so it is the token mean.",
            "mean-of-microbatch-means",
        ),
        ("filtered-groups-hang", "A rank without prompts can skip the step.", "ranks-stop-apart"),
        ("whitened-in-slices", "A rank without tokens may skip the reduction.", "rank-left-out"),
        ("tokens-in-dpo", "The first proposal is right, tokens are the unit.", "pairs-weighted-by-tokens"),
        ("sums-over-a-million-tokens", "bfloat16 has the range of float32, so the sums are safe.", "total-in-low-precision"),
        ("copies-of-a-norm-weight", "Average the four, as with all replicated parameters.", "sequence-slices-not-added"),
        ("is-times-cp-a-bug", "Multiplying the loss by cp is obviously a bug.", "context-factor-missing"),
        ("mean-of-the-exponentials", "The new line is the right definition of perplexity.", "mean-of-exponentials"),
    ],
)
def test_a_wrong_idea_is_named(library: Library, item: str, answer: str, misconception: str) -> None:
    found = scored(library, item, "main", answer)
    assert misconception in found.misconceptions
    assert found.points == 0
