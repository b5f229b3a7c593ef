"""Topics and prerequisites over several banks."""

from pathlib import Path

from quizapp.authoring.lint import lint
from quizapp.bank.graph import cycles, depths

BANK = """\
id: {id}
title: A bank
description: Items.
topics:
{topics}
items:
  - {{id: {id}-item, kind: exercise, points: 1, topics: [{topic}], prerequisites: [{first}],
     difficulty: 1, stem: Which?, explanation: This.,
     parts: [{{kind: choice, choices: [{{id: a, text: this, key: true}}, {{id: b, text: that}}]}}]}}
"""


def write(folder: Path, name: str, topics: str, topic: str, first: str = "") -> None:
    (folder / f"{name}.yaml").write_text(BANK.format(id=name, topics=topics, topic=topic, first=first), "utf-8")


def faults(folder: Path) -> list[tuple[str, str, int, int]]:
    return [(fault.file.name, fault.code, fault.line, fault.column) for fault in lint([folder], [])]


def test_banks_share_their_topics(tmp_path: Path) -> None:
    write(tmp_path, "a", "  own-mean: {title: Means}", "own-mean")
    write(tmp_path, "b", "  own-mean: {title: Means, after: [own-sum]}\n  own-sum: {title: Sums}", "own-mean", "a-item, own-sum")
    assert faults(tmp_path) == []


def test_titles_must_agree(tmp_path: Path) -> None:
    write(tmp_path, "a", "  own-mean: {title: Means}", "own-mean")
    write(tmp_path, "b", "  own-mean: {title: Averages}", "own-mean")
    assert faults(tmp_path) == [("b.yaml", "topic-title", 5, 21)]


def test_a_ring_over_two_banks_is_said_where_it_closes(tmp_path: Path) -> None:
    write(tmp_path, "a", "  x: {title: X, after: [y]}", "x", "b-item")
    write(tmp_path, "b", "  y: {title: Y, after: [x]}", "y", "a-item")
    assert faults(tmp_path) == [("b.yaml", "comes-before-itself", 5, 25), ("b.yaml", "comes-before-itself", 7, 74)]


def test_a_graph_is_cut_where_it_closes() -> None:
    edges = {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a", "d"], "e": []}
    assert list(cycles(edges)) == [("a", "b", "c", "a"), ("d", "d")]
    assert depths(edges)["d"] > depths(edges)["a"]
    assert depths({"a": [], "b": ["a"], "c": ["a", "b"]}) == {"a": 0, "b": 1, "c": 2}
