# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Frames of one SYNC become one sample set."""

from __future__ import annotations

import math
import struct
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_hardware.sensors.wire import ImuWire
from boa_hardware.spine.collector import Collector
from boa_hardware.spine.protocol import Opcode, arbitration_id
from boa_hardware.spine.settings import ServoWire, SpineSettings

LINKS = 4
MS = 1_000_000


def frame(opcode: Opcode, link: int, layout: str, *values: float) -> tuple[int, bytes]:
    return arbitration_id(opcode, link), struct.pack(layout, *values)


def whole_set(links: int = LINKS) -> list[tuple[int, bytes]]:
    """ACC, IMU and CFS of all links; every value tells its link."""
    return [
        item
        for k in range(1, links + 1)
        for item in (
            frame(Opcode.ACC, k, "<ff", k, -k),
            frame(Opcode.IMU, k, "<ff", 10 * k, 20 * k),
            frame(Opcode.CFS, k, "<ii", 100 * k, -100 * k),
        )
    ]


def test_a_whole_set_is_complete_and_in_si_units() -> None:
    collector = Collector(SpineSettings(), LINKS)
    collector.begin(5 * MS)
    for position, (identifier, data) in enumerate(whole_set()):
        assert not collector.complete
        assert collector.accept(identifier, data, (6 + position) * MS)
    assert collector.complete
    sensors = collector.close()
    k = np.arange(1, LINKS + 1)
    assert sensors.stamp_ns == 5 * MS
    np.testing.assert_allclose(sensors.acceleration, np.stack([k, -k], axis=1))
    np.testing.assert_allclose(sensors.yaw_rate, np.radians(10 * k))
    np.testing.assert_allclose(sensors.yaw, np.radians(20 * k))
    np.testing.assert_allclose(sensors.cfs, np.stack([100 * k, -100 * k], axis=1))
    np.testing.assert_allclose(sensors.delay, (1 + 3 * k - 1) * 1e-3)
    assert np.isnan(sensors.servo).all()
    assert collector.counts().missed.sum() == 0
    np.testing.assert_allclose(collector.age(105 * MS), 0.1)


@given(st.sampled_from(["little", "big"]), st.sampled_from([1, -1]), st.data())
@settings(max_examples=60)
def test_values_equal_an_independent_unpacking(
    order: Literal["little", "big"], sign: Literal[1, -1], data: st.DataObject
) -> None:
    imu = ImuWire(rate_sign=sign, angle_sign=sign, acceleration_signs=(1, sign))
    servo = ServoWire(sign=sign, angle_zero=1000)
    collector = Collector(
        SpineSettings(byte_order=order, imu=imu, servo=servo, servo_frames=True), 1
    )
    layouts = {Opcode.ACC: "ff", Opcode.IMU: "ff", Opcode.CFS: "ii", Opcode.SERVO: "hhHb"}
    prefix = "<" if order == "little" else ">"
    sizes = {opcode: struct.calcsize(prefix + layout) for opcode, layout in layouts.items()}
    payloads = {
        opcode: data.draw(st.binary(min_size=size, max_size=size)) for opcode, size in sizes.items()
    }
    collector.begin(0)
    for opcode, payload in payloads.items():
        collector.accept(arbitration_id(opcode, 1), payload, 1)
    sensors = collector.close()
    raw = {
        opcode: struct.unpack(prefix + layout, payloads[opcode])
        for opcode, layout in layouts.items()
    }
    whole = {opcode: all(map(math.isfinite, values)) for opcode, values in raw.items()}
    ax, ay = raw[Opcode.ACC] if whole[Opcode.ACC] else (math.nan, math.nan)
    rate, yaw = raw[Opcode.IMU] if whole[Opcode.IMU] else (math.nan, math.nan)
    np.testing.assert_allclose(sensors.acceleration[0], [ax, sign * ay])
    np.testing.assert_allclose(
        [sensors.yaw_rate[0], sensors.yaw[0]],
        [sign * rate * math.pi / 180, sign * yaw * math.pi / 180],
    )
    assert sensors.cfs[0].tolist() == list(raw[Opcode.CFS])
    current, velocity, angle, temperature = raw[Opcode.SERVO]
    expected = [
        sign * current * 33 / 2048,
        sign * velocity * math.pi / 180,
        sign * (angle - 1000) * 2 * math.pi / 65536,
        temperature,
    ]
    np.testing.assert_allclose(sensors.servo[0], expected, rtol=1e-12, atol=1e-12)
    assert collector.counts().malformed[0] == sum(not good for good in whole.values())


def test_a_missing_frame_leaves_nan_and_counts_for_its_link_alone() -> None:
    collector = Collector(SpineSettings(), LINKS)
    collector.begin(0)
    gone = arbitration_id(Opcode.IMU, 3)
    for identifier, data in whole_set():
        if identifier != gone:
            collector.accept(identifier, data, 1)
    assert not collector.complete
    sensors = collector.close()
    assert np.isnan(sensors.yaw[2]) and np.isnan(sensors.yaw_rate[2])
    assert np.isfinite(np.delete(sensors.yaw, 2)).all() and np.isfinite(sensors.cfs).all()
    assert collector.counts().missed.tolist() == [0, 0, 1, 0]
    assert collector.age(0)[2] == math.inf


@pytest.mark.parametrize(("board", "end"), [("head_side", 1), ("tail_side", LINKS)])
def test_the_end_link_without_a_joint_need_not_send_a_force(
    board: Literal["head_side", "tail_side"], end: int
) -> None:
    collector = Collector(SpineSettings(force_board=board), LINKS)
    collector.begin(0)
    for identifier, data in whole_set():
        if identifier != arbitration_id(Opcode.CFS, end):
            collector.accept(identifier, data, 1)
    assert collector.complete
    collector.close()
    collector.accept(*frame(Opcode.CFS, end, "<ii", 1, 1), 2)
    assert collector.counts().late.sum() == 0  # nobody waited for it
    assert collector.counts().missed.sum() == 0


def test_late_repeated_malformed_and_foreign_frames_are_told_apart() -> None:
    collector = Collector(SpineSettings(), LINKS)
    collector.begin(0)
    for identifier, data in whole_set():
        collector.accept(identifier, data, 1)
    collector.accept(*frame(Opcode.ACC, 2, "<ff", 7, 8), 2)
    collector.accept(arbitration_id(Opcode.ACC, 3), bytes(7), 2)  # a byte short
    collector.accept(arbitration_id(Opcode.CFS, 3), bytes(9), 2)  # a byte too many
    collector.accept(*frame(Opcode.IMU, 4, "<ff", math.nan, 0), 2)
    nan = "IMU frames with values that are NaN"
    assert collector.spoilt() == ("", "", "CFS frames of 9 bytes", nan)
    assert not collector.accept(*frame(Opcode.ACC, LINKS + 1, "<ff", 0, 0), 2)
    assert not collector.accept(arbitration_id(Opcode.WARNING, 1), b"\1", 2)
    sensors = collector.close()
    collector.accept(*frame(Opcode.ACC, 1, "<ff", 9, 9), 3)
    assert collector.spoilt() == ("",) * LINKS, "their good frames came as well"
    counts = collector.counts()
    assert counts.repeated.tolist() == [0, 1, 0, 0]
    assert counts.malformed.tolist() == [0, 0, 2, 1]
    assert counts.late.tolist() == [1, 0, 0, 0]
    assert sensors.acceleration[1].tolist() == [7, 8]  # the newest of a repeated frame counts
    assert sensors.acceleration[0].tolist() == [1, -1]  # a late one does not


def test_frames_before_the_first_sync_are_late() -> None:
    collector = Collector(SpineSettings(), LINKS)
    assert collector.accept(*frame(Opcode.ACC, 1, "<ff", 0, 0), 1)
    assert collector.counts().late[0] == 1


def test_waiting_makes_sense_only_for_links_that_are_alive() -> None:
    collector = Collector(SpineSettings(), LINKS)
    collector.begin(0)
    assert not collector.awaits(0, 0.25)  # nobody has ever answered
    for identifier, data in whole_set():
        collector.accept(identifier, data, 1)
    collector.close()
    collector.begin(10 * MS)
    assert collector.awaits(10 * MS, 0.25)
    assert not collector.awaits(300 * MS, 0.25)
    for identifier, data in whole_set():
        collector.accept(identifier, data, 1)
    assert not collector.awaits(10 * MS, 0.25)


def test_can_fd_set() -> None:
    collector = Collector(SpineSettings(fd_frame=True), 2)
    collector.begin(0)
    for k in (1, 2):
        data = struct.pack("<ffffiihhHbx", k, 0, 0, 0, 5 * k, 0, 0, 0, 32768, 40 + k)
        assert collector.accept(arbitration_id(Opcode.ALL_SENSORS, k), data, 1)
    assert collector.complete
    sensors = collector.close()
    assert sensors.acceleration[:, 0].tolist() == [1, 2]
    assert sensors.cfs[:, 0].tolist() == [5, 10]
    assert sensors.servo[:, 3].tolist() == [41, 42]


@given(st.lists(st.tuples(st.integers(0, 0x7FF), st.binary(max_size=8)), max_size=60))
@settings(max_examples=200)
def test_no_traffic_raises_or_leaves_an_impossible_value(traffic: list[tuple[int, bytes]]) -> None:
    collector = Collector(SpineSettings(servo_frames=True), LINKS)
    collector.begin(0)
    for identifier, data in traffic:
        collector.accept(identifier, data, 1)
    assert not np.isinf(collector.close().values).any()
