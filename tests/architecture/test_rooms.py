"""What a room loads when it is imported, seen from outside: each is imported whole in a process of its own.

The import contracts (`lint-imports`, see pyproject.toml) hold who may name whom; these tests hold what a start costs.
"""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = sorted(path.parent.name for path in (ROOT / "quizapp").glob("*/__init__.py"))
HEAVY = frozenset(("torch", "textual", "numpy", "docker", "mpmath", "rapidfuzz"))
MAY_LOAD = {"tui": {"textual"}, "judge": {"numpy"}, "authoring": {"numpy"}}
"""Room -> the heavy libraries that its modules load when imported. All others wait until they are needed."""
IMPORT_ALL = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(*sys.modules)
"""


def loaded(*arguments: str) -> frozenset[str]:
    """The top-level packages in ``sys.modules`` after running Python with these arguments."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=240, check=True)
    return frozenset(name.partition(".")[0] for name in done.stdout.split())


def test_the_rooms_are_there() -> None:
    assert {"model", "bank", "scoring", "judge", "store", "practice", "authoring", "tui", "cli"} <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_loads_only_what_it_is_made_of(room: str) -> None:
    assert loaded("-c", IMPORT_ALL, f"quizapp.{room}") & HEAVY <= MAY_LOAD.get(room, set())


def test_the_model_needs_no_more_than_pydantic() -> None:
    names = loaded("-c", IMPORT_ALL, "quizapp.model")
    assert "pydantic" in names
    assert not names & {"yaml", "rich", "cyclopts", "platformdirs"}


def test_the_wire_format_needs_only_the_standard_library() -> None:
    names = loaded("-c", "import sys, quizapp_sandbox.wire; print(*sys.modules)")
    assert "quizapp_sandbox" in names
    assert not names & {*HEAVY, "quizapp", "pydantic"}


def imports(file: Path) -> set[str]:
    """The dotted names that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: write the package's full name"
            # `from package import name` may bring a module of the package.
            modules = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(modules if node.module == "quizapp_sandbox" else {str(node.module)})
    return found


def foreign(package: str, *known: str) -> dict[str, set[str]]:
    """File -> what it imports beyond the standard library and the names known."""
    found = {}
    for file in (ROOT / "sandbox" / package).rglob("*.py"):
        names = {name for name in imports(file) if name.partition(".")[0] not in sys.stdlib_module_names}
        beyond = {name for name in names if not any(name == k or name.startswith(f"{k}.") for k in known)}
        if beyond:
            found[str(file.relative_to(ROOT))] = beyond
    return found


def test_a_worker_holds_the_standard_library_and_torch() -> None:
    assert foreign("quizapp_sandbox", "quizapp_sandbox", "torch", "numpy") == {}


def test_an_oracle_knows_the_contract_only() -> None:
    assert foreign("quizapp_oracle", "quizapp_sandbox.contract", "torch") == {}


def test_every_room_stands_in_the_import_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    excused = {"textual": {"tui"}, "docker": {"judge"}, "quizapp_sandbox": set(), "quizapp_oracle": set()}
    for contract in contracts:
        for forbidden in contract.get("forbidden_modules", ()):
            if forbidden in excused and contract["source_modules"] != ["quizapp_sandbox"]:
                named = {name.removeprefix("quizapp.") for name in contract["source_modules"]}
                assert named == set(ROOMS) - excused[forbidden], contract["name"]
