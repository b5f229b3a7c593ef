"""Short answers as patterns: how a bank says that one of a few words is the whole answer.

A pattern of this form, ``^\\W*...\\W*$``, is what the importer writes and what the exporters know as a short answer again.
"""

import re

_BEFORE, _AFTER = r"^\W*", r"\W*$"


def pattern_of(answer: str) -> str:
    """The pattern that takes an answer whatever its capitals, spaces and closing full stop; ``*`` in it stands for anything."""
    pieces = (r"\s+".join(re.escape(word) for word in re.split(r"\s+", piece)) for piece in answer.strip().split("*"))
    return _BEFORE + ".*".join(pieces) + _AFTER


def answer_of(pattern: str) -> str | None:
    """The answer that a pattern was made of, or ``None`` for any other pattern."""
    if not (pattern.startswith(_BEFORE) and pattern.endswith(_AFTER) and len(pattern) >= len(_BEFORE + _AFTER)):
        return None
    inner = pattern[len(_BEFORE) : len(pattern) - len(_AFTER)]
    answer = re.sub(r"\\(.)", r"\1", inner.replace(r"\s+", " ").replace(".*", "*"))
    return answer if answer and pattern_of(answer) == pattern else None
