# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Templates against full serialisation."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.messages import cdr
from boa_control.messages.markers import marker

ANY_DOUBLE = st.floats(allow_nan=True, allow_infinity=True)
STAMP = st.integers(0, 2**31 * cdr.SECOND - 1)


def joint_state(
    names: list[str], stamp_ns: int, position: np.ndarray, effort: np.ndarray
) -> object:
    return cdr.message(
        "sensor_msgs/msg/JointState",
        header=cdr.header(stamp_ns),
        name=names,
        position=position,
        velocity=np.zeros(0),
        effort=effort,
    )


def template(names: list[str]) -> cdr.Template:
    n = len(names)
    return cdr.Template(lambda mark: joint_state(names, 0, mark("position", n), mark("effort", n)))


@given(
    names=st.lists(st.text("abcdefgh_0123456789", max_size=12), max_size=6),
    stamp=STAMP,
    data=st.data(),
)
def test_template_writes_what_the_serialiser_writes_and_reads_it_back(names, stamp, data) -> None:
    position, effort = (
        data.draw(arrays(np.float64, len(names), elements=ANY_DOUBLE)) for _ in range(2)
    )
    made = template(names)
    raw = made.write(stamp, position=position, effort=effort)
    assert raw == cdr.serialize(joint_state(names, stamp, position, effort))
    read = made.read(raw)
    assert read is not None and read[0] == stamp == cdr.stamp_of(raw)
    np.testing.assert_array_equal(read[1]["position"], position)
    np.testing.assert_array_equal(read[1]["effort"], effort)


@given(position=st.integers(0, 10_000), value=st.integers(0, 255))
def test_template_reads_nothing_that_differs_in_more_than_stamp_and_numbers(
    position: int, value: int
) -> None:
    names = ["joint_01", "joint_02", "joint_03"]
    made = template(names)
    raw = bytearray(made.write(1, position=np.ones(3), effort=np.ones(3)))
    numbers = raw.find(np.ones(3).tobytes())
    position %= len(raw)
    free = (
        *range(4, 12),
        *range(numbers, numbers + 24),
        *range(raw.rfind(np.ones(3).tobytes()), raw.rfind(np.ones(3).tobytes()) + 24),
    )
    changed = raw[position] != value and position not in free
    raw[position] = value
    assert (made.read(bytes(raw)) is None) == changed


@given(frames=st.lists(st.text("abc", max_size=9), min_size=1, max_size=5), stamp=STAMP)
def test_a_template_with_marked_stamps_replaces_every_one(frames: list[str], stamp: int) -> None:
    """A list of stamped things: the stamp that comes first is not at the beginning."""

    def markers(stamp_ns: int, scale: list[np.ndarray]) -> object:
        made = [
            marker(stamp_ns, frame, "n", scale=tuple(row))
            for frame, row in zip(frames, scale, strict=True)
        ]
        return cdr.message("visualization_msgs/msg/MarkerArray", markers=made)

    several = cdr.Template(
        lambda mark: markers(cdr.MARKED_NS, [mark(str(k), 3) for k in range(len(frames))])
    )
    rows = list(np.arange(3.0 * len(frames)).reshape(-1, 3))
    raw = several.write(stamp, **{str(k): row for k, row in enumerate(rows)})
    assert raw == cdr.serialize(markers(stamp, rows))
    found, numbers = several.read(raw)
    assert found == stamp == cdr.stamp_of(raw, at=8)
    np.testing.assert_array_equal([numbers[str(k)] for k in range(len(frames))], rows)


def test_template_refuses_numbers_that_are_not_consecutive() -> None:
    def build(mark):
        both = mark("both", 6)
        return joint_state(["a", "b", "c"], 0, both[:3], both[3:])

    with pytest.raises(ValueError, match="not consecutive"):
        cdr.Template(build)


def test_a_message_written_earlier_does_not_change_with_the_next() -> None:
    made = template(["a"])
    first = made.write(1, position=np.array([1.0]), effort=np.array([2.0]))
    copy = bytes(first)
    made.write(2, position=np.array([3.0]), effort=np.array([4.0]))
    assert first == copy


@given(st.binary(max_size=300))
def test_foreign_bytes_are_one_clear_error(raw: bytes) -> None:
    for msgtype in (
        "sensor_msgs/msg/JointState",
        "sensor_msgs/msg/MultiDOFJointState",
        "std_msgs/msg/String",
    ):
        try:
            cdr.deserialize(raw, msgtype)
        except cdr.MessageError as error:
            assert msgtype in str(error)


def test_big_endian_messages_are_read() -> None:
    raw = b"\x00\x00\x00\x00" + struct.pack(">iI", 7, 8)
    assert cdr.stamp_of(raw) == 7_000_000_008
    assert cdr.nanoseconds(cdr.deserialize(raw, "rosgraph_msgs/msg/Clock").clock) == 7_000_000_008


def test_nothing_is_generated_any_more_for_a_type_that_was_prepared() -> None:
    cdr.prepare("diagnostic_msgs/msg/DiagnosticArray")
    known = set(cdr.typestore().cache)
    assert {
        "diagnostic_msgs/msg/DiagnosticArray",
        "diagnostic_msgs/msg/KeyValue",
        "std_msgs/msg/Header",
    } <= known
    value = cdr.message("diagnostic_msgs/msg/KeyValue", key="a", value="b")
    status = cdr.message(
        "diagnostic_msgs/msg/DiagnosticStatus",
        level=0,
        name="",
        message="",
        hardware_id="",
        values=[value],
    )
    cdr.serialize(
        cdr.message("diagnostic_msgs/msg/DiagnosticArray", header=cdr.header(), status=[status])
    )
    assert set(cdr.typestore().cache) == known
