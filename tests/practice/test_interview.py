"""An interview from its start to its debrief: resuming, passing, notes, the clock; the same answers give the same interview."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.model.score import score_of
from quizapp.model.verdict import Verdict
from quizapp.practice.interview import Interview, last_session, open_session
from quizapp.practice.interview_debrief import debrief, hand_over, joined
from quizapp.practice.interview_dialogue import Dialogue
from quizapp.practice.interview_exchange import OPENING, WALK, Exchange, Key
from quizapp.practice.interview_export import html, markdown
from quizapp.practice.interview_plan import Setup, read_setup
from quizapp.practice.study import Study
from quizapp.scoring.answer import AnswerError
from quizapp.store.record import Answer
from quizapp.store.store import Store
from quizapp.store.transfer import export, merge

TRUSTING = "DDP picks the right denominator for us, so nothing needs checking."
SMALL = Setup(bank="small", minutes=15, lab=False)
LONG = Setup(bank="small", minutes=60, lab=False)


def still() -> float:
    return 0.0


def reply(interview: Interview, words: str = TRUSTING) -> str:
    """An answer of the right kind, the same at each call."""
    question = interview.question
    assert question is not None
    if question.heard:
        return words
    if question.kind == "confirm":
        return "no"
    if question.kind == "number":
        return "2.25"
    if question.kind == "expression":
        return "L_r/N"
    assert question.asked is not None
    return question.asked.choices[0].id


def hold(interview: Interview, words: str = TRUSTING) -> Interview:
    for _ in range(40):
        if interview.over:
            return interview
        interview.answer(reply(interview, words))
    raise AssertionError("the interview never ends")


def test_it_begins_openly_and_follows_up_a_shown_misconception(library: Library, store: Store) -> None:
    interview = Interview.start(store, library, LONG, clock=still)
    assert interview.question is not None
    assert interview.question.key == OPENING
    hold(interview)
    case = next(at for at, one in enumerate(interview.exchanges) if one.question.kind == "probe")
    follow = interview.exchanges[case + 1].question
    assert (follow.cause, follow.about) == ("misconception", "framework-knows")
    with pytest.raises(ValueError, match="over"):
        interview.answer("more")


def test_a_wrong_result_is_walked_through_and_a_right_one_is_not(library: Library, store: Store) -> None:
    interview = hold(Interview.start(store, library, LONG, clock=still))
    after = {one.question.kind: interview.exchanges[at + 1 :][:1] for at, one in enumerate(interview.exchanges)}
    wrong = [one for one in interview.exchanges if one.question.kind in ("number", "expression", "choice") and not one.right]
    walks = [one.question.text for one in interview.exchanges if one.question.kind == "walk"]
    assert len(walks) == len(wrong) > 0
    assert after
    right = Interview.start(store, library, LONG, clock=still)
    right.answer("")
    while right.question is not None:
        question = right.question
        if question.kind == "choice":
            assert question.asked is not None
            right.answer(",".join(choice.id for choice in question.asked.choices if choice.key))
        else:
            right.answer({"number": "2", "expression": "R*L_r/N"}.get(question.kind, ""))
    assert not any(one.question.kind == "walk" for one in right.exchanges)


def test_a_walk_quotes_an_option_in_the_banks_words_and_an_answer_as_it_was_typed() -> None:
    talk = Dialogue(load([builtin_folder()]), Setup(minutes=60, lab=False))
    code = next(
        one
        for one in talk.asks
        if one.kind == "choice" and "`" in talk.question(Key(one.item, one.part, one.seed), ()).choices[0].text
    )
    key = Key(code.item, code.part, code.seed)
    question = talk.question(key, ())
    for text, quoted in ((question.choices[0].id, question.choices[0].text), ("`x`", "\\`x\\`")):
        asked = talk.question(replace(key, follow=WALK), (Exchange(question, text),)).text
        assert " ".join(quoted.split()).rstrip(".") in asked


@pytest.mark.parametrize(("minutes", "deepest"), [(15, 1), (35, 2), (60, 3)])
def test_follow_ups_go_as_deep_as_the_length_allows(library: Library, store: Store, minutes: int, deepest: int) -> None:
    interview = hold(
        Interview.start(store, library, Setup(bank="small", minutes=minutes, lab=False), clock=still), "I would not know."
    )
    depth = run = 0
    for one in interview.exchanges:
        run = run + 1 if one.question.is_follow_up else 0
        depth = max(depth, run)
    assert 1 <= depth <= deepest


def transcript(interview: Interview) -> str:
    return "\n".join(f"{one.question.said}|{one.question.text}|{one.text}|{one.score}" for one in interview.exchanges)


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_answers_give_the_same_interview_whatever_the_clock(library: Library, tmp_path: Path, seed: int) -> None:
    def ticking() -> Callable[[], float]:
        moment = 0.0

        def clock() -> float:
            nonlocal moment
            moment += 17.3
            return moment

        return clock

    runs = []
    for number, clock in enumerate((still, ticking(), still)):
        with Store(tmp_path / f"{number}.sqlite3") as store:
            interview = Interview.start(store, library, Setup(bank="small", minutes=60, lab=False, seed=seed), clock=clock)
            while interview.question is not None:
                interview.answer(reply(interview))
                if number == 2:
                    interview = Interview(store, library, store.session(interview.session.id), clock=clock)
            runs.append(transcript(interview))
    assert runs[0] == runs[1] == runs[2]
    assert len(runs[0]) > 500


def test_another_seed_is_another_interview(library: Library, store: Store) -> None:
    texts = set()
    for seed in range(4):
        interview = hold(Interview.start(store, library, Setup(bank="small", minutes=60, lab=False, seed=seed), clock=still))
        texts.add(transcript(interview))
    assert len(texts) > 1


def test_it_goes_on_where_it_was_left(library: Library, store: Store) -> None:
    first = Interview.start(store, library, SMALL, clock=still)
    first.answer(TRUSTING)
    first.note("think of the counts")
    store.save_draft(first.draft_key(), "half an ans")
    session = open_session(store, "small")
    assert session is not None
    again = Interview(store, library, session, clock=still)
    assert again.question == first.question
    assert again.notes() == "think of the counts"
    assert store.draft(again.draft_key()) == "half an ans"
    assert open_session(store, "another") is None


def test_a_new_interview_closes_the_open_one_and_keeps_its_answers(library: Library, store: Store) -> None:
    Interview.start(store, library, SMALL, clock=still).answer(TRUSTING)
    second = Interview.start(store, library, SMALL, clock=still)
    assert second.exchanges == ()
    assert [session.id for session in store.unfinished("interview")] == [second.session.id]
    assert [attempt.text for attempt in store.attempts()] == [TRUSTING]


def run_the_lab(library: Library, store: Store) -> None:
    verdict = Verdict(
        outcome="pass", points=2, max_points=2, seed=1, summary="All pass.", backend="local", sandbox="none", device="cpu",
        collectives="gloo", milliseconds=1,
    )  # fmt: skip
    Study(store, library, "small", "scale").record_code("def scale_loss(): ...", verdict)


def with_a_lab(library: Library, store: Store) -> Interview:
    interview = Interview.start(store, library, Setup(bank="small"), clock=still)
    while interview.question is not None and interview.question.kind != "lab":
        interview.answer("")
    run_the_lab(library, store)
    attempt = interview.lab_attempt()
    assert attempt is not None
    interview.take_lab(attempt)
    return interview


def test_an_interview_with_a_lab_is_the_same_on_another_machine(library: Library, store: Store, tmp_path: Path) -> None:
    here = with_a_lab(library, store)
    with Store(tmp_path / "other.sqlite3", clock=store.clock) as other:
        for _ in range(12):  # of which one has the lab's number there
            other.add(Answer(None, "small", "mean", "main", None, "2", "", "", score_of(())))
        merge(other, export(store))
        (session,) = other.unfinished("interview")
        there = Interview(other, library, session, clock=still)
        assert [one.question.key for one in there.exchanges] == [one.question.key for one in here.exchanges]
        assert [one.said for one in there.exchanges] == [one.said for one in here.exchanges]


def test_the_draft_of_an_open_interview_goes_with_it_to_another_machine(library: Library, store: Store, tmp_path: Path) -> None:
    here = Interview.start(store, library, SMALL, clock=still)
    store.save_draft(here.draft_key(), "half an ans")
    with Store(tmp_path / "other.sqlite3", clock=store.clock) as other:
        Interview.start(other, library, SMALL, clock=still).end()
        merge(other, export(store))
        (session,) = other.unfinished("interview")
        there = Interview(other, library, session, clock=still)
        assert other.draft(there.draft_key()) == "half an ans"
        another = Interview.start(other, library, SMALL, clock=still)
        assert other.draft(another.draft_key()) is None


def test_an_interview_whose_lab_was_kept_by_its_number_still_has_it(library: Library, store: Store) -> None:
    here = with_a_lab(library, store)
    attempt = next(one.attempt for one in here.exchanges if one.question.kind == "lab")
    position = store.session(here.session.id).position
    store.move(here.session.id, {**position, "labs": {"scale": attempt}})
    again = Interview(store, library, store.session(here.session.id), clock=still)
    assert [one.attempt for one in again.exchanges] == [one.attempt for one in here.exchanges]


def test_a_run_of_the_lab_before_it_was_asked_for_is_no_answer(library: Library, store: Store) -> None:
    """Read again, it would stand before answers that were given after it."""
    interview = Interview.start(store, library, Setup(bank="small"), clock=still)
    run_the_lab(library, store)  # elsewhere, while the interview was left
    while interview.question is not None and interview.question.kind != "lab":
        interview.answer("")
    assert interview.lab_attempt() is None
    run_the_lab(library, store)
    attempt = interview.lab_attempt()
    assert attempt is not None
    interview.take_lab(attempt)
    again = Interview(store, library, store.session(interview.session.id), clock=still)
    assert [one.attempt for one in again.exchanges] == [one.attempt for one in interview.exchanges]


def test_the_clock_counts_what_was_on_the_screen(library: Library, store: Store) -> None:
    moment = 100.0
    interview = Interview.start(store, library, Setup(bank="small", minutes=15, limit=2), clock=lambda: moment)
    moment = 130.0
    assert interview.elapsed == 30
    assert interview.answer_left == 90
    interview.keep()
    moment = 1000.0
    later = Interview(store, library, store.session(interview.session.id), clock=lambda: moment)
    assert later.elapsed == 30
    moment = 1010.0
    later.answer(TRUSTING)
    assert later.exchanges[0].seconds == 40
    assert later.on_question == 0
    assert later.answer_left == 120


def test_what_stands_there_when_the_time_is_up_is_kept_even_where_it_cannot_be_read(library: Library, store: Store) -> None:
    interview = Interview.start(store, library, LONG, clock=still)
    interview.answer("")
    while interview.question is not None and interview.question.kind not in ("number", "expression"):
        interview.answer("")
    with pytest.raises(AnswerError):
        interview.answer("two and a bit, I th")
    interview.take_as_it_stands("two and a bit, I th")
    assert interview.exchanges[-1].text == "two and a bit, I th"
    assert interview.exchanges[-1].points == 0


def test_a_pass_earns_nothing_and_is_asked_no_further(library: Library, store: Store) -> None:
    interview = Interview.start(store, library, LONG, clock=still)
    while interview.question is not None:
        interview.answer("")
    assert not any(one.question.is_follow_up for one in interview.exchanges)
    assert sum(one.points for one in interview.exchanges) == 0
    assert debrief(interview).named == ()


def test_questions_that_a_bank_lost_stay_in_the_record(library: Library, store: Store) -> None:
    interview = Interview.start(store, library, SMALL, clock=still)
    interview.answer(TRUSTING)
    score = interview.exchanges[0].score
    assert score is not None
    store.add(Answer(interview.session.id, "small", "long-gone", "main", None, "what I said", "h", "s", score=score))
    again = Interview(store, library, store.session(interview.session.id), clock=still)
    assert again.exchanges[-1].text == "what I said"
    assert "no longer" in again.exchanges[-1].question.text
    assert again.question is not None
    assert "what I said" in markdown(debrief(again))


def test_debrief_names_what_came_up_and_feeds_the_study_queue_once(library: Library, store: Store) -> None:
    interview = hold(Interview.start(store, library, LONG, clock=still))
    found = debrief(interview)
    assert "framework-knows" in [one.id for one in found.named]
    assert found.max_points == sum(one.max_points for one in interview.exchanges)
    quoted = [words for row in found.rows for line in row.lines for words in line.words]
    assert any("DDP picks the right denominator" in words for words in quoted)
    assert [topic.topic for topic in found.weakest] == ["averages"]
    hand_over(interview, found)
    first = store.recommended()
    assert set(first) == {one.item for one in found.study_next}
    again = Interview(store, library, store.session(interview.session.id), clock=still)
    hand_over(again, debrief(again))
    assert len(store._rows("SELECT id FROM recommendation")) == len(first)


def test_an_export_runs_nothing_and_loses_nothing(library: Library, store: Store) -> None:
    nasty = "<script>alert(1)</script> ![x](http://example.invalid/x.png) | ``` ````\n# DDP picks the right denominator & so on"
    interview = hold(Interview.start(store, library, LONG, clock=still), nasty)
    interview.end()
    page, text = html(debrief(interview)), markdown(debrief(interview))
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "http://" not in page.replace("http://example.invalid/x.png", "")
    assert nasty in text
    assert "`````text" in text
    assert last_session(store) == store.session(interview.session.id)


@pytest.mark.parametrize("value", [None, 3, {}, {"bank": 1}, {**SMALL.stored(), "minutes": 20}, {**SMALL.stored(), "role": "king"}])
def test_a_stored_setup_of_another_kind_is_none(value: object) -> None:
    assert read_setup(value) is None


def test_a_setup_survives_the_store() -> None:
    setup = Setup("small", 60, "training", ("averages",), 9, 5, False)
    assert read_setup(setup.stored()) == setup


@pytest.mark.parametrize(
    ("spans", "expected"),
    [(((0, 3), (2, 5)), ((0, 5),)), (((4, 6), (0, 2)), ((0, 2), (4, 6))), (((3, 3), (8, 99)), ((8, 10),)), ((), ())],
)
def test_spans_are_put_in_order(spans: tuple[tuple[int, int], ...], expected: tuple[tuple[int, int], ...]) -> None:
    assert joined(spans, 10) == expected


@pytest.fixture
def talk(library: Library) -> Dialogue:
    return Dialogue(library, SMALL)


def test_named_misconceptions_are_believed_and_right_answers_speak_against_them(talk: Dialogue) -> None:
    before = talk.belief(())
    question = talk.question(Key("two-ranks", "factor"), ())
    wrong, right = talk.score(question, "L_r/N"), talk.score(question, "R*L_r/N")
    assert talk.belief((Exchange(question, "L_r/N", wrong),))["framework-knows"] > 0.9
    assert talk.belief((Exchange(question, "R*L_r/N", right),))["framework-knows"] < before["framework-knows"]


@pytest.mark.parametrize(("answer", "named"), [("yes", ("framework-knows",)), ("B", ()), ("", ())])
def test_asked_straight_out_a_yes_names_it_and_nothing_is_scored(talk: Dialogue, answer: str, named: tuple[str, ...]) -> None:
    question = talk.question(Key("why-worse", "main", None, "confirm-framework-knows"), ())
    assert "the framework takes care of the denominator" in question.text
    score = talk.score(question, answer)
    assert (score.misconceptions, score.max_points) == (named, 0)
    after = talk.belief((Exchange(question, answer, score),))["framework-knows"]
    before = talk.belief(())["framework-knows"]
    assert after == before if not answer else (after > 0.9 if named else after < before / 2)
