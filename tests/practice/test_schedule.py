"""Answers as reviews, and when an item is due again."""

import random
from datetime import UTC, datetime, timedelta

from fsrs import Rating

from quizapp.practice.schedule import AHEAD, memory, reviews
from quizapp.store.record import Mark

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def mark(minutes: float, points: int = 1, part: str = "main", **changes: object) -> Mark:
    values: dict[str, object] = {
        "id": int(minutes * 60),
        "at": START + timedelta(minutes=minutes),
        "session": 1,
        "bank": "small",
        "item": "pick",
        "part": part,
        "seed": None,
        "outcome": "right" if points else "wrong",
        "points": points,
        "max_points": 1,
        "confidence": None,
        "seconds": None,
        "withdrawn": False,
    }
    return Mark(**(values | changes))  # type: ignore[arg-type]


def test_the_first_answer_to_each_part_counts_and_a_retry_does_not() -> None:
    (one,) = reviews([mark(0, 0), mark(1, 1), mark(2, 1, part="other"), mark(3, 1)])
    assert (one.points, one.max_points, one.at) == (1, 2, START + timedelta(minutes=2))
    assert one.rating is Rating.Hard


def test_other_numbers_and_later_answers_are_other_reviews() -> None:
    assert len(reviews([mark(0, 0), mark(1, 1, seed=7)])) == 2
    assert len(reviews([mark(0, 0), mark(9, 1)])) == 2
    assert len(reviews([mark(0, 0), mark(1, 1, session=2)])) == 2
    assert len(reviews([mark(0, session=None), mark(1, session=None)])) == 2


def test_slips_and_follow_ups_do_not_count() -> None:
    assert reviews([mark(0, 0, withdrawn=True), mark(1, 0, part="main/counts")]) == ()
    (one,) = reviews([mark(0, 0, withdrawn=True), mark(1, 1)])
    assert one.share == 1


def test_ratings() -> None:
    def rating(*marks: Mark, code: bool = False) -> Rating:
        return reviews(marks, code)[-1].rating

    assert rating(mark(0, 0)) is Rating.Again
    assert rating(mark(0, 0, outcome="unsure")) is Rating.Hard
    assert rating(mark(0, confidence=2)) is Rating.Hard
    assert rating(mark(0, confidence=4)) is Rating.Good
    assert rating(mark(0, confidence=5)) is Rating.Easy
    tries = [mark(n, 0, seed=n) for n in range(4)]
    assert rating(*tries, code=True) is Rating.Again
    assert rating(*tries[:1], mark(60, seed=60), code=True) is Rating.Good
    assert rating(*tries, mark(60, seed=60), code=True) is Rating.Hard


def test_a_lab_that_passed_is_never_due_again() -> None:
    passed = memory("lab", reviews([mark(0, 0), mark(5, 1, seed=3)], True), True)
    assert passed.done
    assert not passed.is_due(START + timedelta(days=400))
    assert memory("lab", reviews([mark(0, 0)], True), True).is_due(START + timedelta(minutes=11))


def test_right_answers_come_back_later_and_later_and_a_lapse_soon() -> None:
    found = [mark(0, 1)]
    gaps = []
    for _ in range(4):
        known = memory("pick", reviews(found))
        gaps.append((known.due - known.last.at).days)
        assert not known.is_due(known.last.at + timedelta(hours=1))
        assert known.is_due(known.due - AHEAD)
        assert 0.85 < known.recall(known.due) < 0.95
        found.append(mark((known.due - START) / timedelta(minutes=1), 1, session=len(found) + 1))
    assert gaps == sorted(set(gaps))
    lapse = memory("pick", reviews([*found, mark(found[-1].id / 60 + 5, 0, session=99)]))
    assert lapse.last.rating is Rating.Again
    assert lapse.due - lapse.last.at == timedelta(minutes=10)
    assert not lapse.is_due(lapse.last.at)


def test_the_same_answers_give_the_same_dates() -> None:
    dice = random.Random(3)
    found = [mark(60 * 24 * n, dice.randint(0, 1), session=n) for n in range(20)]
    assert memory("pick", reviews(found)) == memory("pick", reviews(found))
