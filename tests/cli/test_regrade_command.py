"""``quizapp regrade``, ``quizapp review`` and ``quizapp bank calibrate`` at the door: what they print, and how they end."""

import json
from pathlib import Path

import pytest

from quizapp.cli.main import run
from quizapp.cli.problem import Problem
from quizapp.model.score import CriterionScore, score_of
from quizapp.store.record import Answer
from quizapp.store.store import Store


@pytest.fixture
def attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("QUIZAPP_HOME", str(tmp_path))
    score = score_of((CriterionScore(id="reduction", points=0, max_points=3, met="unsure", reason="It comes near."),))
    with Store(tmp_path / "progress.sqlite3") as store:
        answer = Answer(None, "intended-average", "why-gpus-change-loss", "main", None, "Some words.", "hash", "old", score=score)
        return store.add(answer).id


def test_a_dry_run_lists_and_stores_nothing(attempt: int, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["regrade", "--dry-run", "--json"], ["regrade", "--json"], ["regrade", "--json"]):
        assert run(command) == 0
    first, second, third = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["stored"], second["stored"]) == (False, True)
    assert [change["attempt"] for change in first["changes"]] == [attempt]
    assert first["changes"] == second["changes"]
    assert (third["changes"], third["current"]) == ([], 1)
    assert run(["regrade", "--dry-run"]) == 0
    assert "1 answer: 0 would change" in capsys.readouterr().out


def test_a_ruling_takes_an_answer_out_of_the_queue(attempt: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["review"]) == 0
    assert f"{attempt}  why-gpus-change-loss/main  reduction (3 points): unsure" in capsys.readouterr().out
    assert run(["review", "rule", str(attempt), "reduction", "met", "--note", "said so", "--by", "Ada"]) == 0
    assert "stands at 3 of 3 points" in capsys.readouterr().out
    assert run(["review", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"waiting": []}


def test_what_is_not_there_is_said(attempt: int, tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no written answer 99"):
        run(["review", "rule", "99", "reduction", "met"])
    with pytest.raises(Problem, match="its criteria: reduction"):
        run(["review", "rule", str(attempt), "nothing", "met"])
    file = tmp_path / "marked.jsonl"
    file.write_text('{"text": "a"}\n')
    with pytest.raises(Problem, match=r"marked\.jsonl:1: not a marked answer"):
        run(["bank", "calibrate", "why-gpus-change-loss", str(file)])
    with pytest.raises(Problem, match="two-rank-mean has no part that is answered in words"):
        run(["bank", "calibrate", "two-rank-mean", str(file)])
    with pytest.raises(Problem, match="can't be read"):
        run(["bank", "calibrate", "why-gpus-change-loss", str(tmp_path / "none")])
