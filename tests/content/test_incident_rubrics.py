"""Sample answers to the written questions of incidents, reviews and logs: good ones, wrong ideas, and answers beside the point."""

import pytest
from answering import scored, written

from quizapp.bank.load import Library

GOOD = [
    (
        "one-line-four-trainers",
        "assumptions",
        "I have to know what the loss was divided by: the rank's own count or the count of all ranks. "
        "And whether the gradients are averaged or added afterwards; the line only undoes an average.",
    ),
    (
        "norm-follows-the-tokens",
        "main",
        "The ratios are 9, 100 and 1000, half the number of tokens: the loss sum is never divided by the token count, only "
        "averaged "
        "over the two ranks. So steps with many tokens are far larger than others, and clipping hides it. "
        "Count the tokens of the step on all ranks and multiply the loss by the world size over that total. "
        "Then compare the gradient with the single-device reference on uneven batches.",
    ),
    (
        "norm-follows-the-tokens",
        "clipped-all-the-time",
        "All three norms are above 1, so every step is cut to length 1, whatever its gradient was.",
    ),
    (
        "maintainer-changes-his-mind",
        "main",
        "The old code gives 24/8 = 3, the new one (2 + 6)/2 = 4. With its own count every minibatch gets the same weight, so a "
        "token "
        "in the small minibatch weighs more. First one has to say which mean is intended: if accumulation should equal one large "
        "batch, then the mean over all tokens. A regulariser added to each minibatch would need the factor of its slice as well.",
    ),
    (
        "maintainer-changes-his-mind",
        "prior-on-a-slice",
        "Each minibatch adds a whole mean of the prior, so it is K times too strong; divide the prior by the number of "
        "minibatches.",
    ),
    (
        "a-count-reduced-as-it-grows",
        "mend",
        "Keep the count local inside the loop and all-reduce it once at the end of the window.",
    ),
    (
        "divide-later",
        "order",
        "The gradient is linear in the loss, so a common factor can be applied at the end. "
        "It has to come before clipping, and the norm in the log must be taken after the division.",
    ),
    (
        "two-layers-divide",
        "main",
        "The tokens are the same, yet the norm falls by 4 and by 16: some layer divides by the number of microbatches again. "
        "The losses agree because AdamW is nearly invariant to a constant factor of the gradient. "
        "I would find which layer scales and switch the division off in one of them. "
        "Then a test: the gradient norm must be the same for one and for four microbatches on the same tokens.",
    ),
    (
        "two-layers-divide",
        "where-it-bites",
        "Gradient clipping never triggers, because the norm is sixteen times too small. "
        "With SGD the learning rate would be 16 times smaller.",
    ),
    (
        "three-images",
        "main",
        "With three batches the condition is never true, so no optimizer step is taken. With seven, the last three gradients "
        "stay in "
        ".grad and leak into the first step of the next epoch. Step at the end of the epoch too, and divide the short window by"
        " the "
        "number of batches that it actually has.",
    ),
    ("three-images", "the-schedule-too", "Use ceil: the scheduler has one step more per epoch, otherwise it ends too early."),
    (
        "a-head-on-some-ranks",
        "two-ways",
        "Add zero times the head's parameters to the loss on every rank. "
        "The average over active ranks weighs ranks equally although they hold different numbers of tokens.",
    ),
    (
        "timeout-at-the-end",
        "main",
        "32003 doesn't divide by 4: ranks 0 to 2 have one sequence more and so one batch more than rank 3, and wait for an all-"
        "reduce "
        "that rank 3 never enters. The ranks that time out are innocent; rank 3 is the one missing. "
        "Wrap the loop in model.join(), or make all ranks take the same number of steps by dropping the tail. "
        "The last batches hold one sequence each, so divide by the global count, or they would weigh like full ones.",
    ),
    (
        "timeout-at-the-end",
        "join-and-my-own-collective",
        "Join shadows DDP's collectives only, so that my own all_reduce of the count is missing on rank 3 and the others hang.",
    ),
    (
        "replicas-drift-apart",
        "main",
        "The first microbatch of each window is synchronised and the last one stays local. Both ranks should hold 5.5. "
        "The ranks step differently and their parameters drift apart without an error. "
        "Use (i + 1) % K == 0 for the synchronisation as well, so that the last microbatch reduces. "
        "Assert before each step that the gradients are equal on all ranks.",
    ),
    (
        "replicas-drift-apart",
        "still-different",
        "One rank may skip its step because its own loss is NaN. Or the optimizer state was restored on one rank only.",
    ),
    (
        "review-a-compression-hook",
        "main",
        "The hook sums and nobody divides by the world size, so gradients are 64 times too large. "
        "The sum over 64 ranks overflows float16 where the average would not; divide before the cast. "
        "Better use the stock fp16_compress_hook. "
        "Test that the gradients with the hook match those without a hook on two ranks.",
    ),
    (
        "review-a-compression-hook",
        "uneven-batches",
        "Multiply the bucket by n_r over N and add up; the state has to hold this step's count and the global one.",
    ),
    (
        "filled-up-and-cut-off",
        "mend",
        "Use a sampler that doesn't pad and set drop_last to False. Ranks may then have fewer batches, so accumulate sums and "
        "counts "
        "and all-reduce them once behind the loop. Log the number of distinct samples that were scored.",
    ),
    (
        "the-curve-repeats-itself",
        "main",
        "The spikes come at the same step in each epoch, so the batches come in the same order every time. "
        "sampler.set_epoch(epoch) is missing; it has to be called before each epoch on every rank. "
        "All ranks need the same seed, or their shards overlap. "
        "Print the first indices of each epoch on each rank and check that the epochs differ.",
    ),
    (
        "the-curve-repeats-itself",
        "why-worse",
        "The same examples are always together in a batch, so the noise of the gradients never averages out.",
    ),
    (
        "each-rank-its-own-plateau",
        "main",
        "Each rank steps its scheduler with the validation loss of its own shard, and these differ. From epoch 15 on the ranks "
        "have "
        "different learning rates, so the replicas drift apart although the gradients are averaged. "
        "In epoch 26 one rank stops early and leaves the loop, and the others wait in the all-reduce. "
        "All-reduce the loss sum and the count, and let every rank decide from the same global loss.",
    ),
    (
        "each-rank-its-own-plateau",
        "which-mean",
        "They agree now, but on a mean of rank means: the 13 samples count as much as 40. Sum losses and counts separately and "
        "divide once.",
    ),
    (
        "the-tolerance-is-raised",
        "main",
        "Nothing any more: a gradient of zero would pass, since 0.02 is below 0.1. Keep the float64 test on CPU for the logic "
        "and give "
        "bfloat16 a separate test with its own tolerance. It should be relative, above the rounding of the type and below the "
        "error of "
        "a wrong denominator. And break the step on purpose to see that the test fails.",
    ),
    (
        "the-tolerance-is-raised",
        "which-fixture-for-bfloat16",
        "A handful of tokens: with N = 4 the error is 20 percent, and a relative tolerance of 3 percent lies above the rounding.",
    ),
    (
        "review-an-equivalence-test",
        "main",
        "All batches have the same number of valid tokens and there is no padding, so wrong denominators pass. "
        "The expected value is itself a mean of rank means; concatenate all batches and take one mean. "
        "Only rank 0's gradient is compared; compare on every rank and all-reduce the verdict. "
        "If the gradient is NaN the comparison is false and the test passes. "
        "The tolerance should be relative to the size of the gradient.",
    ),
    (
        "review-an-equivalence-test",
        "a-mutant-that-passes",
        "A step in which each rank divides by its own tokens passes; uneven counts with a reference over all tokens would "
        "refuse it.",
    ),
    (
        "about-an-eighth",
        "main",
        "Either the loss is divided by the 8 microbatches a second time, or the GPUs of a node were taken for the world size. "
        "Or only the log is wrong: rank 0 prints the norm of its own shard, about one over the square root of 64. "
        "I'd change the microbatches to 5 and the ranks to 3 and see what the ratio follows, and compare the gathered gradient "
        "with the "
        "single device. A factor would be exactly an eighth on all ranks, norms of shards differ.",
    ),
    (
        "about-an-eighth",
        "one-line-probe",
        "Put a gradient of one on one rank and zero on the others; what is left after the reduction is one over the divisor.",
    ),
]


@pytest.mark.parametrize(("item", "part", "answer"), GOOD)
def test_a_good_answer_earns_everything(library: Library, item: str, part: str, answer: str) -> None:
    found = scored(library, item, part, answer)
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met")
    assert not found.misconceptions


WRITTEN = sorted({(item, part) for item, part, _ in GOOD})
BESIDE = "We bought faster GPUs, use AdamW with a cosine schedule, and NCCL is the backend."


@pytest.mark.parametrize(("item", "part"), WRITTEN)
@pytest.mark.parametrize("answer", ["", "I don't know.", BESIDE, None])
def test_nothing_is_earned_beside_the_point_or_by_repeating_the_question(
    library: Library, item: str, part: str, answer: str | None
) -> None:
    assert scored(library, item, part, written(library, item, part)[1] if answer is None else answer).points == 0


@pytest.mark.parametrize(
    ("item", "answer", "misconception"),
    [
        ("norm-follows-the-tokens", "Averaging over the ranks already normalizes the loss.", "ddp-picks-the-denominator"),
        (
            "maintainer-changes-his-mind",
            "Each minibatch should be divided by its own tokens because its loss is computed on them.",
            "mean-of-microbatch-means",
        ),
        ("two-layers-divide", "Fine: equal loss curves show that the gradients are the same.", "compares-losses"),
        ("three-images", "Call zero_grad before each epoch so nothing leaks.", "tail-dropped"),
        ("timeout-at-the-end", "Rank 0 is to blame because it timed out.", "blames-the-waiting-rank"),
        ("replicas-drift-apart", "DDP synchronises the parameters before every forward.", "gradients-not-reduced"),
        ("review-a-compression-hook", "DDP divides by the world size after the hook has returned.", "forgot-world-size-factor"),
        ("the-curve-repeats-itself", "DistributedSampler shuffles anew in every epoch by itself.", "epoch-not-set"),
        ("each-rank-its-own-plateau", "It is normal that every rank schedules for itself.", "control-from-a-local-figure"),
        ("the-tolerance-is-raised", "A generous tolerance does no harm.", "tolerance-too-wide"),
        (
            "review-an-equivalence-test",
            "It is fine that only rank 0 checks since all ranks agree after DDP.",
            "agreement-taken-for-correctness",
        ),
        ("about-an-eighth", "As long as the losses agree there is nothing to fix.", "compares-losses"),
    ],
)
def test_a_wrong_idea_is_named_and_what_it_cancels_earns_nothing(
    library: Library, item: str, answer: str, misconception: str
) -> None:
    found = scored(library, item, "main", answer)
    assert misconception in found.misconceptions
    rubric, _ = written(library, item, "main")
    (cancelled,) = (shown.cancels for shown in rubric.misconceptions if shown.id == misconception)
    assert cancelled
    assert all(criterion.points == 0 for criterion in found.criteria if criterion.id in cancelled)
    assert found.follow_up
