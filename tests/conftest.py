"""What all tests share: progress kept apart from the user's own, and what happens to tests that need more than this machine has."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import HealthCheck, settings

from quizapp.judge.runner import docker
from quizapp.judge.runner.worker import BackendUnavailable

# Properties say what holds, not how fast it is found out on a busy machine.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
os.environ.setdefault("QUIZAPP_TIER", "lexical")  # a tier that loads while a test runs would score by chance


def _set(name: str) -> bool:
    return os.environ.get(name, "").lower() not in ("", "0", "false", "no")


@cache
def _no_engine() -> str | None:
    """Why containers can't be used here; ``None`` where they can."""
    try:
        docker.require_image(docker.client())
    except BackendUnavailable as error:
        return str(error)
    return None


@cache
def _gpus() -> int:
    program = shutil.which("nvidia-smi")
    if program is None:
        return 0
    listed = subprocess.run([program, "-L"], capture_output=True, text=True, timeout=240, check=False)
    return sum(line.startswith("GPU ") for line in listed.stdout.splitlines())


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("engine") is not None and (reason := _no_engine()) is not None:
        if _set("CI") or _set("QUIZAPP_REQUIRE_ENGINE"):
            pytest.fail(f"this run must have a container engine: {reason}", pytrace=False)
        pytest.skip(reason)
    marker = item.get_closest_marker("gpu")
    if marker is not None and (found := _gpus()) < (ranks := marker.kwargs.get("ranks", 1)):
        driver = "" if shutil.which("nvidia-smi") else ": there is no nvidia-smi"
        pytest.skip(f"needs a GPU for each of {ranks} ranks; this machine has {found}{driver}")


@pytest.fixture(scope="session", autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither the user's progress nor their banks meet a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUIZAPP_HOME", str(tmp_path_factory.mktemp("home")))
        patch.delenv("QUIZAPP_BANKS", raising=False)
        yield
