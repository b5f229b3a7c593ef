"""Over the built-in banks, the interviewer finds a misconception in its first four questions, and none where there is none."""

import importlib.util
import sys
from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.practice.interview_listen import Listener

FILE = Path(__file__).parents[2] / "benchmarks" / "interview.py"
EVERY = 9


@pytest.fixture(scope="module")
def library() -> Library:
    return load([builtin_folder()])


@pytest.fixture(scope="module")
def found(library: Library) -> dict[str, float]:
    spec = importlib.util.spec_from_file_location("interview_benchmark", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return dict(module.measure(library, list(module.candidates(library))[::EVERY], [0])[0])


def test_most_candidates_are_found_and_more_than_at_random(found: dict[str, float]) -> None:
    assert found["candidates"] > 10
    assert found["named_within_4"] >= 0.75
    assert found["named_within_4_own_bank"] >= 0.75
    assert found["named_within_4_own_bank"] > found["named_within_4_own_bank_random"] + 0.2


def test_nobody_is_told_what_they_do_not_think(found: dict[str, float]) -> None:
    assert found["falsely_named"] <= 0.1
    assert found["sound_candidates_named"] <= 0.1


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("The optimizer steps whatever happens, and DDP finds the right denominator for us.", "ddp-picks-the-denominator"),
        ("We compute the perplexity of every batch and take the mean of those.", "mean-of-exponentials"),
    ],
)
def test_an_answer_is_heard_with_the_whole_registry(library: Library, said: str, about: str) -> None:
    (heard,) = Listener(library, library.registry).heard(said)
    assert about in sorted(heard, key=lambda id_: -heard[id_])[:3]
    assert sum(heard.values()) < 1


def test_what_says_nothing_of_the_field_is_no_evidence(library: Library) -> None:
    assert Listener(library, library.registry).heard("Good morning! It is nice to be here. Shall we?") == ()
