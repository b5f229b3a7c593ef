"""Which follow-up an answer calls for: misconceptions first, then what is unclear, then what is missing; no matter twice."""

import pytest

from quizapp.model.question import Probe
from quizapp.model.score import CriterionScore, Met, Score, score_of
from quizapp.practice.interview_follow_up import FollowUpQuestion, choose_follow_up, find_follow_up


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
        ([], scored(small="unsure"), "criterion-small"),
        ([], scored(mute="unsure"), "unsure-mute"),
        ([follow_up("third", missed=["mute"])], scored(big="met"), "third"),
        ([follow_up("about-big", missed=["big"])], scored(), "about-big"),
        ([follow_up("anyway")], scored(), "criterion-big"),
        ([follow_up("anyway")], scored(**ALL), "anyway"),
        ([follow_up("about-big", missed=["big"])], scored(**ALL), None),
        ([], scored(**ALL), None),
    ],
)
def test_misconception_first_then_most_points(bound: list[dict[str, object]], score: Score, expected: str | None) -> None:
    asked = probe(bound=bound)
    assert chosen(choose_follow_up(asked.rubric, asked.follow_ups, [(None, score)])) == expected


def test_a_misconceptions_own_question_is_scored_by_what_it_cancels() -> None:
    asked = probe()
    found = choose_follow_up(asked.rubric, asked.follow_ups, [(None, scored("first"))])
    assert found is not None
    assert [c.id for c in found.rubric.criteria] == ["big"]
    assert (found.cause, found.about, found.stem) == ("misconception", "first", "Magic?")


@pytest.mark.parametrize(
    ("bound", "chain", "expected"),
    [
        ([], [(None, scored("first")), ("misconception-first", scored("first"))], "criterion-big"),
        ([], [(None, scored("first")), ("misconception-first", scored(big="met"))], "criterion-small"),
        ([], [(None, scored()), ("criterion-big", scored())], "criterion-small"),
        ([], [(None, scored()), ("criterion-big", scored("first"))], "misconception-first"),
        ([follow_up("about-big", missed=["big"])], [(None, scored()), ("about-big", scored())], "criterion-small"),
        ([], [(None, scored(mute="unsure", big="met", small="met")), ("unsure-mute", scored())], None),
        ([follow_up("anyway")], [(None, scored(**ALL)), ("anyway", scored())], None),
    ],
)
def test_a_thread_asks_about_nothing_twice(
    bound: list[dict[str, object]], chain: list[tuple[str | None, Score]], expected: str | None
) -> None:
    asked = probe(bound=bound)
    assert chosen(choose_follow_up(asked.rubric, asked.follow_ups, chain)) == expected


@pytest.mark.parametrize("id_", ["misconception-first", "criterion-big", "unsure-mute", "about-big"])
def test_a_stored_follow_up_is_found_again(id_: str) -> None:
    asked = probe(bound=[follow_up("about-big", missed=["big"])])
    assert find_follow_up(asked.rubric, asked.follow_ups, id_).id == id_


@pytest.mark.parametrize("id_", ["misconception-second", "criterion-mute", "gone", "misconception-nothing"])
def test_a_follow_up_that_the_bank_no_longer_has(id_: str) -> None:
    asked = probe()
    with pytest.raises(KeyError):
        find_follow_up(asked.rubric, asked.follow_ups, id_)
