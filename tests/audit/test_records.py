"""What was recorded of real libraries, and what is said of it: the page is the records', and so is every figure of an item."""

import importlib.util
import json
import shutil
import sys
from fractions import Fraction as F
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from environments import ENVIRONMENTS

from quizapp.authoring.lint import lint
from quizapp.bank.find import bank_folders
from quizapp.bank.load import Library, load
from quizapp.bank.record import load_record
from quizapp.model.formula import Formula
from quizapp.model.question import ChoicePart, NumericPart

ROOT = Path(__file__).parents[2]
CAUSES = {
    "audit-of-transformers-4-45": "mean-of-microbatch-means",
    "audit-of-a-model-with-its-own-mean": "microbatch-means-added-up",
    "audit-of-an-ignored-count": "means-summed",
    "audit-of-average-tokens-across-devices": "mean-of-rank-means",
    "audit-of-a-shifted-count": "labels-counted-before-the-shift",
    "audit-of-a-short-window": "mean-of-microbatch-means",
    "audit-behind-clipping": None,
}
"""Item -> the first misconception that its record names."""


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
        load_record(audits.RECORDS / f"{case.name}.json")


def test_the_page_is_written_from_the_records(audits: ModuleType) -> None:
    assert audits.PAGE.read_text("utf-8") == audits.page(), "run: python benchmarks/audits.py"


def test_every_item_shows_a_record_as_it_is(library: Library) -> None:
    """That the stem holds the record's table, and that its versions are those asked for, is the linter's to find."""
    shown = {name: found for name, found in library.items.items() if found.item.audit is not None}
    assert set(shown) == set(CAUSES)
    assert lint([ROOT / "questions" / "audits"]) == []
    for item, cause in CAUSES.items():
        audit = shown[item].item.audit
        assert audit is not None
        record = load_record(shown[item].file.parent / audit.record)
        assert set(audit.requires) <= set(ENVIRONMENTS[audit.environment]), "the script makes what items ask for"
        name, version = audit.requires[0].split("==")
        assert f"{name} {version}" in shown[item].item.stem
        assert [found.id for found in record.report.diagnosis][:1] == [cause] or cause is None
        (choice, *_) = [part for part in shown[item].item.parts if isinstance(part, ChoicePart)]
        assert all(entry.misconception != cause or cause is None for entry in choice.choices if entry.key)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("trainer-4.45.json", "trainer-4.44.json", "audit-record"),
        ("recorded/trainer-4.45.json", "bank.yaml", "audit-record"),
        ("| 1 | 0 | 2 | 6 | 1/36 |", "| 1 | 0 | 2 | 6 | 1/35 |", "audit-table"),
        ("steps: [1]", "steps: [2]", "audit-steps"),
        ("transformers==4.45.2", "transformers==4.45.1", "audit-version"),
        ("transformers==4.45.2", "deepspeed==0.15", "audit-version"),
        ("transformers==4.45.2", "transformers>=4.45", "bad-pin"),
        ("environment: transformers-4.45", "environment: ../somewhere", "bad-id"),
    ],
)
def test_lint_finds_what_is_wrong_with_an_audit(tmp_path: Path, old: str, new: str, code: str) -> None:
    text = (ROOT / "questions" / "audits" / "bank.yaml").read_text("utf-8")
    first = text[: text.index("  # =", text.index("audit-of-transformers-4-45"))]
    (tmp_path / "recorded").mkdir()
    shutil.copy(ROOT / "questions" / "audits" / "recorded" / "trainer-4.45.json", tmp_path / "recorded")
    (tmp_path / "bank.yaml").write_text(first)
    assert lint([tmp_path]) == []
    assert old in first
    (tmp_path / "bank.yaml").write_text(first.replace(old, new))
    faults = lint([tmp_path])
    assert [fault.code for fault in faults] == [code], faults


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
