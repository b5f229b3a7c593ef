"""The field's words that a verdict is told in, for somebody who has never seen them. Data and a look-up, no widgets."""

import re
from collections.abc import Sequence

TERMS: Sequence[tuple[str, str, str]] = (
    ("rank", r"\branks?\b", "one of the processes that train together, each with its own share of the data"),
    ("world size", r"\bworld sizes?\b", "the number of ranks"),
    ("DDP", r"\bDDP\b", "DistributedDataParallel: in backward it adds up the ranks' gradients and divides by the number of ranks"),
    ("no_sync", r"\bno_sync\b", "what switches that off for a while: backwards under it leave each rank its own gradients"),
    ("collective", r"\bcollectives?\b", "a call that all ranks make together, and in which each waits for the others"),
    ("all-reduce", r"\ball[-_ ]reduc", "a call that all ranks make together, after which each has the sum over them"),
    ("valid token", r"\bvalid tokens?\b", "a position whose loss counts; the others are padding, which fills up a batch"),
    ("weight", r"\bweigh", "what a token's loss is multiplied by before all are added up: 1/N in a mean over N tokens"),
    ("objective", r"\bobjectives?\b", "the number whose gradient is wanted"),
    ("microbatch", r"\bmicrobatch(?:es)?\b", "a part of an optimizer step's batch, small enough for one backward"),
    ("shard", r"\bshards?\b|\bsharded\b", "the part of something that one rank holds, where each holds another part"),
    ("norm", r"\bnorms?\b", "the length of a gradient, all its entries taken as one vector: the root of the sum of their squares"),
    ("clipping", r"\bclip", "shortening a gradient whose norm is beyond a limit, so that its norm is the limit"),
    (
        "loss scale",
        r"\bloss scales?\b",
        "what losses are multiplied by before backward, so that float16 holds small gradients",
    ),
    ("overflow", r"\boverflow", "a scaled gradient beyond what float16 can hold: it becomes infinite"),
    ("dp", r"\bdp\b", "data parallel: so many groups of ranks have data of their own"),
    ("cp", r"\bcp\b", "context parallel: so many ranks share a sequence, each with a slice of it"),
    ("tp", r"\btp\b", "tensor parallel: so many ranks share the parameters of a layer and work on the same tokens"),
    ("ep", r"\bep\b", "expert parallel: so many ranks share the experts, and send each other their tokens"),
    ("NaN", r"\bNaN\b", "no number: what 0/0 gives, and all that is computed from it"),
    ("perplexity", r"\bperplexity\b", "the exponential of the mean loss"),
)
"""Each word, the pattern by which a text is known to have it, and what it means."""


def terms_in(text: str) -> list[tuple[str, str]]:
    """The words of a text that are explained, each with what it means."""
    return [(word, means) for word, pattern, means in TERMS if re.search(pattern, text, re.IGNORECASE)]
