"""What was recorded of real libraries, and what is said of it: the page is the records', and so is every figure of an item."""

import importlib.util
import json
import re
import sys
from fractions import Fraction as F
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from quizapp.audit.report import Audit
from quizapp.bank.find import bank_folders
from quizapp.bank.load import Library, load
from quizapp.model.formula import Formula
from quizapp.model.question import ChoicePart, NumericPart

ROOT = Path(__file__).parents[2]
SHOWN = {
    "audit-of-transformers-4-45": ("trainer-4.45", (0,), "mean-of-microbatch-means"),
    "audit-of-a-model-with-its-own-mean": ("trainer-4.46-own-loss", (0,), "microbatch-means-added-up"),
    "audit-of-an-ignored-count": ("trainer-5-count-ignored", (0,), "means-summed"),
    "audit-of-average-tokens-across-devices": ("trainer-4.57-per-device", (), "mean-of-rank-means"),
    "audit-of-a-shifted-count": ("trainer-4.57-shift", (), "labels-counted-before-the-shift"),
    "audit-of-a-short-window": ("lightning-2.6", (), "mean-of-microbatch-means"),
    "audit-behind-clipping": ("lightning-2.6-clipped", (), None),
}
"""Item -> its record, the steps that its stem shows (all if none is named), and the first misconception that the record names."""


@pytest.fixture(scope="module")
def audits() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmarks_audits", ROOT / "benchmarks" / "audits.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmarks_audits"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def records(audits: ModuleType) -> dict[str, dict[str, Any]]:
    return {found["name"]: found for found in audits.records()}


@pytest.fixture(scope="module")
def library() -> Library:
    return load(bank_folders(()))


def test_every_case_is_recorded_and_nothing_else(audits: ModuleType, records: dict[str, Any]) -> None:
    assert list(records) == [case.name for case in audits.CASES]
    assert {path.stem for path in audits.RECORDS.glob("*.json")} == set(records)
    for case in audits.CASES:
        assert records[case.name]["arguments"] == list(case.arguments)
        assert records[case.name]["said"] == case.said
        Audit(**{**records[case.name]["report"], "python": "", "milliseconds": 0})


def test_the_page_is_written_from_the_records(audits: ModuleType) -> None:
    assert audits.PAGE.read_text("utf-8") == audits.page(), "run: python benchmarks/audits.py"


def test_every_item_shows_a_record_as_it_is(audits: ModuleType, records: dict[str, Any], library: Library) -> None:
    assert {name for name, found in library.items.items() if found.bank_id == "audits"} == set(SHOWN)
    for item, (name, steps, cause) in SHOWN.items():
        stem = library.items[item].item.stem
        table = "\n".join(re.findall(r"^\|.*$", stem, flags=re.MULTILINE))
        assert table == audits.table(records[name], steps), item
        library_name, version = re.search(r"(transformers|lightning) (\d[\w.]+)", stem + " lightning 2.6.6").groups()  # type: ignore[union-attr]
        assert records[name]["report"]["versions"][library_name] == version, item
        named = [found["id"] for found in records[name]["report"]["diagnosis"]]
        assert cause is None or named[0] == cause
        (choice, *_) = [part for part in library.items[item].item.parts if isinstance(part, ChoicePart)]
        assert all(entry.misconception != cause or cause is None for entry in choice.choices if entry.key)


def weight(record: dict[str, Any], step: int, row: int) -> F:
    views = record["report"]["steps"][step]["views"][0]["weights"]
    return next(F(w["given"]).limit_denominator(1000) for w in views if w["row"] == row)


def tokens(record: dict[str, Any], step: int, row: int) -> int:
    return sum(w["row"] == row for w in record["report"]["steps"][step]["views"][0]["weights"])


def key(library: Library, item: str, part: str) -> F:
    found = next(p for p in library.items[item].item.parts if p.id == part)
    assert isinstance(found, NumericPart)
    return F(Formula.parse(str(found.key)).scalar({}))


def test_keys_follow_from_the_records(records: dict[str, Any], library: Library) -> None:
    per_rank = records["trainer-4.57-per-device"]
    assert key(library, "audit-of-average-tokens-across-devices", "ratio") == weight(per_rank, 0, 0) / weight(per_rank, 0, 1)
    assert key(library, "audit-of-average-tokens-across-devices", "wanted") == F(1, per_rank["report"]["steps"][0]["tokens"])
    short = records["lightning-2.6"]
    shares = [weight(short, 1, row) * tokens(short, 1, row) for row in (6, 7, 8, 9)]
    assert {key(library, "audit-of-a-short-window", "share")} == set(shares)
    assert key(library, "audit-of-a-short-window", "total") == sum(shares)


def test_what_explanations_say_of_records_is_so(records: dict[str, Any]) -> None:
    first = records["trainer-4.45"]
    assert {weight(first, 0, row) * tokens(first, 0, row) for row in range(6)} == {F(1, 6)}
    assert weight(first, 0, 0) / weight(first, 0, 3) == 8
    own = records["trainer-4.46-own-loss"]
    assert {weight(own, 0, row) * tokens(own, 0, row) for row in range(6)} == {F(1, 2)}
    ignored = records["trainer-5-count-ignored"]
    assert {weight(ignored, 0, row) * tokens(ignored, 0, row) for row in range(6)} == {F(1)}
    shifted = records["trainer-4.57-shift"]
    assert [weight(shifted, step, row) for step, row in ((0, 0), (1, 6))] == [F(1, 28 + 6), F(1, 20 + 4)]
    assert round(100 * (1 - F(28, 34))) == 18
    assert records["trainer-5-shift"]["report"]["outcome"] == records["trainer-4.57"]["report"]["outcome"] == "right"
    clipped = records["lightning-2.6-clipped"]["report"]
    assert all(step["clipped"] for step in clipped["steps"])
    for step in clipped["steps"]:
        rows = {w["row"] for w in step["views"][0]["weights"]}
        record = records["lightning-2.6-clipped"]
        given = [next(w["given"] for w in step["views"][0]["weights"] if w["row"] == row) for row in rows]
        products = [value * tokens(record, step["step"], row) for value, row in zip(given, rows, strict=True)]
        assert max(products) - min(products) < 1e-9


def test_records_bind_to_no_machine(records: dict[str, Any]) -> None:
    assert "/tmp" not in json.dumps(records)
