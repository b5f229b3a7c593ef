"""The author's preview: what a learner sees, variants, explanations, and what a save changes."""

import sys
from pathlib import Path

import pytest
from screen_text import shown, until, until_holds

sys.path.insert(0, str(Path(__file__).parents[1] / "bank"))
from sound_bank import BANK, LAB, REGISTRY

from quizapp.authoring.lint import lint
from quizapp.bank.load import load
from quizapp.tui.preview import PreviewApp


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("quizapp.tui.preview.LOOK_SECONDS", 0.05)
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.yaml").write_text(LAB, "utf-8")
    (tmp_path / "misconceptions.yaml").write_text(REGISTRY, "utf-8")
    (tmp_path / "bank.yaml").write_text(BANK, "utf-8")
    return tmp_path


def preview(folder: Path, item: str | None = None) -> PreviewApp:
    return PreviewApp(folder, item, lambda: load([folder]), lambda: lint([folder], []))


async def test_an_item_its_variants_and_what_comes_after_the_answer(folder: Path) -> None:
    async with preview(folder).run_test(size=(100, 40)) as pilot:
        text = await until(pilot, "What is the mean of 6, 6 over 2, 4?")
        assert "1 of 3 · the bank's own values" in text
        assert "A  2" in text
        assert "is right" not in text
        await pilot.press("e")
        assert "mean-of-means" in await until(pilot, "It is 2.")
        await pilot.press("right")
        text = await until(pilot, "variant of seed 0")
        assert "of 6, 6 over 2, 4" not in text
        await pilot.press("left")
        await until(pilot, "of 6, 6 over 2, 4")


async def test_every_kind_of_part_and_the_item_asked_for(folder: Path) -> None:
    async with preview(folder, "work").run_test(size=(100, 60)) as pilot:
        text = await until(pilot, "2 of 3")
        for words in ("part 1 of 4 · numeric", "part 2 of 4 · symbolic", "part 3 of 4 · text · 2 points", "its lab is lab"):
            assert words in text
        await pilot.press("e")
        await until(pilot, "R/N")
        await pilot.press("n")
        await until(pilot, "3 of 3")
        await pilot.press("n")
        await until(pilot, "1 of 3")


async def test_a_save_is_shown_and_a_fault_leaves_what_was_there(folder: Path) -> None:
    async with preview(folder, "talk").run_test(size=(120, 40)) as pilot:
        await until(pilot, "Why?")
        (folder / "bank.yaml").write_text(BANK.replace("stem: Why?", "stem: Why on earth?"), "utf-8")
        assert "3 of 3" in await until(pilot, "Why on earth?")
        (folder / "bank.yaml").write_text(BANK.replace("stem: Why?", "stem: [Why?"), "utf-8")
        await until(pilot, "not valid YAML")
        await until(pilot, "Why on earth?")
        (folder / "bank.yaml").write_text(BANK, "utf-8")
        await until_holds(pilot, lambda: "Why on earth?" not in shown(pilot.app) and "Why?" in shown(pilot.app))
        assert "not valid YAML" not in shown(pilot.app)
