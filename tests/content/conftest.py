"""The built-in banks, loaded once for the tests of their content."""

from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load


@pytest.fixture(scope="session")
def questions() -> Path:
    return builtin_folder()


@pytest.fixture(scope="session")
def library(questions: Path) -> Library:
    return load([questions])
