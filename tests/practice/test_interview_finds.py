"""Over the built-in banks, the interviewer finds a misconception in its first four questions, and none where there is none."""

import importlib.util
import sys
from pathlib import Path

import pytest

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.practice.interview import Interview
from quizapp.practice.interview_debrief import debrief
from quizapp.practice.interview_listen import Listener
from quizapp.practice.interview_plan import Setup
from quizapp.store.store import Store

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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("bank", "said"),
    [
        (None, "I like bananas and long walks on the beach."),
        (
            "ddp-contract",
            "I sum losses, divide by the global number of valid tokens and compare gradients with those of one process.",
        ),
        ("intended-average", "I all-reduce the token count and divide the summed loss by it, times the world size."),
    ],
)
def test_an_opening_alone_accuses_nobody(library: Library, tmp_path: Path, bank: str | None, said: str, seed: int) -> None:
    with Store(tmp_path / "progress.sqlite3") as store:
        interview = Interview.start(store, library, Setup(bank=bank, minutes=15, seed=seed))
        interview.answer(said)
        found = debrief(interview)
    assert not found.suspected
    assert not found.study_next


@pytest.mark.parametrize("seed", range(6))
def test_a_short_interview_has_a_question_to_be_answered_in_words(library: Library, tmp_path: Path, seed: int) -> None:
    with Store(tmp_path / "progress.sqlite3") as store:
        interview = Interview.start(store, library, Setup(minutes=15, seed=seed))
        kinds = []
        while (question := interview.question) is not None:
            kinds.append(question.kind)
            if question.choices:
                interview.answer(next((choice.id for choice in question.choices if choice.misconception), "no"))
            else:
                interview.answer("The mean of the rank means is the mean over all tokens." if question.heard else "7")
    assert {"probe", "words"} & set(kinds)
