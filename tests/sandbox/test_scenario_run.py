"""What the agent takes from a rank when a scenario is over: one whole frame in time, or nothing."""

import socket
import threading
import time

import pytest

from quizapp_sandbox import scenario_run, wire

MET = wire.encode(wire.Frame("met", {"total": 3}))


@pytest.fixture
def ends() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair()


def test_a_frame_that_comes_in_two_parts(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    theirs.sendall(MET[:5])
    threading.Timer(0.05, theirs.sendall, [MET[5:]]).start()
    frame = scenario_run._answer(ours, time.monotonic() + 30)
    assert frame is not None
    assert (frame.kind, frame.data) == ("met", {"total": 3})


def test_bytes_that_come_drop_by_drop_are_waited_for_no_longer(ends: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = ends
    done = threading.Event()

    def drip() -> None:
        theirs.sendall((1 << 15).to_bytes(4, "big") + bytes(8))
        while not done.wait(0.02):
            theirs.sendall(b" ")

    dripping = threading.Thread(target=drip)
    dripping.start()
    assert scenario_run._answer(ours, time.monotonic() + 0.3) is None
    done.set()
    dripping.join()


@pytest.mark.parametrize("sent", [b"\xff" * 64, b"", MET[:9]])
def test_what_is_no_frame(ends: tuple[socket.socket, socket.socket], sent: bytes) -> None:
    ours, theirs = ends
    theirs.sendall(sent)
    theirs.close()
    assert scenario_run._answer(ours, time.monotonic() + 30) is None
