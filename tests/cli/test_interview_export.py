"""``quizapp interview --export`` at the door: what it says where the interview can't be written."""

from pathlib import Path
from typing import Any

import pytest

from quizapp.bank.load import load
from quizapp.cli.interview import write_last
from quizapp.cli.problem import Problem


def gone(*_: Any) -> Any:
    raise LookupError("there is no question on these topics; choose others")


def test_an_interview_whose_bank_is_gone_says_what_to_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    monkeypatch.setattr("quizapp.practice.interview.last_session", lambda store: store)
    monkeypatch.setattr("quizapp.practice.interview.Interview", gone)
    with pytest.raises(Problem, match=r"in no bank that is known here.*--bank FOLDER") as caught:
        write_last(tmp_path / "last.md", load([]))
    assert "choose others" not in str(caught.value)
