"""Marked answers give thresholds and phrases, and agreement is told on answers that were not fitted on."""

import pytest

from quizapp.authoring.calibrate import Marked, calibrate, quadratic_kappa
from quizapp.model.rubric import Criterion, Rubric
from quizapp.scoring.text import score_text

STEM = "Where does the divisor come from?"
RUBRIC = Rubric(
    criteria=(
        Criterion(
            id="count",
            points=2,
            description="The divisor is the number of valid tokens on all ranks.",
            accept=("divide by the all-reduced number of valid tokens", "all-reduce the token counts before dividing"),
        ),
    )
)
MET = (
    "Divide by the all-reduced number of valid tokens.",
    "You all-reduce the token counts before dividing.",
    "The divisor should be the number of valid tokens, all-reduced.",
    "Sum up how many graded words everybody has, and use that.",
    "I would divide by the number of valid tokens that all ranks hold.",
    "All-reduce the counts of the tokens, and divide by them.",
)
UNMET = (
    "Use a larger learning rate.",
    "The network is slow.",
    "Shuffle the data set again in each epoch.",
    "Divide by the world size only.",
    "I don't know.",
    "Turn off dropout and compare.",
)


def marked() -> list[Marked]:
    return [
        answer
        for pair in zip(MET, UNMET, strict=True)
        for answer in (Marked(pair[0], frozenset({"count"})), Marked(pair[1], frozenset()))
    ]


def test_kappa() -> None:
    assert quadratic_kappa([0, 1, 2], [0, 1, 2]) == 1
    assert quadratic_kappa([0, 2], [2, 0]) == -1
    assert quadratic_kappa([1, 1], [1, 1]) == 1


def test_what_is_proposed_earns_its_answer_and_lures_no_other() -> None:
    found = calibrate(RUBRIC, STEM, marked())
    assert found.answers == 12
    assert set(found.before.f1) == {"count"}
    (proposal,) = found.proposals
    assert (proposal.criterion, proposal.marked, proposal.met) == ("count", 12, 6)
    if proposal.threshold is not None:
        assert 0 < proposal.threshold < 1
    for phrase in proposal.phrases:
        criterion = RUBRIC.criteria[0]
        better = Rubric(criteria=(criterion.model_copy(update={"accept": (*criterion.accept, phrase)}),))
        assert not any(score_text(better, STEM, text, {}).points for text in UNMET)


def test_fitting_helps_where_the_present_threshold_is_far_off() -> None:
    strict = Rubric(criteria=(RUBRIC.criteria[0].model_copy(update={"threshold": 0.97}),))
    found = calibrate(strict, STEM, marked())
    assert found.after.f1["count"] > found.before.f1["count"]
    assert found.after.kappa > found.before.kappa
    assert found.proposals[0].threshold is not None


def test_few_answers_set_no_threshold() -> None:
    assert calibrate(RUBRIC, STEM, marked()[:6]).proposals[0].threshold is None


def test_marks_for_unknown_criteria_are_refused() -> None:
    with pytest.raises(ValueError, match="no criterion nothing"):
        calibrate(RUBRIC, STEM, [Marked("a", frozenset({"nothing"})), Marked("b", frozenset())])
    with pytest.raises(ValueError, match="too few"):
        calibrate(RUBRIC, STEM, [Marked("a", frozenset())])
