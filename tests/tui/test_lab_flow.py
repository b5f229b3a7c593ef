"""The lab with the real judge: pass, wrong with its weights, a file that doesn't parse, stopping, $EDITOR's leftovers."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from screen_text import shown, until, until_holds

from quizapp.bank.load import Library, LoadedItem, load
from quizapp.store.record import DraftKey
from quizapp.store.store import Store
from quizapp.tui import external_editor
from quizapp.tui.app import QuizApp
from quizapp.tui.code_editor import CodeEditor
from quizapp.tui.lab import LabScreen

pytest.importorskip("torch", reason="submissions run on the local backend, which needs torch")

BANKS = Path(__file__).parent / "banks"
SOLUTION = (BANKS / "labs" / "scale" / "solution.py").read_text()
KEY = DraftKey("study", "scale", "main")
SLEEP = "import time\n\n\ndef scale_loss(token_losses, mask):\n    time.sleep(600)\n"
SIZE = (80, 24)


@pytest.fixture
def lab(store: Store, library: Library) -> Iterator[QuizApp]:
    app = QuizApp(store, library, start="study", bank="small", item="scale", backend="local")
    yield app
    if app._bench is not None:
        app._bench.close()


async def test_the_starting_code_is_wrong_and_the_solution_passes(lab: QuizApp, store: Store) -> None:
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "Ctrl+S runs your code")
        await pilot.press("ctrl+s")
        await until(pilot, "Esc stops")
        text = await until(pilot, "Scale the loss · verdict")
        assert "✗ wrong · 0 of 2 points" in text
        assert "The mean of per-rank means" in text
        await pilot.press(*["down"] * 8)
        text = await until(pilot, "x wanted")
        assert "█" in text
        await pilot.press("escape")
        await until(pilot, "Last verdict: ✗ wrong")
        editor = pilot.app.screen.query_one(CodeEditor)
        editor.replace(SOLUTION, editor.document.start, editor.document.end)
        await pilot.press("ctrl+s")
        await until(pilot, "✓ pass · 2 of 2 points")
        assert [attempt.outcome for attempt in store.attempts()] == ["wrong", "pass"]
        assert store.attempts()[1].text == SOLUTION
        await pilot.press("escape")
        await until(pilot, "Last verdict: ✓ pass")
        await pilot.press("f9")
        text = await until(pilot, "attempts")
        assert text.index("✓ pass") < text.index("✗ wrong")
        assert "+" in text
        await pilot.press("down")
        await until(pilot, "nothing changed")  # the first run was of the starting code
        await pilot.press("enter")
        await until(pilot, "✗ wrong · 0 of 2 points")
        await pilot.press("escape")
        await until(pilot, "Last verdict: ✓ pass")
        await pilot.press("f5")
        await until(pilot, "Scale the loss · solution")
        await pilot.press("escape", "f7")
        await until(pilot, "✓ pass · 2 of 2 points")
        await pilot.press("n")
        await until(pilot, "This sitting: 2 of 2 points")


async def test_solutions_are_shown_to_those_who_give_up(lab: QuizApp) -> None:
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "Ctrl+S runs your code")
        await pilot.press("f5")
        text = await until(pilot, "Press F5 again")
        assert "Scale the loss · solution" not in text
        await pilot.press("f5")
        await until(pilot, "Scale the loss · solution")
        await pilot.press("right")
        await pilot.press("f1")
        await until(pilot, "End and Home go to the ends of a line")
        await pilot.press("escape", "escape")
        await until(pilot, "Ctrl+S")


async def test_a_file_that_does_not_parse(lab: QuizApp, store: Store) -> None:
    store.save_draft(KEY, "def scale_loss(token_losses, mask)\n    return 0\n")
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "Ctrl+S runs your code")
        await pilot.press("ctrl+s")
        text = await until(pilot, "✗ error · 0 of 2 points")
        assert "line 1" in text
        assert "Not run" in text
        assert "Ran on" not in text
        assert "raised" not in text
        await pilot.press("escape")
        await until(pilot, "Last verdict: ✗ error")
        await pilot.press("f7")
        await until(pilot, "✗ error · 0 of 2 points")


async def test_a_run_is_stopped_and_the_screen_lives_meanwhile(lab: QuizApp, store: Store) -> None:
    store.save_draft(KEY, SLEEP)
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "Ctrl+S runs your code")
        await pilot.press("ctrl+s")
        await until(pilot, "Running")
        await pilot.press("f1")
        await until(pilot, "The lab.")
        await pilot.press("escape")
        await until(pilot, "Esc stops")
        await pilot.press("escape")
        await until(pilot, "Stopped. Your code is as it was.")
        assert store.attempts() == []
        assert store.draft(KEY) == SLEEP
        assert isinstance(pilot.app.screen, LabScreen)
        await pilot.press("escape")
        await until(pilot, "Welcome")


async def test_leaving_stops_the_run(lab: QuizApp, store: Store) -> None:
    store.save_draft(KEY, SLEEP)
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "Ctrl+S runs your code")
        screen = pilot.app.screen
        assert isinstance(screen, LabScreen)
        await pilot.press("ctrl+s")
        await until(pilot, "Running")
        cancel = screen.cancel
        assert cancel is not None
        await pilot.press("f4")
        await until(pilot, "This sitting")
        assert cancel.is_set()


async def test_typing_is_kept_and_enter_indents(lab: QuizApp, store: Store) -> None:
    store.save_draft(KEY, "def scale_loss(token_losses, mask):")
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "def scale_loss")
        await pilot.press("end", "enter", "x", "enter", "y")
        await until_holds(pilot, lambda: store.draft(KEY) == "def scale_loss(token_losses, mask):\n    x\n    y")
        await pilot.press("f8")
        await until(pilot, "Scale the local loss")
        await pilot.press("f6")
        await until(pilot, "Scale the local loss")
        assert "DDP averages gradients" not in shown(pilot.app)


async def test_both_ends_of_the_file_are_one_key_away(lab: QuizApp) -> None:
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "Ctrl+S runs your code")
        editor = pilot.app.screen.query_one(CodeEditor)
        await pilot.press("ctrl+end")
        assert editor.cursor_location == editor.document.end > (0, 0)
        await pilot.press("ctrl+home")
        assert editor.cursor_location == (0, 0)


async def test_a_bank_from_elsewhere_asks_before_its_python_runs(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "banks"
    for file in BANKS.rglob("*"):
        if file.is_file():
            target = folder / file.relative_to(BANKS)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    (folder / "labs" / "scale" / "oracle.py").write_text("# nothing beyond the formulas\n")
    app = QuizApp(store, load([folder]), start="study", bank="small", item="scale", backend="local")
    try:
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, "Ctrl+S runs your code")
            await pilot.press("ctrl+s")
            text = await until(pilot, "Press Ctrl+S again to agree.")
            assert "oracle.py" in text
            assert store.attempts() == []
            await pilot.press("ctrl+s")
            await until(pilot, "Running")
            await pilot.press("escape")
            await until(pilot, "Ctrl+S")
    finally:
        if app._bench is not None:
            app._bench.close()


async def test_a_lab_with_faults_is_told_and_never_run(store: Store, library: Library, tmp_path: Path) -> None:
    (tmp_path / "labs" / "scale").mkdir(parents=True)
    (tmp_path / "labs" / "scale" / "lab.yaml").write_text("entry: scale_loss\nsignatur: x\n")
    items = dict(library.items)
    loaded = items["scale"]
    items["scale"] = LoadedItem(loaded.item, loaded.bank_id, tmp_path / "small.yaml", loaded.line, loaded.hash)
    app = QuizApp(store, dataclasses.replace(library, items=items), start="study", bank="small", item="scale")
    async with app.run_test(size=SIZE) as pilot:
        text = await until(pilot, "This lab can't be used")
        assert "lab.yaml:1:1" in "".join(text.split())
        await pilot.press("ctrl+s")
        await pilot.pause(0.1)
        assert "Running" not in shown(pilot.app)


async def test_what_a_crash_left_in_the_editor_is_taken_up(lab: QuizApp, store: Store) -> None:
    left = external_editor.edited_file(store.path.parent, "scale", "main")
    left.parent.mkdir(parents=True)
    left.write_text("# written in another editor\n")
    async with lab.run_test(size=SIZE) as pilot:
        await until(pilot, "# written in another editor")
        assert store.draft(KEY) == "# written in another editor\n"
        assert not left.exists()


def test_the_editor_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", "sh -c 'printf edited >> \"$0\"'")
    file = external_editor.edited_file(tmp_path, "scale", "main")
    assert external_editor.edit(file, "text ") == "text edited"
    external_editor.taken(file)
    assert external_editor.left_behind(file) is None
    monkeypatch.setenv("EDITOR", "false")
    with pytest.raises(external_editor.EditorError, match="your text is as it was"):
        external_editor.edit(file, "text")
    monkeypatch.setenv("EDITOR", "no-such-editor-at-all")
    with pytest.raises(external_editor.EditorError, match="no editor 'no-such-editor-at-all'"):
        external_editor.edit(file, "text")


def test_an_editor_command_that_does_not_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vim 'unclosed")
    with pytest.raises(external_editor.EditorError, match="VISUAL"):
        external_editor.command()


async def test_the_first_run_of_a_sitting_is_rated_before(store: Store, library: Library) -> None:
    loaded = library.items["scale"]
    item = loaded.item.model_copy(update={"confidence": True})
    items = dict(library.items) | {"scale": LoadedItem(item, loaded.bank_id, loaded.file, loaded.line, loaded.hash)}
    app = QuizApp(store, dataclasses.replace(library, items=items), start="study", bank="small", item="scale", backend="local")
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, "Ctrl+S runs your code")
        await pilot.press("ctrl+s")
        await until(pilot, "How sure are you?")
        await pilot.press("escape")
        await until(pilot, "Ctrl+S runs your code on several ranks")
        assert "How sure" not in shown(app)
        await pilot.press("ctrl+s")
        await until(pilot, "How sure are you?")
        assert store.attempts() == []
        await pilot.press("4")
        await until(pilot, "Scale the loss · verdict")
        (attempt,) = store.attempts()
        assert (attempt.confidence, attempt.outcome) == (4, "wrong")
        assert attempt.seconds is not None
        await pilot.press("escape")
        await until(pilot, "Last verdict: ✗ wrong")
        await pilot.press("ctrl+s")
        await until(pilot, "Scale the loss · verdict")
        assert [one.confidence for one in store.attempts()] == [4, None]
    if app._bench is not None:
        app._bench.close()
