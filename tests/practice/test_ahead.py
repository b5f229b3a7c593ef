"""What the next queue begins with, known before any bank is read: the same as the queue itself begins with."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.practice.ahead import ahead, keep_ahead, keeping
from quizapp.practice.face import Face, standing
from quizapp.practice.review import Review
from quizapp.practice.study import Study
from quizapp.store.store import Store

BANKS = Path(__file__).parents[1] / "tui" / "banks"
ANOTHER = """
id: another
title: Another bank
place: 200
description: One item.
items:
  - kind: checkpoint
    id: fresh-item
    topics: [mean]
    difficulty: 1
    stem: Which?
    explanation: Because.
    choices: [{id: this, text: This, key: true}, {id: that, text: That, misconception: mean-of-means}]
"""
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def banks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIZAPP_CACHE", str(tmp_path / "cache"))
    return shutil.copytree(BANKS, tmp_path / "banks")


@pytest.fixture
def known(banks: Path) -> Library:
    return load([banks])


def answer(store: Store, library: Library, item: str, part: str, text: str) -> None:
    study = Study(store, library, "small", item)
    study.go([step.part.id if step.part else "" for step in study.steps].index(part))
    study.record(text, study.grade(text), 3)
    study.finish()


def answered(store: Store, library: Library) -> None:
    answer(store, library, "two-ranks", "mean", "2.25")
    answer(store, library, "pick-all", "main", "rate")


@pytest.mark.parametrize("days", [0, 0.5, 1, 3, 9, 29])
@pytest.mark.parametrize("asked_for", [False, True])
def test_the_same_as_the_queue_begins_with(tmp_path: Path, banks: Path, known: Library, days: float, asked_for: bool) -> None:
    moment = BEGAN
    with Store(tmp_path / "progress.sqlite3", clock=lambda: moment) as store:
        answered(store, known)
        assert store.last_attempt() > 1
        if asked_for:
            moment += timedelta(minutes=1)
            store.recommend({"why-worse": "for the test", "pick-all": "for the test"})
        assert ahead(store, [banks]) is None, "nothing is kept yet"
        keep_ahead(store, known, [banks])
        moment += timedelta(days=days, minutes=20)
        found = ahead(store, [banks])
        expected = standing(Review(store, known))
        assert found == expected is not None


def test_after_another_answer_it_is_what_the_queue_then_begins_with(tmp_path: Path, banks: Path, known: Library) -> None:
    """Nothing is kept after an answer by somebody whose app is killed at once."""
    with Store(tmp_path / "progress.sqlite3", clock=lambda: BEGAN) as store:
        answered(store, known)
        keep_ahead(store, known, [banks])
        first = ahead(store, [banks])
        assert first is not None
        assert isinstance(first.face, Face)
        answer(store, known, first.face.item, first.face.part, "a")
        found = ahead(store, [banks])
        assert found is not None
        assert isinstance(found.face, Face)
        assert found.face.item != first.face.item
        assert found.since == store.last_attempt()
        assert found == standing(Review(store, known, shown=found))
    with Store(tmp_path / "other.sqlite3", clock=lambda: BEGAN) as other:
        answer(other, known, "pick-mean", "main", "ranks")
        assert ahead(other, [banks]) is None, "another learner's"


def test_a_bank_that_changes_leaves_the_questions_of_the_others(tmp_path: Path, banks: Path) -> None:
    small = next(banks.glob("small*.yaml"))
    (banks / "another.yaml").write_text(ANOTHER, encoding="utf-8")
    known = load([banks])
    assert not known.faults
    with Store(tmp_path / "progress.sqlite3", clock=lambda: BEGAN) as store:
        answered(store, known)
        keep_ahead(store, known, [banks])
        first = ahead(store, [banks])
        assert first is not None
        assert first.file == str(small.resolve())
        small.touch()
        assert ahead(store, [banks]) == first, "nothing in it is different"
        small.write_text(small.read_text("utf-8").replace("Two ranks", "Both ranks"), encoding="utf-8")
        found = ahead(store, [banks])
        assert found is not None
        assert isinstance(found.face, Face)
        assert found.face.item == "fresh-item"
        begun = standing(Review(store, load([banks]), shown=found))
        assert begun is not None
        assert (begun.face, begun.since) == (found.face, found.since)
        (banks / "another.yaml").unlink()
        assert ahead(store, [banks]) is None


def test_it_goes_where_the_learners_file_goes_and_needs_no_cache(tmp_path: Path, banks: Path, known: Library) -> None:
    with Store(tmp_path / "progress.sqlite3", clock=lambda: BEGAN) as store:
        answered(store, known)
        keep_ahead(store, known, [banks])
        kept = ahead(store, [banks])
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "progress.sqlite3").rename(tmp_path / "elsewhere" / "mine.sqlite3")
    with Store(tmp_path / "elsewhere" / "mine.sqlite3", clock=lambda: BEGAN) as moved:
        assert ahead(moved, [banks]) == kept is not None
        assert ahead(moved, [tmp_path / "other"]) is None, "other banks"
        assert kept == standing(Review(moved, known))


def test_a_file_that_has_gone_is_not_made_again_and_damage_is_passed_over(tmp_path: Path, banks: Path, known: Library) -> None:
    with Store(tmp_path / "progress.sqlite3", clock=lambda: BEGAN) as store:
        answered(store, known)
        keep_ahead(store, known, [banks])
        store.connection.execute("UPDATE ahead SET told = x'00'")
        assert ahead(store, [banks]) is None
        keep = keeping(store, known, [banks])
        assert keep is not None
        (tmp_path / "progress.sqlite3").unlink()
        keep(lambda: False)
    assert not (tmp_path / "progress.sqlite3").exists()


def test_is_not_found_out_again_where_nothing_changed_and_never_kept_in_part(tmp_path: Path, banks: Path, known: Library) -> None:
    with Store(tmp_path / "progress.sqlite3", clock=lambda: BEGAN) as store:
        assert keeping(store, known, [banks]) is None, "nothing is answered"
        answered(store, known)
        keep = keeping(store, known, [banks])
        assert keep is not None
        keep(lambda: True)
        assert ahead(store, [banks]) is None, "it was told to stop"
        keep(lambda: False)
        assert ahead(store, [banks]) is not None
        assert keeping(store, known, [banks]) is None
        store.recommend({"why-worse": "for the test"})
        assert keeping(store, known, [banks]) is not None


def test_needs_no_model_of_a_bank(tmp_path: Path, banks: Path, known: Library) -> None:
    with Store(tmp_path / "progress.sqlite3") as store:
        answered(store, known)
        keep_ahead(store, known, [banks])
    program = f"""
import sys
from pathlib import Path
from quizapp.practice.ahead import ahead
from quizapp.store.store import Store
print(ahead(Store(Path({str(tmp_path / "progress.sqlite3")!r})), [Path({str(banks)!r})]) is not None, "pydantic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]


def test_with_a_new_folder_beside_it_is_what_the_queue_over_the_others_begins_with(
    tmp_path: Path, banks: Path, known: Library
) -> None:
    new = tmp_path / "new"
    new.mkdir()
    (new / "another.yaml").write_text(ANOTHER, encoding="utf-8")
    with Store(tmp_path / "progress.sqlite3", clock=lambda: BEGAN) as store:
        answered(store, known)
        keep_ahead(store, known, [banks])
        expected = ahead(store, [banks])
        assert ahead(store, [banks, new]) == expected is not None
        assert ahead(store, [new]) is None, "its file lies elsewhere"
        begun = standing(Review(store, load([banks, new]), shown=expected))
        assert begun is not None
        assert begun.face == expected.face


def test_where_nothing_is_kept_it_is_a_built_in_question_without_an_answer(tmp_path: Path, banks: Path) -> None:
    folders = [builtin_folder(), banks]
    library = load(folders)
    seen = []
    with Store(tmp_path / "progress.sqlite3", clock=lambda: BEGAN) as store:
        answered(store, library)
        for _ in range(3):
            found = ahead(store, folders)
            assert found is not None
            assert isinstance(found.face, Face)
            begun = standing(Review(store, library, shown=found))
            assert begun is not None
            assert (begun.face, begun.sitting, begun.place, begun.since) == (found.face, found.sitting, 1, found.since)
            store.finish(store.unfinished("review")[0].id)
            seen.append(found.face.item)
            study = Study(store, library, found.bank, found.face.item)
            study.record("a", study.grade("a"), 3)
            study.finish()
        assert len(set(seen)) == 3
        store.recommend({"why-worse": "for the test"})
        assert ahead(store, folders) is None, "what was asked for comes first"
