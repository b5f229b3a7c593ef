"""How the lab, its verdicts, its attempts and its solutions look at 80x24 and 120x40."""

import dataclasses
from datetime import timedelta
from types import SimpleNamespace

import pytest
from judged import parted, passed, replicas, verdict
from screen_text import Picture, in_turn, wait_for
from sittings import MOMENT, at

from quizapp.bank.load import Library, LoadedItem
from quizapp.model.verdict import Verdict
from quizapp.practice.study import Study
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.attempts import AttemptsScreen
from quizapp.tui.lab import LabScreen, Noticed
from quizapp.tui.solutions import SolutionsScreen
from quizapp.tui.verdict import VerdictScreen

SCALED = "scaled = token_losses[mask].sum() / mask.sum()"


@pytest.fixture
def study(store: Store, still: Library) -> Study:
    return at(store, still, "scale/main")


@pytest.fixture
def lab(study: Study, store: Store, still: Library) -> QuizApp:
    return QuizApp(store, still, start="study", bank="small")


def program(study: Study, name: str) -> str:
    return (study.asked().loaded.file.parent / "labs" / "scale" / f"{name}.py").read_text("utf-8")


def test_without_a_sandbox(picture: Picture, lab: QuizApp) -> None:
    async def notice(pilot: object) -> None:
        lab.screen.post_message(Noticed("Your code will run with your own rights."))

    act = in_turn(wait_for("Scale the local loss"), notice, wait_for("your own rights"))
    assert picture(lab, LabScreen, act)


def test_running(picture: Picture, lab: QuizApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LabScreen, "_judge", lambda self, source, cancel: None)
    monkeypatch.setattr("quizapp.tui.lab.time", SimpleNamespace(monotonic=lambda: 0.0))
    assert picture(lab, LabScreen, in_turn(wait_for("Ctrl+S runs"), wait_for("Esc stops", "ctrl+s")))


@pytest.mark.parametrize(
    ("keys", "words"),
    [(("f6",), "A rank may have"), (("f5",), "Press F5 again"), (("ctrl+e",), "edit here")],
    ids=["editor-alone", "giving-up", "no-other-editor"],
)
def test_a_key(picture: Picture, lab: QuizApp, keys: tuple[str, ...], words: str) -> None:
    assert picture(lab, LabScreen, in_turn(wait_for("Ctrl+S runs"), wait_for(words, *keys)))


def test_how_sure(picture: Picture, study: Study, store: Store, still: Library) -> None:
    loaded = still.items["scale"]
    item = loaded.item.model_copy(update={"confidence": True})
    items = dict(still.items) | {"scale": LoadedItem(item, loaded.bank_id, loaded.file, loaded.line, loaded.hash)}
    app = QuizApp(store, dataclasses.replace(still, items=items), start="study", bank="small", item="scale")
    assert picture(app, LabScreen, in_turn(wait_for("Ctrl+S runs"), wait_for("How sure", "ctrl+s")))


def test_after_a_verdict(picture: Picture, lab: QuizApp, study: Study) -> None:
    study.record_code(program(study, "starter"), verdict())
    assert picture(lab, LabScreen, wait_for("F7 shows it"))


@pytest.mark.parametrize("judged", [verdict(), replicas(), parted(), passed()], ids=["weights", "replicas", "ranks", "pass"])
def test_verdict(picture: Picture, lab: QuizApp, study: Study, judged: Verdict) -> None:
    study.record_code(program(study, "solution"), judged)
    assert picture(lab, VerdictScreen, in_turn(wait_for("F7 shows it"), wait_for("· verdict", "f7")))


def test_the_end_of_a_verdict(picture: Picture, lab: QuizApp, study: Study) -> None:
    study.record_code(program(study, "solution"), verdict())
    act = in_turn(wait_for("F7 shows it"), wait_for("· verdict", "f7"), wait_for("seed 7", "end"))
    assert picture(lab, VerdictScreen, act)


def test_attempts(picture: Picture, lab: QuizApp, store: Store, study: Study) -> None:
    first = program(study, "starter")
    runs = [(first, verdict()), (first.replace("return 0", f"{SCALED}\n    return scaled"), parted())]
    for minutes, (source, judged) in enumerate([*runs, (program(study, "solution"), passed())]):
        store.clock = lambda minutes=minutes: MOMENT + timedelta(minutes=3 * minutes)
        study.record_code(source, judged)
    act = in_turn(wait_for("F7 shows it"), wait_for("@@", "f9"))
    assert picture(lab, AttemptsScreen, act)


def test_solution(picture: Picture, lab: QuizApp) -> None:
    act = in_turn(wait_for("Ctrl+S runs"), wait_for("Press F5 again", "f5"), wait_for("· solution", "f5"))
    assert picture(lab, SolutionsScreen, act)
