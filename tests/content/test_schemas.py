"""The schemas beside the built-in banks: up to date, named by every YAML file, and kept by every one."""

import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from quizapp.bank.document import read
from quizapp.bank.find import builtin_folder, role, yaml_files
from quizapp.bank.schema import bank_schema, lab_schema, registry_schema

FOLDER = builtin_folder()
SCHEMAS = {"bank": bank_schema(), "lab": lab_schema(), "registry": registry_schema()}
FILES = list(yaml_files(FOLDER))


def plain(value: object) -> Any:
    """Lists where the reader gives tuples, as JSON has them."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_file_is_what_the_command_prints(kind: str) -> None:
    file = FOLDER / f"{kind}.schema.json"
    assert json.loads(file.read_text("utf-8")) == SCHEMAS[kind], f"quizapp bank schema {kind} > {file.name}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(FOLDER).as_posix())
def test_every_file_names_its_schema_and_keeps_it(file: Path) -> None:
    first = file.read_text("utf-8").split("\n", 1)[0]
    named = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert named, "the first line names the schema"
    assert os.path.normpath(file.parent / named[1]) == str(FOLDER / f"{role(file)}.schema.json")
    jsonschema.Draft202012Validator(SCHEMAS[role(file)]).validate(plain(read(file).value))


def test_the_schemas_refuse_what_is_wrong() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"id": "x", "title": "X", "description": "X", "items": [{"kind": "quiz"}]}, SCHEMAS["bank"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"entry": "f"}, SCHEMAS["lab"])
