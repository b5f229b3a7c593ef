"""What the next queue begins with is kept while the app runs: nothing has to be left properly for it."""

import shutil
from pathlib import Path

import pytest
from screen_text import until, until_holds

from quizapp.bank.load import load
from quizapp.practice.ahead import ahead, keeping
from quizapp.practice.face import standing
from quizapp.practice.review import Review
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

BANKS = Path(__file__).parent / "banks"


async def test_after_each_answer(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("quizapp.tui.keep_ahead.SECONDS", 0.05)
    folder = shutil.copytree(BANKS, tmp_path / "banks")
    library = load([folder])
    app = QuizApp(store, library, start="study", bank="small", item="pick-all")
    app.keeper = lambda library: keeping(store, library, [folder])
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, "Several are right")
        assert ahead(store, [folder]) is None
        for key in ("c", "a"):
            await pilot.press(key, "enter")
            await until(pilot, "Explanation")
            await until_holds(pilot, lambda: ahead(store, [folder]))
            found = ahead(store, [folder])
            assert found is not None
            assert found.since == store.last_attempt()
            await pilot.press("r")
            await until(pilot, "Several are right")
        kept = ahead(store, [folder])
        assert kept == standing(Review(store, library))
