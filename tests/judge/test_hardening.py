"""The container's hardening as the engine really applied it, what the image holds, and what bubblewrap is asked for."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quizapp.judge.runner import docker, local


@pytest.fixture(scope="module", params=["submission", "kept"])
def inspected(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """What the engine says of a worker that runs submissions."""
    worker = docker.start(request.param)
    try:
        stream = worker._stream
        assert isinstance(stream, docker._Container)
        yield stream._engine.api.inspect_container(stream.name)
    finally:
        worker.close()


@pytest.mark.engine
class TestContainer:
    def test_as_the_engine_applied_it(self, inspected: dict[str, Any]) -> None:
        host = inspected["HostConfig"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"] is True
        assert host["CapDrop"] == ["ALL"]
        kept = inspected["Config"]["Cmd"] == ["kept"]
        assert sorted(host.get("CapAdd") or ()) == (["KILL", "SETGID", "SETUID"] if kept else [])
        assert host["SecurityOpt"] == ["no-new-privileges"]
        assert host["Privileged"] is False
        assert host["LogConfig"]["Type"] == "none"
        assert not host.get("Binds")
        assert not host.get("Mounts")
        assert not host.get("VolumesFrom")
        assert inspected["Mounts"] == []
        assert host["PidMode"] == ""
        assert host["AutoRemove"] is True
        assert inspected["Config"]["User"] == ("0:0" if kept else "65534:65534")
        assert "noexec" in host["Tmpfs"]["/tmp"]
        assert "size=64m" in host["Tmpfs"]["/tmp"]
        if not host.get("DeviceRequests"):
            assert host["Memory"] == host["MemorySwap"] == docker.MEMORY
            assert host["PidsLimit"] == docker.PIDS
            assert host["IpcMode"] == "none"

    def test_its_environment_tells_nothing(self, inspected: dict[str, Any]) -> None:
        names = {entry.partition("=")[0] for entry in inspected["Config"]["Env"]}
        assert names <= {
            "PATH",
            "OMP_NUM_THREADS",
            "GLOO_SOCKET_IFNAME",
            "NCCL_SOCKET_IFNAME",
            "LANG",
            "GPG_KEY",
            "PYTHON_VERSION",
            "PYTHON_SHA256",
        }
        assert inspected["Config"]["Cmd"] in (["submission"], ["kept"])

    def test_the_image_holds_neither_oracle_nor_bank_nor_judge(self) -> None:
        looks = (
            "import importlib.util, json, os\n"
            "packages = [n for n in ('quizapp', 'quizapp_oracle', 'quizapp_sandbox') if importlib.util.find_spec(n)]\n"
            "found = [os.path.join(folder, name) for folder, _, names in os.walk('/') if not folder.startswith(('/proc', '/sys'))\n"
            "         for name in names if name in ('lab.yaml', 'oracle.py', 'token_mean.py', 'misconceptions.yaml')]\n"
            "print(json.dumps([packages, [path for path in found if 'quizapp_sandbox' not in path]]))\n"
        )
        engine = docker.client()
        told = engine.containers.run(
            docker.image_name(), ["-I", "-c", looks], entrypoint="/opt/venv/bin/python", network_mode="none", remove=True
        )
        assert json.loads(told) == [["quizapp_sandbox"], []]


class TestBubblewrap:
    def test_what_it_is_asked_for(self) -> None:
        command = local._bubblewrap("/usr/bin/bwrap")
        for option in ("--unshare-all", "--unshare-user", "--as-pid-1", "--die-with-parent", "--new-session"):
            assert option in command
        assert command[command.index("--cap-drop") + 1] == "ALL"
        assert "--share-net" not in command
        assert not {"--bind", "--bind-try", "--dev-bind", "--dev-bind-try"} & set(command)

    def test_quizapp_itself_is_hidden_where_its_folder_would_show(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """As in a wheel's installation, where banks, oracles and the sandbox's code lie side by side."""
        for name in ("quizapp", "quizapp_oracle"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "__init__.py").touch()
        found = importlib.util.find_spec

        def moved(name: str, package: str | None = None) -> Any:
            spec = found(name, package)
            if name in ("quizapp", "quizapp_oracle") and spec is not None:
                spec.submodule_search_locations = [str(tmp_path / name)]
            return spec

        monkeypatch.setattr(importlib.util, "find_spec", moved)
        monkeypatch.setattr(local, "_readable_folders", lambda: ["/usr", str(tmp_path)])
        command = local._bubblewrap("/usr/bin/bwrap")
        for name in ("quizapp", "quizapp_oracle"):
            at = command.index(str(tmp_path / name))
            assert command[at - 1] == "--tmpfs"
            assert at > command.index(str(tmp_path))

    def test_neither_home_nor_banks_are_shown(self) -> None:
        if local.bubblewrap() is None:
            pytest.skip("bubblewrap doesn't work here")
        looks = (
            "import importlib.util, json, os\n"
            "packages = [n for n in ('quizapp', 'quizapp_oracle') if (s := importlib.util.find_spec(n)) and s.origin]\n"
            f"print(json.dumps([packages, os.path.exists({str(Path(__file__))!r}), os.listdir('/tmp'), os.getpid()]))\n"
        )
        command = [*local._bubblewrap(str(local.bubblewrap())), sys.executable, "-I", "-c", looks]
        done = subprocess.run(command, env=local._environment(), capture_output=True, text=True, timeout=240, check=False)
        packages, here, scratch, process = json.loads(done.stdout)
        assert (packages, here, process) == ([], False, 1)
        assert all(entry not in ("quizapp", "home") for entry in scratch)
