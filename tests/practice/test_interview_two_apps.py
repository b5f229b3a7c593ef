"""Two apps on one interview: the one that is behind stores nothing over the other's, and takes it up where it stands."""

from collections.abc import Callable, Iterator

import pytest
from test_interview import LONG, SMALL, reply, run_the_lab, still

from quizapp.bank.load import Library
from quizapp.practice.interview import Interview
from quizapp.practice.interview_course import GoneOn
from quizapp.practice.interview_plan import Setup
from quizapp.store.store import Store


@pytest.fixture
def second(store: Store) -> Iterator[Store]:
    with Store(store.path, clock=store.clock) as opened:
        yield opened


def the_same(interview: Interview, second: Store, clock: Callable[[], float] = still) -> Interview:
    return Interview(second, interview.library, second.session(interview.session.id), clock=clock)


def test_a_question_that_was_answered_elsewhere_is_not_answered_twice(library: Library, store: Store, second: Store) -> None:
    one = Interview.start(store, library, SMALL, clock=still)
    two = the_same(one, second)
    key = two.draft_key()
    one.answer("The first words.")
    second.save_draft(key, "Other words.")
    before = store.session(one.session.id)
    for write in (lambda: two.answer("Other words."), two.keep, two.end, lambda: two.note("noted"), lambda: two.answer("")):
        with pytest.raises(GoneOn):
            write()
    assert store.session(one.session.id) == before
    assert [attempt.text for attempt in store.attempts()] == ["The first words."]
    assert store.draft(key) == "Other words."
    assert two.number == 1

    again, lost = two.taken_up("Other words.")
    assert lost
    assert again.question == one.question
    assert again.notes(1) == "noted\nOther words."
    again.answer(reply(again))
    assert the_same(one, store).notes(1) == "noted\nOther words.", "kept where it stands"
    with pytest.raises(GoneOn):
        one.answer(reply(one))
    assert len(store.attempts()) == 2


def test_a_choice_that_was_made_elsewhere_stays(library: Library, store: Store, second: Store) -> None:
    moment = 0.0
    one = Interview.start(store, library, SMALL, clock=lambda: moment)
    two = the_same(one, second, lambda: moment)
    moment = 15 * 60.0 + 1
    one.answer("")
    two, _ = two.taken_up()
    assert one.offer is not None
    assert two.offer == one.offer
    one.go_on()
    for write in (two.go_on, two.keep, two.end):
        with pytest.raises(GoneOn):
            write()
    assert store.session(one.session.id).position["overtime"] == 1
    again, lost = two.taken_up("go-on")
    assert (again.question, again.overtime, lost) == (one.question, 1, False)


def test_a_lab_that_was_gone_on_from_elsewhere_is_not_gone_on_from_again(library: Library, store: Store, second: Store) -> None:
    one = Interview.start(store, library, Setup(bank="small"), clock=still)
    while one.question is not None and one.question.kind != "lab":
        one.answer("")
    two = the_same(one, second)
    run_the_lab(library, store)
    attempt = one.lab_attempt()
    assert attempt is not None
    one.take_lab(attempt)
    with pytest.raises(GoneOn):
        two.take_lab(attempt)
    with pytest.raises(GoneOn):
        two.answer("")
    assert [exchange.attempt for exchange in two.taken_up()[0].exchanges] == [exchange.attempt for exchange in one.exchanges]


def test_an_interview_that_was_ended_elsewhere_is_over(library: Library, store: Store, second: Store) -> None:
    one = Interview.start(store, library, SMALL, clock=still)
    two = the_same(one, second)
    one.end()
    for write in (two.keep, lambda: two.answer("words"), two.end):
        with pytest.raises(GoneOn):
            write()
    again, lost = two.taken_up("words")
    assert again.over
    assert not lost
    assert store.attempts() == []


def test_neither_clock_nor_notes_of_the_other_are_written_over(library: Library, store: Store, second: Store) -> None:
    moment = 0.0
    one = Interview.start(store, library, LONG, clock=lambda: moment)
    moment = 100.0
    two = the_same(one, second, lambda: moment)
    one.note("seen here")
    two.keep()
    moment = 110.0
    position = store.session(one.session.id).position
    assert (position["elapsed"], position["notes"]) == (100.0, {"1": "seen here"})
    two.answer("I add sums and counts.")
    assert the_same(one, store).notes(1) == "seen here"
