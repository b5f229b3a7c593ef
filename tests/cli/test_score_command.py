"""``quizapp score`` from outside: JSON, exit codes, one line for every mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

QUIZAPP = [sys.executable, "-c", "from quizapp.cli.main import main; main()"]
BANK = """
id: test-means
title: Means for tests
description: A bank of the tests.
misconceptions:
  - {id: test-mean-of-means, title: the mean of means, computes: m, why: w, cure: c}
items:
  - kind: checkpoint
    id: test-pick
    topics: [means]
    difficulty: 1
    variables: {n: {value: [1, 3], range: [1, 9], distinct: true}}
    stem: "Counts {{ n[0] }} and {{ n[1] }}: how many in all?"
    explanation: "Add them: {{ sum(n) }}."
    choices:
      - {id: all, value: sum(n), key: true}
      - {id: mean, value: mean(n), misconception: test-mean-of-means, note: "that is half of {{ sum(n) }}"}
      - {id: first, text: the first one, misconception: test-mean-of-means}
  - kind: exercise
    id: test-parts
    topics: [means]
    difficulty: 2
    points: 7
    variables: {n: {value: [2, 4]}, S: {value: [6, 6]}}
    stem: Two ranks.
    explanation: The item's own explanation.
    parts:
      - id: number
        kind: numeric
        points: 1
        key: sum(S)/sum(n)
        wrong: [{value: mean(S/n), misconception: test-mean-of-means}]
        explanation: "It is {{ sum(S)/sum(n) }}."
      - id: formula
        kind: symbolic
        points: 2
        key: R*L_r/N
        symbols:
          R: {range: [2, 8], integer: true, meaning: ranks}
          N: {range: [1, 99], integer: true, meaning: tokens}
          L_r: {range: [1, 9], meaning: sum}
      - id: words
        kind: text
        points: 4
        stem: Why do the results differ?
        rubric:
          criteria:
            - id: denominators
              points: 3
              description: Says that the denominators differ.
              accept: [each rank divides by its own count, the denominators are different]
              follow_up: What does each rank divide by?
            - id: weights
              points: 1
              description: Says that tokens weigh differently.
              accept: [tokens on the sparse rank weigh more]
"""


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bank")
    (folder / "means.yaml").write_text(BANK, "utf-8")
    return folder


def run(bank: Path, *arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([*QUIZAPP, "score", *arguments, "--bank", str(bank)], capture_output=True, input=data, timeout=240)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def scored(bank: Path, *arguments: str, stdin: str = "") -> tuple[int, dict[str, Any]]:
    result = run(bank, *arguments, "--json", stdin=stdin)
    assert result.stderr == ""
    return result.returncode, json.loads(result.stdout)


def test_json_of_a_right_answer(bank: Path) -> None:
    code, score = scored(bank, "test-parts", "--part", "number", "--answer", "2")
    assert code == 0
    assert score == {
        "points": 1,
        "max_points": 1,
        "outcome": "right",
        "criteria": [{"id": "number", "points": 1, "max_points": 1, "met": "met", "evidence": [[0, 1]], "reason": "2 is right."}],
        "misconceptions": [],
    }


def test_json_of_a_wrong_number(bank: Path) -> None:
    code, score = scored(bank, "test-parts", "--part", "number", "--answer", "2.25")
    assert (code, score["points"], score["outcome"], score["misconceptions"]) == (1, 0, "wrong", ["test-mean-of-means"])
    assert "the mean of means" in score["criteria"][0]["reason"]


def test_json_of_a_partial_text(bank: Path) -> None:
    answer = "Each rank divides by its own count."
    code, score = scored(bank, "test-parts", "--part", "words", "--answer", answer)
    assert (code, score["points"], score["max_points"], score["outcome"]) == (1, 3, 4, "partial")
    assert [c["met"] for c in score["criteria"]] == ["met", "unmet"]
    assert all(0 <= start < end <= len(answer) for start, end in score["criteria"][0]["evidence"])
    assert "follow_up" not in score, "the missing criterion has none"
    assert (
        scored(bank, "test-parts", "--part", "words", "--answer", "No idea at all.")[1]["follow_up"]
        == "What does each rank divide by?"
    )


@pytest.mark.parametrize(
    ("answer", "code"),
    [("4", 0), ("all", 0), ("A", 0), ("a)", 0), ("2", 1), ("mean", 1), ("the first one", 1), ("C", 1), ("1", 2), ("D", 2)],
)
def test_a_choice_by_id_value_text_and_letter(bank: Path, answer: str, code: int) -> None:
    result = run(bank, "test-pick", "--answer", answer)
    assert result.returncode == code
    if code == 2:
        assert "[all]" in result.stderr


def test_a_seed_draws_another_variant(bank: Path) -> None:
    ids = {seed: scored(bank, "test-pick", "--answer", "all", "--seed", str(seed))[0] for seed in (1, 2)}
    assert ids == {1: 0, 2: 0}, "the id of the key is right in every variant"
    notes = {scored(bank, "test-pick", "--answer", "mean", "--seed", str(seed))[1]["criteria"][0]["reason"] for seed in range(1, 6)}
    assert len(notes) > 1
    assert all("half of" in note and "{{" not in note for note in notes)


@pytest.mark.parametrize("answer", ["R L_r / N", "(R/N)·L_r", "-(-R)*L_r/N"])
def test_a_derivation_and_answers_that_begin_with_a_hyphen(bank: Path, answer: str) -> None:
    assert scored(bank, "test-parts", "--part", "formula", "--answer", answer)[0] == 0


def test_a_negative_number(bank: Path) -> None:
    code, score = scored(bank, "test-parts", "--part", "number", "--answer", "-2")
    assert (code, score["points"]) == (1, 0)


def test_standard_input(bank: Path) -> None:
    assert scored(bank, "test-parts", "--part", "formula", "--answer", "-", stdin="R*L_r/N\n")[0] == 0
    result = run(bank, "test-parts", "--part", "words", "--answer", "-", stdin=b"\xff\xfe\xff")
    assert (result.returncode, result.stdout) == (2, "")
    assert "UTF-8" in result.stderr


def test_people_read_points_reasons_titles_and_the_explanation(bank: Path) -> None:
    result = run(bank, "test-parts", "--part", "number", "--answer", "2.25")
    assert result.returncode == 1
    assert "0 of 1 point: wrong" in result.stdout
    assert "the mean of means [test-mean-of-means]" in result.stdout
    assert "It is 2." in result.stdout
    words = run(bank, "test-parts", "--part", "words", "--answer", "No idea at all.").stdout
    assert "Says that the denominators differ." in words
    assert "Next question: What does each rank divide by?" in words
    assert "The item's own explanation." in words


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no-such-item", "--answer", "1"), "no item 'no-such-item'"),
        (("test-pic", "--answer", "1"), "did you mean 'test-pick'?"),
        (("test-parts", "--answer", "1"), "number, formula, words"),
        (("test-parts", "--part", "nope", "--answer", "1"), "number, formula, words"),
        (("test-parts", "--part", "number", "--answer", "1,5"), "(1.5)"),
        (("test-parts", "--part", "number", "--answer", "nan"), "finite"),
        (("test-parts", "--part", "number", "--answer", ""), "Give a number"),
        (("test-parts", "--part", "formula", "--answer", "foo"), "known are L_r, N, R"),
        (("test-parts", "--part", "formula", "--answer", "L_r/(R-R)"), "no value"),
        (("test-parts", "--part", "number"), "--answer"),
        (("test-parts", "--part", "number", "--answer", "2", "--seed", "x"), "seed"),
    ],
)
def test_a_mistake_is_one_line_and_code_2(bank: Path, arguments: tuple[str, ...], said: str) -> None:
    for extra in ((), ("--json",)):
        result = run(bank, *arguments, *extra)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.count("\n") == 1
        assert said in result.stderr
        assert "Traceback" not in result.stderr


def test_code_goes_to_submit(bank: Path) -> None:
    result = run(bank, "scale-local-loss", "--answer", "print()")
    assert result.returncode == 2
    assert "quizapp submit scale-local-loss FILE" in result.stderr


def test_an_answer_that_is_not_unicode_is_no_traceback(bank: Path) -> None:
    command = [*QUIZAPP, "score", "test-parts", "--part", "words", "--json", "--bank", str(bank), "--answer"]
    result = subprocess.run(
        [*map(str.encode, command), b"each rank \xff divides by its own count"], capture_output=True, timeout=240
    )
    assert result.returncode == 1
    assert json.loads(result.stdout)["points"] == 3
