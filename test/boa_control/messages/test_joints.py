# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""JointState messages: round trips, foreign order, refusal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_control.messages.cdr import MOST_LAYOUTS, MessageError, header, message, serialize
from boa_control.messages.joints import JointStateCodec, ScalarsCodec

NAMES = ("joint_01", "joint_02", "joint_03")
VALUES = arrays(np.float64, 3, elements=st.floats(allow_nan=True, allow_infinity=True))


def foreign(names, effort) -> bytes:
    nothing = np.zeros(0)
    return serialize(
        message(
            "sensor_msgs/msg/JointState",
            header=header(5, "somewhere"),
            name=list(names),
            position=nothing,
            velocity=nothing,
            effort=np.asarray(effort, float),
        )
    )


@given(position=VALUES, velocity=VALUES, effort=VALUES, stamp=st.integers(0, 2**60))
def test_round_trip(position, velocity, effort, stamp) -> None:
    codec = JointStateCodec(NAMES, ("position", "velocity", "effort"), "/boa/joint_states")
    raw = codec.encode(stamp, position=position, velocity=velocity, effort=effort)
    found, fields = codec.decode(raw)
    assert found == stamp
    for name, sent in (("position", position), ("velocity", velocity), ("effort", effort)):
        np.testing.assert_array_equal(fields[name], sent)


def test_same_bytes_as_other_implementations(same_bytes) -> None:
    codec = JointStateCodec(NAMES, ("effort",), "/boa/torque_command")
    content = same_bytes(
        codec.encode(3_000_000_004, effort=np.array([1.0, -2.0, np.nan])),
        "sensor_msgs/msg/JointState",
    )
    assert (content.header.stamp.sec, content.header.stamp.nanosec) == (3, 4)
    assert content.name == list(NAMES) and len(content.position) == 0


@given(st.permutations(range(3)))
def test_joints_in_any_order_are_put_in_ours(order) -> None:
    codec = JointStateCodec(NAMES, ("effort",), "/boa/torque_command")
    stamp, fields = codec.decode(foreign([NAMES[i] for i in order], [float(i) for i in order]))
    assert stamp == 5
    np.testing.assert_array_equal(fields["effort"], [0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    ("names", "effort", "what"),
    [
        (NAMES[:2], [1, 2], "joint_03 is missing"),
        ((*NAMES, "joint_04"), [1, 2, 3, 4], "joint_04 is not one of them"),
        (("joint_01", "joint_02", "joint_07"), [1, 2, 3], "joint_03 is missing"),
        (("joint_01", "joint_01", "joint_02"), [1, 2, 3], "twice"),
        (NAMES, [1, 2], "2 values for 3 names"),
        (NAMES, [], "0 values for 3 names"),
        ((), [], "joint_01 is missing"),
    ],
)
def test_wrong_commands_are_refused_by_name(names, effort, what) -> None:
    codec = JointStateCodec(NAMES, ("effort",), "/boa/torque_command")
    with pytest.raises(MessageError, match=what) as caught:
        codec.decode(foreign(names, effort))
    assert "/boa/torque_command" in str(caught.value)


@given(
    numbers=st.dictionaries(
        st.text("abc/_[]0123456789", min_size=1), st.floats(allow_nan=True), max_size=8
    ),
    stamp=st.integers(0, 2**60),
)
def test_named_numbers_round_trip(numbers, stamp) -> None:
    codec = ScalarsCodec()
    raw = codec.encode(stamp, tuple(numbers), np.array(list(numbers.values())))
    found, values = codec.decode(raw)
    assert found == stamp and list(values) == list(numbers)
    np.testing.assert_array_equal(list(values.values()), list(numbers.values()))


def test_templates_of_named_numbers_do_not_grow_without_end() -> None:
    codec = ScalarsCodec()
    for k in range(MOST_LAYOUTS + 20):
        raw = codec.encode(k, (f"name_{k}",), np.array([float(k)]))
        assert codec.decode(raw) == (k, {f"name_{k}": float(k)})
    assert codec._codec.cache_info().currsize == MOST_LAYOUTS


RECORD = st.dictionaries(st.text("abc/_[]0,", min_size=1, max_size=6), st.floats(), max_size=4)


@given(st.lists(st.tuples(RECORD, st.integers(1, 3)), min_size=1, max_size=4))
def test_records_that_repeat_and_change_are_read_as_each_by_itself(records) -> None:
    """The second of equal names is read like the first, the third with the template of both."""
    codec = ScalarsCodec()
    sent = [(stamp, record) for record, n in records for stamp in range(n)]
    read = [
        codec.decode(codec.encode(stamp, tuple(record), np.array(list(record.values()))))
        for stamp, record in sent
    ]
    for (stamp, record), (found, numbers) in zip(sent, read, strict=True):
        assert found == stamp and list(numbers) == list(record)
        np.testing.assert_array_equal(list(numbers.values()), list(record.values()))
    raws = [
        codec.encode(stamp, tuple(record), np.array(list(record.values())))
        for stamp, record in sent
    ]
    together = [
        (stamp, run.names, row)
        for run in ScalarsCodec().decode_many(raws)
        for stamp, row in zip(run.stamps.tolist(), run.values, strict=True)
    ]
    for (stamp, record), (found, names, row) in zip(sent, together, strict=True):
        assert found == stamp and list(names) == list(record)
        np.testing.assert_array_equal(row, list(record.values()))
