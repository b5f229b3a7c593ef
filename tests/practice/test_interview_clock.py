"""The interviewer's clock: one more question where time is left, a choice where it is up; and neither changes what is asked."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.practice.interview import Interview
from quizapp.practice.interview_debrief import Debrief, debrief
from quizapp.practice.interview_export import html, markdown
from quizapp.practice.interview_offer import ENOUGH, GO_ON, STOP
from quizapp.practice.interview_plan import Setup
from quizapp.store.database import StoreError
from quizapp.store.store import Store

WORDS = "The mean of the rank means is the mean over all tokens, and DDP takes care of the rest."
SETUP = Setup(minutes=15, seed=2)
TOOK = re.compile(r"Began .*")


class Watch:
    """A clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.moment = 0.0

    def __call__(self) -> float:
        return self.moment


@pytest.fixture(scope="module")
def banks() -> Library:
    return load([builtin_folder()])


@pytest.fixture
def watch() -> Watch:
    return Watch()


def reply(interview: Interview) -> str:
    question = interview.question
    assert question is not None
    if question.choices:
        return question.choices[0].id
    return WORDS if question.heard else "7"


def answered(interview: Interview, watch: Watch, seconds: float = 20.0, *, stop: Callable[[Interview], bool] | None = None) -> None:
    """Answers, each time after so long, until something is offered or all is over, or ``stop``."""
    for _ in range(60):
        if interview.question is None or (stop is not None and stop(interview)):
            return
        watch.moment += seconds
        interview.answer(reply(interview))
    raise AssertionError("the interview never ends")


def put(interview: Interview) -> list[tuple[str, str, str]]:
    return [(one.question.said, one.question.text, one.text) for one in interview.exchanges]


def taken_up(interview: Interview, watch: Watch) -> Interview:
    """The same interview as another process finds it."""
    return Interview(interview.store, interview.library, interview.store.session(interview.session.id), clock=watch)


def test_who_is_fast_is_offered_one_more_and_it_is_asked_like_the_others(banks: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    answered(interview, watch)
    planned = len(interview.exchanges)
    left = (15 * 60 - 20 * planned) / 60
    assert interview.offer is not None
    assert (interview.offer.kind, interview.over, interview.through) == ("further", False, True)
    assert f"about {round(left)} minutes left. One more question?" in interview.offer.text
    assert [one.id for one in interview.offer.choices] == [GO_ON, STOP]
    with pytest.raises(ValueError, match="over"):
        interview.answer("more")
    question = interview.go_on()
    assert question is not None
    assert not interview.through
    assert question.kind in ("probe", "words")
    assert question.key.item not in {one.question.key.item for one in interview.exchanges}
    answered(interview, watch)
    assert interview.offer is not None
    assert "planned" not in interview.offer.said
    interview.end()
    assert interview.over
    found = debrief(interview)
    assert (found.further, found.overtime, found.through) == ((planned + 1,), None, True)
    row = found.rows[planned]
    assert row.max_points == interview.exchanges[planned].max_points > 0
    assert found.max_points == sum(one.max_points for one in interview.exchanges)
    for text in (markdown(found), html(found)):
        assert f"After the plan, at your wish: question {planned + 1}" in text
        assert "Planned for 15 minutes" in text
        assert f"took {found.elapsed // 60:.0f}:{found.elapsed % 60:02.0f}" in text
    assert found.elapsed == 20 * len(found.rows)


def test_cases_come_before_all_after_the_plan_and_no_lab_does(banks: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, banks, Setup(minutes=15, seed=5), clock=watch)
    while interview.question is not None:
        interview.answer("")
    planned = len(interview.exchanges)
    for _ in range(8):
        assert interview.go_on() is not None
        interview.answer("")
    kinds = [one.question.kind for one in interview.exchanges[planned:]]
    assert [kind in ("probe", "words") for kind in kinds[::2]] == [True] * 4
    assert {"number", "expression", "choice"}.issuperset(kinds[1::2])


def test_the_same_answers_and_choices_give_the_same_interview(banks: Library, tmp_path: Path) -> None:
    def run(name: str, seconds: float, *, reopened: bool = False) -> tuple[list[tuple[str, str, str]], Debrief]:
        watch = Watch()
        with Store(tmp_path / name) as store:
            interview = Interview.start(store, banks, SETUP, clock=watch)
            for choice in (GO_ON, GO_ON, STOP):
                while interview.question is not None:
                    watch.moment += seconds
                    interview.answer(reply(interview))
                    if reopened:
                        interview = taken_up(interview, watch)
                assert interview.offer is not None
                if choice == GO_ON:
                    interview.go_on()
                    if reopened:
                        interview = taken_up(interview, watch)
            interview.end()
            found = debrief(Interview(store, banks, store.session(interview.session.id), clock=watch))
            return put(interview), found

    (first, one), (second, other), (third, again) = run("a", 0.0), run("b", 17.3), run("c", 3.0, reopened=True)
    assert first == second == third
    assert len(one.further) == 2
    texts = [TOOK.sub("", markdown(found)) for found in (one, other, again)]
    assert texts[0] == texts[1] == texts[2]
    assert one.elapsed != other.elapsed


def test_who_is_slow_is_asked_what_who_is_fast_is(banks: Library, tmp_path: Path) -> None:
    def run(name: str, seconds: float) -> list[tuple[str, str, str]]:
        watch = Watch()
        with Store(tmp_path / name) as store:
            interview = Interview.start(store, banks, SETUP, clock=watch)
            answered(interview, watch, seconds)
            if seconds:
                assert interview.offer is not None
                assert interview.offer.kind == "time is up"
                assert interview.go_on() is not None
                answered(interview, watch, seconds)
                assert interview.over
            return put(interview)

    assert run("fast", 0.0) == run("slow", 400.0)


@pytest.mark.parametrize("seconds", [15 * 60 - ENOUGH - 1, 15 * 60 - ENOUGH + 1])
def test_where_too_little_time_is_left_nothing_is_offered(banks: Library, store: Store, watch: Watch, seconds: float) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    watch.moment = seconds
    answered(interview, watch, 0.0)
    assert interview.over == (15 * 60 - seconds < ENOUGH)


def test_where_nothing_is_left_to_ask_nothing_is_offered(library: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, library, Setup(bank="small", minutes=60, lab=False), clock=watch)
    answered(interview, watch, 0.0)
    assert interview.over
    assert debrief(interview).through


def test_killed_between_offer_and_choice_it_is_offered_again(banks: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    answered(interview, watch)
    before = interview.elapsed
    watch.moment += 500
    assert interview.elapsed == before
    again = taken_up(interview, watch)
    assert (again.offer, again.question, again.over) == (interview.offer, None, False)
    assert again.elapsed == pytest.approx(before)
    asked = again.go_on()
    assert asked is not None
    watch.moment += 7
    assert again.on_question == pytest.approx(7)
    later = taken_up(again, watch)
    assert (later.question, later.offer, later.further) == (asked, None, again.further)


def test_where_the_time_is_up_the_candidate_is_asked_once(banks: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    answered(interview, watch, stop=lambda one: one.number == 3)
    watch.moment += 900
    interview.keep()
    question = taken_up(interview, watch).question
    assert question == interview.question is not None  # in the middle of an answer nothing is offered
    interview.answer(reply(interview))
    interview = taken_up(interview, watch)
    assert interview.offer is not None
    assert interview.offer.kind == "time is up"
    left = round(interview.dialogue.planned_left(interview.exchanges))
    assert f"about {left} minutes more" in interview.offer.text
    assert interview.go_on() is not None
    interview = taken_up(interview, watch)
    answered(interview, watch)
    assert interview.over
    found = debrief(interview)
    assert (found.overtime, found.further, found.through) == (4, (), True)
    assert "- The time was up before question 4, and you went on\n" in markdown(found)


def test_where_the_time_is_up_the_candidate_may_stop(banks: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    answered(interview, watch, 901.0)
    assert len(interview.exchanges) == 1
    interview.end()
    found = debrief(taken_up(interview, watch))
    assert (found.through, found.overtime, found.elapsed) == (False, None, 901.0)
    assert "- Stopped before all was asked that was planned\n" in markdown(found)
    assert "took 15:01" in markdown(found)


def test_who_stops_in_a_further_question_has_been_asked_all_that_was_planned(banks: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    answered(interview, watch)
    assert interview.go_on() is not None
    interview.end()
    text = markdown(debrief(taken_up(interview, watch)))
    assert "- Stopped in a question after the plan\n" in text
    assert "Stopped before" not in text


def test_where_the_time_is_up_in_a_further_question_that_can_be_finished(banks: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, banks, Setup(minutes=15, seed=5), clock=watch)
    while interview.question is not None:
        interview.answer("")
    interview.go_on()
    watch.moment += 901
    interview.answer(WORDS)
    assert interview.offer is not None
    assert (interview.offer.kind, interview.offer.choices[0].text) == ("time is up", "Finish this question")
    follow_up = interview.go_on()
    assert follow_up is not None
    assert follow_up.is_follow_up
    answered(interview, watch)
    assert interview.over


def test_an_answer_and_its_time_are_stored_in_one(
    banks: Library, store: Store, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    interview = Interview.start(store, banks, Setup(minutes=15, seed=2, limit=2), clock=watch)
    watch.moment = 100.0
    with monkeypatch.context() as killed:
        killed.setattr(Interview, "_go_on", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            interview.answer(WORDS)
    again = taken_up(interview, watch)
    assert [one.seconds for one in again.exchanges] == [100.0]
    assert (again.elapsed, again.on_question, again.answer_left) == (100.0, 0.0, 120.0)


def test_a_choice_that_is_not_stored_is_none(banks: Library, store: Store, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    interview = Interview.start(store, banks, SETUP, clock=watch)
    with pytest.raises(ValueError, match="nothing is offered"):
        interview.go_on()
    answered(interview, watch)
    with monkeypatch.context() as broken:
        broken.setattr(Store, "move", full)
        with pytest.raises(StoreError):
            interview.go_on()
        with pytest.raises(StoreError):
            interview.end()
    assert interview.offer is not None
    assert not interview.over
    assert interview.further == ()
    assert interview.go_on() is not None


def test_whether_all_was_asked_is_told_as_it_was_then(banks: Library, library: Library, store: Store, watch: Watch) -> None:
    interview = Interview.start(store, library, Setup(minutes=35, lab=False), clock=watch)
    answered(interview, watch)
    interview.end()
    position = store.session(interview.session.id).position
    more = Interview(store, banks, store.session(interview.session.id), clock=watch)
    assert more.dialogue.next(more.exchanges) is not None  # the banks have grown
    assert debrief(more).through
    store.move(interview.session.id, {name: value for name, value in position.items() if name not in ("further", "through")})
    assert debrief(Interview(store, banks, store.session(interview.session.id))).through  # an earlier version kept neither


def test_killed_while_it_ends_it_goes_on_and_all_is_asked_after_all(
    banks: Library, store: Store, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    interview.answer("")
    with monkeypatch.context() as killed:
        killed.setattr(Store, "finish", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            interview.end()
    again = taken_up(interview, watch)
    while again.question is not None:
        again.answer("")
    again.end()
    assert debrief(taken_up(again, watch)).through


@pytest.mark.parametrize("before", [0.04, -0.04])
def test_what_is_offered_hangs_on_no_more_of_the_clock_than_is_kept(
    banks: Library, store: Store, watch: Watch, before: float
) -> None:
    interview = Interview.start(store, banks, SETUP, clock=watch)
    watch.moment = 15 * 60 - ENOUGH - before
    while interview.question is not None:
        interview.answer("")
    assert taken_up(interview, watch).offer == interview.offer


@pytest.mark.parametrize("kept", [{"further": "3"}, {"further": [99]}, {"further": None, "overtime": "soon"}])
def test_a_position_of_another_version_is_read_as_far_as_it_goes(
    library: Library, store: Store, watch: Watch, kept: dict[str, Sequence[int] | None]
) -> None:
    interview = Interview.start(store, library, Setup(bank="small", minutes=15), clock=watch)
    interview.answer(WORDS)
    store.move(interview.session.id, {**store.session(interview.session.id).position, **kept})
    again = taken_up(interview, watch)
    assert (again.question, again.further, again.overtime) == (interview.question, (), None)
