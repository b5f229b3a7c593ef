"""What the rest of an answer makes of a claim: the weights that ship, and the cases they must not touch."""

import json

import pytest

from quizapp.model.rubric import Criterion, Rubric
from quizapp.scoring import beliefs, whole
from quizapp.scoring.claims import Claim, Finding
from quizapp.scoring.lexical import Support
from quizapp.scoring.outcome import FILE, outcomes
from quizapp.scoring.text import score_text
from quizapp.scoring.tier import Lexical

CLAIM = Claim(Support(0.6), 0, 0, ((0, 4),))
AGAINST = {"changes of mind", "others that are denied", "runs on", "clauses that deny an effect", "doubtful", "withdrawn"}


@pytest.mark.parametrize("tier", ["lexical", "semantic"])
def test_the_weights_are_those_of_the_features_and_point_the_right_way(tier: str) -> None:
    weights = json.loads(FILE.read_text("utf-8"))["tiers"][tier]["whole"]["weights"]
    assert tuple(weights) == whole.FEATURES
    assert weights["own"] > 0
    assert weights["chance of the others"] > 0
    assert all(weights[name] < 0 for name in AGAINST)


def test_the_weights_of_misconceptions_are_those_of_their_features() -> None:
    found = json.loads(beliefs.FILE.read_text("utf-8"))["weights"]
    assert tuple(found) == beliefs.FEATURES


def test_a_claim_gains_by_others_and_loses_by_a_later_denial() -> None:
    weights = outcomes()["lexical"].whole

    def strength(finding: Finding, other: Finding) -> float:
        return whole.strength(weights, whole.features([finding, other], (), ())[0])

    plain, nothing = Finding(CLAIM, None), Finding(None, None)
    sure = Finding(Claim(Support(0.95), 1, 1, ((5, 9),)), None)
    denied = Finding(CLAIM, Claim(Support(1.0), 2, 2, ((10, 14),)))
    assert strength(plain, sure) > strength(plain, nothing)
    assert strength(denied, sure) < strength(plain, sure)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The padding value has no effect on the penalty.", "met"),
        ("The padding value has no effect on the penalty. No, wait, I take that back, it has one.", "unmet"),
    ],
)
def test_a_phrase_that_denies_an_effect_is_no_denial_of_itself(answer: str, expected: str) -> None:
    rubric = Rubric(
        criteria=(
            Criterion(
                id="a", points=1, description="Padding stays in.", accept=("the padding value has no effect on the penalty",)
            ),
            Criterion(id="b", points=1, description="Mask it.", accept=("multiply the penalty by the mask",)),
        )
    )
    score = score_text(rubric, "Where does padding enter?", answer, {}, Lexical())
    assert (score.criteria[0].met == "met") == (expected == "met")


def test_whoever_calls_a_belief_mistaken_does_not_hold_it() -> None:
    rubric = Rubric.model_validate(
        {
            "criteria": [{"id": "a", "points": 1, "description": "Count rows.", "accept": ["count the rows of every rank"]}],
            "misconceptions": [
                {"id": "padding-is-free", "accept": ["padded rows cost nothing in the average"], "refute": [], "cancels": ["a"]}
            ],
        }
    )

    def named(answer: str) -> tuple[str, ...]:
        return score_text(rubric, "What enters the average?", answer, {}, Lexical()).misconceptions

    assert named("Padded rows cost nothing in the average.") == ("padding-is-free",)
    assert named("It is wrong that padded rows cost nothing in the average.") == ()
