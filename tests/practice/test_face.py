"""Where a sitting was left, drawn without its bank: kept with each move, and taken only while it holds."""

import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from quizapp.bank.load import Library, load
from quizapp.model.question import NumericPart
from quizapp.practice.face import Face, Standing, last_review, left_at, open_study, standing, way
from quizapp.practice.opening import QUEUE, keep_openings, opening
from quizapp.practice.queue import Plan
from quizapp.practice.review import Review
from quizapp.practice.study import Study
from quizapp.store.store import Store

BANKS = Path(__file__).parents[1] / "tui" / "banks"


@pytest.fixture
def banks(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BANKS, tmp_path / "banks"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("QUIZAPP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


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
    assert isinstance(kept.face, Face)
    assert (kept.face.draft_key, kept.place, kept.sitting) == (study.draft_key(), study.index + 1, "A small bank")


def test_a_page_comes_back_and_a_lab_has_none(store: Store, banks: Path) -> None:
    study = at(store, banks, "reading/first-page")
    assert found(store, banks) == standing(study) is not None
    study.go([one.id for one in study.steps].index("scale/main"))
    assert found(store, banks) is None


@pytest.mark.parametrize("over", ["small", QUEUE])
def test_a_new_sitting_begins_with_what_was_kept_of_its_banks(store: Store, banks: Path, over: str, cache: Path) -> None:
    library = load([banks])
    assert opening(store, over, [banks]) is None
    keep_openings(library, [over], [banks])
    kept = opening(store, over, [banks])
    study = Review(store, library) if over == QUEUE else Study(store, library, over)
    assert kept == standing(study) is not None
    assert opening(store, over, [banks]) is None, "a sitting is open now"
    study.finish()
    assert opening(store, over, [banks]) == kept
    next(cache.glob("opening-*")).write_text("{")
    assert opening(store, over, [banks]) is None


def test_no_opening_holds_for_changed_banks_or_a_queue_with_answers(store: Store, banks: Path, cache: Path) -> None:
    keep_openings(load([banks]), ["small", QUEUE, "no-such-bank"], [banks])
    study = at(store, banks, "pick-mean/main")
    study.record("A", study.grade("A"))
    study.finish()
    assert opening(store, "small", [banks]) is not None
    assert opening(store, QUEUE, [banks]) is None
    file = next(file for file in banks.rglob("*.yaml") if "id: small" in file.read_text())
    file.write_text(file.read_text() + "\n# another one\n")
    assert opening(store, "small", [banks]) is None
    assert opening(store, "small", [banks / "nowhere"]) is None


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
    assert isinstance(kept.face, Face)
    assert kept.face.item == "two-ranks"
    assert len({step.id for step in new.steps}) == len(new.steps) == len(old.steps)


def test_it_loads_no_model() -> None:
    rooms = ("practice.opening", "tui.question", "tui.reading", "tui.choice", "tui.app", "store.store")
    code = f"import sys, {', '.join(f'quizapp.{room}' for room in rooms)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=True)
    names = set(done.stdout.split())
    assert "textual.app" in names
    assert not names & {"pydantic", "yaml", "regex", "quizapp.bank.load", "quizapp.scoring.score", "numpy"}


@pytest.mark.parametrize(("unit", "example"), [("tokens", "such as 12"), (None, "such as 7/5 or 1.4")])
def test_a_count_is_asked_for_by_a_whole_number(unit: str | None, example: str) -> None:
    part = NumericPart.model_validate({"kind": "numeric", "points": 1, "key": "6", "unit": unit})
    assert way(part, (), {}).example == example
