"""Sittings over the small bank, brought to where a test wants them."""

from datetime import UTC, datetime

from quizapp.bank.load import Library
from quizapp.practice.study import Study
from quizapp.store.store import Store

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""When all of it happens."""


def at(store: Store, library: Library, step: str) -> Study:
    """A sitting that stands at a step: ``scale/main``."""
    study = Study(store, library, "small")
    study.go([one.id for one in study.steps].index(step))
    return study


def answered(study: Study, text: str, confidence: int | None) -> None:
    """Answers the step on which a sitting stands."""
    study.record(text, study.grade(text), confidence)
