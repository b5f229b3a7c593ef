"""Each way in which a bank, a registry or a lab can be wrong: its code and its exact place, and nothing else reported."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sound_bank import BANK

import quizapp
from quizapp.bank.fault import CODES
from quizapp.bank.load import load

Damage = Callable[[str, str, str], tuple[Path, tuple[int, int]]]

BANK_FAULTS = [
    # YAML
    ("yaml-syntax", "topics: [ddp, tokens]", "topics: «[ddp, tokens"),
    ("yaml-syntax", "title: A sound bank", "title: A sound«: bank"),
    ("yaml-syntax", "regex: ['tw?o']", "regex: [«'tw?o]"),
    ("yaml-syntax", "    stem: Work it out.", "«\tstem: Work it out."),
    ("yaml-syntax", "stem: Work it out.", "stem: «@work"),
    ("yaml-syntax", "stem: Work it out.", "stem: «*nothing"),
    ("duplicate-key", "stem: Why?", "stem: Why?\n    «stem: Why not?"),
    ("merge-key", "stem: Why?", "stem: Why?\n    «<<: {title: x}"),
    ("key-type", "m: {value: 3}", "m: {value: 3}\n      «7: {value: 3}"),
    ("yaml-tag", "stem: Why?", "stem: «!!python/name:os.system Why?"),
    ("yaml-tag", "stem: Why?", "stem: «!secret Why?"),
    ("yaml-number", "difficulty: 4", "difficulty: 4\n    title: «" + "9" * 500),
    ("yaml-encoding", "stem: Why?", "stem: Why«\x07?"),
    # shape
    ("unknown-key", "stem: Why?", "stem: Why?\n    «explanaton: x"),
    ("unknown-key", "title: A sound bank", "title: A sound bank\n«versoin: 2"),
    ("unknown-key", "{value: m, misconception", "{«vlaue: 3, value: m, misconception"),
    ("unknown-key", "{id: cause, points: 1,", "{id: cause, points: 1, «weight: 2,"),
    ("missing-key", "- id: talk\n    kind: probe\n", "- «kind: probe\n"),
    ("missing-key", "- id: work\n    kind: exercise\n    points: 5\n", "- «id: work\n    kind: exercise\n"),
    ("missing-key", "{id: cause, points: 1, description: Says why., accept", "«{id: cause, points: 1, accept"),
    ("missing-key", "- id: number\n        kind: numeric\n        key: 2*m\n", "- «id: number\n        kind: numeric\n"),
    ("missing-key", "- id: talk\n    kind: probe\n", "- «id: talk\n"),
    ("wrong-type", "stem: Work it out.", "stem: «3"),
    ("wrong-type", "stem: Work it out.", "stem: «[a, b]"),
    ("wrong-type", "stem: Work it out.", "stem:«"),
    ("wrong-type", "difficulty: 4", "difficulty: «four"),
    ("wrong-type", "difficulty: 4", "difficulty: «4.5"),
    ("wrong-type", "key: true}", "key: «yes}"),
    ("wrong-type", "topics: [ddp, tokens]", "topics: «ddp"),
    ("wrong-type", "m: {value: 3}", "m: «3"),
    ("wrong-type", "m: {value: 3}", "m: {value: «three}"),
    ("wrong-type", "n: {value: [2, 4],", "n: {value: [2, «x],"),
    ("wrong-type", "reading:\n  - {id: notes, title: Notes, text: Read me.}", "reading: «Read me."),
    ("bad-value", "difficulty: 4", "difficulty: «9"),
    ("bad-value", "topics: [ddp, tokens]", "topics: «[]"),
    ("bad-value", "stem: Work it out.", "stem: «''"),
    ("bad-value", "n: {value: [2, 4], range: [1, 9]", "n: {value: [2, 4], range: «[1]"),
    ("bad-value", "n: {value: [2, 4], range: [1, 9]", "n: {value: [2, 4], range: «[1, 2, 9]"),
    ("bad-value", "m: {value: 3}", "m: {value: 3}\n      e: {value: «[]}"),
    ("bad-id", "id: talk", "id: «Talk to me"),
    ("bad-id", "topics: [ddp, tokens]", "topics: [ddp, «Tokens]"),
    ("bad-name", "m: {value: 3}", "m: {value: 3}\n      «m-x: {value: 3}"),
    ("bad-name", "m: {value: 3}", "m: {value: 3}\n      «lambda: {value: 3}"),
    ("unknown-kind", "kind: probe", "kind: «prob"),
    ("unknown-kind", "kind: symbolic", "kind: «symbol"),
    # agreement
    ("duplicate-id", "id: talk", "id: «work"),
    ("duplicate-id", "- id: words", "- id: «letters"),
    ("duplicate-id", "{id: naive,", "{id: «right,"),
    ("duplicate-id", "{id: two, points", "{id: «one, points"),
    ("duplicate-id", "text: Read me.}", "text: Read me.}\n  - {id: «notes, title: Notes, text: Again.}"),
    ("points-sum", "points: 5", "points: «6"),
    ("points-sum", "kind: probe\n    points: 1", "kind: probe\n    points: «2"),
    (
        "points-sum",
        "points: 2\n        rubric:\n          criteria:\n            - {id: one, points: 1,",
        "points: «2\n        rubric:\n          criteria:\n            - {id: one, points: 2,",
    ),
    (
        "no-key",
        "    choices:\n      - {id: right, value: sum(S)/sum(n), key: true}",
        "    «choices:\n      - {id: right, value: sum(S)/sum(n), misconception: no-factor}",
    ),
    ("distractor-unnamed", "{id: naive, value: mean(S/n), misconception: mean-of-means}", "«{id: naive, value: mean(S/n)}"),
    ("choice-empty", "{id: naive, value: mean(S/n), misconception", "«{id: naive, misconception"),
    ("key-misconception", "key: true}", "key: true, «misconception: no-factor}"),
    ("unknown-misconception", "value: mean(S/n), misconception: mean-of-means", "value: mean(S/n), misconception: «mean-of-meanz"),
    ("unknown-misconception", "{value: m, misconception: mean-of-means", "{value: m, misconception: «nothing-known"),
    (
        "unknown-misconception",
        "{id: mean-of-means, accept: [all the same]}",
        "{id: mean-of-means, accept: [all the same]}\n        - {id: «meen, accept: [x]}",
    ),
    ("unknown-misconception", "shown: [mean-of-means]", "shown: [«no-factor]"),
    ("unknown-misconception", "shown: [mean-of-means]", "shown: [mean-of-means, «nothing-known]"),
    ("unknown-criterion", "missed: [cause]", "missed: [cause, «course]"),
    ("unknown-criterion", "cancels: [one]", "cancels: [one, «three]"),
    (
        "criterion-empty",
        "{id: one, points: 1, description: Says one., accept: [one]}",
        "«{id: one, points: 1, description: Says one.}",
    ),
    ("regex", "regex: ['tw?o']", "regex: ['(two«']"),
    ("lab-missing", "folder: lab", "folder: «labs/none"),
    # formulas
    ("formula-syntax", "key: 2*m", "key: 2*«(m"),
    ("formula-syntax", "key: R/N", "key: R/«open(N)"),
    ("formula-name", "key: 2*m", "key: 2*«k + m"),
    ("formula-name", "value: sum(S)/sum(n), key", "value: sum(S)/sum(«nn), key"),
    ("formula-name", "{value: 1/N, misc", "{value: 1/«M, misc"),
    ("formula-name", '["sum(S)/sum(n) != mean(S/n)"]', '["sum(S)/sum(n) != mean(S/«x)"]'),
    ("formula-name", "explanation: It is {{ sum(S)/sum(n) }}.", "explanation: It is {{ sum(S)/sum(«z) }}."),
    ("formula-name", "      And this.\n", "      And {{ m }}, {{ 2*«q }}.\n"),
    ("formula-value", "key: 2*m", "key: «2/(m - 3)"),
    ("formula-value", "key: 2*m", 'key: "«[m, 2]"'),
    ("formula-value", '["sum(S)/sum(n) != mean(S/n)"]', '["sum(S)/sum(n) != mean(S/n)", "«n > 1"]'),
    ("slot", "explanation: It is {{ sum(S)/sum(n) }}.", "explanation: It is «{{ sum(S)/sum(n) }."),
    ("slot", "explanation: It is {{ sum(S)/sum(n) }}.", "explanation: It is {{ sum(S)/«foo(n) }}."),
    ("slot", "explanation: It is {{ sum(S)/sum(n) }}.", "explanation: It is «{{}}."),
    ("constraint", '["sum(S)/sum(n) != mean(S/n)"]', "[«sum(S) == 13]"),
    ("distinct-range", "n: {value: [2, 4], range: [1, 9]", "n: {value: [2, 4], range: «[3, 3]"),
    ("range-order", "S: {value: [6, 6], range: [1, 9]}", "S: {value: [6, 6], range: «[9, 1]}"),
    ("range-order", "R: {range: [2, 9]", "R: {range: «[9, 2]"),
    ("wrong-is-key", "{value: m, misconception", "{value: «m + 3, misconception"),
    ("bad-value", "key: 2*m", "key: 2*m\n        tolerance: «0.5"),
    ("bad-value", "key: 2*m", "key: 2*m\n        tolerance: «m - 3"),
    ("formula-syntax", "key: 2*m", "key: 2*m\n        tolerance: 1/«("),
    (
        "same-value",
        "{value: m, misconception: mean-of-means}",
        "{value: m, misconception: mean-of-means}\n          - {value: «6 - m, misconception: no-factor}",
    ),
    ("same-value", "value: mean(S/n), misc", "value: «2, misc"),
]

REGISTRY_FAULTS = [
    ("duplicate-id", "{id: no-factor, title", "{id: «mean-of-means, title"),
    ("missing-key", "{id: no-factor, title: the factor forgotten,", "«{id: no-factor,"),
    ("unknown-key", "misconceptions:", "«version: 1\nmisconceptions:"),
    ("missing-key", "misconceptions:\n", "«others:\n"),
]

LAB_FAULTS = [
    ("yaml-syntax", "scenarios:", "«{scenarios:"),
    ("missing-key", "entry: scale_loss\n", "«"),
    ("bad-name", "entry: scale_loss", "entry: «scale-loss"),
    ("bad-value", "shape: uneven}", "shape: «unevn}"),
    ("duplicate-id", "{name: even,", "{name: «uneven,"),
    ("formula-name", "objective: {valid: 1/N}", "objective: {valid: 1/«M}"),
    ("formula-name", "weights: [{valid: 1/(R*N)}]", "weights: [{valid: 1/(R*N)}]\n    desync: min(n) == «z"),
    ("unknown-misconception", "- id: no-factor", "- id: «no-faktor"),
    ("range-order", "objective: {valid: 1/N}", "objective: {valid: 1/N}\nsizes: {valid: «[7, 1]}"),
    ("unknown-draw", "objective: {valid: 1/N}", "objective: {valid: 1/N}\nlisted: {columns: {features: «features}}"),
]


def found(folder: Path, file: Path) -> list[tuple[str, int, int]]:
    return [(fault.code, fault.line, fault.column) for fault in load([folder]).faults if fault.file == file]


@pytest.mark.parametrize(("code", "old", "new"), BANK_FAULTS)
def test_bank_fault_has_its_code_and_place(code: str, old: str, new: str, folder: Path, damage: Damage) -> None:
    file, (line, column) = damage("bank.yaml", old, new)
    assert found(folder, file) == [(code, line, column)]


@pytest.mark.parametrize(("code", "old", "new"), LAB_FAULTS)
def test_lab_fault_has_its_place_and_keeps_its_item_out(code: str, old: str, new: str, folder: Path, damage: Damage) -> None:
    file, (line, column) = damage("lab/lab.yaml", old, new)
    assert found(folder, file) == [(code, line, column)]
    assert set(load([folder]).items) == {"pick", "talk"}


@pytest.mark.parametrize(("code", "old", "new"), REGISTRY_FAULTS)
def test_registry_fault_has_its_code_and_place(code: str, old: str, new: str, folder: Path, damage: Damage) -> None:
    file, (line, column) = damage("misconceptions.yaml", old, new)
    assert (code, line, column) in found(folder, file)


def test_every_fault_says_what_is_wrong_and_what_to_write(folder: Path, damage: Damage) -> None:
    file, (line, column) = damage("bank.yaml", "stem: Why?", "stem: Why?\n    «explanaton: x")
    (fault,) = load([folder]).faults
    assert str(fault) == f"{file}:{line}:{column}: there is no key `explanaton` here; did you mean 'explanation'?"


def test_faults_of_one_item_do_not_hide_each_other(folder: Path) -> None:
    text = BANK
    for old, new in (
        ("difficulty: 3", "difficulty: hard"),
        ("points: 5", "points: 9"),
        ("key: 2*m", "key: 2*k"),
        ("missed: [cause]", "missed: [course]"),
        ("{id: one, points: 1, description: Says one., accept: [one]}", "{id: one, points: 1, descripton: x, accept: [one]}"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "bank.yaml").write_text(text, "utf-8")
    codes = [fault.code for fault in load([folder]).faults]
    assert codes == ["points-sum", "wrong-type", "formula-name", "missing-key", "unknown-key", "unknown-criterion"]


@pytest.mark.parametrize("text", ["", "   \n# nothing\n", "just text", "- a list", "items: []", "id: x\nitems: 7\n"])
def test_a_file_that_is_no_bank_is_said_to_be_none(text: str, folder: Path) -> None:
    (folder / "other.yaml").write_text(text, "utf-8")
    library = load([folder])
    assert {fault.file.name for fault in library.faults} == {"other.yaml"}
    assert set(library.items) == {"pick", "work", "talk"}


def test_the_sound_bank_has_no_fault(folder: Path) -> None:
    assert load([folder]).faults == ()


def test_every_code_is_documented_and_every_documented_code_is_used() -> None:
    assert {code for code, *_ in (*BANK_FAULTS, *REGISTRY_FAULTS, *LAB_FAULTS)} <= CODES.keys()
    package = Path(quizapp.__file__).parent
    files = [file for room in ("bank", "authoring") for file in (package / room).glob("*.py") if file.name != "fault.py"]
    sources = [file.read_text("utf-8") for file in files]
    assert [code for code in CODES if not any(f'"{code}"' in text for text in sources)] == []
