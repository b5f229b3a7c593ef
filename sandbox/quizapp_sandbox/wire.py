"""Frames between host and worker: a JSON header that names shapes and dtypes, then raw little-endian bytes.

Layout: header length (4 bytes, big-endian), payload length (8 bytes, big-endian), header (UTF-8 JSON object), payload. Every
length is bounded and checked before anything is read or allocated; nothing is ever unpickled. Standard library only.
"""

import json
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

MAX_HEADER = 1 << 20
MAX_PAYLOAD = 32 << 20
MAX_ARRAYS = 8192
MAX_DIMENSIONS = 8
ITEM_SIZE: Mapping[str, int] = {"float32": 4, "float64": 8, "int64": 8}
_LENGTHS = struct.Struct(">IQ")


class WireError(ValueError):
    """Bytes that are no frame, or a frame beyond its bounds."""


class WireClosed(WireError):
    """The other side closed the stream."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array as it travels: C order, little-endian."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Frame:
    """One message: what it is, its plain data, its arrays."""

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)


def encode(frame: Frame) -> bytes:
    """The frame's bytes.

    Raises:
        WireError: the frame is larger than a reader would take.
    """
    table = [[name, array.dtype, list(array.shape)] for name, array in frame.arrays.items()]
    header = json.dumps({"kind": frame.kind, "data": frame.data, "arrays": table}, separators=(",", ":")).encode()
    payload = b"".join(array.data for array in frame.arrays.values())
    if len(header) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise WireError(f"a frame of {len(header)} + {len(payload)} bytes is larger than allowed")
    return _LENGTHS.pack(len(header), len(payload)) + header + payload


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_PAYLOAD


def _is_shape(values: list[object]) -> bool:
    # An empty array may name dimensions whose product no array library can hold; they are bounded as if it weren't empty.
    if len(values) > MAX_DIMENSIONS or not all(map(_is_count, values)):
        return False
    return prod(value for value in values if value) <= MAX_PAYLOAD  # type: ignore[misc]


def _array(entry: object, payload: bytes, offset: int) -> tuple[str, Array]:
    match entry:
        case [str(name), str(dtype), list(shape)] if dtype in ITEM_SIZE and _is_shape(shape):
            size = prod(shape) * ITEM_SIZE[dtype]
            if offset + size > len(payload):
                raise WireError(f"array {name[:40]!r} is longer than the payload")
            return name, Array(dtype, tuple(shape), payload[offset : offset + size])
    raise WireError("an array's entry is malformed")


def decode(header: bytes, payload: bytes) -> Frame:
    """The frame in a header and a payload.

    Raises:
        WireError: malformed JSON, an unknown dtype, arrays that don't fill the payload exactly.
    """
    try:
        fields = json.loads(header)
    except (ValueError, RecursionError):
        raise WireError("the header is not JSON") from None
    match fields:
        case {"kind": str(kind), "data": dict(data), "arrays": list(table)} if len(table) <= MAX_ARRAYS:
            arrays: dict[str, Array] = {}
            offset = 0
            for entry in table:
                name, array = _array(entry, payload, offset)
                if name in arrays:
                    raise WireError("an array is named twice")
                arrays[name] = array
                offset += len(array.data)
            if offset != len(payload):
                raise WireError("the payload is longer than its arrays")
            return Frame(kind, data, arrays)
    raise WireError("the header is malformed")


def read_frame(read_exactly: Callable[[int], bytes], max_payload: int = MAX_PAYLOAD) -> Frame:
    """Reads one frame.

    Args:
        read_exactly: gives exactly that many bytes, or raises ``WireClosed``.

    Raises:
        WireError: the bytes are no frame within bounds. The stream can't be used further.
    """
    header_length, payload_length = _LENGTHS.unpack(read_exactly(_LENGTHS.size))
    if header_length > MAX_HEADER or payload_length > max_payload:
        raise WireError(f"a frame of {header_length} + {payload_length} bytes is larger than allowed")
    header = read_exactly(header_length)
    return decode(header, read_exactly(payload_length) if payload_length else b"")


def read_from(connection: socket.socket) -> Frame:
    """The next frame of a socket. Raises ``WireClosed`` at its end, ``TimeoutError`` after the socket's own time limit."""

    def exactly(count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = connection.recv(min(1 << 20, count - len(parts)))
            if not part:
                raise WireClosed("closed")
            parts += part
        return bytes(parts)

    return read_frame(exactly)


class FrameBuffer:
    """Takes bytes as they come and gives whole frames."""

    def __init__(self, max_payload: int = MAX_PAYLOAD) -> None:
        self._buffer = bytearray()
        self._max_payload = max_payload

    def feed(self, data: bytes) -> None:
        self._buffer += data

    def take(self) -> Frame | None:
        """The next whole frame, or ``None`` until more bytes have come. Raises ``WireError`` as :func:`read_frame` does."""
        if len(self._buffer) < _LENGTHS.size:
            return None
        header_length, payload_length = _LENGTHS.unpack_from(self._buffer)
        if header_length > MAX_HEADER or payload_length > self._max_payload:
            raise WireError(f"a frame of {header_length} + {payload_length} bytes is larger than allowed")
        start, end = _LENGTHS.size + header_length, _LENGTHS.size + header_length + payload_length
        if len(self._buffer) < end:
            return None
        frame = decode(bytes(self._buffer[_LENGTHS.size : start]), bytes(self._buffer[start:end]))
        del self._buffer[:end]
        return frame
