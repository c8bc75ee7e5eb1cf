# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Brain's side of the spine against emulated link boards, on simulated time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import can
import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_description.load import load_robot
from boa_hardware.emulator.link_physics import LinkReading
from boa_hardware.sensors.wire import ForceWire, ImuWire
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.health import BusState
from boa_hardware.spine.protocol import Opcode, arbitration_id
from boa_hardware.spine.settings import ServoWire, SpineSettings

N = 13
PATIENCE = 120.0  # s for a thread of a busy machine
MakeRig = Callable[..., Any]
SETTINGS = {
    "default": SpineSettings(),
    "big endian": SpineSettings(byte_order="big"),
    "CAN FD": SpineSettings(fd_frame=True),
    "radians, clockwise": SpineSettings(
        imu=ImuWire(
            rate_unit="rad/s",
            angle_unit="rad",
            rate_sign=-1,
            angle_sign=-1,
            acceleration_signs=(-1, -1),
        )
    ),
    "newtons": SpineSettings(force=ForceWire(content="force", newton_per_count=0.001)),
    "tail side": SpineSettings(force_board="tail_side"),
    "with servos": SpineSettings(servo_frames=True, servo=ServoWire(sign=-1), deadline=0.0095),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_samples_equal_what_the_links_feel(make_rig: MakeRig, name: str) -> None:
    """Through encoder (struct), wire and decoder (cantools), for every choice the protocol leaves
    open.
    """
    rig = make_rig(SETTINGS[name], servos=name == "with servos")
    first, *_, last = rig.cycles(10)
    index = np.arange(N)
    force, imu = last.force.sample, last.imu.sample
    assert force.stamp_ns == imu.stamp_ns == last.stamp_ns
    joint_link = index[:-1] if name == "tail side" else index[1:]
    count = 0.001 if name == "newtons" else 100.0 * ForceWire().front_end.mv_per_v  # N
    true = np.stack([joint_link, -2.0 * joint_link], axis=1)
    np.testing.assert_allclose(force.force[:, :2], true, atol=10 * count)  # noise of two counts
    assert np.isnan(force.force[:, 2]).all()
    np.testing.assert_allclose(
        imu.acceleration, np.stack([0.1 * index, np.full(N, -0.2)], axis=1), atol=0.0051
    )
    np.testing.assert_allclose(imu.yaw_rate, 0.5, atol=math.radians(1 / 32))
    elapsed = (last.stamp_ns - first.stamp_ns) * 1e-9
    np.testing.assert_allclose(imu.yaw, 0.5 * elapsed, atol=math.radians(1 / 16) + 1e-6)
    assert last.status.faults == last.status.warnings == ()
    assert last.status.state is BusState.ACTIVE
    assert last.status.counts.missed.sum() == last.status.counts.malformed.sum() == 0


def test_samples_are_stamped_with_the_sync_and_the_links_answer_in_turn(make_rig: MakeRig) -> None:
    rig = make_rig()
    readings = rig.cycles(5)
    assert [reading.stamp_ns for reading in readings] == [k * 10_000_000 for k in range(5)]
    # the rig waits for the next period
    sync_and_39_frames = rig.clock.now_ns - readings[-1].stamp_ns
    assert sync_and_39_frames == 10_000_000
    # 4.4 to 5.4 ms on the wire, from the length of the frames
    assert 39 * 111e-6 < readings[-1].status.age[0] < 40 * 135e-6 + 0.2e-3
    delay = readings[-1].status.delay
    assert (np.diff(delay) > 0).all() and delay[-1] == pytest.approx(
        readings[-1].status.age[-1], abs=1e-6
    )


def test_a_silent_link_is_nan_then_stale_then_a_fault_and_delays_the_others_little(
    make_rig: MakeRig,
) -> None:
    rig = make_rig()
    rig.cycles(3)
    rig.fault("silence", link=5)
    reading = rig.cycle()
    assert np.isnan(reading.imu.sample.yaw[4]) and np.isnan(reading.force.sample.force[3]).all()
    others = np.delete(reading.imu.sample.yaw, 4)
    assert np.isfinite(others).all()
    assert reading.status.faults == ()
    later = rig.cycles(40)
    assert any("link 5" in text for text in later[5].status.warnings)
    assert any("no complete answer from link 5" in text for text in later[-1].status.faults)
    assert later[-1].status.age[4] > 0.25
    # given up: the sensor rate is whole again
    assert later[-1].stamp_ns - later[-2].stamp_ns == 10_000_000
    rig.faults.clear()
    assert rig.cycle().status.faults == ()


def test_one_percent_of_lost_frames_costs_single_samples_and_no_fault(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycles(2)
    rig.fault("lose", rate=0.01)
    readings = rig.cycles(200)
    lost = sum(
        int(np.isnan(r.imu.sample.yaw).sum() + np.isnan(r.force.sample.force[:, 0]).sum())
        for r in readings
    )
    assert 10 < lost < 500
    assert all(reading.status.faults == () for reading in readings)
    assert readings[-1].status.counts.missed.sum() > 10


def test_frames_destroyed_on_the_wire_are_repeated_by_can_and_nothing_is_lost(
    make_rig: MakeRig,
) -> None:
    rig = make_rig()
    rig.fault("corrupt", rate=0.05)
    readings = rig.cycles(100)
    assert readings[-1].status.counts.missed.sum() == 0
    assert all(np.isfinite(r.imu.sample.yaw).all() for r in readings)


def test_late_and_duplicated_frames_do_not_disturb_the_next_set(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycles(2)
    rig.fault("duplicate", frame="CFS", link=3)
    doubled = rig.cycles(3)[-1]
    counts = doubled.status.counts
    assert counts.repeated[2] + counts.late[2] >= 2
    assert counts.repeated.sum() + counts.late.sum() == counts.repeated[2] + counts.late[2]
    rig.faults.clear()
    rig.fault("delay", frame="IMU", link=7, amount=0.015)
    slow = rig.cycles(4)[-1]
    assert np.isfinite(slow.imu.sample.yaw).all()  # a living link is waited for
    np.testing.assert_allclose(slow.force.sample.force[:, 0], np.arange(1, N), atol=2e-3)


def test_a_frame_that_waits_since_before_the_sync_is_no_answer_to_it(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycles(2)
    rig.fault("lose", frame="ACC", link=2)
    old = can.Message(
        arbitration_id=arbitration_id(Opcode.ACC, 2), data=bytes(8), is_extended_id=False
    )
    rig.bus.inject(old)
    reading = rig.cycle()
    assert np.isnan(reading.imu.sample.acceleration[1]).all()
    assert reading.status.counts.late[1] == 1


def test_an_imu_that_sends_nan_is_said_to_send_nan(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycles(3)
    rig.fault("nan", link=4)
    later = rig.cycles(40)
    (fault,) = later[-1].status.faults
    assert fault.startswith("spine: link 4 sends IMU frames with values that are NaN for 0.")
    assert "cable" not in fault


def test_garbage_from_one_board_is_rejected_by_its_checks_and_stays_with_it(
    make_rig: MakeRig,
) -> None:
    rig = make_rig()
    rig.cycles(5)
    rig.fault("garble", link=4, frame="IMU")
    readings = rig.cycles(50)
    rate = np.array([reading.imu.sample.yaw_rate for reading in readings])
    assert np.nanmax(np.abs(rate[:, 3])) <= math.radians(2000)
    np.testing.assert_allclose(np.delete(rate, 3, axis=1), 0.5, atol=math.radians(1 / 32))
    assert (readings[-1].imu.rejected[3] + readings[-1].status.counts.malformed[3]) > 40
    assert np.delete(readings[-1].imu.rejected, 3).sum() == 0


def test_heading_glitch_of_the_real_sensor_is_rejected(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycles(5)
    fault = rig.fault("glitch", link=2, stop=rig.clock.now_ns * 1e-9 + 0.009)
    assert fault.stop is not None
    reading = rig.cycle()
    assert np.isnan(reading.imu.sample.yaw[1])
    after = rig.cycle()
    np.testing.assert_allclose(
        after.imu.sample.yaw[1], after.imu.sample.yaw[0], atol=math.radians(1 / 8)
    )


@pytest.mark.parametrize(
    ("kind", "amount", "seconds", "says"),
    [
        ("frozen", 0.0, 0.7, "the same value"),
        ("saturated", 0.0, 0.1, "saturated"),
        ("drift", 100.0, 0.7, "above its"),
    ],
)
def test_sick_force_sensors_are_faults(
    make_rig: MakeRig, kind: str, amount: float, seconds: float, says: str
) -> None:
    rig = make_rig()
    rig.cycles(2)
    assert rig.cycle().status.faults == ()
    rig.fault(kind, link=3, amount=amount, start=rig.clock.now_ns * 1e-9)
    faults = rig.cycles(round(seconds * 100))[-1].status.faults
    assert faults and all("joint_02" in text for text in faults)
    assert any(says in text for text in faults)


def test_panic_from_a_board_is_latched_until_reset(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.fault("panic", link=9)
    reading = rig.cycles(2)[-1]
    assert reading.status.panic == "received from link 9"
    assert any("PANIC (received from link 9)" in text for text in reading.status.faults)
    assert all(board.panicked for board in rig.emulated.boards if board.link != 9)
    assert rig.cycle().status.panic is not None
    rig.spine.reset()
    assert rig.cycle().status.panic is None


def test_panic_is_sent_at_once_and_repeated(make_rig: MakeRig) -> None:
    rig = make_rig(SpineSettings(panic_repeats=3))
    rig.cycle()
    rig.spine.panic("force over range")
    panic = arbitration_id(Opcode.PANIC)
    assert rig.bus.sent[-1].arbitration_id == panic
    readings = rig.cycles(6)
    assert [frame.arbitration_id for frame in rig.bus.sent].count(panic) == 3
    assert all(board.panicked for board in rig.emulated.boards)
    assert readings[-1].status.panic == "sent: force over range"


def test_fatal_errors_and_warnings_of_boards_are_passed_on(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.fault("fatal_error", link=6, amount=42)
    rig.fault("warning", link=7, amount=3)
    status = rig.cycle().status
    assert any("link 6 reports fatal error 42" in text for text in status.faults)
    assert any("link 7 warns with code 3" in text for text in status.warnings)


def test_another_master_is_a_fault(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycle()
    sync = can.Message(
        arbitration_id=arbitration_id(Opcode.SYNC_SENSOR), data=b"\0", is_extended_id=False
    )
    rig.bus.inject(sync)
    assert any("another master" in text for text in rig.cycle().status.faults)


def test_a_bus_that_is_already_driven_is_left_alone(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.spine.require_alone()
    assert rig.clock.now_ns == 100_000_000 and rig.bus.sent == []
    torque = can.Message(
        arbitration_id=arbitration_id(Opcode.SET_JOINT_TORQUE, 3),
        data=b"\0\0",
        is_extended_id=False,
    )
    rig.bus.inject(torque)
    with pytest.raises(PlantError, match="another program drives this bus"):
        rig.spine.require_alone()
    assert rig.bus.sent == []


def test_a_slow_brain_is_listened_for_longer(make_rig: MakeRig) -> None:
    rig = make_rig(SpineSettings(sensor_rate=4, deadline=0.25, patience=0.4))
    rig.spine.require_alone()
    assert rig.clock.now_ns == 800_000_000


def hold_up(rig: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program stands still for 2 s whenever it has sent something."""
    send = rig.bus.send

    def slowly(frame: can.Message, timeout: float | None = None) -> None:
        send(frame, timeout)
        rig.clock.now_ns += 2_000_000_000

    monkeypatch.setattr(rig.bus, "send", slowly)


def test_what_came_while_the_computer_was_busy_is_not_missing(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = make_rig()
    hold_up(rig, monkeypatch)
    reading = rig.cycle()
    assert np.isfinite(reading.imu.sample.yaw).all()
    assert not reading.status.counts.missed.any()


def test_a_babbling_node_does_not_hold_up_a_program_that_is_late(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = make_rig()
    hold_up(rig, monkeypatch)
    noise = can.Message(arbitration_id=0x123456, is_extended_id=True)
    monkeypatch.setattr(rig.bus, "recv", lambda timeout=None: noise)
    assert rig.cycle().status.counts.missed.all()


def test_foreign_traffic_is_counted_and_ignored(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.bus.inject(can.Message(arbitration_id=0x123456, is_extended_id=True))
    rig.bus.inject(can.Message(arbitration_id=0x10 << 6 | 3, is_extended_id=False))
    rig.bus.inject(
        can.Message(
            arbitration_id=arbitration_id(Opcode.ACC, 1), is_remote_frame=True, is_extended_id=False
        )
    )
    rig.bus.inject(
        can.Message(
            arbitration_id=arbitration_id(Opcode.ACC, 60), data=bytes(8), is_extended_id=False
        )
    )
    reading = rig.cycle()
    assert reading.status.counts.unknown == 4
    assert reading.status.faults == ()


def error_frame(kind: int, control: int) -> can.Message:
    return can.Message(
        arbitration_id=kind, is_error_frame=True, data=bytes([0, control, 0, 0, 0, 0, 0, 0])
    )


def test_bus_off_reported_by_socketcan_is_a_fault_until_somebody_answers(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycle()
    rig.fault("silence")
    rig.bus.inject(error_frame(0x040, 0))
    reading = rig.cycle()
    assert reading.status.state is BusState.OFF
    assert any("bus-off" in text for text in reading.status.faults)
    rig.cycles(30)
    assert rig.spine.newest().status.restarts >= 1
    rig.faults.clear()
    assert rig.cycles(2)[-1].status.state is BusState.ACTIVE


def test_error_passive_warns_at_first(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.bus.inject(error_frame(0x004, 0x10))
    status = rig.cycle().status
    assert status.state is BusState.PASSIVE
    assert any("error-passive" in text for text in status.warnings) and status.faults == ()


def test_a_lost_adapter_is_opened_again_with_pauses(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycle()
    rig.bus.broken = rig.refuse_open = True
    readings = rig.cycles(100)  # 1 s
    assert readings[-1].status.state is BusState.DOWN
    assert any("adapter is gone" in text for text in readings[-1].status.faults)
    assert 2 <= readings[-1].status.restarts <= 4  # after 0.1, 0.3, 0.7 s
    assert np.isnan(readings[-1].imu.sample.yaw).all()
    rig.refuse_open = False
    recovered = rig.cycles(100)[-1]
    assert recovered.status.state is BusState.ACTIVE and recovered.status.faults == ()
    assert len(rig.buses) == 2
    np.testing.assert_allclose(recovered.force.sample.force[:, 0], np.arange(1, N), atol=2e-3)


def test_silence_of_all_boards_is_told_from_silence_of_one(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.fault("silence")
    status = rig.cycles(12)[-1].status
    assert status.state is BusState.SILENT
    assert any("no board answers" in text for text in status.faults)
    assert any("since the start" in text for text in status.faults)


def test_closed_spine_can_be_closed_again_and_panic_never_raises(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.cycle()
    rig.spine.close()
    rig.spine.close()
    rig.spine.panic("after the end")
    rig.spine.open()
    assert np.isfinite(rig.cycle().imu.sample.yaw).all()


def test_thread_delivers_readings_and_reports_its_own_death(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = load_robot("boa13", links=2)
    spine = SpineBus(SpineSettings(channel="virtual:thread-test"), robot)
    spine.start()
    end = time.monotonic() + PATIENCE
    while spine.newest() is None and time.monotonic() < end:
        time.sleep(0.01)
    reading = spine.newest()
    assert reading is not None and np.isnan(reading.imu.sample.yaw).all()
    monkeypatch.setattr(spine.imus, "read", lambda *args: 1 / 0)
    spine._thread.join(PATIENCE)
    with pytest.raises(PlantError, match="ZeroDivisionError"):
        spine.newest()
    spine.close()


def test_more_links_than_the_protocol_has_are_refused() -> None:
    with pytest.raises(PlantError, match="64 links, the Spine Protocol at most 63"):
        SpineBus(SpineSettings(), load_robot("boa13", links=64))


def test_sixty_three_links_work(make_rig: MakeRig) -> None:
    still = lambda index, now: LinkReading(yaw_rate=0.0, yaw=0.1 * index)  # noqa: E731
    rig = make_rig(SpineSettings(sensor_rate=30, deadline=0.033), links=63, motion=still)
    reading = rig.cycles(2)[-1]
    assert np.isfinite(reading.imu.sample.yaw).all()
    assert reading.status.faults == ()
