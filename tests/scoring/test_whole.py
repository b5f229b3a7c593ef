"""What the rest of an answer makes of a claim: the weights that ship, and the cases they must not touch."""

import json
import math
from dataclasses import replace

import pytest

from quizapp.model.rubric import Criterion, Rubric
from quizapp.scoring import beliefs, whole
from quizapp.scoring.claims import Claim, Finding
from quizapp.scoring.clauses import split, windows
from quizapp.scoring.lexical import Support, ready
from quizapp.scoring.outcome import FILE, STEP, outcomes
from quizapp.scoring.semantic.tier import OF_MISCONCEPTIONS
from quizapp.scoring.text import score_text
from quizapp.scoring.tier import Lexical
from quizapp.scoring.words import read_words

CLAIM = Claim(Support(0.6), 0, 0, ((0, 4),))
AGAINST = {
    "changes of mind",
    "runs on",
    "clauses that deny an effect",
    "doubtful",
    "withdrawn",
    "denied later",
    "near a misconception",
}
RUBRIC = Rubric.model_validate(
    {
        "criteria": [
            {"id": "a", "points": 1, "description": "Count rows.", "accept": ["count the rows of every rank"]},
            {"id": "b", "points": 1, "description": "Mask it.", "accept": ["multiply the penalty by the mask"]},
        ],
        "misconceptions": [
            {"id": "padding-is-free", "accept": ["padded rows cost nothing in the average"], "refute": [], "cancels": ["a"]}
        ],
    }
)
READY = ready(RUBRIC, "What enters the average?")
ANSWER = "Count the rows. Multiply by the mask. It is not the mask."
WORDS = read_words(ANSWER)
CLAUSES = split(ANSWER, WORDS)
MEASURE = Lexical().measure(ANSWER, CLAUSES, READY)
"""Has measured no window yet."""


@pytest.mark.parametrize("tier", ["lexical", "semantic"])
def test_the_weights_are_those_of_the_features_and_point_the_right_way(tier: str) -> None:
    weights = json.loads(FILE.read_text("utf-8"))["tiers"][tier]["whole"]["weights"]
    assert tuple(weights) == whole.FEATURES
    assert weights["own"] > 0
    assert weights["chance of the others"] > 0
    assert all(weights[name] < 0 for name in AGAINST)


@pytest.mark.parametrize(("tier", "more"), [("lexical", ()), ("semantic", OF_MISCONCEPTIONS)])
def test_the_weights_of_misconceptions_are_those_of_their_features(tier: str, more: tuple[str, ...]) -> None:
    found = json.loads(beliefs.FILE.read_text("utf-8"))["tiers"][tier]["weights"]
    assert tuple(found) == (*beliefs.FEATURES, *more, beliefs.CANCELS)
    assert found[beliefs.CANCELS] < 0


def test_a_claim_gains_by_others_and_loses_by_a_later_denial() -> None:
    weights = outcomes()["lexical"].whole

    def strength(finding: Finding, other: Finding) -> float:
        return whole.strength(weights, whole.features(READY, [finding, other], CLAUSES, WORDS, MEASURE, ())[0])

    plain, nothing = Finding(CLAIM, None), Finding(None, None)
    sure = Finding(Claim(Support(0.95), 1, 1, ((5, 9),)), None)
    denied = Finding(CLAIM, Claim(Support(1.0), 2, 2, ((10, 14),)))
    assert strength(plain, sure) > strength(plain, nothing)
    assert strength(denied, sure) < strength(plain, sure)


def test_a_window_is_shared_out_among_the_criteria_by_their_odds() -> None:
    one, other = whole.spreads({(0, 0): (2.0, -2.0), (1, 1): (-8.0, 1.0), (0, 1): (1.0, -1.0)}, CLAUSES, 2)
    assert one.most == pytest.approx(math.exp(2) / (whole.NONE + math.exp(2) + math.exp(-2)))
    assert other.most == pytest.approx(math.e / (whole.NONE + math.e + math.exp(-8)))
    assert other.shares > -math.log(1 - whole.SURE * other.most)  # the first sentence counts beside the second
    again = whole.spreads({(0, 0): (2.0, -2.0), (1, 1): (2.0, -2.0)}, [CLAUSES[0], replace(CLAUSES[0], sentence=1)], 2)
    assert again == whole.spreads({(0, 0): (2.0, -2.0)}, CLAUSES, 2)  # saying it twice says no more
    nothing = whole.spreads({}, CLAUSES, 1)[0]
    assert (nothing.most, nothing.shares) == (0.0, 0.0)


def test_the_rest_of_an_answer_takes_so_much_and_no_more() -> None:
    sure = Finding(Claim(Support(0.95), 1, 1, ((5, 9),)), None)
    low = 0.95 - whole.MOST_TAKEN * STEP
    assert whole._bounded(0.1, sure, 0, {}) == pytest.approx(low)
    assert whole._bounded(0.1, replace(sure, changes=(2,)), 0, {}) == 0.1
    assert whole._bounded(0.1, replace(sure, denial=Claim(Support(1.0), 2, 2, ((10, 14),))), 0, {}) == 0.1
    assert whole._bounded(0.1, replace(sure, denial=Claim(Support(1.0), 0, 0, ((0, 4),))), 0, {}) == pytest.approx(low)


def test_no_weighing_raises_a_claim_that_a_rule_refused() -> None:
    refused = Finding(Claim(Support(0.45), 0, 0, ((0, 4),)), None)
    assert whole._bounded(0.9, refused, 0, {(0, 0): (2.0,)}) == 0.45
    assert whole._bounded(0.9, refused, 0, {(0, 0): ((0.45 - 0.6) / STEP,)}) == 0.9


def test_words_near_a_misconception_are_told_from_others() -> None:
    def near(answer: str) -> float:
        words = read_words(answer)
        clauses = split(answer, words)
        readings = tuple(beliefs.read(READY, clauses, tuple(windows(clauses)), {}, MEASURE.nearness))
        found = [Finding(Claim(Support(0.6), 0, 0, ((0, 4),)), None), Finding(None, None)]
        row = whole.features(READY, found, clauses, words, MEASURE, readings)[0]
        return row[whole.FEATURES.index("near a misconception")]

    assert near("Padded rows cost nothing in the average.") > 0.9
    assert near("Sum the losses of the ranks.") < 0.1


def test_words_in_the_order_of_a_phrase_count_as_pairs() -> None:
    def pairs(answer: str) -> float:
        words = read_words(answer)
        clauses = split(answer, words)
        found = [Finding(Claim(Support(0.6), 0, 0, ((0, 4),)), None), Finding(None, None)]
        return whole.features(READY, found, clauses, words, MEASURE, ())[0][whole.FEATURES.index("pairs of a phrase")]

    assert pairs("count the rows of every rank") == 3
    assert pairs("the rank rows count") == 0


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


def test_a_point_that_a_word_or_two_earn_is_shown_by_the_clause() -> None:
    rubric = Rubric(
        criteria=(
            Criterion(id="a", points=1, description="The sum.", accept=("the loss is a sum",)),
            Criterion(id="b", points=1, description="Mask it.", accept=("multiply the penalty by the mask",)),
        )
    )
    answer = "We looked into it, and the loss is a sum here."
    (first, _) = score_text(rubric, "What is it?", answer, {}, Lexical()).criteria
    assert first.met == "met"
    assert [answer[start:end] for start, end in first.evidence] == ["and the loss is a sum here"]
