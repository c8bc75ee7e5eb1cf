# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One link board: what it answers to which frame."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.link_board import BoardSensors, LinkBoard
from boa_hardware.emulator.link_physics import LinkReading
from boa_hardware.emulator.spine_faults import SpineFault, SpineFaults
from boa_hardware.sensors.k3d40 import Calibration
from boa_hardware.spine.protocol import Opcode, arbitration_id, split
from boa_hardware.spine.settings import SpineSettings
from test.boa_hardware.free_joint import FreeJoint
from test.scripted_link import ScriptedLink

SYNC = WireFrame(arbitration_id(Opcode.SYNC_SENSOR), b"\0")
CONTROL = WireFrame(arbitration_id(Opcode.SYNC_CONTROL), b"\0")
PERFECT = BoardSensors(force_noise=0.0, rate_step=0.0, angle_step=0.0, acceleration_step=0.0)
READING = LinkReading((1.5, -2.5), math.radians(400), math.radians(-30), (10.0, -20.0, 5.0))
CROSSTALK = Calibration.model_validate(
    {
        "serial": "x",
        "date": "2025-01-01",
        "certificate": "c",
        "matrix": [[80, 1, -1], [0.5, 82, 0], [2, 0, 79]],
        "offset": [0.01, -0.02, 0.0],
    }
)


def board(link: int = 3, faults: SpineFaults | None = None, **options: object) -> LinkBoard:
    arguments: dict[str, Any] = {
        "settings": SpineSettings(),
        "calibration": CROSSTALK,
        "sensors": PERFECT,
        "faults": faults,
    }
    return LinkBoard(link, ScriptedLink(lambda now: READING), **(arguments | options))


def answers(frames: list[WireFrame]) -> dict[int, bytes]:
    assert all(split(frame.identifier)[1] == frame.sender for frame in frames)
    return {split(frame.identifier)[0]: frame.data for frame in frames}


def test_sync_is_answered_with_the_frames_of_the_manual() -> None:
    sent = answers(board().receive(SYNC, 1.0))
    assert list(sent) == [Opcode.ACC, Opcode.IMU, Opcode.CFS]
    assert struct.unpack("<ff", sent[Opcode.ACC]) == (1.5, -2.5)
    # heading in [0, 360)
    assert struct.unpack("<ff", sent[Opcode.IMU]) == pytest.approx((-30.0, 40.0), abs=1e-4)
    bridge = np.linalg.solve(np.array(CROSSTALK.matrix), READING.force) + CROSSTALK.offset
    counts = bridge[:2] / SpineSettings().force.front_end.mv_per_v
    np.testing.assert_allclose(struct.unpack("<ii", sent[Opcode.CFS]), counts, atol=0.51)


def test_quantisation_of_the_imu() -> None:
    sent = answers(board(sensors=BoardSensors(force_noise=0.0)).receive(SYNC, 1.0))
    for value in struct.unpack("<ff", sent[Opcode.IMU]):
        assert value * 16 == pytest.approx(round(value * 16), abs=1e-4)


def test_servo_frame_only_where_boards_are_told_to_send_one() -> None:
    joint = FreeJoint(position=math.pi + 0.5)
    settings = SpineSettings(servo_frames=True)
    sent = answers(board(settings=settings, servo=joint).receive(SYNC, 0.0))
    current, velocity, angle, temperature = struct.unpack("<hhHb", sent[Opcode.SERVO])
    assert (current, velocity, temperature) == (0, 0, 25)
    assert (angle - 32768) * 2 * math.pi / 65536 == pytest.approx(0.5, abs=1e-4)
    assert Opcode.SERVO not in answers(board(servo=joint).receive(SYNC, 0.0))


@pytest.mark.parametrize(
    "frame",
    [
        WireFrame(arbitration_id(Opcode.SYNC_SENSOR, 4), b"\0"),  # another link
        WireFrame(arbitration_id(Opcode.SYNC_SENSOR) << 18, b"\0", extended=True),
        WireFrame(arbitration_id(Opcode.SYNC_SENSOR), b"", remote=True, length=1),
        WireFrame(arbitration_id(Opcode.ACC, 3), bytes(8)),
        WireFrame(arbitration_id(Opcode.SET_JOINT_TORQUE, 3), b"\0"),  # too short
    ],
)
def test_other_frames_are_not_answered(frame: WireFrame) -> None:
    assert board().receive(frame, 0.0) == []


def test_torque_is_latched_until_sync_control_and_dropped_when_commands_stay_away() -> None:
    joint = FreeJoint()
    joint.locked = True
    driven = board(servo=joint, torque_constant=2.0)
    driven.receive(
        WireFrame(arbitration_id(Opcode.SET_JOINT_TORQUE, 3), struct.pack("<h", -1500)), 0.0
    )
    assert joint.state(0.01).current == 0.0
    driven.receive(CONTROL, 0.01)
    assert joint.state(0.02).current == pytest.approx(-0.75)  # 1 mN m per count, 2 N m/A
    driven.watch(0.1)
    assert joint.state(0.105).current == pytest.approx(-0.75)
    driven.watch(0.12)
    assert joint.state(0.13).current == 0.0


@pytest.mark.parametrize("link", [0, 3, 9])
def test_panic_of_anybody_stops_the_servo_for_good(link: int) -> None:
    joint = FreeJoint()
    joint.locked = True
    driven = board(servo=joint)
    torque = WireFrame(arbitration_id(Opcode.SET_JOINT_TORQUE, 3), struct.pack("<h", 500))
    driven.receive(torque, 0.0)
    driven.receive(CONTROL, 0.0)
    assert joint.state(0.01).current == pytest.approx(0.5)
    driven.receive(WireFrame(arbitration_id(Opcode.PANIC, link), b""), 0.01)
    driven.receive(torque, 0.02)
    driven.receive(CONTROL, 0.02)
    assert joint.state(0.03).current == 0.0
    assert driven.panicked
    driven.power_cycle(0.04)
    driven.receive(CONTROL, 0.05)
    assert joint.state(0.06).current == 0.0  # nothing is latched after power-up
    driven.receive(torque, 0.07)
    driven.receive(CONTROL, 0.07)
    assert joint.state(0.08).current == pytest.approx(0.5)


def test_faults_of_sensors_and_board() -> None:
    faults = SpineFaults(
        [SpineFault(kind="silence", start=1, stop=2), SpineFault(kind="saturated", start=3, stop=4)]
    )
    sick = board(faults=faults)
    normal = answers(sick.receive(SYNC, 0.5))
    assert sick.receive(SYNC, 1.5) == []
    assert answers(sick.receive(SYNC, 2.5)) == normal
    assert struct.unpack("<ii", answers(sick.receive(SYNC, 3.5))[Opcode.CFS]) == (2**23 - 1,) * 2
    faults.add(SpineFault(kind="glitch", start=5, stop=6))
    _, heading = struct.unpack("<ff", answers(sick.receive(SYNC, 5.5))[Opcode.IMU])
    assert heading == pytest.approx(-1872.125)
    faults.add(SpineFault(kind="drift", start=7, amount=2.0))
    before, after = (
        struct.unpack("<ii", answers(sick.receive(SYNC, t))[Opcode.CFS])[0] for t in (7.0, 8.0)
    )
    per_newton = (
        np.linalg.inv(np.array(CROSSTALK.matrix)) / SpineSettings().force.front_end.mv_per_v
    )
    assert after - before == pytest.approx(2.0 * (per_newton[0, 0] + per_newton[0, 1]), abs=1.1)


def test_frozen_board_repeats_what_it_last_saw() -> None:
    faults = SpineFaults([SpineFault(kind="frozen", start=1.0)])
    moving = LinkBoard(
        3,
        ScriptedLink(lambda now: LinkReading(yaw=now)),
        SpineSettings(),
        calibration=CROSSTALK,
        faults=faults,
    )
    last = moving.receive(SYNC, 0.9)
    assert moving.receive(SYNC, 1.1) == moving.receive(SYNC, 5.0) == last
    faults.clear()
    assert moving.receive(SYNC, 6.0) != last


def test_fault_rates_are_kept_and_repeatable() -> None:
    def hits(seed: int) -> list[bool]:
        faults = SpineFaults([SpineFault(kind="lose", rate=0.05, frame="IMU")], seed)
        return [
            faults.strikes("lose", arbitration_id(Opcode.IMU, 1), 0.0) is not None
            for _ in range(4000)
        ]

    assert hits(1) == hits(1) != hits(2)
    assert 0.04 < np.mean(hits(1)) < 0.06
    faults = SpineFaults([SpineFault(kind="lose", rate=1.0, frame="IMU")])
    assert faults.strikes("lose", arbitration_id(Opcode.ACC, 1), 0.0) is None


def test_wrong_faults_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'SERVO'"):
        SpineFault(kind="lose", frame="SERVOS")
    with pytest.raises(ValueError, match="must be later than start"):
        SpineFault(kind="lose", start=2, stop=1)
