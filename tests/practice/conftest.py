"""The small bank of the app's tests, and a store of its own for each test."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quizapp.bank.load import Library, load
from quizapp.store.store import Store

BANKS = Path(__file__).parents[1] / "tui" / "banks"


@pytest.fixture(scope="session")
def library() -> Library:
    found = load([BANKS])
    assert not found.faults
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    moment = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def clock() -> datetime:
        nonlocal moment
        moment += timedelta(seconds=1)
        return moment

    with Store(tmp_path / "progress.sqlite3", clock=clock) as opened:
        yield opened
