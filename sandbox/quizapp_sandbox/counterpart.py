"""What of an exercise its submissions may not look into: a lab's ``counterpart.py``, in a process of its own.

The process holds the scenario's arrays named ``hidden.*``, which no rank is ever handed. It answers ranks' questions, and turns
what they observed into what the judge compares. It runs no learner's code and takes no word of a rank but arrays within bounds;
what it is asked is a question about an input, as a call of a function would be.
"""

import contextlib
import os
import selectors
import signal
import socket
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import torch

from quizapp_sandbox import confine, submission, wire
from quizapp_sandbox.arrays import named, to_array
from quizapp_sandbox.contract import Invalid

UID = 65534
"""Its user, where ranks have users of their own."""
HIDDEN = "hidden."
MAX_QUESTION = 1 << 20
ANSWER_SECONDS = 5.0
"""For a rank to take an answer, and for the agent to be told."""
CPU = torch.device("cpu")
_asking: dict[str, socket.socket] = {}


def connect(descriptor: int) -> None:
    """Makes this process, a rank, ask through ``descriptor``."""
    _asking["end"] = socket.socket(fileno=descriptor)


def ask(question: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """For drives: what ``answer(hidden, question)`` of the lab's ``counterpart.py`` gives, on the CPU. It is the same
    whichever rank asks, and however often. Dtypes: float32, float64, int64.

    Raises:
        Invalid: no such question is answered. wire.WireClosed: the counterpart is gone.
    """
    end = _asking["end"]
    end.sendall(wire.encode(wire.Frame("ask", {}, {name: to_array(tensor.cpu()) for name, tensor in question.items()})))
    frame = wire.read_from(end)
    if frame.kind != "answer":
        raise Invalid("asked the exercise's other process for what it doesn't answer")
    return named(frame.arrays, "", CPU)


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The agent's hold on the process."""

    pid: int
    control: socket.socket

    def begin(self, hidden: Mapping[str, wire.Array]) -> None:
        """A scenario begins, with these arrays. Raises ``OSError`` or ``wire.WireError`` where the process is gone."""
        self._request(wire.Frame("scenario", {}, hidden))

    def told(self, observed: Mapping[str, wire.Array], world_size: int) -> Mapping[str, wire.Array]:
        """What the judge is told of arrays ``<rank>.<name>``, named alike. Raises as :meth:`begin`, or ``wire.WireError`` where the
        arrays are none that it knows what to make of."""
        return self._request(wire.Frame("observed", {"world_size": world_size}, observed)).arrays

    def _request(self, frame: wire.Frame) -> wire.Frame:
        self.control.sendall(wire.encode(frame))
        answer = wire.read_from(self.control)
        if answer.kind != "told":
            raise wire.WireError(str(answer.data.get("message")))
        return answer

    def end(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self.control.close()


def start(source: str, questions: Sequence[socket.socket], apart: bool, spawn: bool) -> Counterpart:
    """Starts the process.

    Args:
        source: the text of ``counterpart.py``.
        questions: its ends of the ranks' sockets, by rank.
        apart: whether it becomes another user than the agent and the ranks.
        spawn: where a fork isn't safe.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ends = [theirs.fileno(), *(end.fileno() for end in questions)]
    if spawn:
        given = [sys.executable, "-I", "-m", "quizapp_sandbox", "counterpart", *map(str, ends)]
        for descriptor in ends:
            os.set_inheritable(descriptor, True)
        pid = os.posix_spawn(sys.executable, given, os.environ)
        for descriptor in ends:
            os.set_inheritable(descriptor, False)
    else:
        pid = os.fork()
        if pid == 0:
            _live(ends, apart)
    theirs.close()
    ours.settimeout(60.0 if spawn else ANSWER_SECONDS * 4)
    ours.sendall(wire.encode(wire.Frame("code", {"source": source})))
    return Counterpart(pid, ours)


def spawned(arguments: Sequence[str]) -> NoReturn:
    """The process's life where it was not forked. ``arguments``: its descriptors."""
    _live([int(text) for text in arguments], apart=False)


def _live(ends: Sequence[int], apart: bool) -> NoReturn:
    try:
        _shut_in(ends, apart)
        control, *questions = (socket.socket(fileno=descriptor) for descriptor in ends)
        source = str(wire.read_from(control).data["source"])
        _serve(submission.module_of("counterpart", source, "counterpart.py"), control, questions)
    finally:
        os._exit(0)


def _shut_in(ends: Sequence[int], apart: bool) -> None:
    """Lets go of all that is the agent's, and takes from itself what ranks take from themselves."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    if os.path.isdir("/dev/fd"):
        for name in os.listdir("/dev/fd"):
            if int(name) > 2 and int(name) not in ends:
                with contextlib.suppress(OSError):
                    os.close(int(name))
    if apart:
        confine.become(UID)
    confine.die_with_parent()
    os.setsid()
    confine.confine(cuda=False)


def _serve(lab: types.ModuleType, control: socket.socket, questions: Sequence[socket.socket]) -> None:
    hidden: dict[str, torch.Tensor] = {}
    buffers = {end: wire.FrameBuffer(MAX_QUESTION) for end in questions}
    with selectors.DefaultSelector() as selector:
        for end in (control, *questions):
            selector.register(end, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is control:
                    frame = wire.read_from(control)
                    if frame.kind == "scenario":
                        hidden = named(frame.arrays, "", CPU)
                        control.sendall(wire.encode(wire.Frame("told")))
                    else:
                        control.sendall(wire.encode(_told(lab, hidden, frame)))
                    continue
                end = next(end for end in questions if end is key.fileobj)
                if not _answered(lab, hidden, end, buffers[end]):
                    selector.unregister(end)


def _told(lab: types.ModuleType, hidden: Mapping[str, torch.Tensor], frame: wire.Frame) -> wire.Frame:
    try:
        arrays = {}
        for rank in range(frame.data["world_size"]):
            observation = lab.told(hidden, named(frame.arrays, f"{rank}.", CPU))
            arrays.update({f"{rank}.{name}": to_array(tensor) for name, tensor in observation.items()})
        return wire.Frame("told", {}, arrays)
    except Exception as error:
        return wire.Frame("refused", {"message": f"{type(error).__name__}: {error}"[:500]})


def _answered(lab: types.ModuleType, hidden: Mapping[str, torch.Tensor], end: socket.socket, buffer: wire.FrameBuffer) -> bool:
    """Answers what a rank has asked. ``False`` where its stream is at an end, or no use any more."""
    try:
        end.settimeout(ANSWER_SECONDS)
        data = end.recv(1 << 16)
        buffer.feed(data)
        while (frame := buffer.take()) is not None:
            try:
                answer = lab.answer(hidden, named(frame.arrays, "", CPU))
                reply = wire.Frame("answer", {}, {name: to_array(tensor) for name, tensor in answer.items()})
            except Exception:
                reply = wire.Frame("refused")
            end.sendall(wire.encode(reply))
    except (OSError, wire.WireError):
        return False
    return bool(data)
