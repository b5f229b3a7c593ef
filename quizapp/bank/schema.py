"""The JSON Schemas of a bank's files, from the models and their docstrings, for editors and yaml-language-server."""

from typing import Any

from pydantic import TypeAdapter

from quizapp.model.lab import Lab
from quizapp.model.misconception import Misconception
from quizapp.model.question import Bank

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def bank_schema() -> dict[str, Any]:
    """A Draft 2020-12 schema of what may be written. What needs two values to be wrong is left to ``quizapp bank lint``."""
    return {"$schema": DIALECT, **Bank.model_json_schema(mode="validation")}


def lab_schema() -> dict[str, Any]:
    """The same for ``lab.yaml``."""
    return {"$schema": DIALECT, **Lab.model_json_schema(mode="validation")}


def registry_schema() -> dict[str, Any]:
    """The same for ``misconceptions.yaml``."""
    entries = TypeAdapter(tuple[Misconception, ...]).json_schema(mode="validation")
    definitions = entries.pop("$defs", {})
    return {
        "$schema": DIALECT,
        "type": "object",
        "required": ["misconceptions"],
        "properties": {"misconceptions": entries},
        "additionalProperties": False,
        "$defs": definitions,
    }
