"""What people write instead of words: signs, the letters of formulas, abbreviations.

``S_r/n_r`` is read as *S rank divided by count rank*.

Here: each of these with the word that would be said for it. What the words mean together is ``quizapp.scoring.words``.
"""

from __future__ import annotations

import re

ABBREVIATIONS = {
    "acc": "accuracy",
    "aux": "auxiliary",
    "bn": "batchnorm",
    "bwd": "backward",
    "calc": "calculate",
    "ckpt": "checkpoint",
    "coef": "coefficient",
    "coeff": "coefficient",
    "config": "configuration",
    "denom": "denominator",
    "diff": "difference",
    "dup": "duplicate",
    "dupe": "duplicate",
    "dupes": "duplicates",
    "dups": "duplicates",
    "eval": "evaluation",
    "ex": "example",
    "fwd": "forward",
    "img": "image",
    "imgs": "images",
    "iff": "if",
    "init": "initial",
    "lr": "learningrate",
    "mb": "microbatch",
    "mbs": "microbatches",
    "msg": "message",
    "mult": "multiply",
    "num": "number",
    "opt": "optimizer",
    "param": "parameter",
    "params": "parameters",
    "perp": "perplexity",
    "ppl": "perplexity",
    "pred": "prediction",
    "preds": "predictions",
    "proc": "process",
    "procs": "processes",
    "repl": "replica",
    "seq": "sequence",
    "seqs": "sequences",
    "stat": "statistic",
    "stats": "statistics",
    "std": "deviation",
    "tok": "token",
    "toks": "tokens",
    "val": "validation",
    "var": "variance",
    "vars": "variances",
}
"""Short form -> the word, in lower case."""

LETTERS = {
    "R": "rank",
    "r": "rank",
    "W": "rank",
    "N": "count",
    "n": "count",
    "L": "loss",
    "K": "microbatch",
    "k": "microbatch",
}
"""Letter of a formula -> the word. They are the letters that the field's papers use, and the built-in questions."""

_OPERAND = r"[\w)\]}.]"
SIGN = re.compile(
    r"(?P<without>\bw/o\b)|(?P<with>\bw/)"
    r"|(?P<differ>!=|≠|=/=)"
    r"|(?P<then>[-=]+>|→|⇒|⟶)"
    rf"|(?P<divided>(?<={_OPERAND})[ ]?/[ ]?(?=[(]|[A-Za-z]\b(?!\s*/)|[A-Za-z]+[_(]|(?:sum|count|total|numel)\b)"
    r"|(?<=[a-z)])[ ]?/[ ]?(?=\d)|(?<![\w)])/(?=[A-Za-z\d(]))"
    rf"|(?P<multiplied>(?<={_OPERAND})[ ]?[*×·][ ]?(?=[\w(]))"
    r"|(?P<sum>[Σ∑])"
)
"""A sign that is read as a word; the name of the group is the word."""

_BEFORE = re.compile(r"(?:[_/*×·=+(^]|[-=]>)\s*$")
_AFTER = re.compile(r"\s*(?:[_/*×·=+^]|\()")


def letter(text: str, start: int, end: int) -> str | None:
    """The word for a single letter that stands in a formula: beside an operator, or as an index; else ``None``."""
    word = LETTERS.get(text[start:end])
    if word is None or not (_BEFORE.search(text[max(0, start - 3) : start]) or _AFTER.match(text[end : end + 3])):
        return None
    return word
