"""Fixtures that write the sound bank, or a damaged copy of it, into a folder of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sound_bank import BANK, LAB, REGISTRY

Damage = Callable[[str, str, str], tuple[Path, tuple[int, int]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a sound registry, bank and lab."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "lab.yaml").write_text(LAB, "utf-8")
    (tmp_path / "misconceptions.yaml").write_text(REGISTRY, "utf-8")
    (tmp_path / "bank.yaml").write_text(BANK, "utf-8")
    return tmp_path


@pytest.fixture
def damage(folder: Path) -> Damage:
    """Writes a file with one snippet replaced; the mark « in the new text says where a fault is wanted, and isn't written."""

    def write(name: str, old: str, new: str) -> tuple[Path, tuple[int, int]]:
        file = folder / name
        text = file.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        text = text.replace(old, new)
        before, mark, after = text.partition("«")
        assert mark
        file.write_text(before + after, "utf-8")
        return file, (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)

    return write
