"""The worker's end of the stream to the host: frames on what were its standard input and output."""

import os
from typing import BinaryIO

from quizapp_sandbox import wire


class Host:
    """The host's side of the stream. No byte beyond a frame is read with it, so that a forked process may read the next one."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Both unbuffered."""
        self._source, self._sink = source, sink

    def receive(self) -> wire.Frame:
        """Raises ``wire.WireClosed`` at the stream's end."""
        return wire.read_frame(self._exactly)

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            part = self._source.read(count - len(data))
            if not part:
                raise wire.WireClosed("the host closed the stream")
            data += part
        return bytes(data)

    def send(self, frame: wire.Frame) -> None:
        """Raises ``BrokenPipeError`` where the host is gone."""
        view = memoryview(wire.encode(frame))
        while view:
            view = view[self._sink.write(view) :]


def take_over_streams() -> Host:
    """Keeps the stream to the host for the caller alone; whatever else prints goes to stderr."""
    source, sink = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    return Host(source, sink)
