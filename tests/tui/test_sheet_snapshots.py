"""How what opens over a screen looks at 80x24 and 120x40: help, jump letters, commands, disputes; a library's weights; preview."""

import sys
from pathlib import Path

import pytest
from screen_text import Act, Picture, in_turn, shown, typed, until, wait_for
from sittings import at
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

sys.path.insert(0, str(Path(__file__).parents[1] / "bank"))
from sound_bank import BANK, LAB, REGISTRY

from quizapp.audit.library import Missing
from quizapp.bank.fault import Fault
from quizapp.bank.load import Library, load
from quizapp.model.audit import ItemAudit
from quizapp.model.score import CriterionScore, score_of
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.audited import AuditedScreen
from quizapp.tui.dispute import DisputeScreen
from quizapp.tui.help import HelpScreen
from quizapp.tui.jump import JumpScreen
from quizapp.tui.preview import PreviewApp

AUDITS = Path(__file__).parents[2] / "questions" / "audits"
FAULTS = [
    Fault(Path("lab.yaml"), 1, 1, "lab", "starter.py is missing from this folder (learners begin with it)", "write starter.py"),
    *(Fault(Path("bank.yaml"), line, 5, "unknown-key", "unknown key `stern`", "did you mean `stem`?") for line in range(7, 12)),
]
CRITERIA = {"reduction": 2, "counts": 1}
SAID = "The batch is the same. Somebody should look at the run again. It comes out wrong."


def test_help(picture: Picture, store: Store, still: Library) -> None:
    assert picture(QuizApp(store, still), HelpScreen, in_turn(wait_for("Welcome"), wait_for("rehearses", "f1")))


@pytest.mark.parametrize("step", ["pick-mean/main", "scale/main"], ids=["choice", "lab"])
def test_jump(picture: Picture, store: Store, still: Library, step: str) -> None:
    at(store, still, step)
    ready = wait_for("( ) C" if step == "pick-mean/main" else "Ctrl+S runs")
    app = QuizApp(store, still, start="study", bank="small")
    assert picture(app, JumpScreen, in_turn(ready, wait_for("Press a letter", "ctrl+o")))


def palette(query: str, last: str) -> Act:
    """Opens the palette, asks, and waits until all has been found; ``last``: the last thing that there is room for."""

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "Welcome")
        await pilot.press("ctrl+p")
        await pilot.pause()
        pilot.app.screen.query_one(Input).cursor_blink = False
        await typed(pilot, query)
        await until(pilot, last)
        before = ""
        while before != (before := shown(pilot.app)):
            await pilot.pause(0.3)

    return act


@pytest.mark.parametrize(("query", "last"), [("", "Mastery"), ("mean", "Item: Scale the loss")], ids=["all", "some"])
def test_commands(picture: Picture, store: Store, still: Library, query: str, last: str) -> None:
    assert picture(QuizApp(store, still), CommandPalette, palette(query, last))


@pytest.mark.parametrize("keys", [(), ("enter",)], ids=["which", "where"])
def test_dispute(picture: Picture, store: Store, still: Library, keys: tuple[str, ...]) -> None:
    missed = [{"id": name, "points": 0, "max_points": most, "met": "unmet", "reason": ""} for name, most in CRITERIA.items()]
    at(store, still, "why-worse/main").record(SAID, score_of([CriterionScore.model_validate(one) for one in missed]), 4)
    asked = in_turn(wait_for("Explanation"), wait_for("Which of these", "d"))
    act = in_turn(asked, wait_for("Where?", *keys)) if keys else asked
    assert picture(QuizApp(store, still, start="study", bank="small"), DisputeScreen, act)


@pytest.mark.parametrize("given", [False, True], ids=["before", "after"])
def test_audited(picture: Picture, store: Store, still: Library, monkeypatch: pytest.MonkeyPatch, given: bool) -> None:
    made = ("python -m venv transformers-4.45", "pip install transformers==4.45.2")
    missing = Missing("no environment has transformers 4.45.2", made)
    monkeypatch.setattr("quizapp.audit.library.look_for", lambda asked: missing)
    asked = ItemAudit.model_validate(
        {
            "record": "recorded/trainer-4.45.json",
            "steps": [1],
            "environment": "transformers-4.45",
            "requires": ["transformers==4.45.2", "accelerate==0.34.2"],
        }
    )

    async def act(pilot: Pilot[object]) -> None:
        await until(pilot, "Welcome")
        screen = AuditedScreen("three", "Three microbatches", asked, AUDITS / "bank.yaml", given, still.registry, {})
        await pilot.app.push_screen(screen)
        await wait_for("To make it")(pilot)

    assert picture(QuizApp(store, still), AuditedScreen, act)


@pytest.mark.parametrize(
    ("item", "act"),
    [
        ("pick", in_turn(wait_for("1 of 3"), wait_for("right.", "e"))),
        ("work", wait_for("2 of 3")),
    ],
    ids=["explained", "parts"],
)
def test_preview(picture: Picture, tmp_path: Path, item: str, act: Act) -> None:
    (tmp_path / "lab").mkdir()
    for name, text in {"lab/lab.yaml": LAB, "misconceptions.yaml": REGISTRY, "bank.yaml": BANK}.items():
        (tmp_path / name).write_text(text, "utf-8")
    app = PreviewApp(tmp_path, item, lambda: load([tmp_path]), lambda: FAULTS)
    assert picture(app, Screen, in_turn(act, wait_for("quizapp bank lint")))
