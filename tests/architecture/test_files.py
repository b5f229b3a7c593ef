"""Rules that any file can break: its size, its name, and words that bind the project to one machine or open a door."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("quizapp", "sandbox", "questions", "tests", "benchmarks", "docs", ".ci")
CODE = sorted(path for folder in ("quizapp", "sandbox", "tests", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py"))
OURS = [path for path in CODE if path.relative_to(ROOT).parts[0] in ("quizapp", "sandbox")]
MOST_LINES = 420
DRAWERS = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}
UNPICKLERS = {"pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
# Written in pieces, as this file is searched like any other.
MACHINE = re.compile("|".join((r"(?<![\w.])/" + r"work/", "/tmp" + "/w/", r"\.\./" + "shared", "/root" + "/", "/opt/" + "wheels")))
HOSTS = ("pypi" + r"\.org", "python" + "hosted", "deb" + r"ian\.org", "npm" + r"js\.", r"download\." + "pytorch")
REGISTRY = re.compile("|".join(HOSTS))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def texts() -> Iterator[Path]:
    """Every text file of the project."""
    top = (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")
    deep = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file())
    for path in (*top, *deep):
        if "__pycache__" not in path.parts and b"\0" not in path.read_bytes()[:4096]:
            yield path


def test_files_stay_short() -> None:
    long = {name(path): lines for path in CODE if (lines := path.read_bytes().count(b"\n")) > MOST_LINES}
    assert long == {}, f"split what is longer than {MOST_LINES} lines"


def test_no_module_is_a_drawer_for_anything() -> None:
    assert [name(path) for path in CODE if {path.stem, path.parent.name} & DRAWERS] == []


@pytest.mark.parametrize("pattern", [MACHINE, REGISTRY], ids=["paths of a machine", "hosts of a registry"])
def test_nothing_is_bound_to_one_machine(pattern: re.Pattern[str]) -> None:
    found = []
    for path in texts():
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{name(path)}:{number}: {line.strip()[:100]}")
    assert found == []


def test_every_file_says_what_it_is() -> None:
    assert [name(path) for path in OURS if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


def doors(path: Path) -> Iterator[str]:
    """Places of a file that would run text as code, or load objects from bytes."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        where = f"{name(path)}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import):
            yield from (f"{where}: import {alias.name}" for alias in node.names if alias.name.partition(".")[0] in UNPICKLERS)
        elif isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in UNPICKLERS:
            yield f"{where}: from {node.module} import ..."
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("eval", "exec", "os.system", "os.popen", "torch.load", "yaml.load", "yaml.unsafe_load", "np.load"):
                yield f"{where}: {called}(...)"
            if any(keyword.arg == "shell" for keyword in node.keywords):
                yield f"{where}: {called}(..., shell=...)"


def test_the_app_never_runs_text_nor_unpickles() -> None:
    assert [door for path in OURS if path.is_relative_to(ROOT / "quizapp") for door in doors(path)] == []


def test_a_worker_unpickles_nothing_and_runs_only_what_it_is_for() -> None:
    """The learner's file and a bank's own Python are executed there, each in one place."""
    found = [door for path in OURS if path.is_relative_to(ROOT / "sandbox") for door in doors(path)]
    assert {re.sub(r":\d+", "", door) for door in found} <= {
        "sandbox/quizapp_sandbox/submission.py: exec(...)",
        "sandbox/quizapp_sandbox/oracle.py: exec(...)",
    }
    assert len(found) <= 2


def test_the_rule_about_doors_sees_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    file = tmp_path / "bad.py"
    file.write_text("import pickle\nfrom marshal import loads\neval('1')\nrun(x, shell=True)\n")
    assert len(list(doors(file))) == 4


def test_test_files_have_names_of_their_own() -> None:
    """pytest imports them by name, and takes two of one name for one; only a run of all would show it."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, number in names.items() if number > 1] == []
