"""What ships beside the built-in banks: what the sittings over them begin with, as long as these banks are what it was made of."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quizapp.bank.find import bank_folders, builtin_folder
from quizapp.bank.load import Library, load
from quizapp.practice import opening as module
from quizapp.practice.face import standing
from quizapp.practice.opening import QUEUE, SHIPPED, keep_openings, opening, shelf, to_ship
from quizapp.practice.progress import library_progress
from quizapp.practice.review import Review
from quizapp.practice.study import Study
from quizapp.store.store import Store

SMALL = Path(__file__).parents[1] / "tui" / "banks"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As on the very first start: empty."""
    monkeypatch.setenv("QUIZAPP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def builtin() -> Library:
    return load([builtin_folder()])


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small bank as if it was the built-in one."""
    folder = Path(shutil.copytree(SMALL, tmp_path / "banks"))
    monkeypatch.setattr(module, "builtin_folder", lambda: folder)
    (folder / SHIPPED).write_text(to_ship(folder), encoding="utf-8")
    return folder


def test_it_is_made_of_the_banks_as_they_are() -> None:
    held = (builtin_folder() / SHIPPED).read_text("utf-8")
    assert held == to_ship(builtin_folder()), "a built-in bank has changed: python -m quizapp.practice.opening"


def test_each_sitting_begins_with_what_ships(tmp_path: Path, builtin: Library) -> None:
    for number, name in enumerate((QUEUE, *(one.bank.id for one in builtin.banks))):
        with Store(tmp_path / f"{number}.sqlite3") as store:
            found = opening(store, name, bank_folders())
            begun = Review(store, builtin) if name == QUEUE else Study(store, builtin, name)
            assert found == standing(begun) is not None


def test_other_folders_change_the_queue_and_home_but_no_built_in_bank(store: Store, shipped: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.yaml").write_text((SMALL / "small.yaml").read_text("utf-8"), encoding="utf-8")
    assert opening(store, QUEUE, [shipped]) is not None
    assert opening(store, QUEUE, [shipped, tmp_path / "own"]) is None
    assert shelf(store, [shipped, tmp_path / "own"]) == ()
    found = opening(store, "small", [shipped, tmp_path / "own"])
    assert found == standing(Study(store, load([shipped, tmp_path / "own"]), "small"))
    assert opening(store, "small", [tmp_path / "own", shipped]) is None


@pytest.mark.parametrize("changed", ["small.yaml", "misconceptions.yaml", "labs/*/lab.yaml"])
def test_after_an_edit_nothing_that_ships_is_shown(store: Store, shipped: Path, changed: str) -> None:
    assert opening(store, "small", [shipped]) is not None
    assert shelf(store, [shipped])
    with next(iter(shipped.glob(changed))).open("a", encoding="utf-8") as file:
        file.write("# Looked through.\n")
    assert opening(store, "small", [shipped]) is None
    assert opening(store, QUEUE, [shipped]) is None
    assert shelf(store, [shipped]) == ()
    library = load([shipped])
    keep_openings(library, [QUEUE, "small"], [shipped])
    assert opening(store, "small", [shipped]) == standing(Study(store, library, "small")) is not None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"openings": 3}', '{"openings": {"small": 3}, "made_of": 1}'])
def test_what_is_damaged_is_passed_over(store: Store, shipped: Path, text: str) -> None:
    (shipped / SHIPPED).write_text(text, encoding="utf-8")
    assert opening(store, "small", [shipped]) is None
    assert shelf(store, [shipped]) == ()


def test_what_ships_is_not_kept_in_the_cache_as_well(store: Store, shipped: Path, cache: Path) -> None:
    library = load([shipped])
    keep_openings(library, [QUEUE, "small"], [shipped])
    assert list(cache.glob("opening-*")) == []


def test_a_cache_that_can_only_be_read_is_read(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    folder = Path(shutil.copytree(SMALL, tmp_path / "own"))
    keep_openings(load([folder]), ["small"], [folder])
    monkeypatch.setattr("os.utime", refuse)
    assert opening(store, "small", [folder]) is not None


def test_the_shelf_is_for_somebody_who_has_begun_nothing(store: Store, shipped: Path) -> None:
    library = load([shipped])
    bank, progress = library.banks[0].bank, library_progress(library, [])["small"]
    assert shelf(store, [shipped]) == ((bank.id, bank.title, bank.description, len(bank.items), progress.max_points),)
    study = Study(store, library, "small", "pick-mean")
    assert shelf(store, [shipped]) == ()
    study.record("A", study.grade("A"))
    study.finish()
    assert shelf(store, [shipped]) == ()


def test_the_very_first_start_reads_no_bank(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from quizapp.bank.find import bank_folders
from quizapp.practice.opening import opening, shelf
from quizapp.store.store import Store
import quizapp.tui.home
store = Store(Path({str(tmp_path / "new.sqlite3")!r}))
names = [one.id for one in shelf(store, bank_folders())]
print(json.dumps([bool(names), all(opening(store, name, bank_folders()) for name in ["", *names]), [*sys.modules]]))
"""
    done = subprocess.run([sys.executable, "-c", f"import json\n{program}"], capture_output=True, text=True, check=True)
    listed, known, modules = json.loads(done.stdout)
    assert listed
    assert known
    assert not {"pydantic", "yaml", "quizapp.bank.load"} & set(modules)
