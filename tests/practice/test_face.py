"""Where a sitting was left, drawn without its bank: kept with each move, and taken only while it holds."""

import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from quizapp.bank.load import Library, load
from quizapp.practice.face import Standing, last_review, left_at, open_study, standing
from quizapp.practice.queue import Plan
from quizapp.practice.review import Review
from quizapp.practice.study import Study
from quizapp.store.store import Store

BANKS = Path(__file__).parents[1] / "tui" / "banks"


@pytest.fixture
def banks(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BANKS, tmp_path / "banks"))


def at(store: Store, banks: Path, step: str) -> Study:
    study = Study(store, load([banks]), "small")
    study.go([one.id for one in study.steps].index(step))
    return study


def found(store: Store, banks: Path) -> Standing | None:
    return left_at(store, open_study(store, "small", None), [banks])


@pytest.mark.parametrize("step", ["pick-mean/main", "pick-all/main", "two-ranks/mean", "two-ranks/factor", "two-ranks/why"])
def test_it_comes_back_as_it_was_kept(store: Store, banks: Path, step: str) -> None:
    study = at(store, banks, step)
    assert found(store, banks) == standing(study)
    kept = found(store, banks)
    assert kept is not None
    assert (kept.face.draft_key, kept.place, kept.sitting) == (study.draft_key(), study.index + 1, "A small bank")


@pytest.mark.parametrize("step", ["reading/first-page", "scale/main"])
def test_pages_and_labs_have_none(store: Store, banks: Path, step: str) -> None:
    at(store, banks, step)
    assert found(store, banks) is None


def test_an_answer_a_changed_file_and_another_folder_end_it(store: Store, banks: Path, tmp_path: Path) -> None:
    study = at(store, banks, "two-ranks/mean")
    assert left_at(store, open_study(store, "small", None), [tmp_path / "elsewhere"]) is None
    study.record("2", study.grade("2"))
    assert found(store, banks) is None
    study.withdraw()
    assert found(store, banks) is not None
    file = next(file for file in banks.rglob("*.yaml") if "id: small" in file.read_text())
    file.write_text(file.read_text() + "\n# another one\n")
    assert found(store, banks) is None
    file.unlink()
    assert found(store, banks) is None


def test_what_another_version_kept_is_passed_over(store: Store, banks: Path) -> None:
    study = at(store, banks, "pick-mean/main")
    for value in (None, 3, {}, {"face": {"way": {"options": [[1]]}}}, {"face": None}):
        store.move(study.session.id, {"step": "pick-mean/main", "standing": value})
        assert found(store, banks) is None
        assert Study(store, study.library, "small").step.id == "pick-mean/main"


def test_a_queue_left_too_long_ago_begins_with_what_it_stood_at(store: Store, library: Library) -> None:
    old = Review(store, library, Plan())
    old.go(3)
    clock = store.clock
    store.clock = lambda: clock() + timedelta(days=2)
    kept = left_at(store, last_review(store), [BANKS])
    new = Review(store, library)
    assert not new.resumed
    assert kept is not None
    assert (new.step.id, new.index) == ("two-ranks/mean", 0)
    assert standing(new) is not None
    assert kept.face.item == "two-ranks"
    assert len({step.id for step in new.steps}) == len(new.steps) == len(old.steps)


def test_it_loads_no_model() -> None:
    rooms = ("practice.face", "tui.question", "tui.choice", "tui.app", "store.store")
    code = f"import sys, {', '.join(f'quizapp.{room}' for room in rooms)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    names = set(done.stdout.split())
    assert "textual.app" in names
    assert not names & {"pydantic", "yaml", "regex", "quizapp.bank.load", "quizapp.scoring.score", "numpy"}
