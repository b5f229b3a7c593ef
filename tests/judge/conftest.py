"""The built-in lab that the judge's tests run, and the backends on which they run it."""

from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.lab import load_lab
from quizapp.model.lab import Lab


@pytest.fixture(scope="session")
def folder() -> Path:
    return builtin_folder() / "intended-average" / "labs" / "scale-local-loss"


@pytest.fixture(scope="session")
def lab(folder: Path) -> Lab:
    return load_lab(folder)
