"""The store keeps what it is given: attempts, drafts, sessions."""

import dataclasses
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_samples import SCORE, VERDICT, answer, code

from quizapp.store.record import Answer, DraftKey
from quizapp.store.store import Store

MOMENT = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
KEY = DraftKey("study", "two-rank-mean", "main")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home" / "progress.sqlite3", clock=lambda: MOMENT)


def test_an_answer_comes_back_as_it_was_given(store: Store) -> None:
    added = store.add(answer())
    (found,) = store.attempts()
    assert found == added
    assert (found.text, found.outcome, found.points, found.max_points, found.confidence) == ("2", "right", 1, 1, 3)
    assert found.at == MOMENT
    assert found.score() == SCORE
    assert found.verdict() is None


def test_a_verdict_comes_back_as_it_was_given(store: Store) -> None:
    store.add(code("def scale_loss(): ..."))
    (found,) = store.attempts()
    assert found.verdict() == VERDICT
    assert found.score() is None
    assert found.seed == 7


def test_an_answer_needs_a_score_or_a_verdict() -> None:
    with pytest.raises(ValueError, match="either a score or a verdict"):
        dataclasses.replace(answer(), score=None)
    with pytest.raises(ValueError, match="either a score or a verdict"):
        dataclasses.replace(answer(), verdict=VERDICT)
    with pytest.raises(ValueError, match="from 1 to 5"):
        answer(confidence=6)


def test_attempts_are_narrowed_by_what_is_asked_for(store: Store) -> None:
    session = store.start("study", "intended-average", {})
    store.add(answer(text="1"))
    store.add(answer(text="2", session=session.id))
    store.add(answer(text="3", item="zero-token-rank", session=session.id))
    assert [a.text for a in store.attempts()] == ["1", "2", "3"]
    assert [a.text for a in store.attempts(session=session.id)] == ["2", "3"]
    assert [a.text for a in store.attempts(item="zero-token-rank", part="main")] == ["3"]
    assert store.attempts(bank="another") == []


def test_attempts_can_only_be_added(store: Store) -> None:
    store.add(answer())
    with sqlite3.connect(store.path) as other:
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            other.execute("UPDATE attempt SET points = 100")
        with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
            other.execute("DELETE FROM attempt")
    assert len(store.attempts()) == 1


@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Store(tmp_path_factory.mktemp("any") / "progress.sqlite3") as store:
        store.save_draft(KEY, text)
        store.add(answer(text=text))
        assert store.draft(KEY) == text
        assert store.attempts()[0].text == text


def test_a_draft_is_replaced_and_dropped_with_its_answer(store: Store) -> None:
    other = DraftKey("study", "two-rank-mean", "main", seed=3)
    assert store.draft(KEY) is None
    store.save_draft(KEY, "1")
    store.save_draft(KEY, "12")
    store.save_draft(other, "another variant")
    assert store.draft(KEY) == "12"
    store.add(answer(), draft=KEY)
    assert store.draft(KEY) is None
    assert store.draft(other) == "another variant"


def test_an_answer_that_cannot_be_stored_keeps_its_draft(store: Store) -> None:
    store.save_draft(KEY, "12")
    with pytest.raises(Exception, match="FOREIGN KEY"):
        store.add(answer(session=999), draft=KEY)
    assert store.draft(KEY) == "12"
    assert store.attempts() == []


def test_an_answer_moves_its_session_in_the_same_transaction(store: Store) -> None:
    session = store.start("interview", "intended-average", {"elapsed": 0})
    store.add(answer(session=session.id), position={"elapsed": 12.5})
    assert store.session(session.id).position == {"elapsed": 12.5}
    store.add(answer(session=session.id))
    assert store.session(session.id).position == {"elapsed": 12.5}


def test_sessions_are_resumed_where_they_stood(store: Store) -> None:
    first = store.start("study", "intended-average", {"step": "reading/why"}, seed=4)
    second = store.start("interview", "intended-average", {}, item="why-gpus-change-loss")
    assert [s.id for s in store.unfinished()] == [second.id, first.id]
    store.move(first.id, {"step": "two-rank-mean/main"})
    assert store.session(first.id).position == {"step": "two-rank-mean/main"}
    assert store.session(first.id).seed == 4
    assert [s.id for s in store.unfinished("study")] == [first.id]
    store.finish(first.id)
    assert store.unfinished("study") == []
    assert store.session(first.id).finished_at == MOMENT
    with pytest.raises(KeyError):
        store.session(99)


def test_what_comes_next_is_kept_for_the_latest_few_sets_of_banks(store: Store) -> None:
    assert store.foreseen("one") is None
    for number, name in enumerate(("one", "two", "one", "three", "four")):
        store.foresee(name, b"%d" % number)
    assert [store.foreseen(name) for name in ("one", "two", "three", "four")] == [b"2", None, b"3", b"4"]


def test_the_session_used_last_comes_first(tmp_path: Path) -> None:
    moments = iter(datetime(2026, 3, 1, 12, minute, tzinfo=UTC) for minute in range(60))
    store = Store(tmp_path / "progress.sqlite3", clock=lambda: next(moments))
    first, second = store.start("study", "a", {}), store.start("study", "b", {})
    assert [s.id for s in store.unfinished()] == [second.id, first.id]
    store.add(Answer(first.id, "a", "x", "main", None, "2", "h", "s", score=SCORE))
    assert [s.id for s in store.unfinished()] == [first.id, second.id]
