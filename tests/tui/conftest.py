"""The fixed bank, a store with a fixed clock, and the app over both. Every part is the real one."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import quizapp.judge.bench as bench_module
from quizapp.bank.load import Library, load
from quizapp.judge.bench import Bench
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp

BANKS = Path(__file__).parent / "banks"
MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)


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
