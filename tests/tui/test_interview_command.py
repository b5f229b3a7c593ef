"""``quizapp interview``: what its options mean, what is told of wrong ones, and the last interview as a file."""

from pathlib import Path

import pytest

from quizapp.bank.load import Library
from quizapp.cli.interview import chosen, with_next_seed, write_last
from quizapp.cli.problem import Problem
from quizapp.practice.interview import Interview
from quizapp.practice.interview_plan import Setup
from quizapp.store.store import Store

NOTHING = {"minutes": None, "role": None, "topics": (), "seed": None, "limit": None, "lab": True}


def options(**given: object) -> dict[str, object]:
    return {**NOTHING, **given}


def test_without_options_the_learner_chooses(library: Library) -> None:
    assert chosen(library, None, **options()) is None  # type: ignore[arg-type]
    assert chosen(library, "small", **options()) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "setup"),
    [
        ({"minutes": 60}, Setup("small", 60)),
        ({"role": "training"}, Setup("small", role="training")),
        ({"topics": ("averages",)}, Setup("small", topics=("averages",))),
        ({"seed": 4, "limit": 2}, Setup("small", seed=4, limit=2)),
        ({"lab": False}, Setup("small", lab=False)),
    ],
)
def test_any_option_begins_at_once(library: Library, given: dict[str, object], setup: Setup) -> None:
    assert chosen(library, "small", **options(**given)) == setup  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"minutes": 20}, "15, 35 or 60"),
        ({"role": "king"}, "roles are: any, training"),
        ({"topics": ("cooking",)}, "topics are: averages"),
        ({"limit": -1}, "0 for none"),
    ],
)
def test_a_wrong_option_is_told_in_one_line(library: Library, given: dict[str, object], words: str) -> None:
    with pytest.raises(Problem, match=words) as told:
        chosen(library, "small", **options(**given))  # type: ignore[arg-type]
    assert "\n" not in str(told.value)


def test_the_next_interview_has_another_seed(library: Library, store: Store) -> None:
    assert with_next_seed(Setup(), store).seed == 1
    Interview.start(store, library, Setup(seed=6)).answer("well")
    assert with_next_seed(Setup(), store).seed == 7


@pytest.mark.parametrize("ending", [".md", ".html"])
def test_the_last_interview_as_a_file(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    file = tmp_path / f"last{ending}"
    with pytest.raises(Problem, match="no interview"):
        write_last(file, library)
    with Store(tmp_path / "progress.sqlite3") as store:
        Interview.start(store, library, Setup("small")).answer("I add sums and counts & divide once")
    assert write_last(file, library) == 0
    assert "divide once" in file.read_text()
    with pytest.raises(Problem, match="name a place to write to"):
        write_last(tmp_path / "no" / f"last{ending}", library)
    with pytest.raises(Problem, match=r"\.md or \.html"):
        write_last(tmp_path / "last.txt", library)
    file.write_text("notes of my own")
    with pytest.raises(Problem, match="there already; name another, or add --force"):
        write_last(file, library)
    assert file.read_text() == "notes of my own"
    assert write_last(file, library, force=True) == 0
    assert "divide once" in file.read_text()
