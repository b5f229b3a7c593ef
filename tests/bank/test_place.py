"""In which order banks stand."""

from pathlib import Path

from quizapp.bank.find import builtin_folder
from quizapp.bank.load import load


def test_a_newcomer_meets_the_first_lesson_first() -> None:
    assert load([builtin_folder()]).banks[0].bank.id == "intended-average"


def test_places_order_banks_and_files_those_without(tmp_path: Path) -> None:
    item = """
items:
  - {id: ITEM, kind: checkpoint, topics: [x], difficulty: 1, stem: s, explanation: e, choices: [{id: a, value: 1, key: true},
     {id: b, value: 2, misconception: mean-of-rank-means}]}
"""
    for name, place in (("a", ""), ("b", "place: 7\n"), ("c", "place: 3\n")):
        head = f"id: {name}\ntitle: {name}\ndescription: d\n{place}"
        (tmp_path / f"{name}.yaml").write_text(head + item.replace("ITEM", f"{name}-item"), encoding="utf-8")
    found = load([tmp_path], context=[builtin_folder()])
    assert not found.faults
    assert [bank.bank.id for bank in found.banks] == ["c", "b", "a"]
