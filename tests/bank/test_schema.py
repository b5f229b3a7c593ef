"""The JSON Schema for editors: what it says of the built-in models."""

from typing import Any

from quizapp.bank.schema import DIALECT, bank_schema


def properties(name: str) -> dict[str, Any]:
    found: dict[str, Any] = bank_schema()["$defs"][name]["properties"]
    return found


def test_the_dialect_and_the_keys_of_a_bank() -> None:
    schema = bank_schema()
    assert schema["$schema"] == DIALECT
    assert schema["required"] == ["id", "title", "description", "items"]
    assert schema["additionalProperties"] is False


def test_kinds_are_told_apart() -> None:
    assert set(bank_schema()["properties"]["items"]["items"]["discriminator"]["mapping"]) == {"checkpoint", "exercise", "probe"}
    assert properties("NumericPart")["kind"]["const"] == "numeric"


def test_formulas_may_be_numbers_and_ids_have_a_pattern() -> None:
    assert [entry["type"] for entry in properties("NumericPart")["key"]["anyOf"]] == ["string", "integer", "number"]
    assert properties("Checkpoint")["id"]["pattern"].startswith("^")


def test_docstrings_reach_the_editor() -> None:
    assert properties("Checkpoint")["explanation"]["description"].startswith("What the right answer is")
