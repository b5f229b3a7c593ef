"""An item that shows a released library: recorded weights, the environment that may hold the library, and a run of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from quizapp.audit.library import Installed, Missing, look_for, recorded, run_again, same
from quizapp.audit.run import CannotRun
from quizapp.bank.find import bank_folders
from quizapp.bank.load import Library, load
from quizapp.bank.record import load_record
from quizapp.model.audit import ItemAudit, Record, libraries, provenance, rows_of, table
from quizapp.practice.asked import ask
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.audited import AuditedScreen

QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
ITEM = "audit-of-a-short-window"
SIZE = (100, 40)


@pytest.fixture(scope="module")
def library() -> Library:
    return load(bank_folders(()))


@pytest.fixture(scope="module")
def record(library: Library) -> Record:
    return load_record(library.items[ITEM].file.parent / "recorded" / "ddp-2.13.json")


@pytest.fixture
def asked(library: Library) -> ItemAudit:
    """The item's, with what the environment of the tests holds."""
    audit = library.items[ITEM].item.audit
    assert audit is not None
    pins = (f"numpy=={metadata.version('numpy')}",)
    return audit.model_copy(update={"requires": pins, "record": "recorded/ddp-2.13.json", "steps": ()})


def test_the_table_and_the_versions_are_the_record_s(library: Library) -> None:
    loaded = library.items[ITEM]
    audit = loaded.item.audit
    assert audit is not None
    found = load_record(loaded.file.parent / audit.record)
    assert table(found.report, audit.steps) in loaded.item.stem
    stem = ask(loaded, loaded.item.parts[0].id, None).stem
    assert f"Recorded on {found.date}: {libraries(found.report)}." in stem
    assert "lightning 2.6.6" in stem
    shown = recorded(ITEM, audit, found)
    assert provenance(shown).startswith("Recorded on 20")
    assert same(found.report, found.report)
    assert not same(found.report, found.report.model_copy(update={"steps": found.report.steps[:1]}))
    assert len(rows_of(found.report, (2,))) == 4


def test_an_environment_is_taken_only_with_the_versions_asked_for(
    tmp_path: Path, asked: ItemAudit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("QUIZAPP_LIBRARY_ENVIRONMENTS", str(tmp_path))
    assert look_for(asked) == Installed(sys.executable), "the Python that runs this holds it"
    absent = asked.model_copy(update={"requires": ("nosuchlibrary==1.0",)})
    found = look_for(absent)
    assert isinstance(found, Missing)
    assert str(tmp_path) in found.reason
    assert found.commands[1].endswith("nosuchlibrary==1.0")
    place = tmp_path / asked.environment / "bin"
    place.mkdir(parents=True)
    (place / "python").write_text("no program")
    found = look_for(asked.model_copy(update={"requires": ("numpy==0.1",)}))
    assert isinstance(found, Missing)
    assert f"{place / 'python'} can't be asked" in found.reason
    found = look_for(asked.model_copy(update={"requires": ("numpy==0.1",)}), sys.executable)
    assert isinstance(found, Missing)
    assert "not 0.1" in found.reason


def audit_item(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    without = {name: value for name, value in os.environ.items() if name != "QUIZAPP_LIBRARY_ENVIRONMENTS"}
    command = [*QUIZAPP, "audit", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, env={**without, "QUIZAPP_HOME": str(home)})


def test_without_the_library_the_record_is_shown(tmp_path: Path, library: Library) -> None:
    done = audit_item("--item", ITEM, "--json", home=tmp_path)
    assert done.returncode == 1, done.stderr
    shown = json.loads(done.stdout)
    assert (shown["item"], shown["source"], shown["environment"]) == (ITEM, "recorded", "lightning-2.6")
    assert "no environment lightning-2.6" in shown["missing"]
    assert shown["report"]["versions"]["lightning"] == "2.6.6"
    done = audit_item("--item", ITEM, "--python", sys.executable, home=tmp_path)
    assert done.returncode == 3
    assert "has no lightning" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--item", "two-rank-tokens"), "shows no library's weights"),
        (("--item", ITEM, "--ranks", "3"), "its record's own plan"),
        (("--recorded", "ddp"), "name one with --item"),
        ((), "or an item with --item"),
        (("ddp", "--timeout", "0"), "more than 0"),
    ],
)
def test_wrong_usage_says_what_to_write(arguments: tuple[str, ...], said: str) -> None:
    from quizapp.cli.main import run
    from quizapp.cli.problem import Problem

    with pytest.raises(Problem, match=said):
        run(["audit", *arguments])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "progress.sqlite3") as opened:
        yield opened


async def test_the_app_shows_a_record_and_runs_only_after_two_keys(
    store: Store, library: Library, asked: ItemAudit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library that runs is torch itself, in the environment of the tests: the item's own needs one that CI alone makes."""
    pytest.importorskip("torch")
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    app = QuizApp(store, library)
    async with app.run_test(size=SIZE) as pilot:
        screen = AuditedScreen(ITEM, "A library", asked, library.items[ITEM].file, True, library.registry, app.live)
        await app.push_screen(screen)
        await until(pilot, screen, "#status", "F10 runs it here")
        assert "Recorded on" in text_of(screen, "#provenance")
        assert "wanted" in text_of(screen, "#weights")
        await pilot.press("f10")
        assert "no sandbox" in text_of(screen, "#status")
        assert not app.live
        await pilot.press("f10")
        await until(pilot, screen, "#status", "It ran in")
        assert "Live, " in text_of(screen, "#provenance")
        assert "the weights are those of the record" in text_of(screen, "#provenance")
        assert app.live[ITEM].as_recorded


async def test_a_run_that_fails_shows_the_calls_and_what_was_printed(
    store: Store, asked: ItemAudit, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    details = ("  trainer.py:7, in build", "    wrapped = wrap(model)", "rank 0 printed:", "  about to wrap")

    def fails(*given: object) -> None:
        raise CannotRun("rank 0: ValueError: no", 2, details)

    monkeypatch.setattr("quizapp.audit.library.run_again", fails)
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path / "home"))
    app = QuizApp(store, library)
    async with app.run_test(size=SIZE) as pilot:
        screen = AuditedScreen(ITEM, "A library", asked, library.items[ITEM].file, True, library.registry, app.live)
        await app.push_screen(screen)
        await until(pilot, screen, "#status", "F10 runs it here")
        await pilot.press("f10", "f10")
        await until(pilot, screen, "#status", "It can't be run: rank 0: ValueError: no")
        assert text_of(screen, "#details").splitlines() == list(details)
        await pilot.pause()
        where = screen.query_one("#details").region
        assert where.height == len(details)
        assert where.bottom <= screen.query_one("#status").region.y


def text_of(screen: AuditedScreen, selector: str) -> str:
    return str(screen.query_one(selector).render())


async def until(pilot: object, screen: AuditedScreen, selector: str, said: str) -> None:
    import asyncio
    import time

    end = time.monotonic() + 240
    while said not in text_of(screen, selector):
        assert time.monotonic() < end, text_of(screen, selector)
        await asyncio.sleep(0.05)


def test_a_run_can_be_stopped_and_only_ready_adapters_run(asked: ItemAudit, record: Record, library: Library) -> None:
    with pytest.raises(CannotRun, match="stopped"):
        run_again(ITEM, asked, record, sys.executable, library.registry, 60, lambda: True)
    foreign = record.model_copy(update={"report": record.report.model_copy(update={"trainer": "mine.py"})})
    with pytest.raises(CannotRun, match="no ready adapter"):
        run_again(ITEM, asked, foreign, sys.executable, library.registry, 60, lambda: True)
