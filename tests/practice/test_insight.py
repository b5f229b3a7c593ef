"""How it is going: calibration, mastery, forecast, misconceptions that come back, time; and search."""

from datetime import timedelta

import pytest

from quizapp.bank.load import Library
from quizapp.practice.insight import calibration, forecast, insight, misconceptions, possible, topics
from quizapp.practice.review import where
from quizapp.practice.search import index, search, snippet
from quizapp.practice.standing import as_they_stand, rubric_of
from quizapp.practice.study import Study
from quizapp.store.opinion import regrade, rule
from quizapp.store.store import Store


def answer(study: Study, step: str, text: str, confidence: int | None = None, seconds: float | None = None) -> None:
    study.go([one.id for one in study.steps].index(step))
    study.record(text, study.grade(text), confidence, seconds)


def test_calibration(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    assert calibration(store.marks()).brier is None
    answer(study, "pick-mean/main", "right", 5)
    answer(study, "pick-mean/main", "ranks", 5)
    answer(study, "two-ranks/mean", "2", 2)
    answer(study, "two-ranks/mean", "2")
    found = calibration(store.marks())
    assert found.answers == 3
    assert [(level.confidence, level.answers, level.earned) for level in found.levels] == [(2, 1, 1.0), (5, 2, 0.5)]
    assert found.brier == pytest.approx((0.1**2 + 0.9**2 + 0.7**2) / 3)
    assert found.baseline == pytest.approx(2 / 9)
    study.withdraw()
    study.go(1)
    study.withdraw()
    assert calibration(store.marks()).answers == 2


def test_a_misconception_stands_is_overcome_and_comes_back(library: Library, store: Store) -> None:
    study = Study(store, library, "small")

    def found() -> list[tuple[str, str, int, int]]:
        met = misconceptions(library, store.marks(), store.named())
        return [(one.id, one.state, one.times, one.came_back) for one in met]

    assert found() == []
    answer(study, "pick-mean/main", "ranks")
    assert found() == [("mean-of-means", "standing", 1, 0)]
    answer(study, "pick-all/main", "padding,uneven")
    assert found() == [("mean-of-means", "standing", 1, 0)]
    answer(study, "two-ranks/mean", "2")
    assert found() == [("mean-of-means", "overcome", 1, 0)]
    answer(study, "two-ranks/mean", "2.25")
    assert found() == [("mean-of-means", "standing", 2, 1)]
    answer(study, "why-worse/main", "DDP picks the right denominator.")
    assert {one[0] for one in found()} == {"mean-of-means", "framework-knows"}
    study.withdraw()
    assert len(found()) == 1
    assert possible(library.items["two-ranks"]) == {"mean-of-means", "framework-knows"}


def test_mastery_forecast_and_times(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    assert [(row.topic, row.mastery, row.answered) for row in topics(where(store, library))] == [("averages", 0.0, 0)]
    answer(study, "pick-mean/main", "right", 5, seconds=30)
    answer(study, "pick-all/main", "rate", seconds=90)
    answer(study, "pick-all/main", "rate", seconds=10)
    found = insight(where(store, library), store.marks(), store.named())
    (row,) = found.topics
    assert 0.15 < row.mastery <= 0.2
    assert (row.items, row.answered, found.answers, found.new) == (5, 2, 3, 3)
    assert sum(day.items for day in found.forecast) == 2
    assert found.forecast[0].items == 1
    assert [(time.item, time.median, time.longest) for time in found.times] == [("pick-all", 50, 90), ("pick-mean", 30, 30)]
    clock = store.clock
    store.clock = lambda: clock() + timedelta(days=60)
    later = where(store, library)
    assert topics(later)[0].mastery < row.mastery
    assert (topics(later)[0].due, forecast(later)[0].items) == (2, 2)


def test_search_finds_names_before_topics_before_texts(library: Library) -> None:
    entries = index(library)
    assert [entry.item for entry in search(entries, "mean")] == ["pick-mean", "two-ranks", "scale"]
    assert search(entries, "AVERAGES rank")[0].item == "two-ranks"
    assert [entry.item for entry in search(entries, "learning rate")] == ["pick-all"]
    assert search(entries, "nowhere") == search(entries, " ") == ()
    assert "learning rate" in snippet(search(entries, "learning")[0], "learning", 40)
    told = {entry.item: snippet(entry, "token", 1000) for entry in entries}
    assert told["two-ranks"].startswith("Two ranks hold"), "in the letters in which it is written"
    assert not any("{{" in text for text in told.values())
    assert len(search(entries, "a", most=2)) == 2


def test_what_an_instructor_ruled_and_a_later_scorer_gave_counts(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    answer(study, "two-ranks/mean", "2.25", 5)
    answer(study, "two-ranks/why", "The ranks have different token counts.")
    first, second = store.attempts()
    assert as_they_stand(store) == (store.marks(), {first.id: ("mean-of-means",)})
    rule(store, second.id, "one-division", "met", "said at the board", "Ada")
    study.go([one.id for one in study.steps].index("two-ranks/mean"))
    regrade(store, [(first.id, "h", "later", study.grade("2"))])
    marks, named = as_they_stand(store)
    assert [(mark.points, mark.outcome) for mark in marks] == [(1, "right"), (2, "right")]
    assert named == {}
    assert where(store, library).memory["two-ranks"].last.share == 1


def test_a_ruling_takes_the_misconception_that_cancelled_what_it_finds_met(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    answer(study, "why-worse/main", "DDP picks the right denominator.")
    (attempt,) = store.attempts()
    before = insight(where(store, library), *as_they_stand(store, library))
    assert [(one.id, one.state) for one in before.misconceptions] == [("framework-knows", "standing")]

    rule(store, attempt.id, "counts", "met", "", "Ada")
    assert as_they_stand(store, library)[1] == {attempt.id: ("framework-knows",)}, "it cancels another criterion"
    rule(store, attempt.id, "counts", "unmet", "", "Ada")
    rule(store, attempt.id, "reduction", "met", "meant as a joke", "Ada")
    score, _ = study.stands_at(attempt)
    assert score is not None
    assert (score.points, score.misconceptions) == (2, ())
    assert [one.evidence for one in score.criteria if one.id == "reduction"] == [()]
    after = insight(where(store, library), *as_they_stand(store, library))
    assert after.misconceptions == ()
    assert where(store, library).memory["why-worse"].last.share == 2 / 3

    regrade(store, [(attempt.id, "h", "later", study.grade("DDP picks the right denominator."))])
    assert as_they_stand(store, library)[1] == {}, "a later scorer names it again; the ruling holds"
    rule(store, attempt.id, "reduction", "unmet", "it was none", "Ada")
    assert as_they_stand(store, library)[1] == {attempt.id: ("framework-knows",)}


def test_a_follow_up_is_ruled_by_its_own_rubric(library: Library) -> None:
    found = {
        part: rubric_of(library, "why-worse", part) for part in ("main", "main/last-batch", "main/misconception-framework-knows")
    }
    assert [None if one is None else one.criteria[0].id for one in found.values()] == ["reduction", "weights-change", "reduction"]
    for item, part in (("why-worse", "main/no-such"), ("two-ranks", "mean"), ("two-ranks", "why/x"), ("no-such", "main")):
        assert rubric_of(library, item, part) is None
