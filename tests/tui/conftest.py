"""The fixed bank, a store with a fixed clock, the app over both, and pictures of its screens. Every part is the real one."""

import dataclasses
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from foreign_rules import foreign_rules
from screen_text import Act, Picture
from sittings import MOMENT
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

import quizapp.judge.bench as bench_module
from quizapp.bank.load import Library, load
from quizapp.judge.bench import Bench
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

BANKS = Path(__file__).parent / "banks"


@pytest.fixture(scope="session")
def library() -> Library:
    found = load([BANKS])
    assert not found.faults
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "progress.sqlite3", clock=lambda: MOMENT) as opened:
        yield opened


@pytest.fixture(autouse=True)
def no_bench_outlives_its_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A lab's screen has workers made ready in the background, which would go on being made until all tests are done."""
    made: list[Bench] = []

    class Known(Bench):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(bench_module, "Bench", Known)
    yield
    for bench in made:
        bench.close()


@pytest.fixture
def app(store: Store, library: Library) -> Callable[..., QuizApp]:
    """Makes an app: ``app(start="study", bank="small")``."""

    def make(library: Library = library, **arguments: object) -> QuizApp:
        return QuizApp(store, library, **arguments)  # type: ignore[arg-type]

    return make


@pytest.fixture
def still(store: Store, library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    """The library at a path that is the same everywhere. Where and when a picture is taken, and what this machine can run or
    colour, must not show in it: clocks stand, the time zone is UTC, no judge is started, and code is plain."""
    from quizapp.tui import code_editor, lab

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    store.path = Path("/home/learner/progress.sqlite3")
    monkeypatch.setattr(lab.LabScreen, "_prepare", lambda self: None)
    monkeypatch.setattr(code_editor, "highlighted", lambda: False)
    monkeypatch.setattr("quizapp.practice.interview.now", lambda: 0.0)
    bank = dataclasses.replace(library.banks[0], file=Path("/banks/small.yaml"), builtin=True)
    yield dataclasses.replace(library, banks=(bank,))
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(params=[(80, 24), (120, 40)], ids=["80x24", "120x40"])
def picture(request: pytest.FixtureRequest, snap_compare: Callable[..., bool]) -> Picture:
    """``picture(app, screen, act)``: whether that screen of the app, after what ``act`` does, looks as in the picture kept of it;
    in a small terminal and in a larger one; and no style sheet of another screen may meet it."""

    def compare(app: App[None], screen: type[Screen[Any]], act: Act) -> bool:
        async def run(pilot: Pilot[object]) -> None:
            await act(pilot)
            assert type(pilot.app.screen) is screen
            assert list(foreign_rules(pilot.app)) == []

        return snap_compare(app, terminal_size=request.param, run_before=run)

    return compare
