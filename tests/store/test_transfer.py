"""Export and import: nothing lost, nothing doubled, whichever way round; files of an older version."""

import dataclasses
import json
import random
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored_samples import answer, code

from quizapp.store.opinion import regrade, regrades, rule, rulings
from quizapp.store.record import DraftKey
from quizapp.store.schema import MIGRATIONS
from quizapp.store.store import Store
from quizapp.store.transfer import TABLES, TransferError, export, merge

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
steps = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3), texts), max_size=12)


def act(store: Store, doings: list[tuple[int, int, str]]) -> None:
    """Does what learners do: answers, drafts, sittings, slips, flags."""
    session = None
    for what, which, text in doings:
        if what == 0:
            session = store.start("study", "b", {"step": text}, seed=which).id
        elif what in (1, 2):
            store.add(dataclasses.replace(answer(session, text, item=f"item-{which}"), seconds=which / 3))
        elif what == 3:
            store.add(code(text))
        elif what == 4:
            store.save_draft(DraftKey("study", f"item-{which}", "main"), text)
        elif what == 5 and store.last_attempt():
            store.withdraw(store.last_attempt())
        elif what == 6:
            store.flag(f"item-{which}", bool(len(text) % 2))
        elif what == 7:
            store.set("theme", text)
            store.recommend({f"item-{which}": text})
        elif what == 8 and session is not None:
            store.move(session, {"step": text})
            if which == 0:
                store.finish(session)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Store]:
    def make(hour: int) -> Store:
        moment = START + timedelta(hours=hour)

        def clock() -> datetime:
            nonlocal moment
            moment += timedelta(seconds=1)
            return moment

        return Store(tmp_path_factory.mktemp("store") / "progress.sqlite3", clock=clock)

    return make


@settings(max_examples=25, deadline=None)
@given(doings=steps)
def test_what_was_exported_comes_back_whole(doings: list[tuple[int, int, str]], opened: Callable[[int], Store]) -> None:
    with opened(0) as one, opened(5) as other:
        act(one, doings)
        lines = list(export(one))
        merge(other, lines)
        assert list(export(other)) == lines
        again = merge(other, lines)
        assert not any(again.new.values())
        assert list(export(other)) == lines
        assert other.flagged() == one.flagged()
        assert [dataclasses.replace(mark, id=0, session=None) for mark in other.marks()] == [
            dataclasses.replace(mark, id=0, session=None) for mark in one.marks()
        ]


@settings(max_examples=25, deadline=None)
@given(first=steps, second=steps, common=steps, hours=st.tuples(st.integers(0, 2), st.integers(0, 2)))
def test_two_stores_merge_to_the_same_whichever_way_round(
    first: list[tuple[int, int, str]],
    second: list[tuple[int, int, str]],
    common: list[tuple[int, int, str]],
    hours: tuple[int, int],
    opened: Callable[[int], Store],
) -> None:
    with opened(0) as origin, opened(hours[0]) as one, opened(hours[1]) as other:
        act(origin, common)
        for store, own in ((one, first), (other, second)):
            merge(store, export(origin))
            act(store, own)
        ones, others = list(export(one)), list(export(other))
        texts = {json.loads(line)[table]["text"] for line in (*ones, *others) for table in json.loads(line) if "draft" in table}
        merge(one, others)
        shuffled = random.Random(1).sample(ones, len(ones))
        merge(other, shuffled)
        merged = list(export(one))
        assert merged == list(export(other))
        names = {json.loads(line)["attempt"]["uid"] for line in (*ones, *others) if "attempt" in json.loads(line)}
        assert len(one.marks()) == len(names)
        assert texts == {json.loads(line)[table]["text"] for line in merged for table in json.loads(line) if "draft" in table}


def test_attempts_keep_their_sitting_and_their_order(opened: Callable[[int], Store]) -> None:
    with opened(0) as one, opened(5) as other:
        other.start("study", "other", {})
        other.add(answer(text="late"))
        session = one.start("study", "b", {"step": "x"})
        one.add(answer(session.id, text="early"))
        merged = merge(other, export(one))
        assert (merged.read["attempt"], merged.new["attempt"], merged.new["session"]) == (1, 1, 1)
        assert [attempt.text for attempt in other.attempts()] == ["early", "late"]
        (attempt,) = (one for one in other.attempts() if one.text == "early")
        assert attempt.session is not None
        assert other.session(attempt.session).position == {"step": "x"}


def test_answers_given_within_a_millisecond_keep_their_order(opened: Callable[[int], Store]) -> None:
    texts = [str(number) for number in range(8)]
    with opened(0) as one, opened(5) as other:
        moments = iter(START + timedelta(microseconds=number) for number in range(8))
        one.clock = lambda: next(moments)
        for text in texts:
            one.add(answer(text=text))
        merge(other, export(one))
        assert [attempt.text for attempt in other.attempts()] == texts


def test_of_two_opinions_at_one_moment_the_same_holds_on_both_machines(tmp_path: Path) -> None:
    with Store(tmp_path / "one.sqlite3", clock=lambda: START) as one, Store(tmp_path / "two.sqlite3", clock=lambda: START) as two:
        names = [one.name(one.add(answer()).id) for _ in range(12)]
        merge(two, list(export(one)))
        for name in names:
            opinions: tuple[tuple[Store, Literal["met", "unmet"]], ...] = ((one, "met"), (two, "unmet"))
            for store, met in opinions:
                attempt = store.number(name)
                rule(store, attempt, "a", met, "", met)
                regrade(store, [(attempt, "h", "before", None), (attempt, "h", met, None)])
        there, back = list(export(two)), list(export(one))
        merge(one, there)
        merge(two, back)
        ruled = [{store.name(at): one.met for (at, _), one in rulings(store).items()} for store in (one, two)]
        graded = [{store.name(at): one.scorer for at, one in regrades(store).items()} for store in (one, two)]
        assert ruled[0] == ruled[1]
        assert graded[0] == graded[1]
        assert ruled[0].keys() == graded[0].keys() == set(names)
        assert "before" not in graded[0].values()


def test_a_draft_that_lost_is_put_aside(opened: Callable[[int], Store]) -> None:
    key = DraftKey("study", "item", "main")
    with opened(0) as one, opened(5) as other:
        one.save_draft(key, "older")
        other.save_draft(key, "newer")
        merge(one, export(other))
        assert one.draft(key) == "newer"
        assert any("older" in line for line in export(one) if "draft_aside" in line)


HEAD = '{"quizapp-progress": {"format": 1}}'


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["nonsense"], "line 1: no JSON"),
        ([HEAD, "[1]"], "line 2: no record"),
        (['{"quizapp-progress": {"format": 2}}'], "line 1: written by a newer quizapp"),
        ([], "is missing"),
        ([HEAD, '{"poem": {}}'], "line 2: an unknown kind of record, 'poem'"),
        ([HEAD, '{"flag": {"uid": "a"}}'], "line 2: not the columns of a flag"),
        ([HEAD, '{"flag": {"uid": "a", "at": "noon", "item": "i", "raised": 1}}'], "line 2: at of a flag can't be 'noon'"),
        ([HEAD, '{"flag": {"uid": "a", "at": "2026-03-01T12:00:00+00:00", "item": "i", "raised": 7}}'], "line 2: not a flag"),
        ([HEAD, '{"flag": {"uid": "a", "at": "2026-03-01T12:00:00", "item": "i", "raised": 1}}'], "at of a flag"),
        ([HEAD, '{"withdrawal": {"attempt": "a", "at": "2026-03-01T12:00:00+00:00"}}'], "the attempt that it names is not"),
        ([HEAD, '{"setting": {"name": "\\ud800", "value": "", "at": "2026-03-01T12:00:00+00:00"}}'], "name of a setting"),
    ],
)
def test_lines_that_are_no_export_are_refused_whole(lines: list[str], words: str, opened: Callable[[int], Store]) -> None:
    with opened(0) as store:
        store.add(answer())
        before = list(export(store))
        good = '{"flag": {"uid": "z", "at": "2026-03-01T12:00:00+00:00", "item": "i", "raised": 1}}'
        with pytest.raises(TransferError, match=words):
            merge(store, [*lines, good])
        assert list(export(store)) == before


def test_every_table_that_holds_progress_travels(opened: Callable[[int], Store]) -> None:
    with opened(0) as store:
        names = {row[0] for row in store.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert names - {"sqlite_sequence", "ahead"} == {table.name for table in TABLES}, "what comes next is found out anew"
        for table in TABLES:
            columns = {row["name"] for row in store.connection.execute(f"PRAGMA table_info({table.name})")}
            assert columns - {"id"} == set(table.columns)


def test_a_file_of_the_first_version_is_taken_over_with_the_same_names_in_each_copy(tmp_path: Path) -> None:
    old = tmp_path / "old.sqlite3"
    with sqlite3.connect(old) as connection:
        connection.row_factory = sqlite3.Row
        MIGRATIONS[0](connection)
        connection.execute("PRAGMA application_id = 0x5155495A")
        connection.execute("PRAGMA user_version = 1")
        at = START.isoformat()
        connection.execute("INSERT INTO session VALUES (1, 'study', 'b', NULL, NULL, '{}', ?, ?, NULL)", (at, at))
        for number in (1, 2):
            connection.execute(
                "INSERT INTO attempt VALUES (?, ?, 1, 'b', 'i', 'main', NULL, '2', 'right', 1, 1, 4, 'h', 's', '{}', NULL)",
                (number, at),
            )
    connection.close()
    copy = tmp_path / "copy.sqlite3"
    copy.write_bytes(old.read_bytes())
    with Store(old) as one, Store(copy) as other:
        assert [(attempt.text, attempt.seconds, attempt.withdrawn) for attempt in one.attempts()] == [("2", None, False)] * 2
        merge(one, export(other))
        assert len(one.marks()) == 2
        assert list(export(one)) == list(export(other))
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            one.connection.execute("UPDATE attempt SET points = 9")
