"""The wheel, installed in a clean environment outside the checkout, does what the checkout does.

No network: the environment gets hard links (else copies) of exactly the distributions that the wheel's own metadata asks
for, so one that is used but not declared is missing there.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
EXTRA = "local"
LAB = "questions/intended-average/labs/scale-local-loss"


def run(*command: str | Path, cwd: Path, status: int = 0, **variables: str) -> str:
    """A command's standard output; it must end with ``status``."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "QUIZAPP", "VIRTUAL_ENV"))}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**environment, **variables}, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == status, f"exit {done.returncode}\n{done.stdout[:2000]}\n{done.stderr[-2000:]}"
    return done.stdout


def build(source: Path, kind: str, out: Path) -> Path:
    run(sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", out, source, cwd=out.parent)
    (made,) = out.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("build") / "wheel")


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "sdist", tmp_path_factory.mktemp("build") / "sdist")


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def wanted(of: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The distributions that one asks for on this machine, with the extras asked for."""
    for text in of.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            yield requirement.name, frozenset(requirement.extras)


def closure(first: Distribution) -> list[Distribution]:
    """All distributions that one needs, itself left out."""
    found: dict[str, Distribution] = {}
    seen = set()
    queue = list(wanted(first, frozenset((EXTRA,))))
    while queue:
        name, extras = entry = queue.pop()
        if entry in seen:
            continue
        seen.add(entry)
        needed = found.setdefault(canonicalize_name(name), distribution(name))
        queue.extend(wanted(needed, extras))
    return list(found.values())


def link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts' folder of a clean environment that holds the wheel and what it asks for, and no checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    python = folder / "venv" / "bin" / "python"
    packages = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    metadata = next(path for path in zipfile.Path(wheel).iterdir() if path.name.endswith(".dist-info"))
    for needed in closure(PathDistribution(metadata)):  # type: ignore[arg-type]
        for file in needed.files or ():
            source = Path(str(needed.locate_file(file)))
            if ".." not in file.parts and "__pycache__" not in file.parts and source.is_file():
                link(source, packages / file)
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--no-index", "--no-deps", "--quiet", wheel, cwd=folder)
    run(*pip, "check", cwd=folder)
    return python.parent


def quizapp(elsewhere: Path, *arguments: str | Path, status: int = 0) -> str:
    """Runs the installed command far from the checkout."""
    home = elsewhere.parents[1]
    return run(elsewhere / "quizapp", *arguments, cwd=home, status=status, QUIZAPP_HOME=str(home / "home"))


def test_the_wheel_holds_all_that_the_app_needs_and_nothing_else(wheel: Path) -> None:
    held = names(wheel)
    tracked = {
        *(f"quizapp/data/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "questions").rglob("*") if path.is_file()),
        *(path.relative_to(ROOT).as_posix() for path in (ROOT / "quizapp").rglob("*") if path.suffix in (".py", ".tcss")),
        *(path.relative_to(ROOT / "sandbox").as_posix() for path in (ROOT / "sandbox").rglob("*.py")),
        "quizapp/data/Dockerfile",
        "quizapp/scoring/beliefs.json",
        "quizapp/scoring/outcome.json",
        "quizapp/scoring/semantic/projection.f16",
        "quizapp/scoring/semantic/vocab.txt",
    }
    tracked = {name for name in tracked if "__pycache__" not in name}
    assert tracked <= held
    assert {name for name in held - tracked if ".dist-info/" not in name} <= {"quizapp/py.typed"}


def test_the_sdist_builds_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(sdist, tmp_path)
    again = build(next(tmp_path.glob("quizapp-*")), "wheel", tmp_path / "again")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        contents = [{info.filename: info.CRC for info in archive.infolist()} for archive in (first, second)]
    assert contents[0] == contents[1]


def test_an_editable_install_holds_no_copy_of_the_data(tmp_path: Path) -> None:
    script = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    run(sys.executable, "-c", script, tmp_path, cwd=ROOT)
    (made,) = tmp_path.glob("*.whl")
    assert {name for name in names(made) if ".dist-info/" not in name} == {"_quizapp.pth"}


def test_nothing_comes_from_the_checkout(elsewhere: Path) -> None:
    script = (
        "import quizapp, quizapp_sandbox, quizapp_oracle, quizapp.bank.find as find, quizapp.judge.runner.sources as sources\n"
        "assert 'ARG BASE' in sources.dockerfile() and len(sources.sandbox_files()) > 9\n"
        "print(quizapp.__file__, quizapp_sandbox.__file__, quizapp_oracle.__file__, find.builtin_folder())"
    )
    for path in run(elsewhere / "python", "-c", script, cwd=elsewhere.parents[1]).split():
        assert Path(path).is_relative_to(elsewhere.parent), path


def test_its_banks_are_listed_and_clean(elsewhere: Path) -> None:
    items = {item["id"]: item for item in json.loads(quizapp(elsewhere, "bank", "list", "--json"))["items"]}
    assert {"two-rank-tokens", "why-gpus-change-loss", "scale-local-loss"} <= items.keys()
    assert all(Path(item["file"]).is_relative_to(elsewhere.parent) for item in items.values())
    assert quizapp(elsewhere, "bank", "lint") == "no faults\n"


def test_a_first_question_is_known_before_they_are_read(elsewhere: Path, tmp_path: Path) -> None:
    program = "from pathlib import Path; from quizapp.bank.find import bank_folders; from quizapp.store.store import Store; "
    program += "from quizapp.practice.opening import *; print(opening(Store(Path('new.sqlite3')), QUEUE, bank_folders()).face.item)"
    home = {"QUIZAPP_HOME": str(tmp_path), "QUIZAPP_CACHE": str(tmp_path / "none")}
    assert run(elsewhere / "python", "-c", program, cwd=tmp_path, **home).strip()


def test_it_scores(elsewhere: Path) -> None:
    arguments = ("score", "two-rank-tokens", "--part", "global-mean", "--json", "--answer")
    assert json.loads(quizapp(elsewhere, *arguments, "2"))["outcome"] == "right"
    wrong = json.loads(quizapp(elsewhere, *arguments, "2.25", status=1))
    assert (wrong["points"], wrong["misconceptions"]) == (0, ["mean-of-rank-means"])


@pytest.mark.parametrize(
    ("program", "status", "outcome"), [("solution.py", 0, "pass"), ("wrong/mean-of-rank-means.py", 1, "wrong")]
)
def test_it_judges_on_real_ranks(elsewhere: Path, program: str, status: int, outcome: str) -> None:
    said = quizapp(elsewhere, "submit", "scale-local-loss", ROOT / LAB / program, "--backend", "local", "--json", status=status)
    verdict = json.loads(said)
    assert (verdict["outcome"], verdict["backend"]) == (outcome, "local")
    assert {scenario["world_size"] for scenario in verdict["scenarios"]} >= {2}


@pytest.mark.engine
def test_it_judges_in_a_container(elsewhere: Path) -> None:
    said = quizapp(elsewhere, "submit", "scale-local-loss", ROOT / LAB / "solution.py", "--backend", "docker", "--json")
    verdict = json.loads(said)
    assert (verdict["outcome"], verdict["backend"], verdict["sandbox"]) == ("pass", "docker", "container")
