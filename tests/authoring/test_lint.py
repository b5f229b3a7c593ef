"""What lint finds beyond loading: in sampled variants, in derivations, in links, beside a lab."""

from collections.abc import Callable
from pathlib import Path

import pytest

from quizapp.authoring.lint import lint
from quizapp.bank.find import builtin_folder

BANK = """\
id: own
title: An instructor's own
description: Questions.
items:
  - id: numbers
    kind: exercise
    points: 3
    topics: [ddp]
    difficulty: 2
    stem: Ranks hold {{ n }} tokens with sums {{ S }}.
    explanation: See [the docs](https://pytorch.org/docs).
    variables:
      n: {value: [2, 4], range: [1, 9]}
      S: {value: [6, 8], range: [1, 9]}
    constraints: ["abs(sum(S)/sum(n) - mean(S/n)) > 0.1"]
    parts:
      - id: mean
        kind: numeric
        key: sum(S)/sum(n)
        wrong:
          - {value: mean(S/n), misconception: mean-of-rank-means}
      - id: formula
        kind: symbolic
        symbols:
          L_r: {range: [1, 50], meaning: the rank's loss sum}
          R: {range: [2, 9], integer: true, meaning: ranks}
          N: {range: [1, 50], meaning: tokens}
        key: R*L_r/N
        wrong:
          - {value: L_r/N, misconception: forgot-world-size-factor}
      - id: pick
        kind: choice
        choices:
          - {id: a, value: sum(S)/sum(n), key: true}
          - {id: b, value: mean(S/n), misconception: mean-of-rank-means}
"""


@pytest.fixture
def linted(tmp_path: Path) -> Callable[..., list[tuple[str, int, int]]]:
    """Lints the bank with snippets replaced; gives code, line and column of each fault."""

    def run(*pairs: tuple[str, str]) -> list[tuple[str, int, int]]:
        text = BANK
        for old, new in pairs:
            assert text.count(old) == 1
            text = text.replace(old, new)
        (tmp_path / "own.yaml").write_text(text, "utf-8")
        return [(fault.code, fault.line, fault.column) for fault in lint([tmp_path])]

    return run


Linted = Callable[..., list[tuple[str, int, int]]]
CONSTRAINT = '    constraints: ["abs(sum(S)/sum(n) - mean(S/n)) > 0.1"]\n'


def test_a_sound_bank_outside_knows_the_built_in_misconceptions(linted: Linted) -> None:
    assert linted() == []


def test_what_loading_finds_is_among_it(linted: Linted) -> None:
    assert linted(("difficulty: 2", "difficulty: 7")) == [("bad-value", 9, 17)]


def test_variants_in_which_wrong_numbers_are_right_are_found(linted: Linted) -> None:
    assert linted((CONSTRAINT, "")) == [("too-close", 20, 21), ("same-value", 34, 13)]


def test_a_wrong_number_within_five_tolerances_is_found(linted: Linted) -> None:
    old = "value: mean(S/n), misconception: mean-of-rank-means}\n      - id"
    assert linted((old, old.replace("mean(S/n)", "sum(S)/sum(n)*1.002"))) == [("too-close", 21, 21)]
    assert linted((old, old.replace("mean(S/n)", "sum(S)/sum(n)*1.003"))) == []


def test_variants_without_a_value_are_found(linted: Linted) -> None:
    key = ("key: sum(S)/sum(n)\n", "key: sum(S)/(n[0] - 3)\n")
    stem = ("tokens with sums", "({{ 1/(n[1] - 5) }}) tokens with sums")
    assert {("variant", 10, 11), ("variant", 19, 14)} <= set(linted(key, stem))


def test_constraints_that_leave_no_room_are_found(linted: Linted) -> None:
    impossible = (CONSTRAINT, '    constraints: ["n[0] == 2 and n[1] == 4"]\n')
    faults = linted(impossible, ("n: {value: [2, 4], range: [1, 9]}", "n: {value: [2, 4], range: [1, 900]}"))
    assert faults == [("no-variant", 15, 5)]


def test_wrong_expressions_equal_to_the_key_are_found(linted: Linted) -> None:
    assert linted(("value: L_r/N,", "value: L_r/(N/R),")) == [("wrong-is-key", 30, 21)]


def test_two_wrong_expressions_that_are_equal_are_found(linted: Linted) -> None:
    first = "          - {value: L_r/N, misconception: forgot-world-size-factor}\n"
    second = first + "          - {value: (1/N)*L_r, misconception: mean-of-rank-means}\n"
    assert linted((first, second)) == [("same-value", 31, 21)]


def test_a_key_that_is_never_defined_is_found(linted: Linted) -> None:
    assert linted(("key: R*L_r/N", "key: R*L_r/(N - N)")) == [("key-refused", 28, 14)]


def test_links_are_looked_at_with_their_place(linted: Linted) -> None:
    assert linted(("(https://pytorch.org/docs).", "(https://pytorch.org/docs.")) == [("link", 11, 22)]


LAB = """\
entry: scale_loss
signature: scale_loss(token_losses, mask)
objective: {valid: 1/N}
scenarios:
  - {name: uneven, shape: uneven}
misconceptions:
  - {id: mean-of-rank-means, weights: [{valid: 1/(R*n_r)}]}
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    for name in ("right", "wrong"):
        (tmp_path / name).mkdir()
    for name in ("starter", "solution", "right/other", "wrong/mean-of-rank-means", "wrong/mean-of-rank-means--two"):
        (tmp_path / f"{name}.py").write_text("def scale_loss(token_losses, mask):\n    return token_losses\n", "utf-8")
    (tmp_path / "lab.yaml").write_text(LAB, "utf-8")
    return tmp_path


def codes(folder: Path) -> list[tuple[str, str]]:
    return [(fault.file.name, fault.code) for fault in lint([folder])]


def test_a_sound_lab(lab: Path) -> None:
    assert codes(lab) == []
    assert codes(lab / "lab.yaml") == []


def test_programs_of_a_lab_are_there_and_parse_and_define_the_entry(lab: Path) -> None:
    (lab / "starter.py").unlink()
    (lab / "solution.py").write_text("def scale(token_losses, mask):\n    return 1\n", "utf-8")
    (lab / "right" / "other.py").write_text("def scale_loss(:\n", "utf-8")
    (lab / "wrong" / "no-such-idea--x.py").write_text("scale_loss = sum\n", "utf-8")
    assert sorted(codes(lab)) == [
        ("lab.yaml", "lab-file"),
        ("no-such-idea--x.py", "unknown-misconception"),
        ("other.py", "lab-program"),
        ("solution.py", "lab-program"),
    ]


def test_a_misconception_without_a_rule_needs_an_oracle(lab: Path) -> None:
    (lab / "lab.yaml").write_text(LAB.replace(", weights: [{valid: 1/(R*n_r)}]", ""), "utf-8")
    assert codes(lab) == [("lab.yaml", "lab-file")]
    (lab / "oracle.py").write_text("", "utf-8")
    assert codes(lab) == []


def test_lint_never_runs_a_program(lab: Path) -> None:
    (lab / "solution.py").write_text("raise SystemExit(7)\ndef scale_loss(a, b): ...\n", "utf-8")
    assert codes(lab) == []


def test_the_same_file_by_two_ways_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("[", "utf-8")
    assert len(lint([tmp_path, tmp_path / "x.yaml"])) == 1


def test_a_copied_registry_and_the_built_in_one_do_not_clash(tmp_path: Path) -> None:
    (tmp_path / "misconceptions.yaml").write_bytes((builtin_folder() / "misconceptions.yaml").read_bytes())
    assert lint([tmp_path]) == []
