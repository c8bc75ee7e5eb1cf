# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot plant beyond the contract: time, staleness, faults, recovery, tare; in simulated
time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import yaml

from boa_control.plant import PlantError
from boa_control.safety.command import Command
from boa_control.safety.supervisor import Supervisor
from boa_description.errors import BoaError
from boa_hardware.config import RobotSettings, Topology
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.can_wire import WireFrame
from boa_hardware.emulator.script import FaultScript
from boa_hardware.servo.errors import BringUpError
from boa_hardware.servo.registers import CURRENT
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from boa_hardware.servo.torque import TorqueModel
from boa_hardware.spine.protocol import Opcode, split
from test.boa_hardware.virtual import WALL_START_NS, VirtualRobot


@pytest.fixture
def robot() -> Iterator[VirtualRobot]:
    made = VirtualRobot(EmulatedBoa(RobotSettings()))
    with made.plant:
        yield made


def fault(robot: VirtualRobot, **entries: list[dict[str, object]]) -> None:
    robot.boa.add(FaultScript.model_validate(entries))


def drive(robot: VirtualRobot, ticks: int, torque: float = 0.0) -> None:
    for _ in range(ticks):
        robot.plant.read()
        robot.plant.write(np.full(12, torque))


# --- time -----------------------------------------------------------------------------------------


def test_stamps_are_wall_time_and_ignore_its_steps(robot: VirtualRobot) -> None:
    first = robot.plant.read()
    assert first.stamp_ns - WALL_START_NS == pytest.approx(robot.now * 1e9, abs=5e6)
    robot.wall_time_ns -= 3600 * 10**9
    second = robot.plant.read()
    assert second.stamp_ns - first.stamp_ns == robot.plant.control_period_ns
    assert 0 <= robot.plant.now_ns() - second.stamp_ns < 5_000_000


def test_all_stamps_of_a_frame_are_on_one_clock(robot: VirtualRobot) -> None:
    drive(robot, 10)
    frame = robot.plant.read()
    assert frame.joint_force is not None
    assert frame.imu is not None
    for sample in (frame.joint_force, frame.imu):
        assert 0 <= frame.stamp_ns - sample.stamp_ns <= 20_000_000


def test_old_samples_are_not_handed_out(robot: VirtualRobot) -> None:
    robot.runner._spine = None  # nobody cycles the spine any more
    drive(robot, 10)
    assert robot.plant.read().joint_force is not None
    drive(robot, 25)
    frame = robot.plant.read()
    assert frame.joint_force is None
    assert frame.imu is None


# --- readings -------------------------------------------------------------------------------------


def test_a_missed_servo_is_old_and_never_zero(robot: VirtualRobot) -> None:
    robot.plant.arm()
    drive(robot, 20, 0.5)
    before = robot.plant.read().position
    fault(robot, servos=[{"kind": "silent", "id": 4, "start": robot.now}])
    frame = robot.plant.read()
    assert frame.joint_age[3] == pytest.approx(0.005, abs=1e-6)
    assert (np.delete(frame.joint_age, 3) == 0).all()
    assert frame.position[3] == before[3] != 0


def test_measured_effort_and_position_are_those_of_the_body(robot: VirtualRobot) -> None:
    robot.plant.arm()
    drive(robot, 20, 0.4)
    frame = robot.plant.read()
    assert frame.effort == pytest.approx(robot.boa.body.torque, abs=2 * CURRENT * 2.667)
    truth = robot.boa.body.truth()
    # the exchange takes a millisecond
    assert frame.position == pytest.approx(truth.joint_position, abs=0.03)


def test_goals_are_rounded_towards_zero(robot: VirtualRobot) -> None:
    robot.plant.arm()
    drive(robot, 5, 0.5)
    robot.plant.read()
    counts = [servo.table["goal_current"] for servo in robot.boa.chain.servos]
    assert counts == [int(0.5 / 2.667 / CURRENT)] * 12


OFFSET = 0.05  # A, zero of the current sensors


def shifted(topology: Topology) -> VirtualRobot:
    """A robot whose current sensors read `OFFSET` at no torque, with friction to compensate."""
    model = TorqueModel(constant=2.5, current_offset=OFFSET, coulomb=0.1, compensation=1.0)
    joints = tuple(ServoJoint(id=number, torque=model) for number in range(1, 13))
    servos = ServoBusSettings(joints=joints)
    return VirtualRobot(EmulatedBoa(RobotSettings(topology=topology, servos=servos)))


def test_current_offset_goes_into_goal_currents() -> None:
    robot = shifted("rs485")
    with robot.plant:
        robot.plant.arm()
        drive(robot, 1, 0.5)  # at rest: nothing to compensate yet
        robot.runner.step()
        counts = [servo.table["goal_current"] for servo in robot.boa.chain.servos]
    assert counts == [int((0.5 / 2.5 + OFFSET) / CURRENT)] * 12


def test_link_boards_get_torques_without_the_current_offset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """tau, not tau + k i0: the zero of a current sensor is the board's own business."""
    robot, sent = shifted("spine"), []
    send = robot.boa.spine.send

    def record(frame: WireFrame, now_ns: int) -> None:
        if split(frame.identifier)[0] == Opcode.SET_JOINT_TORQUE:
            sent.append(int.from_bytes(frame.data, "little", signed=True))
        send(frame, now_ns)

    with robot.plant:
        robot.plant.arm()
        drive(robot, 1, 0.5)
        monkeypatch.setattr(robot.boa.spine, "send", record)
        robot.runner.step()
        assert sent == [500] * 12  # counts of 1 mN m
        sent.clear()
        drive(robot, 20)  # the joints coast, and no friction is compensated without a command
        velocity = robot.plant.read().velocity
        assert np.abs(velocity).max() > 0.05
        assert sent and not any(sent)


# --- getting ready and faults ---------------------------------------------------------------------


def test_a_missing_servo_is_named_before_anything_moves() -> None:
    robot = VirtualRobot(EmulatedBoa(RobotSettings()))
    robot.boa.chain.servo(5).silent = True
    with pytest.raises(BringUpError, match=r"missing +5 "):
        robot.plant.open()
    with pytest.raises(PlantError, match="plant is closed"):
        robot.plant.arm()
    assert not any(servo.torque_on for servo in robot.boa.chain.servos)


def test_states_follow_what_happens(robot: VirtualRobot) -> None:
    plant = robot.plant
    assert not plant.armed and not plant.loop.faults
    plant.arm()
    assert plant.armed and not plant.loop.faults
    overload = {"kind": "overload", "id": 2, "start": robot.now, "stop": robot.now + 0.05}
    fault(robot, servos=[overload])
    drive(robot, 2)
    assert plant.loop.faults
    with pytest.raises(PlantError, match="cannot arm, fault: servo 2"):
        plant.arm()
    drive(robot, 20)
    plant.reset_fault()
    assert not plant.armed and not plant.loop.faults
    plant.close()
    with pytest.raises(PlantError, match="plant is closed"):
        plant.arm()


def test_a_fault_keeps_its_first_wording_and_stays(robot: VirtualRobot) -> None:
    fault(robot, servos=[{"kind": "silent", "id": 3, "start": robot.now, "stop": robot.now + 0.1}])
    drive(robot, 60)
    faults = robot.plant.read().faults
    assert faults[0] == "servo 3 (joint_03): no reply for 6 ticks; check its cable and power"
    assert sum("servo 3" in text for text in faults) == 2  # itself, and as the reason of the PANIC


def test_panic_is_sent_when_a_fault_latches(
    robot: VirtualRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[int] = []
    send = robot.boa.spine.send

    def record(frame: WireFrame, now_ns: int) -> None:
        sent.append(split(frame.identifier)[0])
        send(frame, now_ns)

    monkeypatch.setattr(robot.boa.spine, "send", record)
    fault(robot, servos=[{"kind": "overload", "id": 2, "start": robot.now}])
    drive(robot, 10)
    assert sent.count(Opcode.PANIC) == RobotSettings().spine.panic_repeats
    assert all(board.panicked for board in robot.boa.spine.boards)


def test_reset_is_refused_while_the_cause_is_there(robot: VirtualRobot) -> None:
    fault(robot, servos=[{"kind": "silent", "id": 3, "start": robot.now}])
    drive(robot, 10)
    with pytest.raises(BringUpError, match=r"missing +3 "):
        robot.plant.reset_fault()
    assert robot.plant.loop.faults


def test_a_replugged_port_is_opened_again_without_torque(robot: VirtualRobot) -> None:
    robot.plant.arm()
    drive(robot, 20, 0.3)
    fault(robot, servo_line=[{"kind": "unplug", "start": robot.now, "stop": robot.now + 0.5}])
    drive(robot, 20, 0.3)
    assert robot.plant.read().joint_age.min() > 0.08
    drive(robot, 200, 0.3)
    assert robot.plant.loop.connected
    assert robot.plant.loop.reconnects == 1
    assert (robot.plant.read().joint_age == 0).all()
    assert not any(servo.torque_on for servo in robot.boa.chain.servos)
    assert robot.plant.loop.faults


@pytest.mark.parametrize("leave", ["disarm", "close", "reset_fault"])
def test_every_way_out_switches_torque_off(robot: VirtualRobot, leave: str) -> None:
    robot.plant.arm()
    drive(robot, 5, 0.5)
    assert all(servo.torque_on for servo in robot.boa.chain.servos)
    getattr(robot.plant, leave)()
    assert not any(servo.torque_on for servo in robot.boa.chain.servos)


def test_an_error_inside_the_tick_switches_torque_off(
    robot: VirtualRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot.plant.arm()
    drive(robot, 5, 0.5)
    monkeypatch.setattr(robot.plant.loop, "_other_faults", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        robot.plant.read()
    assert not any(servo.torque_on for servo in robot.boa.chain.servos)


def test_settings_of_another_robot_are_refused() -> None:
    from boa_hardware.servo.settings import ServoBusSettings, ServoJoint

    settings = RobotSettings(servos=ServoBusSettings(joints=(ServoJoint(id=1),)))
    with pytest.raises(Exception, match=r"1 entries, robot boa13 has 12 joints"):
        EmulatedBoa(settings)


# --- tare -----------------------------------------------------------------------------------------


def test_tare_needs_a_second_at_rest(robot: VirtualRobot) -> None:
    drive(robot, 100)
    with pytest.raises(PlantError, match=r"tare refused: 0\.\d+ s of samples"):
        robot.plant.tare()
    drive(robot, 140)
    robot.plant.tare()


def test_tare_waits_for_the_joints_to_rest(robot: VirtualRobot) -> None:
    robot.plant.arm()
    drive(robot, 20, 0.5)
    robot.plant.disarm()
    drive(robot, 250)  # coasts on a frictionless floor, with little force
    with pytest.raises(PlantError, match="tare refused"):
        robot.plant.tare()


def test_a_tare_outlives_the_program_and_is_checked_at_the_next_start(tmp_path: Path) -> None:
    settings = RobotSettings(tare_file=str(tmp_path / "kept" / "tare.yaml"))
    first = VirtualRobot(EmulatedBoa(settings))
    with first.plant:
        assert "no tare in" in first.plant.warnings()[0]
        drive(first, 240)
        first.plant.tare()
        assert first.plant.warnings() == ()
    second = VirtualRobot(EmulatedBoa(settings))
    with second.plant:
        drive(second, 300)
        assert second.plant.warnings() == ()
        zero = second.plant._spine.force.zero
        np.testing.assert_array_equal(zero, first.plant._spine.force.zero)
        assert (zero != second.plant._spine.force.certificate_zero).any()


def test_a_zero_that_has_moved_since_the_tare_is_complained_about(tmp_path: Path) -> None:
    settings = RobotSettings(tare_file=str(tmp_path / "tare.yaml"))
    robot = VirtualRobot(EmulatedBoa(settings))
    with robot.plant:
        drive(robot, 240)
        robot.plant.tare()
    file = tmp_path / "tare.yaml"
    content = yaml.safe_load(file.read_text())
    newton = 1.0 / robot.plant._spine.force.calibrations[2].matrix[0][0]  # mV/V
    content["zero"][2][0] += 3.0 * newton
    file.write_text(yaml.safe_dump(content))
    moved = VirtualRobot(EmulatedBoa(settings))
    with moved.plant:
        drive(moved, 300)
        (warning,) = moved.plant.warnings()
        assert warning.startswith(
            "force sensor joint_03: its zero has moved by 3.0 N since the tare, limit 1.0 N"
        )


def test_a_tare_of_another_robot_is_refused_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "tare.yaml"
    values = {"joints": ["joint_01"], "zero": [[0.0, 0.0, None]], "noise": [[0.1, 0.1, None]]}
    file.write_text(yaml.safe_dump({**values, "stamp_ns": 1, "temperature": [None]}))
    with pytest.raises(BoaError, match="the tare is of 1 joints, the robot has 12"):
        VirtualRobot(EmulatedBoa(RobotSettings(tare_file=str(file)))).plant.open()


# --- faults of the gate ---------------------------------------------------------------------------


def test_a_fault_of_the_torque_gate_sends_panic_to_every_board(robot: VirtualRobot) -> None:
    supervisor = Supervisor(robot.plant)
    frame = supervisor.read()
    supervisor.arm()
    frame = supervisor.read()
    supervisor.apply(Command(np.zeros(12), frame.stamp_ns))
    assert not any(board.panicked for board in robot.boa.spine.boards)
    frame = supervisor.read()
    torque = np.zeros(12)
    torque[3] = np.nan
    decision = supervisor.apply(Command(torque, frame.stamp_ns))
    assert decision.faults
    for _ in range(4):
        supervisor.read()
    assert all(board.panicked for board in robot.boa.spine.boards)
    assert np.abs(robot.boa.body.torque).max() == 0.0


def test_panic_after_a_fault_of_the_gate_can_be_switched_off() -> None:
    robot = VirtualRobot(EmulatedBoa(RobotSettings(panic_on_fault=False)))
    with robot.plant:
        robot.plant.fault_latched("for the test")
        drive(robot, 4)
        assert not any(board.panicked for board in robot.boa.spine.boards)


def test_diagnostic_numbers(robot: VirtualRobot) -> None:
    drive(robot, 20)
    numbers = robot.plant.counters()
    assert numbers["bus_ticks"] >= 20
    assert numbers["supply_v"] == pytest.approx(24.0)
    for what in ("missed", "malformed", "late", "repeated", "unknown"):
        assert numbers[f"can_{what}"] == 0
