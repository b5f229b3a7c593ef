"""A person's word on a criterion: what it makes of the points, of the words that decided them and of the misconceptions."""

from quizapp.model.rubric import Criterion, Rubric, ShownMisconception
from quizapp.model.ruling import Word, overruled
from quizapp.model.score import CriterionScore, Met, Score, score_of

RUBRIC = Rubric(
    criteria=tuple(Criterion(id=id, points=2, description=id, accept=(id,)) for id in "abc"),
    misconceptions=(
        ShownMisconception(id="of-a", accept=("x",), cancels=("a",)),
        ShownMisconception(id="of-both", accept=("y",), cancels=("a", "b")),
        ShownMisconception(id="of-none", accept=("z",)),
    ),
)
YES, NO = Word("met", "Ada says so."), Word("unmet", "Ada denies it.")


def scored(a: Met, b: Met, c: Met, *shown: str) -> Score:
    of = {"a": a, "b": b, "c": c}
    criteria = (
        CriterionScore(id=id, points=2 * (met == "met"), max_points=2, met=met, evidence=((0, 3),), reason="The scorer's.")
        for id, met in of.items()
    )
    return score_of(tuple(criteria), shown, "And why?")


def test_a_misconception_goes_with_the_last_criterion_that_it_cancels() -> None:
    score = scored("unmet", "unmet", "met", "of-a", "of-both", "of-none")
    first = overruled(score, {"a": YES}, RUBRIC)
    assert (first.points, first.outcome, first.misconceptions) == (4, "partial", ("of-both", "of-none"))
    both = overruled(score, {"a": YES, "b": YES}, RUBRIC)
    assert (both.points, both.outcome, both.misconceptions) == (6, "right", ("of-none",))


def test_a_ruling_on_another_criterion_or_against_one_leaves_it() -> None:
    score = scored("unmet", "unmet", "unmet", "of-a", "of-both")
    for words in ({"c": YES}, {"a": NO}, {"a": NO, "b": YES}):
        assert overruled(score, words, RUBRIC).misconceptions == (("of-a", "of-both"))
    assert overruled(score, {"none of these": YES}, RUBRIC) == score
    assert overruled(score, {}, RUBRIC) == score


def test_what_the_scorer_met_itself_takes_nothing_away() -> None:
    assert overruled(scored("met", "unmet", "met", "of-a"), {"c": NO}, RUBRIC).misconceptions == ("of-a",)


def test_without_a_rubric_it_goes_once_everything_is_met() -> None:
    score = scored("unmet", "unmet", "met", "mean-of-means")
    assert overruled(score, {"a": YES}, None).misconceptions == ("mean-of-means",)
    assert overruled(score, {"a": YES, "b": YES}, None).misconceptions == ()


def test_words_in_which_the_scorer_saw_the_contrary_did_not_decide() -> None:
    after = overruled(scored("unmet", "unsure", "met"), {"a": YES, "b": YES, "c": YES}, RUBRIC)
    assert [one.evidence for one in after.criteria] == [(), ((0, 3),), ((0, 3),)]
    after = overruled(scored("unmet", "unsure", "met"), {"a": NO, "b": NO, "c": NO}, RUBRIC)
    assert [one.evidence for one in after.criteria] == [((0, 3),), (), ()]
    assert {one.reason for one in after.criteria} == {NO.reason}
    assert after.follow_up is None
