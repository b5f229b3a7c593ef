"""A sitting over a queue: started, resumed, with what was missed once more at the end; slips."""

import dataclasses
import random
from datetime import timedelta
from pathlib import Path

import pytest

from quizapp.bank.load import Library, LoadedItem
from quizapp.practice.face import open_review
from quizapp.practice.queue import Plan
from quizapp.practice.review import NothingToAsk, Review, where
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.store.transfer import export, merge

NEW = [
    "pick-mean/main",
    "pick-all/main",
    "two-ranks/mean",
    "two-ranks/factor",
    "two-ranks/why",
    "why-worse/main",
    "scale/main",
]


def ids(review: Review) -> list[str]:
    return [step.id for step in review.steps]


def wait(store: Store, days: float) -> None:
    """Lets the store's clock run ahead."""
    clock = store.clock
    store.clock = lambda: clock() + timedelta(days=days)


def give(review: Study, answer: str, confidence: int | None = None) -> None:
    review.record(answer, review.grade(answer), confidence)


def test_everything_is_new_at_first(library: Library, store: Store) -> None:
    review = Review(store, library)
    assert ids(review) == NEW
    assert not review.resumed
    assert review.title == "Due and new"
    assert [review.seed("pick-mean"), review.bank.bank.id] == [None, "small"]


def test_it_goes_on_where_it_was_left_until_a_day_has_passed(library: Library, store: Store) -> None:
    first = Review(store, library, Plan(topics=("averages",), length=3))
    assert ids(first) == NEW[:5]
    give(first, "right", 4)
    assert first.go(2)
    again = Review(store, library)
    assert again.resumed
    assert (again.session.id, again.step.id, again.plan) == (first.session.id, "two-ranks/mean", first.plan)
    assert again.go(0)
    found = again.result()
    assert found is not None
    assert found.confidence == 4
    wait(store, 1)
    assert open_review(store) is None
    other = Review(store, library)
    assert other.session.id != first.session.id
    assert [session.id for session in store.unfinished("review")] == [other.session.id]


def test_what_was_missed_comes_once_more_with_other_numbers(library: Library, store: Store) -> None:
    review = Review(store, library, Plan(length=2))
    give(review, "ranks")
    assert ids(review) == [*NEW[:2], "pick-mean/main"]
    first = review.asked().stem
    assert review.go(2)
    assert review.result() is None
    assert review.asked().stem != first
    wrong = next(choice for choice in review.asked().choices if not choice.key)
    give(review, wrong.id)
    assert len(review.steps) == 3
    assert Review(store, library).result() is not None


def test_parts_missed_come_again_together_and_a_slip_does_not(library: Library, store: Store) -> None:
    review = Review(store, library, Plan(length=3))
    review.go(2)
    give(review, "2.25")
    review.go(3)
    give(review, "L_r/N")
    assert ids(review)[5:] == ["two-ranks/mean", "two-ranks/factor"]
    taken = review.withdraw()
    assert taken is not None
    assert taken.text == "L_r/N"
    assert review.result() is None
    assert ids(review)[5:] == ["two-ranks/mean"]
    assert [(mark.part, mark.withdrawn) for mark in store.marks()] == [("mean", False), ("factor", True)]
    assert review.withdraw() is None
    review.go(5)
    assert review.result() is None
    give(review, "2")
    assert review.result() is not None
    review.go(2)
    missed = review.result()
    assert missed is not None
    assert missed.text == "2"


def test_selections(library: Library, store: Store) -> None:
    with pytest.raises(NothingToAsk, match="nothing is left"):
        Review(store, library, Plan("wrong"))
    assert open_review(store) is None
    study = Study(store, library, "small", "pick-mean")
    give(study, "ranks")
    study = Study(store, library, "small", "pick-all")
    give(study, "padding,uneven")
    store.flag("scale", True)
    assert ids(Review(store, library, Plan("wrong"))) == ["pick-mean/main"]
    assert ids(Review(store, library, Plan("flagged"))) == ["scale/main"]
    with pytest.raises(NothingToAsk):
        Review(store, library, Plan("due"))
    assert ids(Review(store, library, Plan("new", labs=False))) == NEW[2:6]
    wait(store, 60)
    review = Review(store, library, Plan("due"))
    assert ids(review) == ["pick-mean/main", "pick-all/main"]
    assert review.seed("pick-mean") is not None


def test_what_was_recommended_comes_first(library: Library, store: Store) -> None:
    store.recommend({"why-worse": "the interview missed counts"})
    assert ids(Review(store, library, Plan(length=2)))[0] == "why-worse/main"
    assert store.recommended() == {"why-worse": "the interview missed counts"}
    study = Study(store, library, "small", "why-worse")
    give(study, "I check each rank's loss reduction.")
    assert store.recommended() == {}


def test_an_edited_bank_keeps_the_history_and_drops_what_is_gone(library: Library, store: Store) -> None:
    review = Review(store, library, Plan(length=2))
    give(review, "right")
    review.go(1)
    bank = library.banks[0]
    kept = tuple(item for item in bank.bank.items if item.id != "pick-all")
    items = {
        name: LoadedItem(loaded.item, "other", loaded.file, loaded.line, "edited")
        for name, loaded in library.items.items()
        if name != "pick-all"
    }
    other = dataclasses.replace(bank, bank=bank.bank.model_copy(update={"id": "other", "items": kept}))
    edited = dataclasses.replace(library, banks=(other,), items=items)
    assert set(where(store, edited).memory) == {"pick-mean"}
    again = Review(store, edited)
    assert ids(again) == ["pick-mean/main"]
    assert again.result() is not None


def test_two_apps_on_one_queue_lose_no_answer(library: Library, store: Store) -> None:
    one = Review(store, library)
    with Store(store.path, clock=store.clock) as second:
        other = Review(second, library)
        assert other.session.id == one.session.id
        give(one, "ranks")
        other.go(1)
        give(other, "padding,uneven")
        one.go(2)
        give(one, "2")
    assert [mark.item for mark in store.marks()] == ["pick-mean", "pick-all", "two-ranks"]
    resumed = Review(store, library)
    assert resumed.go(1)
    assert resumed.result() is not None


def test_a_long_run_of_days_loses_nothing(library: Library, store: Store) -> None:
    """Sitting after sitting, with chance right and wrong answers: each answer is stored, and each item keeps coming."""
    dice = random.Random(4)
    asked: dict[str, int] = {}
    given = 0
    for _ in range(25):
        wait(store, dice.choice([0.6, 1, 3]))
        try:
            review = Review(store, library, Plan(labs=False, length=4))
        except NothingToAsk:
            continue
        index = 0
        while index < len(review.steps):
            review.go(index)
            question = review.asked()
            key = getattr(question.part, "key", None)
            right = ",".join(choice.id for choice in question.choices if choice.key) or key or "check valid token counts per rank"
            wrong = ",".join(choice.id for choice in question.choices if not choice.key)[:5] or "7"
            give(review, right if dice.random() < 0.6 else wrong)
            asked[question.item_id] = asked.get(question.item_id, 0) + 1
            given += 1
            index += 1
    assert len(store.marks()) == given
    assert set(asked) == {"pick-mean", "pick-all", "two-ranks", "why-worse"}
    assert min(asked.values()) > 2


def test_what_comes_again_is_asked_on_another_machine_too(library: Library, store: Store, tmp_path: Path) -> None:
    here = Review(store, library)
    assert here.go(ids(here).index("pick-all/main"))
    give(here, "C")
    assert here.go(len(here.steps) - 1)
    assert (here.step.id, here.entry.again, here.result()) == ("pick-all/main", True, None)
    with Store(tmp_path / "other.sqlite3", clock=store.clock) as other:
        give(Study(other, library, "small", "two-ranks"), "2")  # the answer from here gets another number there
        merge(other, export(store))
        there = Review(other, library)
        assert there.resumed
        assert (there.step.id, there.entry.again, there.result()) == ("pick-all/main", True, None)
        give(there, "A")
        assert there.result() is not None


def test_a_queue_that_an_earlier_version_kept_by_numbers_goes_on(library: Library, store: Store) -> None:
    review = Review(store, library)
    give(review, "A")
    position = review.store.session(review.session.id).position
    entries = position["entries"]
    assert isinstance(entries, list)
    store.move(review.session.id, {**position, "entries": [[item, seed, 1, *rest] for item, seed, _, *rest in entries]})
    assert Review(store, library).result() is None  # given before
