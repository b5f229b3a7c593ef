"""An ONNX model cut short: its nodes up to one of its values, which becomes its only output.

The file is read and written as protobuf's wire format, since nothing else here needs the package ``onnx``
(https://protobuf.dev/programming-guides/encoding, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

from __future__ import annotations

from collections.abc import Iterator

GRAPH = 7
"""Of a model."""
NODE, OUTPUT = 1, 12
"""Of a graph."""
NODE_OUTPUT = 2
NAME, TYPE, TENSOR, ELEMENT = 1, 2, 1, 1
"""Of a value; of its type; of a tensor's."""
FLOAT = 1
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


def cut(model: bytes, value: str) -> bytes:
    """The model with nothing after the node that gives ``value``. Nodes stand in the order in which they run.

    Raises:
        ValueError: no node gives it.
    """
    out = bytearray()
    for number, raw, content in _fields(memoryview(model)):
        out += _message(GRAPH, _cut_graph(content, value)) if number == GRAPH else raw
    return bytes(out)


def _cut_graph(graph: memoryview, value: str) -> bytes:
    name, out, found = value.encode(), bytearray(), False
    for number, raw, content in _fields(graph):
        if number == OUTPUT or (number == NODE and found):
            continue
        out += raw
        found = found or (number == NODE and any(at == NODE_OUTPUT and given == name for at, _, given in _fields(content)))
    if not found:
        raise ValueError(f"no node gives {value}")
    kind = _message(TENSOR, _varint(ELEMENT << 3 | _VARINT) + _varint(FLOAT))
    return bytes(out + _message(OUTPUT, _message(NAME, name) + _message(TYPE, kind)))


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """(number, the field as it stands, its content) of each field."""
    at = 0
    while at < len(message):
        start = at
        key, at = _read(message, at)
        kind = key & 7
        if kind == _VARINT:
            begin, at = at, _read(message, at)[1]
        elif kind == _BYTES:
            size, begin = _read(message, at)
            at = begin + size
        elif kind in (_EIGHT, _FOUR):
            begin, at = at, at + (8 if kind == _EIGHT else 4)
        else:
            raise ValueError(f"a field of type {kind} isn't known")
        yield key >> 3, message[start:at], message[begin:at]


def _read(message: memoryview, at: int) -> tuple[int, int]:
    """A varint, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _message(number: int, content: bytes | bytearray) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + bytes(content)
