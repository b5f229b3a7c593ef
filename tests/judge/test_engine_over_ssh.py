"""A worker in the container of an engine that is reached over ssh: a real ssh server on this machine leads to its engine."""

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from quizapp.judge.runner import docker, engine

paramiko = pytest.importorskip("paramiko", reason="paramiko is not installed: pip install 'quizapp[ssh]'")


class _Server(paramiko.ServerInterface):
    """Lets one key in and runs what the engine's clients ask for: ``docker system dial-stdio``, and nothing else."""

    def __init__(self, allowed: paramiko.PKey) -> None:
        self._allowed = allowed

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        return paramiko.common.AUTH_SUCCESSFUL if (username, key) == ("grader", self._allowed) else paramiko.common.AUTH_FAILED

    def get_allowed_auths(self, username: str) -> str:
        return "publickey"

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return int(paramiko.common.OPEN_SUCCEEDED)

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        if command != b"docker system dial-stdio":
            return False
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DOCKER_")}
        process = subprocess.Popen(
            command.decode().split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
        )
        threading.Thread(target=_pump_in, args=(channel, process), daemon=True).start()
        threading.Thread(target=_pump_out, args=(channel, process), daemon=True).start()
        return True


def _pump_in(channel: paramiko.Channel, process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    while data := channel.recv(1 << 16):
        process.stdin.write(data)
    process.stdin.close()


def _pump_out(channel: paramiko.Channel, process: "subprocess.Popen[bytes]") -> None:
    assert process.stdout is not None
    while data := os.read(process.stdout.fileno(), 1 << 16):
        channel.sendall(data)
    channel.send_exit_status(process.wait())
    channel.close()


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An ssh server, and a home whose settings know its key."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    ssh = tmp_path / ".ssh"
    ssh.mkdir()
    for name in ("host", "id"):
        text = Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        (ssh / name).write_bytes(text)
        (ssh / name).chmod(0o600)
    host = paramiko.Ed25519Key.from_private_key_file(str(ssh / "host"))
    allowed = paramiko.Ed25519Key.from_private_key_file(str(ssh / "id"))
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    (ssh / "known_hosts").write_text(f"[127.0.0.1]:{port} {host.get_name()} {host.get_base64()}\n")
    (ssh / "config").write_text(f"Host gpu-box\n  HostName 127.0.0.1\n  User grader\n  IdentityFile {ssh / 'id'}\n")
    transports: list[paramiko.Transport] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            transport.add_server_key(host)
            transport.start_server(server=_Server(allowed))
            transports.append(transport)

    threading.Thread(target=serve, daemon=True).start()
    for name in ("DOCKER_CONTEXT", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "SSH_AUTH_SOCK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    yield f"ssh://gpu-box:{port}"  # the SDK asks ssh's settings for all but the port
    listening.close()
    for transport in transports:
        transport.close()


@pytest.mark.engine
def test_a_worker_over_ssh(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    docker.require_image(docker.client())
    monkeypatch.setenv("DOCKER_HOST", address)
    assert engine.find().is_remote
    for cached in (docker._engine, docker._info):
        cached.cache_clear()
    try:
        worker = docker.start("oracle")
        try:
            facts = worker.ready()
        finally:
            worker.close()
    finally:
        for cached in (docker._engine, docker._info):
            cached.cache_clear()
    assert worker.sandbox == "container"
    assert facts["torch"].startswith("2.")
