"""Which engine is meant: DOCKER_HOST, contexts, and what is said of those that are broken."""

import json
import subprocess
from pathlib import Path

import pytest

from quizapp.cli.main import run
from quizapp.cli.problem import Problem
from quizapp.judge.runner import docker, engine
from quizapp.judge.runner.worker import BackendUnavailable

SOCKET = Path("/var/run/docker.sock")


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Docker's own settings, empty, and no variable that names an engine."""
    folder = tmp_path / "docker"
    folder.mkdir()
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(folder))
    return folder


def context(folder: Path, name: str, host: str, **endpoint: object) -> Path:
    """A context as `docker context create` writes it."""
    from hashlib import sha256

    digest = sha256(name.encode()).hexdigest()
    meta = folder / "contexts" / "meta" / digest / "meta.json"
    meta.parent.mkdir(parents=True)
    meta.write_text(json.dumps({"Name": name, "Metadata": {}, "Endpoints": {"docker": {"Host": host, **endpoint}}}))
    return folder / "contexts" / "tls" / digest / "docker"


def use(folder: Path, name: str) -> None:
    (folder / "config.json").write_text(json.dumps({"auths": {}, "currentContext": name}))


class TestFound:
    def test_in_the_order_of_the_docker_command(self, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert engine.find().address is None
        context(settings, "used", "tcp://used:2375")
        context(settings, "named", "ssh://me@named")
        use(settings, "used")
        assert engine.find() == engine.Engine("tcp://used:2375", "docker context used", engine.Certificates())
        monkeypatch.setenv("DOCKER_CONTEXT", "named")
        assert (engine.find().address, engine.find().is_remote) == ("ssh://me@named", True)
        monkeypatch.setenv("DOCKER_CONTEXT", "default")
        assert engine.find().address is None
        monkeypatch.setenv("DOCKER_HOST", "unix:///other.sock")
        assert str(engine.find()) == "unix:///other.sock (DOCKER_HOST)"
        assert not engine.find().is_remote

    def test_a_named_context_needs_no_settings_file(self, settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        context(settings, "box", "tcp://box:2375")
        monkeypatch.setenv("DOCKER_CONTEXT", "box")
        assert engine.find().address == "tcp://box:2375"

    @pytest.mark.parametrize("text", ["", "[]", "not json", '{"currentContext": 3}'])
    def test_unreadable_settings_count_as_none(self, settings: Path, text: str) -> None:
        (settings / "config.json").write_text(text)
        assert engine.find().address is None

    def test_certificates_of_a_context(self, settings: Path) -> None:
        tls = context(settings, "box", "tcp://box:2376", SkipTLSVerify=False)
        tls.mkdir(parents=True)
        for part in ("ca", "cert", "key"):
            (tls / f"{part}.pem").write_text("-")
        use(settings, "box")
        found = engine.options(engine.find())
        assert found["base_url"] == "tcp://box:2376"
        assert (found["tls"].cert, found["tls"].ca_cert) == ((str(tls / "cert.pem"), str(tls / "key.pem")), str(tls / "ca.pem"))
        assert found["tls"].verify


class TestBroken:
    def test_a_context_that_does_not_exist(self, settings: Path) -> None:
        use(settings, "gone")
        with pytest.raises(BackendUnavailable, match=r"config.json names the docker context 'gone', which does not exist; `docker"):
            docker.client()

    def test_a_context_that_is_no_json(self, settings: Path) -> None:
        context(settings, "box", "tcp://box:2375")
        next(settings.rglob("meta.json")).write_text("{")
        use(settings, "box")
        with pytest.raises(BackendUnavailable, match=r"context 'box' can't be read from .*meta.json; make it anew"):
            docker.client()

    @pytest.mark.parametrize("host", ["gpu-box", "ftp://gpu-box", "unix:/run/docker.sock"])
    def test_an_address_that_is_none(self, settings: Path, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
        monkeypatch.setenv("DOCKER_HOST", host)
        with pytest.raises(BackendUnavailable, match=rf"DOCKER_HOST is '{host}', which is no address .*unix://.*ssh://"):
            docker.client()

    @pytest.mark.parametrize("host", ["tcp://127.0.0.1:1", "ssh://nobody@127.0.0.1:1"])
    def test_an_engine_that_does_not_answer(self, settings: Path, host: str) -> None:
        context(settings, "box", host)
        use(settings, "box")
        with pytest.raises(BackendUnavailable) as raised:
            docker.client()
        said = str(raised.value)
        assert said.startswith(f"no container engine answers at {host} (docker context box): ")
        assert "\n" not in said
        assert f"`docker --host {host} version`" in said

    def test_the_command_says_it_on_one_line(self, settings: Path, tmp_path: Path) -> None:
        context(settings, "box", f"unix://{tmp_path}/none.sock")
        use(settings, "box")
        docker._engine.cache_clear()
        (tmp_path / "answer.py").write_text("def scale_loss(token_losses, mask):\n    return token_losses.sum()\n")
        with pytest.raises(Problem) as raised:
            run(["submit", "scale-local-loss", str(tmp_path / "answer.py"), "--backend", "docker"])
        assert raised.value.code == 3
        assert str(raised.value).startswith(
            f"no container engine answers at unix://{tmp_path}/none.sock (docker context box): No such file"
        )


@pytest.mark.engine
class TestAnswering:
    def test_a_context_that_leads_to_the_same_engine_by_another_way(
        self, settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Made by the docker command itself, so that the files are those that people have."""
        if not SOCKET.exists():
            pytest.skip(f"no engine at {SOCKET}")
        way = tmp_path / "way.sock"
        way.symlink_to(SOCKET)
        for command in (["create", "way", "--docker", f"host=unix://{way}"], ["use", "way"]):
            subprocess.run(["docker", "context", *command], check=True, capture_output=True, timeout=240)
        assert engine.find().address == f"unix://{way}"
        docker.require_image(docker.client())
        run(["doctor", "--json"])
        findings = {one["name"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
        assert findings["container engine"]["detail"].endswith(f"at unix://{way} (docker context way)")
        way.unlink()
        run(["doctor", "--json"])
        findings = {one["name"]: one for one in json.loads(capsys.readouterr().out)["findings"]}
        assert findings["container engine"]["state"] == "missing"
        assert "docker context way" in findings["container engine"]["detail"]
