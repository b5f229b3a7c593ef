"""The sockets that a confined rank may open: what gloo needs to form subgroups, and nothing that leads elsewhere."""

import subprocess
import sys

import pytest

PROGRAM = """
import socket, sys
from quizapp_sandbox import confine
if not confine.refuse_system_calls():
    sys.exit(77)
try:
    socket.socket(*map(int, sys.argv[1:])).close()
except PermissionError:
    print("refused")
else:
    print("allowed")
"""


def tried(family: int, kind: int, protocol: int) -> str:
    command = [sys.executable, "-c", PROGRAM, str(family), str(kind), str(protocol)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if done.returncode == 77:
        pytest.skip("no system call filter on this platform")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(("family", "kind", "protocol"), [(1, 1, 0), (2, 1, 0), (2, 2, 0), (16, 3, 0)])
def test_what_gloo_needs_is_allowed(family: int, kind: int, protocol: int) -> None:
    assert tried(family, kind, protocol) == "allowed"


@pytest.mark.parametrize(("family", "kind", "protocol"), [(16, 3, 9), (16, 3, 12), (16, 3, 15), (17, 3, 0), (38, 5, 0), (40, 1, 0)])
def test_other_protocols_of_the_kernel_are_refused(family: int, kind: int, protocol: int) -> None:
    assert tried(family, kind, protocol) == "refused"
