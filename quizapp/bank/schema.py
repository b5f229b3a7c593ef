"""The JSON Schemas of a bank's files, from the models and their docstrings, for editors and yaml-language-server."""

import ast
import inspect
from textwrap import dedent
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from quizapp.model.lab import Lab
from quizapp.model.misconception import Misconception
from quizapp.model.question import Bank

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _told(model: type) -> dict[str, str]:
    """Field -> the docstring below it, in a model and those that it is made from."""
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        if not one.__module__.startswith("quizapp."):
            continue
        (body,) = ast.parse(dedent(inspect.getsource(one))).body
        assert isinstance(body, ast.ClassDef)
        for field, text in zip(body.body, body.body[1:], strict=False):
            match field, text:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(told))):
                    found[name] = inspect.cleandoc(told)
    return found


class Described(GenerateJsonSchema):
    """Makes schemas that take the docstrings of fields as their descriptions."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        told = _told(schema["cls"])
        for name, field in made.get("properties", {}).items():
            if name in told:
                field.setdefault("description", told[name])
        return made


def bank_schema() -> dict[str, Any]:
    """A Draft 2020-12 schema of what may be written. What needs two values to be wrong is left to ``quizapp bank lint``."""
    return {"$schema": DIALECT, **Bank.model_json_schema(mode="validation", schema_generator=Described)}


def lab_schema() -> dict[str, Any]:
    """The same for ``lab.yaml``."""
    return {"$schema": DIALECT, **Lab.model_json_schema(mode="validation", schema_generator=Described)}


def registry_schema() -> dict[str, Any]:
    """The same for ``misconceptions.yaml``."""
    entries = TypeAdapter(tuple[Misconception, ...]).json_schema(mode="validation", schema_generator=Described)
    definitions = entries.pop("$defs", {})
    return {
        "$schema": DIALECT,
        "type": "object",
        "required": ["misconceptions"],
        "properties": {"misconceptions": entries},
        "additionalProperties": False,
        "$defs": definitions,
    }
