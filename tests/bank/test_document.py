"""YAML as read: 1.2's core schema, places, bounds, and that no text whatever makes the reader fail."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sound_bank import BANK

from quizapp.bank import document
from quizapp.bank.document import MAX_BYTES, MAX_DEPTH, read, scalar
from quizapp.bank.draw import draw
from quizapp.bank.load import load


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("y", "y"), ("n", "n"), ("Yes", "Yes"), ("tRUE", "tRUE"),
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False),
        ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"), ("None", "None"),
        ("0", 0), ("-7", -7), ("+7", 7), ("007", 7), ("0o17", 15), ("0o18", "0o18"), ("0x1F", 31), ("-0x1F", "-0x1F"),
        ("1_000", "1_000"), ("0b101", "0b101"), ("1:30", "1:30"), ("190:20:30", "190:20:30"), ("2020-01-01", "2020-01-01"),
        ("1e3", 1000.0), ("1.", 1.0), (".5", 0.5), ("-.5e-1", -0.05), ("1.5E+2", 150.0), ("685_230.15", "685_230.15"),
        (".", "."), ("-", "-"), ("+", "+"), ("e3", "e3"), (".e3", ".e3"), ("1e", "1e"), ("12e03", 12000.0),
        (".inf", math.inf), ("+.INF", math.inf), ("-.Inf", -math.inf), ("inf", "inf"), ("nan", "nan"), ("=", "="), ("<<", "<<"),
    ],
)  # fmt: skip
def test_plain_scalar(text: str, value: object) -> None:
    found = scalar(text)
    assert found == value
    assert type(found) is type(value)


def test_nan_is_a_number() -> None:
    assert all(math.isnan(scalar(text)) for text in (".nan", ".NaN", ".NAN"))  # type: ignore[arg-type]


@given(st.integers(min_value=-(10**30), max_value=10**30))
def test_decimal_integers_are_themselves(number: int) -> None:
    assert scalar(str(number)) == number
    assert type(scalar(str(number))) is int


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_themselves(number: float) -> None:
    assert scalar(repr(number)) == number
    assert type(scalar(repr(number))) is float


@given(st.integers(min_value=0, max_value=10**20))
def test_octal_and_hexadecimal(number: int) -> None:
    assert scalar(f"0o{number:o}") == number == scalar(f"0x{number:X}")


@given(st.from_regex(r"[a-zA-Z_/(][^\n]*", fullmatch=True))
def test_words_are_text_unless_the_schema_names_them(text: str) -> None:
    if text.lower() not in ("true", "false", "null"):
        assert scalar(text) == text


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "x.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return file


def codes(file: Path) -> list[tuple[str, int, int]]:
    return [(fault.code, fault.line, fault.column) for fault in read(file).faults]


def test_values_and_places(tmp_path: Path) -> None:
    file = write(tmp_path, "a: [1, {b: 'no'}]\nc: !!str 5\nd: &x [t]\ne: *x\nf: |\n  é {{ q }}\n")
    found = read(file)
    assert found.value == {"a": (1, {"b": "no"}), "c": "5", "d": ("t",), "e": ("t",), "f": "é {{ q }}\n"}
    assert (found.place(("a", 1, "b")), found.place(("a", 0)), found.place(("f",))) == ((1, 12), (1, 5), (5, 4))
    assert found.place(("a", 1, "missing")) == (1, 8)
    found.fault(("f",), "code", "message", "mend", offset=5)
    assert (found.faults[0].line, found.faults[0].column) == (6, 8)


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        (b"a: 1\nb: \xff\n", "yaml-encoding", 2, 4),
        ("a: 1\nb: é\x00\n", "yaml-encoding", 2, 5),
        ("a: 1\n---\nb: 2\n", "yaml-syntax", 2, 1),
        ("", "yaml-empty", 1, 1),
        ("# only a comment\n", "yaml-empty", 1, 1),
        ("[" * (MAX_DEPTH + 10) + "]" * (MAX_DEPTH + 10), "yaml-depth", 1, MAX_DEPTH),
        ("- " * (MAX_DEPTH + 10) + "x", "yaml-depth", 1, 2 * MAX_DEPTH - 1),
        ("a: &a [*a]\n", "yaml-depth", 1, 4),
        ("a: [*b]\n", "yaml-syntax", 1, 5),
        ("a: {b: 1\nc: 2\n", "yaml-syntax", 1, 4),
        ("? [a]\n: b\n", "key-type", 1, 3),
        ("no: 1\ntrue: 2\n", "key-type", 2, 1),
        ("a: !!float x\n", "yaml-tag", 1, 4),
        ("a: !!set {b, c}\n", "yaml-tag", 1, 4),
        (b"a: 1\n" + b"#" * MAX_BYTES, "yaml-size", 1, 1),
    ],
)
def test_refused_text(text: str | bytes, code: str, line: int, column: int, tmp_path: Path) -> None:
    assert codes(write(tmp_path, text)) == [(code, line, column)]


def test_an_alias_bomb_is_refused_at_once(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 20)]
    assert [code for code, _, _ in codes(write(tmp_path, "\n".join(lines)))] == ["yaml-alias"]


def test_a_byte_order_mark_and_windows_lines_are_read(tmp_path: Path) -> None:
    found = read(write(tmp_path, b"\xef\xbb\xbfa: 1\r\nb: |\r\n  x {{ y }}\r\n"))
    assert found.value == {"a": 1, "b": "x {{ y }}\n"}
    found.fault(("b",), "code", "message", "mend", offset=5)
    assert (found.faults[0].line, found.faults[0].column) == (3, 8)


def test_a_missing_and_a_strange_file_are_faults(tmp_path: Path) -> None:
    assert codes(tmp_path / "none.yaml") == [("unreadable", 1, 1)]
    assert codes(tmp_path) == [("unreadable", 1, 1)]


def test_without_libyaml_the_same_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: [1, 'no', {b: 0o17}]\nc: |\n  text\nd: !!str 5\n"
    fast = read(write(tmp_path, text))
    monkeypatch.setattr(document, "_compose", document._compose_in_python)
    slow = read(write(tmp_path, text))
    assert slow.value == fast.value
    assert slow.place(("a", 2, "b")) == fast.place(("a", 2, "b"))
    assert codes(write(tmp_path, "a: [\nb: 1\n")) == [("yaml-syntax", 1, 4)]
    assert codes(write(tmp_path, "[" * 100)) == [("yaml-depth", 1, MAX_DEPTH)]


PIECES = st.sampled_from(
    ["id: x", "items:", "- ", "  ", "\n", "\t", "[", "]", "{", "}", ": ", "&a ", "*a", "!!int ", "|", ">", "'", '"', "#",
     "<<", "?", "%", "---", "kind: exercise", "parts:", "variables: {n: {value: [1, 2]}}",
     "{{ n }}", "choices", "1e3", "~", "é", "\u2028", "\x85", "\ud800"]
)  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join), st.binary(max_size=100)))
@example("items:\n - kind: exercise\n   parts: 7\n   variables: [1]\n   constraints: {a: b}\n")
@example("items:\n - {kind: probe, rubric: [x], follow_ups: {a: 1}}\n - {kind: checkpoint, choices: [1, {id: [2]}]}\n")
@example("items: {a: b}\nreading: 3\nmisconceptions: x\n")
@example("items:\n - kind: exercise\n   parts:\n   - {kind: symbolic, symbols: [1], key: {a: b}, wrong: x}\n")
@example('items:\n - kind: exercise\n   parts:\n   - {kind: code, folder: "\\0"}\n')
def test_no_text_makes_loading_fail(tmp_path: Path, text: str | bytes) -> None:
    file = write(tmp_path, text)
    faults = load([file]).faults
    assert faults
    assert all(fault.line >= 1 and fault.column >= 1 and fault.message and fault.mend for fault in faults)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**40) | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.sampled_from(["checkpoint", "text", "{{ n }}", "{{ 1/0 }}", "1/(m-3)", "S", "[1, [2]]", "m**99", "sqrt(2)", "lab", "("])
    | st.sampled_from(["9**64*9**64*9**64*9**64*9**64*9**64/7", "exp(4000)", "1e999999999", "-" * 300 + "1"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["id", "kind", "key", "value", "x"]), inner, max_size=3),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_value_in_any_place_makes_loading_or_drawing_fail(folder: Path, data: st.DataObject) -> None:
    write(folder, BANK)
    value = json.loads(json.dumps(read(folder / "x.yaml").value))
    place: object = value
    while True:
        assert isinstance(place, dict | list)
        step: Any = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[step], dict | list) or not place[step] or data.draw(st.integers(0, 3)) == 0:
            place[step] = data.draw(ANYTHING)
            break
        place = place[step]
    (folder / "bank.yaml").write_text(json.dumps(value), "utf-8")
    (folder / "x.yaml").unlink()
    for entry in load([folder]).items.values():
        draw(entry.item, None)
