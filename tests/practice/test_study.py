"""Study: the order of steps, resuming, new numbers, what is stored."""

import dataclasses

import pytest

from quizapp.bank.load import Library, LoadedItem
from quizapp.model.verdict import Verdict
from quizapp.practice.study import Study, find_bank, steps
from quizapp.scoring.answer import AnswerError
from quizapp.store.store import Store

ORDER = [
    "reading/first-page",
    "pick-mean/main",
    "pick-all/main",
    "two-ranks/mean",
    "two-ranks/factor",
    "two-ranks/why",
    "why-worse/main",
    "scale/main",
]


def at(study: Study, step: str) -> Study:
    assert study.go([one.id for one in study.steps].index(step))
    return study


def test_reading_then_checkpoints_exercises_probes_labs(library: Library) -> None:
    assert [step.id for step in steps(library, find_bank(library, "small"))] == ORDER


def test_only_one_item(library: Library, store: Store) -> None:
    study = Study(store, library, "small", "two-ranks")
    assert [step.id for step in study.steps] == ["two-ranks/mean", "two-ranks/factor", "two-ranks/why"]
    with pytest.raises(KeyError):
        Study(store, library, "small", "nothing")
    with pytest.raises(KeyError):
        Study(store, library, "nothing")


def test_a_sitting_goes_on_where_it_was_left(library: Library, store: Store) -> None:
    first = at(Study(store, library, "small"), "two-ranks/factor")
    assert not first.resumed
    second = Study(store, library, "small")
    assert second.resumed
    assert second.session.id == first.session.id
    assert second.step.id == "two-ranks/factor"
    assert not Study(store, library, "small", "two-ranks").resumed
    second.finish()
    third = Study(store, library, "small")
    assert not third.resumed
    assert third.step.id == ORDER[0]


def test_a_step_that_the_bank_has_lost(library: Library, store: Store) -> None:
    study = at(Study(store, library, "small"), "pick-mean/main")
    study.record("right", study.grade("right"))
    store.move(study.session.id, {"step": "gone/main", "seeds": "nonsense"})
    assert Study(store, library, "small").step.id == "pick-all/main"


def test_an_answer_is_stored_with_its_score_and_drops_the_draft(library: Library, store: Store) -> None:
    study = at(Study(store, library, "small"), "two-ranks/mean")
    store.save_draft(study.draft_key(), "2.2")
    assert study.result() is None
    study.record("2.25", study.grade("2.25"), confidence=4)
    attempt = study.result()
    assert attempt is not None
    score = attempt.score()
    assert score is not None
    assert (attempt.points, attempt.outcome, attempt.confidence, score.misconceptions) == (0, "wrong", 4, ("mean-of-means",))
    assert attempt.item_hash == library.items["two-ranks"].hash
    assert attempt.session == study.session.id
    assert store.draft(study.draft_key()) is None
    again = Study(store, library, "small")
    assert again.result() == attempt


def test_an_answer_that_is_none_stores_nothing(library: Library, store: Store) -> None:
    study = at(Study(store, library, "small"), "two-ranks/mean")
    with pytest.raises(AnswerError):
        study.grade("who knows")
    assert store.attempts() == []


def test_other_numbers_are_other_numbers_and_survive(library: Library, store: Store) -> None:
    study = at(Study(store, library, "small"), "pick-mean/main")
    study.record("right", study.grade("right"))
    seen = [study.asked().stem]
    for _ in range(5):
        assert study.again()
        assert study.result() is None
        assert study.asked().stem != seen[-1]
        seen.append(study.asked().stem)
        key = next(choice for choice in study.asked().choices if choice.key)
        assert study.grade(key.letter).points == 1
    assert Study(store, library, "small").asked().stem == seen[-1]
    assert not at(study, "pick-all/main").again()
    assert not at(study, "reading/first-page").again()


def test_moves_stay_within_the_steps(library: Library, store: Store) -> None:
    study = Study(store, library, "small")
    assert not study.go(-1)
    assert not study.go(len(ORDER))
    assert study.index == 0
    with pytest.raises(ValueError, match="asks nothing"):
        study.asked()
    assert study.result() is None


def test_code_keeps_its_draft_and_its_verdict(library: Library, store: Store) -> None:
    study = at(Study(store, library, "small"), "scale/main")
    store.save_draft(study.draft_key(), "def scale_loss(): ...")
    verdict = Verdict(
        outcome="pass",
        points=2,
        max_points=2,
        seed=5,
        summary="Right.",
        backend="local",
        sandbox="none",
        device="cpu",
        collectives="gloo",
        milliseconds=3,
    )
    study.record_code("def scale_loss(): ...", verdict)
    attempt = study.result()
    assert attempt is not None
    assert attempt.verdict() == verdict
    assert attempt.seed == 5
    assert store.draft(study.draft_key()) == "def scale_loss(): ..."


def test_an_edited_item_keeps_its_history(library: Library, store: Store) -> None:
    study = at(Study(store, library, "small"), "pick-all/main")
    study.record("padding,uneven", study.grade("padding,uneven"))
    items = dict(library.items)
    loaded = items["pick-all"]
    items["pick-all"] = LoadedItem(loaded.item, loaded.bank_id, loaded.file, loaded.line, "edited")
    edited = Study(store, dataclasses.replace(library, items=items), "small")
    found = edited.result()
    assert found is not None
    assert found.item_hash != "edited"


def test_two_apps_in_the_same_sitting(library: Library, store: Store) -> None:
    with Store(store.path) as other:
        one, two = at(Study(store, library, "small"), "two-ranks/mean"), at(Study(other, library, "small"), "two-ranks/mean")
        assert one.session.id == two.session.id
        other.save_draft(two.draft_key(), "2.2")
        one.record("2", one.grade("2"), 5)
        two.record("2.25", two.grade("2.25"), 1)
        one.finish()
        at(two, "pick-all/main").record("rate", two.grade("rate"))
    kept = [(attempt.item, attempt.text, attempt.confidence) for attempt in store.attempts(session=one.session.id)]
    assert sorted(kept, key=str) == [("pick-all", "rate", None), ("two-ranks", "2", 5), ("two-ranks", "2.25", 1)]
    assert not Study(store, library, "small").resumed
