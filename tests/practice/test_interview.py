"""The interview: which follow-up, resuming, the same answers give the same interview."""

import pytest

from quizapp.bank.load import Library
from quizapp.model.question import Probe
from quizapp.model.score import CriterionScore, Met, Score, score_of
from quizapp.practice.interview import FollowUpQuestion, Interview, choose_follow_up
from quizapp.scoring.answer import AnswerError
from quizapp.store.store import Store

TRUSTING = "DDP picks the right denominator for us, so nothing needs checking."
GOOD = "I check the per-rank loss reduction: what each rank divides its loss by. Then I check valid token counts per rank."


def criterion(id_: str, description: str, points: int, follow_up: str | None = None) -> dict[str, object]:
    return {"id": id_, "points": points, "description": description, "accept": [description], "follow_up": follow_up}


def probe(*, bound: list[dict[str, object]] | None = None) -> Probe:
    return Probe.model_validate(
        {
            "kind": "probe",
            "id": "p",
            "topics": ["t"],
            "difficulty": 1,
            "points": 6,
            "stem": "Why?",
            "explanation": "Because.",
            "rubric": {
                "criteria": [
                    criterion("small", "one thing", 1, "And the small one?"),
                    criterion("big", "another thing", 3, "And the big one?"),
                    criterion("mute", "a third thing", 2),
                ],
                "misconceptions": [
                    {"id": "first", "accept": ["it is magic"], "cancels": ["big"], "follow_up": "Magic?"},
                    {"id": "second", "accept": ["it is luck"]},
                ],
            },
            "follow_ups": bound or [],
        }
    )


def follow_up(id_: str, missed: list[str] | None = None, shown: list[str] | None = None) -> dict[str, object]:
    return {
        "id": id_,
        "missed": missed or [],
        "shown": shown or [],
        "stem": f"{id_}?",
        "rubric": {"criteria": [criterion("x", "something", 1)]},
    }


def scored(*misconceptions: str, **met: Met) -> Score:
    points = {"small": 1, "big": 3, "mute": 2}
    criteria = tuple(
        CriterionScore(
            id=id_, points=worth if met.get(id_) == "met" else 0, max_points=worth, met=met.get(id_, "unmet"), reason="r"
        )
        for id_, worth in points.items()
    )
    return score_of(criteria, misconceptions)


def chosen(found: FollowUpQuestion | None) -> str | None:
    return None if found is None else found.id


ALL: dict[str, Met] = {"small": "met", "big": "met", "mute": "met"}


@pytest.mark.parametrize(
    ("bound", "score", "expected"),
    [
        ([], scored("first", "second"), "misconception-first"),
        ([], scored("second"), "criterion-big"),
        ([follow_up("luck", shown=["second"])], scored("second"), "luck"),
        ([follow_up("luck", shown=["second"])], scored("first", "second"), "misconception-first"),
        ([follow_up("magic", shown=["first"])], scored("first"), "magic"),
        ([], scored(big="met"), "criterion-small"),
        ([], scored(big="unsure", small="met"), "criterion-big"),
        ([follow_up("third", missed=["mute"])], scored(big="met"), "third"),
        ([follow_up("about-big", missed=["big"])], scored(), "about-big"),
        ([follow_up("anyway")], scored(), "criterion-big"),
        ([follow_up("anyway")], scored(**ALL), "anyway"),
        ([follow_up("about-big", missed=["big"])], scored(**ALL), None),
        ([], scored(**ALL), None),
    ],
)
def test_misconception_first_then_most_points(bound: list[dict[str, object]], score: Score, expected: str | None) -> None:
    assert chosen(choose_follow_up(probe(bound=bound), score)) == expected


def test_a_misconceptions_own_question_is_scored_by_what_it_cancels() -> None:
    found = choose_follow_up(probe(), scored("first"))
    assert found is not None
    assert [c.id for c in found.rubric.criteria] == ["big"]
    assert (found.cause, found.about, found.stem) == ("misconception", "first", "Magic?")


def test_an_interview_from_the_probe_to_the_debrief(library: Library, store: Store) -> None:
    interview = Interview(store, library, "small")
    (opening,) = interview.turns()
    assert not opening.answered
    following = interview.answer(TRUSTING)
    assert following is not None
    assert (following.cause, following.about) == ("misconception", "framework-knows")
    assert interview.answer("Each rank divides by its own local count, and the gradients are averaged over ranks.") is None
    turns = interview.turns()
    assert [turn.answered for turn in turns] == [True, True]
    assert [attempt.part for attempt in store.attempts()] == ["main", "main/misconception-framework-knows"]
    with pytest.raises(ValueError, match="over"):
        interview.answer("more")


def test_a_good_answer_gets_no_needless_follow_up(library: Library, store: Store) -> None:
    interview = Interview(store, library, "small")
    assert interview.answer(GOOD) is None
    (turn,) = interview.turns()
    assert turn.score is not None
    assert turn.score.points == 3


def test_it_goes_on_where_it_was_left(library: Library, store: Store) -> None:
    first = Interview(store, library, "small", seed=3)
    first.answer(TRUSTING)
    second = Interview(store, library, "small", seed=9)
    assert second.resumed
    assert second.session.seed == 3
    assert [turn.answered for turn in second.turns()] == [True, False]
    second.answer("I do not know that, to be honest with you.")
    third = Interview(store, library, "small")
    assert third.turns() == second.turns()
    third.finish()
    assert not Interview(store, library, "small").resumed


def test_the_same_answers_give_the_same_interview(library: Library, store: Store) -> None:
    answers = [TRUSTING, "It averages over ranks."]
    runs = []
    for _ in range(2):
        interview = Interview(store, library, "small", seed=4)
        for answer in answers:
            interview.answer(answer)
        runs.append(interview.turns())
        interview.finish()
    assert runs[0] == runs[1]


def test_an_empty_answer_is_refused_and_stores_nothing(library: Library, store: Store) -> None:
    interview = Interview(store, library, "small")
    with pytest.raises(AnswerError):
        interview.answer("   ")
    assert store.attempts() == []
