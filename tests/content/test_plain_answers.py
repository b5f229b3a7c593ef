"""Answers to incidents in plain words, as somebody gives them who knows the matter and not its jargon: each earns everything."""

import pytest

from quizapp.bank.draw import draw
from quizapp.bank.load import Library
from quizapp.model.question import Probe
from quizapp.model.variant import fill
from quizapp.scoring.text import score_text

PLAIN = {
    "norm-follows-the-tokens": (
        "If you divide logged by reference you get 9, 100, 1000, so always tokens/2. Somebody forgot to divide by how "
        "many tokens there are; only the 2 ranks have been averaged out. Big steps were therefore taken on batches with"
        " lots of text and small ones on short batches. I'd have each rank report how many tokens it has, add these up,"
        " and use two times the loss sum over that total. Afterwards the logged norm and the single device norm must be"
        " equal for batches of different sizes."
    ),
    "maintainer-changes-his-mind": (
        "Old: (12+12)/8 = 3. New: 2 and 6, on average 4. In the new one the two tokens of the small batch are worth as "
        "much as the six of the other. It's a matter of what you want: if you want that all tokens matter equally then "
        "the old one is right. Before touching the code they should have written down which average they're after. "
        "Extra terms that are added per minibatch would need the same treatment."
    ),
    "two-layers-divide": (
        "Same data, so the gradient should be the same, but it shrinks by exactly the number of microbatches. The "
        "division has been made twice, by the tokens and by 4 or 16. You don't see it in the loss since AdamW rescales "
        "its step anyway. I'd look through trainer, accelerator and engine for who divides and leave that to just one. "
        "And keep a test that runs the same 32 sequences with 1 and 4 microbatches and compares the gradient norm."
    ),
    "three-images": (
        "3 images: (i+1) is 1, 2, 3, never a multiple of 4, so step isn't called at all. 7 images: one step after the "
        "fourth; images 5 to 7 are left in the gradient and get mixed into next epoch's step. At the end of the epoch "
        "do another step with what's left and divide by 3 instead of 4."
    ),
    "timeout-at-the-end": (
        "32003 = 4*8000+3, so ranks 0, 1, 2 have one sequence more, which makes one more batch of size one. They're in "
        "that batch and wait for rank 3, which is already done. So rank 3 is the culprit even though it isn't "
        "complaining. Either drop the leftover sequences, or pad, so that each rank has 1000 batches. With a leftover "
        "batch the single sequence must not count like a batch of 8."
    ),
    "replicas-drift-apart": (
        "For i=0 there's no no_sync so it is averaged to 3, for i=1 there's no_sync so it remains local: 4 and 7. "
        "Should be 5.5 both. The two copies of the model now become different and nobody tells you. Turn it around: "
        "sync when (i+1)%K==0. I'd add an assertion that gradients agree across ranks before stepping."
    ),
    "review-a-compression-hook": (
        "There's no division by 64 anywhere, and DDP doesn't do it any more once a hook is registered. That's a 64 "
        "times too large gradient which Adam doesn't care about. The infinities come from adding 64 half precision "
        "numbers: go over 65504. So scale down by 64 first and then convert and add. I'd take the one that ships with "
        "PyTorch instead. For testing, run one step with and without the hook on 2 ranks and compare the gradients."
    ),
    "the-curve-repeats-itself": (
        "The hard batch is always step 101, so the data come in the same order in every epoch. They need to call "
        "set_epoch on the sampler at the beginning of each epoch. Keep the seed the same for all GPUs, otherwise their "
        "parts overlap. Check by printing the indices of the first batch for some epochs."
    ),
    "each-rank-its-own-plateau": (
        "val_loss is different on each rank because each evaluates its own part. Rank 1 halved its lr at epoch 15, so "
        "from there the weights are not the same any more on the three ranks even though they use the same gradient. "
        "Then early stopping fired on one of them, it left, and the others wait forever. Add up losses and number of "
        "samples over all ranks, and use that number for the scheduler and for stopping on all ranks."
    ),
    "the-tolerance-is-raised": (
        "With atol 0.1 and numbers around 0.02 everything passes, even zeros. I would leave the float64 CPU test as it "
        "was, since the averaging logic doesn't depend on bf16, and write another test for bf16. There use a relative "
        "tolerance of some percent, as bf16 has 3 digits, and few tokens so a wrong count makes a big difference. Then "
        "remove the factor on purpose and see it fail."
    ),
    "review-an-equivalence-test": (
        "The batches are all alike: four full rows everywhere, so mean of means equals mean and most bugs don't show. "
        "And expected is computed exactly like the buggy code would: mean per batch, then average over ranks. It should"
        " put all rows together. Only rank 0 checks; what about the others? If got is NaN, error > 1e-5 is False and "
        "the test is green. 1e-5 absolute is arbitrary."
    ),
    "about-an-eighth": (
        "8 could be the microbatches: loss divided by 8 again. Or 8 GPUs per node used instead of 64. Or, 1/8 is "
        "1/sqrt(64): each rank only has 1/64 of the parameters and rank 0 prints the norm of its own part. To tell: set"
        " microbatches to 5 and look if the ratio becomes 1/5. Compare the whole gradient with the single device one. "
        "And look at other ranks' printed norms, if they differ it's the printing."
    ),
}


@pytest.mark.parametrize("item", PLAIN)
def test_plain_words_earn_everything(library: Library, item: str) -> None:
    question = library.items[item].item
    assert isinstance(question, Probe)
    found = score_text(question.rubric, fill(question.stem, draw(question, None).values), PLAIN[item], {})
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met")
    assert not found.misconceptions
