"""``quizapp report`` at the door: what it says of a folder that it can't write to, before it reads any results."""

import os
from pathlib import Path

import pytest

from quizapp.cli.problem import Problem
from quizapp.cli.report import report


@pytest.mark.parametrize("name", ["x" * 300, "f/../" + "y" * 5000], ids=["name", "path"])
def test_a_folder_whose_name_is_too_long_is_told_in_a_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(Problem, match="name too long; name a place to write to"):
        report(tmp_path / "r.jsonl", out=tmp_path / name)


def test_a_folder_that_cannot_be_looked_at_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = Path.stat

    def stat(path: Path, **how: bool) -> os.stat_result:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied")
        return looked_at(path, **how)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(Problem, match="permission denied; name a place to write to"):
        report(tmp_path / "r.jsonl", out=tmp_path / "closed" / "out")
