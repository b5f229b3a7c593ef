"""An accepted phrase, said as a sentence of its own, is met whatever stands beside it; unless something later takes it back."""

import pytest

from quizapp.model.rubric import Rubric
from quizapp.scoring.text import score_text

STEM = "Why does the loss curve of a run change when it moves to more GPUs?"
RUBRIC = Rubric.model_validate(
    {
        "criteria": [
            {
                "id": "average",
                "points": 2,
                "description": "DDP averages the ranks' gradients with equal weight.",
                "accept": ["DDP averages the gradients of all ranks with equal weight"],
                "reject": ["DDP weighs the ranks by their token counts"],
            },
            {
                "id": "count",
                "points": 1,
                "description": "The ranks' numbers of valid tokens differ.",
                "accept": ["the number of valid tokens differs between the ranks"],
            },
        ],
        "misconceptions": [
            {
                "id": "mean-of-rank-means",
                "accept": ["the gradients of all ranks averaged with equal weight give the global mean"],
                "cancels": ["average"],
            }
        ],
    }
)


def met(answer: str) -> set[str]:
    score = score_text(RUBRIC, STEM, answer, {})
    return {criterion.id for criterion in score.criteria if criterion.met == "met"}


@pytest.mark.parametrize(
    "answer",
    [
        "DDP averages the gradients of all ranks with equal weight. The number of valid tokens differs between the ranks.",
        "The number of valid tokens differs between the ranks! DDP averages the gradients of all ranks with equal weight.",
        "Well. The number of valid tokens differs between the ranks.\nDDP averages the gradients of all ranks with equal weight",
    ],
)
def test_phrases_as_sentences_are_met_together(answer: str) -> None:
    score = score_text(RUBRIC, STEM, answer, {})
    assert score.points == score.max_points
    assert not score.misconceptions
    for criterion in score.criteria:
        assert answer[slice(*criterion.evidence[0])].casefold() in {
            phrase.casefold() for one in RUBRIC.criteria for phrase in one.accept
        }


@pytest.mark.parametrize(
    "answer",
    [
        "The number of valid tokens differs between the ranks. Hold on, that's wrong: it is the same on all ranks.",
        "The number of valid tokens does not differ between the ranks. DDP does the rest.",
    ],
)
def test_what_is_taken_back_or_denied_is_not(answer: str) -> None:
    assert "count" not in met(answer)
