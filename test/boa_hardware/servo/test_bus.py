# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cyclic exchange end to end, over bytes on a pseudo-terminal."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from pydantic import PrivateAttr

from boa_control.plant import PlantError
from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.emulator.servo_faults import LineFault
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo.bringup import arm, bring_up
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.errors import BusGoneError, NoReplyError, ServoRefusedError
from boa_hardware.servo.protocol import ALERT, ErrorCode
from boa_hardware.servo.registers import CURRENT, POSITION, HardwareError, register
from boa_hardware.servo.sdk import CONFIGURATION_MARGIN
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from test.boa_hardware.free_joint import FreeJoint, free_chain
from test.boa_hardware.servo.conftest import PATIENCE
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine

MARGIN = 0.1  # s a reply may be late in these tests


class Once(LineFault):
    """Strikes one reply and no more."""

    _struck: bool = PrivateAttr(default=False)

    def acts(self, now: float) -> bool:
        struck, self._struck = self._struck, True
        return not struck


def joint_of(chain: ServoChain, servo: int) -> FreeJoint:
    joint = chain.servo(servo).physics
    assert isinstance(joint, FreeJoint)
    return joint


def test_samples_are_what_the_joints_do(bus: ServoBus, chain: ServoChain) -> None:
    for servo, (position, velocity) in {
        1: (3.0, 0.0),
        2: (4.0, 0.5),
        3: (-1.0, -0.5),
        4: (3.2, 0.0),
    }.items():
        joint = joint_of(chain, servo)
        joint.position, joint.velocity = position, velocity
        joint._coulomb = joint._viscous = 0.0
    bring_up(bus)
    sample = bus.cycle()
    for index, servo in enumerate(bus.ids):
        state = chain.servo(servo).physics.state(0.0)
        assert sample.position[index] == pytest.approx(state.position - math.pi, abs=0.05)
        assert sample.velocity[index] == pytest.approx(state.velocity, abs=0.013)
    assert sample.voltage.tolist() == pytest.approx([24.0] * 4)
    assert sample.temperature.tolist() == [25.0] * 4
    assert sample.valid.all()
    assert (sample.age == 0).all()
    assert not sample.error.any()


def test_goal_currents_arrive_in_joint_order_and_direction(
    line: VirtualLine, chain: ServoChain
) -> None:
    joints = (
        ServoJoint(id=3),
        ServoJoint(id=1, direction=-1),
        ServoJoint(id=4),
        ServoJoint(id=2, zero=3.0),
    )
    settings = ServoBusSettings(joints=joints, reply_margin=0.1)
    with ServoBus("virtual", settings, line.host) as bus:
        bring_up(bus)
        with line.lock:
            joint_of(chain, 1).position = math.pi + 0.4
        sample = bus.cycle(np.array([0.1, 0.2, -0.3, 0.0]))
        counts = [chain.servo(servo).table["goal_current"] for servo in (1, 2, 3, 4)]
    assert counts == [-74, 0, 37, -112]
    assert sample.position == pytest.approx([0.0, -0.4, 0.0, math.pi - 3.0], abs=POSITION)


def test_goals_are_cut_off_at_the_limit_since_servos_drop_higher_ones(
    bus: ServoBus, chain: ServoChain
) -> None:
    bring_up(bus)
    bus.cycle(np.array([100.0, -100.0, 2.41, 0.0]))
    limit = bus.settings.current_limit_counts
    assert limit * CURRENT <= bus.settings.current_limit
    assert [chain.servo(servo).table["goal_current"] for servo in bus.ids] == [
        limit,
        -limit,
        limit,
        0,
    ]


@pytest.mark.parametrize(
    "bad", [[0.0, math.nan, 0.0, 0.0], [0.0, 0.0, 0.0, math.inf], [0.0] * 3, [[0.0] * 4]]
)
def test_nonsense_goals_are_not_sent(bus: ServoBus, chain: ServoChain, bad: list[float]) -> None:
    bring_up(bus)
    bus.cycle(np.full(4, 0.1))
    with pytest.raises(PlantError):
        bus.cycle(np.array(bad))
    assert {chain.servo(servo).table["goal_current"] for servo in bus.ids} == {37}


def test_before_the_first_answer_nothing_is_known(bus: ServoBus, chain: ServoChain) -> None:
    for servo in chain.servos:
        servo.silent = True
    sample = bus.cycle()
    assert np.isnan(sample.position).all()
    assert np.isinf(sample.age).all()
    assert not sample.valid.any()
    assert sample.misses.tolist() == [1] * 4


def test_a_missed_reply_is_old_with_its_age_and_never_zero(
    bus: ServoBus, chain: ServoChain
) -> None:
    bring_up(bus)
    before = bus.cycle()
    assert before.position[2] == pytest.approx(0.0, abs=1e-3)
    joint_of(chain, 3).position = 1.0
    before = bus.cycle()
    chain.servo(3).silent = True
    ages = []
    for misses in (1, 2, 3, 4):
        sample = bus.cycle()
        assert sample.position[2] == before.position[2]
        assert sample.misses[2] == misses
        assert not sample.valid[2]
        ages.append(sample.age[2])
    assert ages == sorted(ages)
    assert ages[0] >= 0.0 and ages[-1] == pytest.approx((sample.stamp_ns - before.stamp_ns) * 1e-9)
    chain.servo(3).silent = False
    sample = bus.cycle()
    sample = bus.cycle() if not sample.valid[2] else sample
    assert sample.valid[2] and sample.age[2] == 0 and sample.misses[2] == 0


def test_a_silent_servo_does_not_take_its_neighbours_along(
    bus: ServoBus, chain: ServoChain
) -> None:
    """A Fast Sync Read ends at the silent servo; asking once more reaches the ones behind it in the
    same tick.
    """
    bring_up(bus)
    chain.servo(2).silent = True
    misses = np.array([bus.cycle().misses for _ in range(4)])
    assert misses[:, 1].tolist() == [1, 2, 3, 4]
    assert not misses[:, [0, 2, 3]].any()


def test_one_lost_reply_costs_no_sample(bus: ServoBus, line: VirtualLine) -> None:
    bring_up(bus)
    with line.lock:
        line.faults.rules.append(Once(kind="lose"))
    assert bus.cycle().valid.all()
    assert line.faults.hits == 1


def test_lost_and_damaged_replies_are_survived(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    """5 % lost and 5 % damaged: every sample is true, and no servo misses three in a row."""
    bring_up(bus)
    for index, servo in enumerate(bus.ids):
        joint_of(chain, servo).position = math.pi + 0.1 * index
    bus.cycle()
    with line.lock:
        line.faults.rules += [
            LineFault(kind="lose", rate=0.05),
            LineFault(kind="corrupt", rate=0.05),
        ]
    samples = [bus.cycle() for _ in range(150)]
    assert line.faults.hits > 5
    for sample in samples:
        assert sample.position == pytest.approx([0.0, 0.1, 0.2, 0.3], abs=POSITION)
    assert max(int(sample.misses.max()) for sample in samples) < 3


def test_an_answer_that_is_late_is_taken_as_long_as_its_tick_lasts(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    """It comes while the second request waits. What that brings, comes into the next tick, which
    asks in the other form.
    """
    bring_up(bus)
    bus.cycle()
    with line.lock:
        line.faults.rules.append(LineFault(kind="delay", delay=1.5 * MARGIN))
    for step in range(6):
        joint_of(chain, 1).position = math.pi + 0.1 * step
        sample = bus.cycle()
        if sample.valid[0]:
            assert sample.position[0] == pytest.approx(0.1 * step, abs=POSITION)
    assert (sample.misses <= 1).all()


def test_a_reply_of_the_tick_before_is_not_taken_for_this_tick(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    """Both answers of a tick come too late, into the next tick, in which the joint is elsewhere."""
    bring_up(bus)
    bus.cycle()
    with line.lock:
        line.faults.rules.append(LineFault(kind="delay", delay=2.5 * MARGIN))
    assert not bus.cycle().valid.any()
    with line.lock:
        assert line.faults.hits == 1 + len(bus.ids)
        line.faults.rules.clear()
        joint_of(chain, 1).position = math.pi + 1.0
    for _ in range(3):
        sample = bus.cycle()
        assert sample.position[0] == pytest.approx(1.0, abs=2 * POSITION) or not sample.valid[0]
    assert sample.valid.all()


def test_doubled_replies_do_no_harm(bus: ServoBus, line: VirtualLine, chain: ServoChain) -> None:
    bring_up(bus)
    with line.lock:
        line.faults.rules.append(LineFault(kind="duplicate", delay=0.0))
    for step in range(20):
        with line.lock:
            joint_of(chain, 1).position = math.pi + 0.01 * step
        sample = bus.cycle()
        assert sample.valid.all()
        assert sample.position[0] == pytest.approx(0.01 * step, abs=POSITION)


def test_alert_and_hardware_error_come_with_the_sample(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    bring_up(bus)
    with line.lock:
        chain.servo(3).trip(HardwareError.OVERLOAD)
    sample = bus.cycle()
    assert sample.valid.all()
    assert sample.error.tolist() == [0, 0, ALERT, 0]
    assert sample.hardware_error.tolist() == [0, 0, int(HardwareError.OVERLOAD), 0]


def test_a_servo_that_restarted_is_seen(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    bring_up(bus)
    before = bus.cycle()
    with line.lock:
        chain.servo(2).reboot(line.clock())
        chain.servo(2)._on_from = 0.0  # already started again
        joint_of(chain, 2).position = 4.0
    sample = bus.cycle()
    assert sample.lost_setup.tolist() == [False, True, False, False]
    assert not sample.valid[1]
    assert sample.position[1] == before.position[1]


def test_old_firmware_falls_back_to_sync_read(settings: ServoBusSettings) -> None:
    old = free_chain(settings, firmware=40)
    with (
        VirtualLine(old, None, VirtualClock()) as line,
        ServoBus("virtual", settings, line.host) as bus,
    ):
        report = bring_up(bus)
        assert not bus.fast_read
        assert "firmware below 45" in str(report)
        assert all(bus.cycle().valid.all() for _ in range(5))


def test_silence_of_the_program_shows_that_the_watchdog_has_tripped(
    line: VirtualLine, chain: ServoChain
) -> None:
    quick = ServoBusSettings(
        joints=tuple(ServoJoint(id=i) for i in (1, 2, 3, 4)), reply_margin=0.1, watchdog=0.1
    )
    with ServoBus("virtual", quick, line.host) as bus:
        bring_up(bus)
        arm(bus)
        bus.cycle(np.full(4, 0.05))
        line.let_pass(round((line.clock() + 0.3) * 1e9))
        sample = bus.cycle(np.full(4, 0.05))
        assert sample.watchdog_expired
        with line.lock:
            assert [chain.servo(servo).table["bus_watchdog"] for servo in bus.ids] == [-1] * 4
        assert bus.cycle(np.zeros(4)).watchdog_expired  # until the servos are armed anew
        arm(bus)
        assert not bus.cycle(np.zeros(4)).watchdog_expired


@pytest.mark.parametrize(("silence", "expired"), [(0.07, False), (0.085, True)])
def test_a_watchdog_may_trip_a_step_early(
    line: VirtualLine, settings: ServoBusSettings, silence: float, expired: bool
) -> None:
    """Its register counts in steps of 20 ms: 0.1 s may be over after 0.08 s."""
    quick = settings.model_copy(update={"watchdog": 0.1})
    with ServoBus("virtual", quick, line.host) as bus:
        bring_up(bus)
        arm(bus)
        bus.cycle(np.full(4, 0.05))
        line.let_pass(bus.link.port.last_sent_ns + round(silence * 1e9))
        assert bus.cycle(np.full(4, 0.05)).watchdog_expired == expired


@pytest.mark.parametrize("settle", [0.0, 0.05])
def test_unplugging_raises_and_replugging_works_again(
    terminal_line: ServoLine, settings: ServoBusSettings, settle: float
) -> None:
    """At once, when the kernel may not have noticed yet, and when the port is gone for good."""
    unhurried = settings.model_copy(update={"reply_margin": PATIENCE})
    with ServoBus(terminal_line.port, unhurried) as bus:
        bring_up(bus)
        terminal_line.unplug()
        time.sleep(settle)
        with pytest.raises(BusGoneError, match="plug the adapter in"):
            bus.cycle(np.zeros(4))
        with pytest.raises(BusGoneError):
            bus.link.read(1, "led")
        bus.close()
        terminal_line.plug()
        bus.open()
        assert bring_up(bus).ok
        assert bus.cycle().valid.all()


def test_wire_time_is_that_of_the_time_budget() -> None:
    settings = ServoBusSettings(joints=tuple(ServoJoint(id=i) for i in range(1, 13)))
    assert ServoBus("virtual", settings).wire_time() == pytest.approx(1.32e-3)
    assert ServoBus("virtual", settings).wire_time(fast=False) == pytest.approx(472 * 10 / 3e6)
    slow = settings.model_copy(update={"baud": 1_000_000})
    assert ServoBus("virtual", slow).wire_time() == pytest.approx(3.96e-3)


# single servos


def test_registers_by_name(bus: ServoBus) -> None:
    assert bus.link.read(1, "model_number") == 1150
    voltage = bus.link.read(1, "present_input_voltage")
    assert register("present_input_voltage").to_si(voltage) == pytest.approx(24.0)
    bus.link.write_verified(1, "led", 1)
    with pytest.raises(PlantError, match="read-only"):
        bus.link.write(1, "present_position", 0)
    assert bus.link.dump(1)["led"] == 1


def test_no_reply_is_apart_from_refusal(bus: ServoBus) -> None:
    with pytest.raises(NoReplyError, match=r"servo 77.*boa servo scan") as lost:
        bus.link.read(77, "led")
    assert isinstance(lost.value, ConnectionError)
    bus.link.write(1, "torque_enable", 1)
    with pytest.raises(ServoRefusedError, match="EEPROM locked") as refused:
        bus.link.write(1, "return_delay_time", 0)
    assert not isinstance(refused.value, ConnectionError)
    assert (refused.value.servo, refused.value.error) == (1, ErrorCode.ACCESS)


def test_a_lost_packet_is_tried_again(bus: ServoBus, line: VirtualLine) -> None:
    with line.lock:
        line.faults.rules.append(Once(kind="lose"))
    assert bus.link.read(1, "model_number") == 1150
    assert line.faults.hits == 1


@pytest.mark.parametrize("late", np.arange(0.0, 2e-3, 1e-4))
def test_an_answer_that_comes_late_is_not_taken_for_the_next_one(
    bus: ServoBus, line: VirtualLine, late: float
) -> None:
    """Two registers of the same size: only the order of the answers tells which is which."""
    with line.lock:
        line.faults.rules.append(Once(kind="delay", delay=CONFIGURATION_MARGIN + late))
    assert bus.link.read(1, "protocol_type") == 2
    for _ in range(3):
        assert bus.link.read(1, "secondary_id") == 255


def test_values_that_need_stuffing_survive_both_ways(bus: ServoBus, chain: ServoChain) -> None:
    mapping = bytes.fromhex("FFFFFD00")
    for address in (634, 635, 636, 637):
        chain.servo(1).table.memory[address] = mapping[address - 634]
    assert bus.link.read_bytes(1, 634, 4) == mapping
    assert (-131_073).to_bytes(4, "little", signed=True) == b"\xff\xff\xfd\xff"
    bus.link.write(1, "goal_position", -131_073)
    assert chain.servo(1).table["goal_position"] == -131_073
    bus.link.write_bytes(1, 638, b"\xff\xff\xfd\x11\xff\xfd\xfd")
    assert bus.link.read_bytes(1, 638, 7) == b"\xff\xff\xfd\x11\xff\xfd\xfd"


def test_closing_takes_torque_away_and_may_be_repeated(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    bring_up(bus)
    arm(bus)
    assert all(servo.torque_on for servo in chain.servos)
    bus.close()
    bus.close()
    assert not any(servo.torque_on for servo in chain.servos)
