"""The JSON Schema of a bank's file, from the models and their docstrings, for editors and yaml-language-server."""

from typing import Any

from quizapp.model.question import Bank

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def bank_schema() -> dict[str, Any]:
    """A Draft 2020-12 schema of what may be written. What needs two values to be wrong is left to ``quizapp bank lint``."""
    return {"$schema": DIALECT, **Bank.model_json_schema(mode="validation")}
