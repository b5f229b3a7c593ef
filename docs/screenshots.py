"""Takes README's pictures anew: ``python docs/screenshots.py [FOLDER]`` works in the app and keeps its screens as SVG beside this.

Nothing in them is drawn by hand: the banks, the ranks, the scores and the verdicts are real. Only who answered is made up, in
:func:`weeks`. Needs torch (the extra ``local``).
"""

import asyncio
import random
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from textual.pilot import Pilot

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import Library, load
from quizapp.model.question import ChoicePart, NumericPart
from quizapp.practice.study import Study
from quizapp.store.record import DraftKey
from quizapp.store.store import Store
from quizapp.tui.app import QuizApp
from quizapp.tui.confidence import Confidence
from quizapp.tui.verdict import VerdictScreen

COLUMNS = 100
LAB = "scale-local-loss"
QUESTION = "zero-token-rank"
PATIENCE = 120.0
"""Seconds for a screen to come."""
BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)

Act = Callable[["Pilot[None]"], Awaitable[None]]


def still(svg: str) -> str:
    """Without the fonts that textual's export would fetch from the network, and without spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL).splitlines()) + "\n"


async def taken(app: QuizApp, act: Act, rows: int) -> str:
    """The app's screen as SVG after some work in it. Raises ``TimeoutError`` where what was waited for never came."""
    async with app.run_test(size=(COLUMNS, rows)) as pilot, asyncio.timeout(PATIENCE):
        await pilot.pause(1)
        await act(pilot)
        await pilot.pause(1)
        return app.export_screenshot(title="quizapp")


async def look(pilot: "Pilot[None]") -> None:
    """At a question whose answer is marked and not given yet."""
    await pilot.press("down", "c")


async def judge(pilot: "Pilot[None]") -> None:
    """Runs the program that stands in the editor."""
    await pilot.press("ctrl+s")
    while not isinstance(pilot.app.screen, VerdictScreen):
        await pilot.pause(0.2)
        if pilot.app.screen.query(Confidence):
            await pilot.press("4")


async def progress(pilot: "Pilot[None]") -> None:
    """At confidence against outcome."""
    await pilot.press("p", "4")


def weeks(store: Store, library: Library) -> None:
    """Three weeks of somebody's answers, more often right when they are sure, and a little too sure."""
    dice, moment = random.Random(7), BEGAN
    store.clock = lambda: moment
    for loaded in library.items.values():
        for part in loaded.item.parts:
            if dice.random() < 0.35 or not isinstance(part, ChoicePart | NumericPart):
                continue
            moment += timedelta(hours=dice.choice((1, 1, 2, 9)))
            study = Study(store, library, loaded.bank_id, loaded.item.id)
            study.go([step.part.id if step.part is not None else "" for step in study.steps].index(part.id))
            asked, confidence = study.asked(), dice.randint(1, 5)
            right = dice.random() < 0.25 + 0.12 * confidence
            if isinstance(part, ChoicePart):
                chosen = [choice.id for choice in asked.choices if choice.key == right]
                answer = ",".join(chosen if len(part.keys) > 1 else chosen[:1])
            else:
                answer = part.key if right and not asked.variant.values else "1"
            study.record(answer, study.grade(answer), confidence, dice.uniform(8, 90))
            study.finish()


def pictures(target: Path, folder: Path) -> None:
    """Writes each picture to ``target``; ``folder`` holds the made-up learners' files."""
    library = load([builtin_folder()])
    lab = library.items[LAB]
    programs = {"app": "wrong/mean-of-rank-means.py", "deadlock": "wrong/rank-left-out.py"}
    for name, program in programs.items():
        source = next(builtin_folder().rglob(f"{LAB}/{program}")).read_text("utf-8")
        with Store(folder / f"{name}.sqlite3") as store:
            store.save_draft(DraftKey("study", LAB, lab.item.parts[0].id), source)
            keep(
                QuizApp(store, library, start="study", bank=lab.bank_id, item=LAB, backend="local"),
                judge,
                target / f"{name}.svg",
                38,
            )
    with Store(folder / "question.sqlite3") as store:
        bank = library.items[QUESTION].bank_id
        keep(QuizApp(store, library, start="study", bank=bank, item=QUESTION), look, target / "question.svg", 18)
    with Store(folder / "progress.sqlite3") as store:
        weeks(store, library)
        keep(QuizApp(store, library), progress, target / "progress.svg", 28)


def keep(app: QuizApp, act: Act, file: Path, rows: int) -> None:
    try:
        file.write_text(still(asyncio.run(taken(app, act, rows))), "utf-8")
    finally:
        app.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        pictures(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent, Path(name))
