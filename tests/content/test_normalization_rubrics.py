"""Sample answers to the written questions on normalization: soft labels, mixtures, contrastive batches, closed trainers, resuming
and packing. What right answers earn, in the field's words and in plain ones, and that wrong, denied and empty ones don't.
"""

import re
from fractions import Fraction

import pytest
from answering import scored, written

from quizapp.bank.load import Library

GOOD = [
    (
        "soft-labels-and-a-mask",
        "main",
        "batchmean only divides by input.size(0), which is the number of rows, so kd is a sum over the positions of a row: rows of "
        "4096 instead of 512 positions make it eight times as large, whereas ce is normalised per token. mean divides by B*T*V, so "
        "by the size of the vocabulary too. I'd use reduction none, sum over the last axis and multiply by the label mask, since "
        "padded positions have a divergence too. Then divide by the number of valid tokens all-reduced over the GPUs, times the "
        "world size because DDP averages.",
    ),
    (
        "soft-labels-and-a-mask",
        "main",
        "In the first case it's divided only by how many texts are in the batch. Texts became eight times longer, so this part "
        "became eight times larger, and the other part is an average per word. In the second case it's divided by how many "
        "entries the dictionary has as well. The filler at the end of each row is compared with the teacher, so it has to be "
        "taken out of the sum and of the count. Then add it up over all machines and divide by the count of real words on all "
        "machines.",
    ),
    ("soft-labels-and-a-mask", "temperature", "By a factor of 16: the gradient goes with 1/T^2, so multiply the term by T^2."),
    (
        "shares-of-a-mixture",
        "main",
        "A source counts by how many tokens it brings: 600, 1200 and 20, so 33, 66 and 1 percent. First I'd ask whether the "
        "percentages are meant by documents or by tokens. With one source per rank you only get eighths, and they change with the "
        "number of ranks. The factor 10 brings dialogue to 10 percent, but code still counts twice as much as prose. "
        "Draw documents with a probability proportional to share over mean length. Or take a loss per source, its sum over its "
        "own token count on all ranks, and add them up with the weights 0.6, 0.3 and 0.1.",
    ),
    (
        "shares-of-a-mixture",
        "main",
        "Code texts are four times as long as prose, so code makes up two thirds of the loss, and chats about one percent. "
        "I would first ask what the ten percent means, a tenth of the texts or a tenth of the words. The first idea only works in "
        "steps of one eighth and depends on how many cards you have. The second makes chats ten percent, but code remains too "
        "strong beside prose. I'd pick chats more often and code less often to make up for their lengths. Or work out an average "
        "for each kind by itself, over all cards, and mix these 60 to 30 to 10.",
    ),
    (
        "shares-of-a-mixture",
        "which-loss-to-log",
        "One curve for each source: add up its losses and its tokens over all ranks and divide at the end.",
    ),
    (
        "negatives-out-of-sight",
        "main",
        "No. In both set-ups an image competes with 512 texts: the negatives are in the denominator of the softmax, so the "
        "average of eight small losses is not the loss of the large batch. Team A has to all-gather the embeddings of all ranks "
        "and shift the labels by rank times 512. Use a gather with a backward, since plain all_gather has no gradient. "
        "Team B first encodes all microbatches without a graph, computes the loss on all features, caches the gradients of the "
        "features, and runs each microbatch again with these. Then compare parameter gradients with a single device on a small "
        "batch.",
    ),
    (
        "negatives-out-of-sight",
        "main",
        "Neither of them. Each picture is only told apart from the 512 texts of its own portion, and averaging eight easy tasks "
        "is not the hard task. A: the cards send each other the encoded texts, and every picture is compared with all of them. "
        "What was received must be part of the learning and not a constant. B: go through all pieces first and keep only their "
        "vectors, work out the loss with all of them, and go through the pieces once more to learn. To prove it, take a few pairs "
        "and compare each weight's gradient with one machine that has everything at once.",
    ),
    ("negatives-out-of-sight", "factor-of-the-gather", "The first two are right; with the plain gather it is R times too small."),
    (
        "mean-of-a-closed-trainer",
        "main",
        "Send four examples whose answers have very different numbers of tokens. Use plain SGD with clipping and momentum off. "
        "After one step the gradient is the weights before minus after, divided by the learning rate; I compare it with my own "
        "gradient for each candidate mean. I don't rely on the log. Then I keep the data and change the microbatch size, then the "
        "number of devices, one at a time. I predict beforehand what each hypothesis gives, and repeat a run to know the noise.",
    ),
    (
        "mean-of-a-closed-trainer",
        "two-answers-one-number",
        "A mean over sequences, 1/2 against 1/18. With a token mean both would weigh the same.",
    ),
    (
        "resumed-on-twice-the-ranks",
        "main",
        "The global batch was 128 and is now 256, so use 8 per GPU. Skipping by steps leaves out 256 sequences per step, though "
        "only 128 were consumed: store the number of consumed samples and skip by that. The schedule counts steps, and an epoch "
        "has half as many now, so plan it anew in samples. The 8 is the old world size; DDP divides by 16 and the gradient is "
        "halved. Check: run the same 128 sequences from the checkpoint with 8 and with 16 ranks and compare gradients.",
    ),
    (
        "resumed-on-twice-the-ranks",
        "main",
        "Every step takes in twice as many texts as before. It jumps over texts that nobody has read yet; remember how many were "
        "used up and go on from there. The learning rate goes down per step, but now there are only half as many steps for the "
        "same text. The eight in the line is the number of machines of the old run, so the gradient is only half as big. To check, "
        "let "
        "both set-ups do the next step on the same texts and see if the weights come out the same.",
    ),
    (
        "resumed-on-twice-the-ranks",
        "state-of-each-rank",
        "The random states for dropout differ between ranks, and so do shuffle buffers and compression residuals.",
    ),
    (
        "documents-packed-into-rows",
        "main",
        "A row was a document, so each document had the same weight; now each counts by its length and short ones lose. Weigh each "
        "token by 1/len(doc) and divide by the number of documents over all ranks. The last token of a document is trained to "
        "predict the first token of the next one: set that label to -100. Attention has to stop at the boundaries, and position "
        "ids start again. With the same rows a step has many more tokens and documents, so use fewer rows or choose the learning "
        "rate "
        "anew.",
    ),
    (
        "documents-packed-into-rows",
        "main",
        "Before, every text was worth the same, because a row was a text. Now the long ones in a row outweigh the short ones. "
        "At the seams the model is taught that after the end of one text comes the start of some other text; leave those places "
        "out. A text can also see the ones before it in its row, and that should be blocked. Each step has many more texts in it, "
        "so there are fewer steps. Divide by the number of texts in the step over all machines.",
    ),
    (
        "documents-packed-into-rows",
        "two-ways-to-weigh",
        "Over tokens 120/100 = 1.2, over documents (3 + 1 + 1)/3 = 5/3; the token weighs 1/100 and 1/30.",
    ),
]


@pytest.mark.parametrize(("item", "part", "answer"), GOOD)
def test_a_good_answer_earns_everything(library: Library, item: str, part: str, answer: str) -> None:
    found = scored(library, item, part, answer)
    assert {c.id: c.met for c in found.criteria} == dict.fromkeys((c.id for c in found.criteria), "met")
    assert not found.misconceptions


WRITTEN = sorted({(item, part) for item, part, _ in GOOD})
ITEMS = sorted({item for item, _, _ in GOOD})
BESIDE = "We bought faster GPUs, use AdamW with a cosine schedule, and NCCL is the backend."


@pytest.mark.parametrize(("item", "part"), WRITTEN)
@pytest.mark.parametrize("answer", ["", "I don't know.", BESIDE, None])
def test_nothing_is_earned_beside_the_point_or_by_repeating_the_question(
    library: Library, item: str, part: str, answer: str | None
) -> None:
    assert scored(library, item, part, written(library, item, part)[1] if answer is None else answer).points == 0


@pytest.mark.parametrize(
    ("item", "answer"),
    [
        (
            "soft-labels-and-a-mask",
            "batchmean doesn't divide by the number of rows, and kd doesn't grow with the length. mean does not divide by the "
            "vocabulary. Padding needn't be masked, and there's no need for a count over all ranks.",
        ),
        (
            "soft-labels-and-a-mask",
            "batchmean, rows, first dimension, vocabulary, B*T*V, mask, padding, valid tokens, all ranks, world size, denominator.",
        ),
        (
            "shares-of-a-mixture",
            "The shares aren't determined by the tokens, and code doesn't have two thirds. There is no need to ask what the "
            "percentages mean. You should not sample in proportion to share over length.",
        ),
        (
            "shares-of-a-mixture",
            "tokens, shares, 600:1200:20, percent, units, sampling, budget, own denominator, all ranks, eighths.",
        ),
        (
            "negatives-out-of-sight",
            "It isn't the case that each image sees only 512 texts. Features need not be gathered, a gather with gradient isn't "
            "necessary, and B doesn't need two passes. There's no need to compare gradients.",
        ),
        ("negatives-out-of-sight", "negatives, softmax denominator, all-gather, embeddings, GradCache, two passes, ln 4096."),
        (
            "mean-of-a-closed-trainer",
            "The lengths don't have to differ. I wouldn't look at the weights. SGD isn't needed, clipping can stay on. There's no "
            "reason to change microbatch size or devices.",
        ),
        ("mean-of-a-closed-trainer", "uneven lengths, SGD, no clipping, weight difference / lr, microbatch size, devices, noise."),
        (
            "resumed-on-twice-the-ranks",
            "The batch hasn't doubled. It doesn't skip too much. The schedule doesn't have to be planned anew, and the 8 need not "
            "be replaced.",
        ),
        ("resumed-on-twice-the-ranks", "world size, 8, 16, 128, 256, consumed samples, schedule, steps, get_world_size, gradient."),
        (
            "documents-packed-into-rows",
            "The weight of documents has not changed. Labels don't cross the boundary. Attention need not stop at boundaries. A "
            "step doesn't hold more documents.",
        ),
        (
            "documents-packed-into-rows",
            "packing, boundary, labels, -100, attention mask, position ids, per-document mean, 1/length.",
        ),
    ],
)
def test_denials_and_lists_of_words_earn_nothing(library: Library, item: str, answer: str) -> None:
    assert scored(library, item, "main", answer).points == 0


@pytest.mark.parametrize(
    ("item", "answer", "misconception"),
    [
        (
            "soft-labels-and-a-mask",
            "The coefficient has to be tuned again for the longer rows, that is all.",
            "coefficient-for-denominator",
        ),
        ("soft-labels-and-a-mask", "The padded positions contribute nothing to the divergence.", "mask-forgotten"),
        (
            "soft-labels-and-a-mask",
            "A mean per token on each rank, averaged by DDP, is the mean over all tokens.",
            "mean-of-rank-means",
        ),
        (
            "shares-of-a-mixture",
            "The mixture is as intended, since the loader uses the right probabilities.",
            "drawn-shares-are-loss-shares",
        ),
        ("shares-of-a-mixture", "The factor 10 is a good fix.", "coefficient-for-denominator"),
        ("shares-of-a-mixture", "I would take the first proposal, with one source per rank.", "mean-of-rank-means"),
        (
            "negatives-out-of-sight",
            "Yes, both train with 4096 pairs, since the gradients of all pairs are averaged.",
            "negatives-averaged-in",
        ),
        ("negatives-out-of-sight", "Gradients flow back through all_gather by themselves.", "plain-collective-gradient"),
        ("negatives-out-of-sight", "Compare the loss curves of both runs.", "compares-losses"),
        ("mean-of-a-closed-trainer", "Compare the logged loss with my own token mean.", "compares-losses"),
        ("mean-of-a-closed-trainer", "Pad all answers to one length.", "tests-even-counts-only"),
        ("mean-of-a-closed-trainer", "Only the direction of the update matters.", "compares-directions"),
        (
            "resumed-on-twice-the-ranks",
            "The step number is loaded, so the run goes on exactly where it stopped.",
            "steps-taken-for-data",
        ),
        ("resumed-on-twice-the-ranks", "Keep the 8, otherwise the gradients would double.", "hard-coded-world-size"),
        ("resumed-on-twice-the-ranks", "More ranks change the speed and nothing else.", "equal-devices-equal-exposure"),
        ("documents-packed-into-rows", "The author is right, only the padding was removed.", "only-padding-removed"),
        ("documents-packed-into-rows", "Dividing by the length only rescales the loss.", "loss-per-sequence-for-nothing"),
        ("documents-packed-into-rows", "The speed is worth it, so keep it as it is.", "throughput-is-all"),
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


@pytest.mark.parametrize("item", ITEMS)
def test_naming_a_wrong_idea_in_order_to_deny_it_is_not_showing_it(library: Library, item: str) -> None:
    rubric, _ = written(library, item, "main")
    for shown in rubric.misconceptions:
        for refutation in shown.refute:
            assert shown.id not in scored(library, item, "main", refutation).misconceptions, refutation


def test_the_mixture_is_worked_out_as_the_rubric_and_the_explanation_have_it(library: Library) -> None:
    shares, lengths = (Fraction(6, 10), Fraction(3, 10), Fraction(1, 10)), (1000, 4000, 200)
    tokens = [share * length for share, length in zip(shares, lengths, strict=True)]
    assert tokens == [600, 1200, 20]
    assert [round(100 * count / sum(tokens)) for count in tokens] == [33, 66, 1]
    tenfold = [*tokens[:2], 10 * tokens[2]]
    assert [count / sum(tenfold) for count in tenfold] == [Fraction(3, 10), Fraction(6, 10), Fraction(1, 10)]
    drawn = [share / length for share, length in zip(shares, lengths, strict=True)]
    assert [round(100 * rate / sum(drawn)) for rate in drawn] == [51, 6, 43]
    explanation = library.items["shares-of-a-mixture"].item.explanation or ""
    assert re.search(r"51 %, 6 % and\s+43 %", explanation)
