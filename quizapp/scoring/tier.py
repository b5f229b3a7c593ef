"""Which tier scores written answers: the lexical one, always there, or the semantic one, once it has been loaded.

Here: the choice, and the name that is stored with each score. What a tier measures is ``quizapp.scoring.lexical`` and
``quizapp.scoring.semantic``.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol

from quizapp.scoring.beliefs import FILE as BELIEFS
from quizapp.scoring.beliefs import weights
from quizapp.scoring.clauses import Clause
from quizapp.scoring.lexical import ReadyRubric
from quizapp.scoring.outcome import FILE as OUTCOMES
from quizapp.scoring.outcome import Weighed, outcomes
from quizapp.scoring.support import LexicalReader

TierName = Literal["lexical", "semantic"]
_SOURCES = (
    "answer",
    "beliefs",
    "claims",
    "clauses",
    "denial",
    "doubt",
    "fluff",
    "groups",
    "lexical",
    "lexicon",
    "order",
    "outcome",
    "profile",
    "signs",
    "support",
    "text",
    "tier",
    "verbatim",
    "whole",
    "wording",
    "words",
)


class Tier(Protocol):
    """A way to measure support."""

    name: TierName

    def measure(self, answer: str, clauses: Sequence[Clause], rubric: ReadyRubric) -> Weighed:
        """What measures the windows of one answer to one question."""


class Lexical:
    """Words, their stems and the field's synonyms. Needs nothing that isn't always installed."""

    name: TierName = "lexical"

    def measure(self, answer: str, clauses: Sequence[Clause], rubric: ReadyRubric) -> Weighed:
        return Weighed(LexicalReader(rubric), rubric, outcomes()[self.name], weights()[self.name])


class Semantic:
    """The lexical measure, weighed together with the likeness of token states."""

    name: TierName = "semantic"

    def __init__(self) -> None:
        """Loads the model: one to two seconds, some 0.2 GB.

        Raises:
            quizapp.scoring.semantic.encoder.ModelUnavailable: the extra isn't installed, or its weights aren't those known.
        """
        # The matrices are small: threads of the linear algebra would only wait for each other. Counts where numpy isn't loaded yet.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        from quizapp.scoring.semantic.encoder import Encoder
        from quizapp.scoring.semantic.projection import LAYERS

        self.encoder = Encoder(LAYERS)

    def measure(self, answer: str, clauses: Sequence[Clause], rubric: ReadyRubric) -> Weighed:
        from quizapp.scoring.semantic.tier import SemanticReader

        reader = SemanticReader(self.encoder, answer, clauses, rubric)
        return Weighed(reader, rubric, outcomes()[self.name], weights()[self.name])


_present: Tier = Lexical()
_loader: threading.Thread | None = None
"""Loads the semantic tier, or has."""


def present() -> Tier:
    """The tier that scores now."""
    return _present


def use(tier: Tier) -> None:
    """Makes a tier the one that scores from now on."""
    global _present
    _present = tier


def load_semantic() -> str | None:
    """Loads the semantic tier and makes it the one that scores; where it can't be had, why. Safe to call from a thread."""
    from quizapp.scoring.semantic.encoder import ModelUnavailable

    if _present.name == "semantic":
        return None
    try:
        use(Semantic())
    except ModelUnavailable as error:
        return str(error)
    return None


def load_in_background() -> None:
    """Begins to load the semantic tier, once, where it is installed; :func:`wait` lets an answer wait for it.

    ``QUIZAPP_TIER=lexical`` keeps to that.
    """
    global _loader
    if _loader is not None or os.environ.get("QUIZAPP_TIER") == "lexical" or find_spec("onnxruntime") is None:
        return
    _loader = threading.Thread(target=load_semantic, name="semantic tier", daemon=True)
    _loader.start()


def loading() -> bool:
    """Whether the semantic tier is being loaded now: what is scored meanwhile is scored by the lexical one."""
    return _loader is not None and _loader.is_alive()


def wait(seconds: float) -> None:
    """Waits until nothing is being loaded, at most so long."""
    if _loader is not None:
        _loader.join(seconds)


@lru_cache(maxsize=1)
def rules_hash() -> str:
    """A hash of the rules that score written answers: another one may give other points."""
    folder = Path(__file__).parent
    sources = [folder / f"{name}.py" for name in _SOURCES] + sorted((folder / "semantic").glob("*.py"))
    digest = hashlib.sha256()
    for path in (*sources, folder / "semantic" / "projection.f16", BELIEFS, OUTCOMES):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def scorer_name() -> str:
    """The tier that scores now, with the hash of its rules: ``lexical 3f2a...``."""
    return f"{_present.name} {rules_hash()}"
