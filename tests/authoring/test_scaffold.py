"""New banks, items and labs: they lint clean, nothing is overwritten, and comments stay."""

from pathlib import Path

import pytest

from quizapp.authoring.lint import lint
from quizapp.authoring.scaffold import ScaffoldError, new_bank, new_item

KINDS = ("checkpoint", "exercise", "probe", "lab")


def test_everything_new_lints_clean(tmp_path: Path) -> None:
    written = new_bank(tmp_path / "My first Bank", ())
    assert [path.name for path in written] == ["bank.yaml", "bank.schema.json", "lab.schema.json"]
    for kind in KINDS:
        new_item(written[0], kind, f"a-{kind}", ())
    assert lint([tmp_path]) == []
    text = written[0].read_text("utf-8")
    assert text.startswith("# yaml-language-server: $schema=bank.schema.json\nid: my-first-bank\n")
    assert [text.index(f"id: a-{kind}") for kind in KINDS] == sorted(text.index(f"id: a-{kind}") for kind in KINDS)
    lab = (tmp_path / "My first Bank" / "labs" / "a-lab" / "lab.yaml").read_text("utf-8")
    assert lab.startswith("# yaml-language-server: $schema=../../lab.schema.json\n")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (file, *_) = new_bank(tmp_path / "bank", ())
    before = file.read_bytes()
    with pytest.raises(ScaffoldError, match="is there already"):
        new_bank(tmp_path / "bank", ())
    (tmp_path / "bank" / "labs" / "one").mkdir(parents=True)
    with pytest.raises(ScaffoldError, match="is there already"):
        new_item(file, "lab", "one", ())
    with pytest.raises(ScaffoldError, match="taken"):
        new_item(file, "probe", "two", ("two",))
    with pytest.raises(ScaffoldError, match="such as two-words"):
        new_item(file, "probe", "Two words", ())
    assert file.read_bytes() == before


AFTER = """\
# mine
id: b
title: B
description: B.
items:
- id: one           # the first
  kind: checkpoint
  topics: [x]
  difficulty: 1
  stem: |
    Which?

    Say.
  explanation: This.
  choices:
  - {id: a, text: this, key: true}
  - {id: b, text: that, misconception: raw-sum}
  # the end of the first

# what follows
topics:
  x: {title: X}
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", [AFTER, AFTER[: AFTER.index("# what follows")], AFTER[: AFTER.index("\n  # the end")]])
def test_an_item_goes_to_the_end_of_the_list_and_all_else_stays(kind: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "bank.yaml"
    file.write_text(text, "utf-8")
    new_item(file, kind, "two", ())
    after = file.read_text("utf-8")
    assert lint([tmp_path]) == []
    rest = after.splitlines()
    for line in text.splitlines():
        assert line in rest
        rest = rest[rest.index(line) + 1 :] if line.strip() else rest
    if "topics:\n  x" in text:
        assert after.index("id: two") < after.index("# what follows")


@pytest.mark.parametrize("text", ["id: b\nitems: [{id: x}]\n", "id: b\n", "- a\n", "[\n", ""])
def test_a_bank_that_cannot_take_an_item_is_left_alone(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bank.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(ScaffoldError):
        new_item(file, "lab", "two", ())
    assert file.read_text("utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["bank.yaml"]
