"""The package that runs in a person's own Python: what it may import, and that it stands there without quizapp."""

import ast
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import quizapp_auditor

PACKAGE = Path(quizapp_auditor.__file__).parent
LIBRARIES = {"hf_trainer.py": "transformers", "accelerate.py": "accelerate", "lightning.py": "lightning"}


def imported(file: Path) -> set[str]:
    """The top-level packages that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: write the package's full name"
            found.add(str(node.module).partition(".")[0])
    return found - set(sys.stdlib_module_names)


def test_it_holds_the_standard_library_and_torch() -> None:
    for file in PACKAGE.rglob("*.py"):
        allowed = {"torch", "quizapp_auditor"}
        if file.parent.name == "adapters":
            allowed.add(LIBRARIES.get(file.name, "torch"))
        assert imported(file) <= allowed, file.name


def test_an_audit_lab_tells_a_trainer_of_the_same_world() -> None:
    """A file that mends a lab is one that an audit takes: both hand it an object with the same fields."""
    pytest.importorskip("torch")
    from quizapp_auditor.world import World
    from quizapp_sandbox.drives import trainer

    assert {field.name: field.type for field in fields(World)} == {field.name: field.type for field in fields(trainer.World)}
    assert callable(trainer.World(0, 2, 3, 4).option)


def test_it_starts_where_there_is_nothing_else(tmp_path: Path) -> None:
    """Its folder alone on the path, no site-packages: it says that torch is missing, in a result, and ends with 1."""
    (tmp_path / "plan.json").write_text('{"file": "x.py", "ranks": 1}')
    command = [sys.executable, "-S", "-E", "-c", f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); sys.argv = ['', {str(tmp_path / 'plan.json')!r}, '0']; import runpy; runpy.run_module('quizapp_auditor', run_name='__main__')"]  # fmt: skip # noqa: E501
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 1, done.stderr
    assert '"kind": "missing"' in (tmp_path / "result-0.json").read_text()
