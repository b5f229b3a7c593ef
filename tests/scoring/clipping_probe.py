"""A question with its rubric for the tests of written answers: where clipping belongs in an accumulation window."""

from quizapp.model.rubric import Criterion, Rubric, ShownMisconception

STEM = (
    "Why is it wrong under DDP to clip gradient norms inside each microbatch of an accumulation window, and where does it belong?"
)
TITLES = {"clipping-is-linear": "clipping taken for a linear operation"}
AFTER_BACKWARD = Criterion(
    id="after-backward",
    points=2,
    description="Clipping comes once, after the last backward of the window and before the optimizer step.",
    accept=(
        "clip once after the last backward, before the optimizer step",
        "the norm is taken when the gradient is complete",
        "clipping belongs right before the step",
        "wait until all microbatches have been accumulated",
    ),
    reject=("clip after every microbatch", "the place of clipping makes no difference"),
    groups=(
        ("clip", "clipping", "norm"),
        ("after", "once", "before", "end", "complete", "last"),
        ("step", "backward", "window", "accumulated"),
    ),
    follow_up="At which moment is the gradient of the step complete?",
)
CHANGES_DIRECTION = Criterion(
    id="changes-direction",
    points=3,
    description="Clipping the parts weights the microbatches unequally, so their sum is no longer the objective's gradient.",
    accept=(
        "clipping each microbatch scales the parts differently, so their sum points elsewhere",
        "large microbatches are shrunk and small ones are not",
        "the clipped parts do not add up to the gradient of the objective",
        "it weights microbatches unequally",
    ),
    reject=("the sum of the clipped parts equals the clipped sum",),
    groups=(
        ("microbatch", "microbatches", "part", "parts", "each"),
        ("scale", "scales", "shrink", "shrinks", "weight", "weights"),
        ("differently", "unequally", "different", "no longer", "not the"),
    ),
    regex=(r"g\s*/\s*max\(",),
    follow_up="What happens to the sum when one part is shrunk and another is not?",
)
RANKS_AGREE = Criterion(
    id="ranks-agree",
    points=1,
    description="All ranks must clip the same averaged gradient, or their parameters drift apart.",
    accept=(
        "every rank clips the averaged gradient, so all scale by the same factor",
        "clipping local gradients lets the ranks drift apart",
        "the norm must be that of the all-reduced gradient",
    ),
    reject=("each rank should clip its own gradient",),
    groups=(
        ("rank", "ranks", "replica"),
        ("same", "averaged", "all-reduced", "agree", "drift"),
        ("clip", "clipping", "norm", "factor", "parameters"),
    ),
    follow_up="Which gradient does a rank's norm belong to?",
)
LINEAR = ShownMisconception(
    id="clipping-is-linear",
    accept=(
        "clipping is linear, so the order does not matter",
        "clipping each part gives the same as clipping the sum",
        "clip each microbatch to be safe",
    ),
    refute=("clipping is not linear", "clipping parts is not clipping the sum"),
    cancels=("changes-direction", "after-backward"),
    follow_up="Clip (3, 4) and (0, 1) to norm 1, then add: is that the clipped sum?",
)
RUBRIC = Rubric(criteria=(AFTER_BACKWARD, CHANGES_DIRECTION, RANKS_AGREE), misconceptions=(LINEAR,))
