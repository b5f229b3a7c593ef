"""Frames: whatever bytes come, the reader gives a frame or says ``WireError``, and never holds more than its bounds."""

import json
import struct
import tracemalloc
from collections.abc import Callable
from math import prod

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quizapp_sandbox import wire
from quizapp_sandbox.wire import Array, Frame, FrameBuffer, WireClosed, WireError, decode, encode, read_frame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    dtype = draw(st.sampled_from(sorted(wire.ITEM_SIZE)))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=4)))
    size = prod(shape) * wire.ITEM_SIZE[dtype]
    return Array(dtype, shape, draw(st.binary(min_size=size, max_size=size)))


FRAMES = st.builds(
    Frame,
    st.text(max_size=20),
    st.dictionaries(st.text(max_size=8), JSON, max_size=4),
    st.dictionaries(st.text(max_size=20), arrays(), max_size=4),
)


def reader(data: bytes) -> Callable[[int], bytes]:
    """A stream that holds these bytes and ends."""
    at = 0

    def exactly(count: int) -> bytes:
        nonlocal at
        part = data[at : at + count]
        at += count
        if len(part) < count:
            raise WireClosed("closed")
        return part

    return exactly


def raw(header: object, payload: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack(">IQ", len(text), len(payload)) + text + payload


class TestRoundTrip:
    @given(FRAMES)
    def test_read(self, frame: Frame) -> None:
        assert read_frame(reader(encode(frame))) == frame

    @given(st.lists(FRAMES, max_size=3), st.integers(1, 50))
    def test_fed_in_pieces(self, frames: list[Frame], piece: int) -> None:
        data = b"".join(map(encode, frames))
        buffer, found = FrameBuffer(), []
        for start in range(0, len(data), piece):
            buffer.feed(data[start : start + piece])
            while (frame := buffer.take()) is not None:
                found.append(frame)
        assert found == frames

    def test_fed_byte_by_byte_gives_nothing_before_the_last_byte(self) -> None:
        data = encode(Frame("x", {"a": 1}, {"b": Array("float64", (1,), bytes(8))}))
        buffer = FrameBuffer()
        for index, byte in enumerate(data):
            assert buffer.take() is None, index
            buffer.feed(bytes([byte]))
        assert buffer.take() == Frame("x", {"a": 1}, {"b": Array("float64", (1,), bytes(8))})
        assert buffer.take() is None

    def test_the_layout_is_the_documented_one(self) -> None:
        frame = Frame("k", {}, {"a": Array("int64", (2,), struct.pack("<2q", 1, -2))})
        header = b'{"kind":"k","data":{},"arrays":[["a","int64",[2]]]}'
        assert encode(frame) == struct.pack(">IQ", len(header), 16) + header + struct.pack("<2q", 1, -2)


class TestRefused:
    """Only ``WireError``, whatever comes."""

    @given(st.binary(max_size=400))
    @settings(max_examples=300)
    def test_random_bytes(self, data: bytes) -> None:
        with pytest.raises(WireError):
            read_frame(reader(data))

    @given(st.binary(max_size=200), st.binary(max_size=64))
    @example(b"[" * 200, b"")
    @example(b"{" * 200, b"")
    @example(b"1" * 200, b"")
    @settings(max_examples=300)
    def test_random_headers_of_the_right_length(self, header: bytes, payload: bytes) -> None:
        with pytest.raises(WireError):
            read_frame(reader(raw(header, payload)))

    @given(FRAMES, st.data())
    def test_truncated(self, frame: Frame, data: st.DataObject) -> None:
        whole = encode(frame)
        cut = data.draw(st.integers(0, len(whole) - 1))
        with pytest.raises(WireError):
            read_frame(reader(whole[:cut]))
        buffer = FrameBuffer()
        buffer.feed(whole[:cut])
        assert buffer.take() is None

    @given(FRAMES, st.data())
    @settings(max_examples=300)
    def test_one_byte_changed_is_a_frame_or_refused(self, frame: Frame, data: st.DataObject) -> None:
        whole = bytearray(encode(frame))
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
        try:
            found = read_frame(reader(bytes(whole)))
        except WireError:
            return
        assert all(len(a.data) == prod(a.shape) * wire.ITEM_SIZE[a.dtype] for a in found.arrays.values())

    @given(JSON)
    @settings(max_examples=300)
    def test_any_json_that_is_no_header(self, header: object) -> None:
        with pytest.raises(WireError):
            read_frame(reader(raw(header)))

    @given(st.lists(JSON, max_size=4), st.binary(max_size=40))
    def test_any_json_for_the_table_of_arrays(self, table: list[object], payload: bytes) -> None:
        try:
            found = read_frame(reader(raw({"kind": "x", "data": {}, "arrays": table}, payload)))
        except WireError:
            return
        assert sum(len(array.data) for array in found.arrays.values()) == len(payload)

    def test_deep_nesting(self) -> None:
        for opening in (b"[", b'{"a":'):
            with pytest.raises(WireError):
                read_frame(reader(raw(opening * 100_000)))

    def test_a_number_too_long_to_read(self) -> None:
        with pytest.raises(WireError):
            read_frame(reader(raw(b'{"kind":"x","data":{"n":' + b"9" * 10_000 + b'},"arrays":[]}')))

    @pytest.mark.parametrize("dtype", ["float16", "bool", "object", "O", "<f8", "float64\0", "complex128", "", "str"])
    def test_dtypes_that_do_not_travel(self, dtype: str) -> None:
        with pytest.raises(WireError):
            decode(json.dumps({"kind": "x", "data": {}, "arrays": [["a", dtype, [1]]]}).encode(), bytes(8))

    @pytest.mark.parametrize("shape", [[-1], [True], ["1"], [1.0], [None], [[1]], [1] * 9, [2**80], "1", {"0": 1}, None, [2]])
    def test_shapes_that_are_none(self, shape: object) -> None:
        with pytest.raises(WireError):
            decode(json.dumps({"kind": "x", "data": {}, "arrays": [["a", "float64", shape]]}).encode(), bytes(8))

    def test_arrays_named_twice_or_beyond_the_payload_or_short_of_it(self) -> None:
        def header(*entries: list[object]) -> bytes:
            return json.dumps({"kind": "x", "data": {}, "arrays": entries}).encode()

        for table, payload in (
            (header(["a", "int64", [1]], ["a", "int64", [1]]), 16),
            (header(["a", "int64", [2]]), 8),
            (header(["a", "int64", [1]]), 16),
            (header(*([f"n{n}", "int64", [0]] for n in range(wire.MAX_ARRAYS + 1))), 0),
        ):
            with pytest.raises(WireError):
                decode(table, bytes(payload))


@given(st.lists(st.integers(0, wire.MAX_PAYLOAD), min_size=1, max_size=wire.MAX_DIMENSIONS).map(lambda shape: [*shape, 0][-8:]))
@example([0, 2**25 - 1, 2**25 - 1, 2**25 - 1])
def test_an_empty_array_that_is_read_can_be_held(shape: list[int]) -> None:
    """A forged frame that named an empty array of impossible dimensions once ended the judge."""
    try:
        frame = decode(json.dumps({"kind": "x", "data": {}, "arrays": [["a", "float64", shape]]}).encode(), b"")
    except WireError:
        return
    assert np.frombuffer(frame.arrays["a"].data, np.float64).reshape(frame.arrays["a"].shape).size == 0


class TestBounds:
    @pytest.mark.parametrize(
        ("header", "payload"), [(2**32 - 1, 0), (0, 2**64 - 1), (wire.MAX_HEADER + 1, 0), (2, wire.MAX_PAYLOAD + 1)]
    )
    def test_lengths_are_checked_before_anything_is_read(self, header: int, payload: int) -> None:
        asked = []

        def exactly(count: int) -> bytes:
            asked.append(count)
            return struct.pack(">IQ", header, payload)

        with pytest.raises(WireError, match="larger than allowed"):
            read_frame(exactly)
        assert asked == [12]
        buffer = FrameBuffer()
        buffer.feed(struct.pack(">IQ", header, payload))
        with pytest.raises(WireError, match="larger than allowed"):
            buffer.take()

    def test_a_reader_may_allow_less(self) -> None:
        data = encode(Frame("x", {}, {"a": Array("float64", (10,), bytes(80))}))
        assert read_frame(reader(data), max_payload=80).arrays["a"].shape == (10,)
        with pytest.raises(WireError):
            read_frame(reader(data), max_payload=79)
        buffer = FrameBuffer(max_payload=79)
        buffer.feed(data)
        with pytest.raises(WireError):
            buffer.take()

    def test_reading_costs_no_more_memory_than_the_bytes_that_came(self) -> None:
        small = raw({"kind": "x", "data": {}, "arrays": [["a", "float64", [wire.MAX_PAYLOAD // 8]]]})
        tracemalloc.start()
        try:
            with pytest.raises(WireError):
                read_frame(reader(small))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 1 << 20

    def test_what_no_reader_would_take_is_not_written(self) -> None:
        with pytest.raises(WireError):
            encode(Frame("x", {"text": "y" * wire.MAX_HEADER}))
        with pytest.raises(WireError):
            encode(Frame("x", {}, {"a": Array("float64", (1,), bytes(wire.MAX_PAYLOAD + 8))}))
