"""A test that needs the container engine is skipped with a reason on a machine without one, and fails where CI is set."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
TEST = "import pytest\n\n@pytest.mark.engine\ndef test_it():\n    pass\n"


@pytest.mark.parametrize(
    ("variable", "status", "said"),
    [
        ("CI", 1, "this run must have a container engine"),
        ("QUIZAPP_REQUIRE_ENGINE", 1, "this run must have a container engine"),
        (None, 0, "1 skipped"),
    ],
)
def test_no_engine(tmp_path: Path, variable: str | None, status: int, said: str) -> None:
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "test_it.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = engine\n")
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "QUIZAPP_REQUIRE_ENGINE")}
    environment["DOCKER_HOST"] = f"unix://{tmp_path}/no-engine.sock"
    if variable is not None:
        environment[variable] = "true"
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == status, done.stdout
    assert said in done.stdout
