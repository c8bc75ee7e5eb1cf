# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sweep of an emulated joint ends in that joint's friction. On a clock of the test: no run
depends on the machine.
"""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_hardware.emulator.servo_chain import ServoChain, configured_chain
from boa_hardware.servo import pace
from boa_hardware.servo.bringup import bring_up
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.identify import identify
from boa_hardware.servo.sdk import ServoPort
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from boa_hardware.servo.sweep import PERIOD, SweepPlan, run_sweep
from test.boa_hardware.free_joint import FreeJoint

SETTINGS = ServoBusSettings(joints=(ServoJoint(id=1),))
PLAN = SweepPlan(speeds=(0.5, 1.5))


class Clock:
    """Stands in for the module `time`; moves when somebody waits."""

    def __init__(self) -> None:
        self.now_ns = 10**12

    def monotonic_ns(self) -> int:
        return self.now_ns

    def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


class DirectPort(ServoPort):
    """Hands bytes to the servos without a pseudo-terminal; waiting for an answer takes its time on
    the wire.
    """

    def __init__(self, name: str, baud: int, chain: ServoChain, clock: Clock) -> None:
        self.chain, self.clock = chain, clock
        self._answers: list[tuple[int, bytes]] = []
        super().__init__(name, baud)

    def now_ns(self) -> int:
        return self.clock.now_ns

    def setupPort(self, cflag_baud: int) -> bool:
        self.tx_time_per_byte = 10_000.0 / self.baudrate
        return True

    def clearPort(self) -> int:
        waiting = len(self._answers)
        self._answers.clear()
        return waiting

    def writePort(self, packet: bytes | list[int]) -> int:
        self.last_sent_ns = self.clock.now_ns
        answers = self.chain.handle(bytes(packet), self.clock.now_ns * 1e-9, self.baudrate)
        self._answers += [(round(answer.end * 1e9), answer.data) for answer in answers]
        return len(packet)

    def readPort(self, length: int) -> bytes:
        if not self._answers or self._answers[0][0] > self._deadline_ns:
            self.clock.now_ns = max(self.clock.now_ns, self._deadline_ns + 1)
            return b""
        arrival, data = self._answers.pop(0)
        self.clock.now_ns = max(self.clock.now_ns, arrival)
        if len(data) > length:
            self._answers.insert(0, (arrival, data[length:]))
        return data[:length]


def direct_bus(joint: FreeJoint, monkeypatch: pytest.MonkeyPatch) -> ServoBus:
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    chain = configured_chain(SETTINGS, [joint], now=clock.now_ns * 1e-9)
    bus = ServoBus("direct", SETTINGS, lambda name, baud: DirectPort(name, baud, chain, clock))
    bus.open()
    bring_up(bus)
    return bus


def test_the_reference_is_smooth_and_reaches_both_sides_and_all_speeds() -> None:
    angle, velocity = np.array(list(PLAN.reference())).T
    assert (angle[0], velocity[0]) == (0.0, 0.0)
    assert (angle.min(), angle.max()) == pytest.approx((-PLAN.amplitude, PLAN.amplitude), rel=1e-3)
    assert np.abs(velocity).max() == pytest.approx(max(PLAN.speeds), rel=0.02)
    peak_acceleration = 2 * max(PLAN.speeds) ** 2 / PLAN.amplitude
    assert np.gradient(angle, PERIOD)[1:-1] == pytest.approx(
        velocity[1:-1], abs=peak_acceleration * PERIOD
    )


@pytest.mark.parametrize("inertia", [0.01, 0.05, 0.1])
def test_a_sweep_finds_the_joints_friction(inertia: float, monkeypatch: pytest.MonkeyPatch) -> None:
    joint = FreeJoint(inertia=inertia, coulomb=0.15, viscous=0.08)
    bus = direct_bus(joint, monkeypatch)
    found = identify(run_sweep(bus, PLAN))
    assert not bus.armed
    delay_bias = inertia * (2 * max(PLAN.speeds) / PLAN.amplitude) ** 2 * PERIOD / 2
    assert found.model.coulomb == pytest.approx(0.15, abs=0.01)
    assert found.model.viscous == pytest.approx(0.08, abs=0.01 + delay_bias)
    assert found.inertia == pytest.approx(inertia, rel=0.1)


def test_a_blocked_joint_ends_the_sweep_without_torque(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = FreeJoint()
    joint.locked = True
    bus = direct_bus(joint, monkeypatch)
    with pytest.raises(PlantError, match="does not follow"):
        run_sweep(bus, PLAN)
    assert not bus.armed
    assert bus.link.read(1, "torque_enable") == 0


def test_a_sweep_moves_one_servo_only(bus: ServoBus) -> None:
    with pytest.raises(PlantError, match="one servo"):
        run_sweep(bus, PLAN)
