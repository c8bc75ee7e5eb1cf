# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The servo loop on a transport that notes what it is told: torque out, faults latched, lost ports,
and who has the bus.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_hardware.servo.cycle import ServoCycle
from boa_hardware.servo.errors import BusGoneError
from boa_hardware.servo.loop import LoopTimes, ServoLoop
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint
from boa_hardware.servo.torque import TorqueModel

MS = 1_000_000
PATIENCE = 120.0  # s, for a busy machine; only a test that fails waits for so long
NAMES = ("joint_01", "joint_02")
FRICTION = TorqueModel(constant=2.0, coulomb=0.25, compensation=1.0)
SERVOS = ServoBusSettings(joints=tuple(ServoJoint(id=n, torque=FRICTION) for n in (1, 2)))
TIMES = LoopTimes(command_hold=0.05, period=0.005, reconnect_first=0.1, reconnect_longest=0.3)
REST = ServoCycle(
    stamp_ns=0,
    position=np.zeros(2),
    velocity=np.zeros(2),
    current=np.zeros(2),
    voltage=np.full(2, 24.0),
    temperature=np.full(2, 30.0),
    error=np.zeros(2, np.uint8),
    hardware_error=np.zeros(2, np.uint8),
    age=np.array([0.0, 0.002]),
    valid=np.array([True, False]),
    misses=np.array([0, 1]),
    lost_setup=np.zeros(2, bool),
)


class Transport:
    """Notes calls and torques; the port vanishes and refuses as it is told."""

    def __init__(self) -> None:
        self.armed = False
        self.calls: list[str] = []
        self.torques: list[Array | None] = []
        self.sample = REST
        self.gone = False
        self.fail: set[str] = set()

    def _note(self, call: str) -> None:
        self.calls.append(call)
        if call in self.fail:
            raise PlantError(f"{call} failed")

    def connect(self) -> None:
        self._note("connect")

    def reconnect(self) -> None:
        self._note("reconnect")
        self.gone = False

    def cycle(self, motor_torque: Array | None) -> ServoCycle:
        if self.gone:
            raise BusGoneError("unplugged")
        self.torques.append(motor_torque)
        return self.sample

    def arm(self) -> None:
        self._note("arm")
        self.armed = True

    def disarm(self) -> None:
        self.armed = False
        self._note("disarm")

    def recover(self) -> None:
        self._note("recover")

    def close(self) -> None:
        self._note("close")


class Bench:
    """A loop, its transport, its clock, and what it tells."""

    def __init__(self) -> None:
        self.transport = Transport()
        self.now_ns = 0
        self.other: tuple[str, ...] = ()
        self.told: list[tuple[str, bool]] = []  # reason, and whether torque was still on
        self.loop = ServoLoop(
            self.transport,
            NAMES,
            SERVOS,
            TIMES,
            other_faults=lambda _: self.other,
            on_fault=lambda reason: self.told.append((reason, self.transport.armed)),
            monotonic_ns=lambda: self.now_ns,
        )

    def tick(self, ms: int = 0) -> Array | None:
        """One tick, `ms` later; the torques it sent, of this tick if any."""
        self.now_ns += ms * MS
        sent = len(self.transport.torques)
        self.loop.tick()
        return self.transport.torques[-1] if len(self.transport.torques) > sent else None

    def unplug(self) -> None:
        """Armed and cycled, the port vanishes at 0 s."""
        self.loop.arm()
        self.tick()
        self.transport.gone = True


@pytest.fixture
def bench() -> Bench:
    return Bench()


def elsewhere(call: Callable[[], None]) -> bool:
    """Call in another thread; whether it has returned in time, without an error."""
    returned = threading.Event()

    def run() -> None:
        call()
        returned.set()

    threading.Thread(target=run, daemon=True).start()
    return returned.wait(PATIENCE)


class Lock:
    """Always free; notes for how long somebody would wait."""

    def __init__(self) -> None:
        self.patience: list[float] = []

    def acquire(self, *, timeout: float) -> bool:
        self.patience.append(timeout)
        return True

    def release(self) -> None:
        pass


# --- torque ---------------------------------------------------------------------------------------


def test_nothing_is_sent_while_disarmed_and_zero_before_the_first_command(bench: Bench) -> None:
    bench.loop.command(np.ones(2))
    assert bench.tick() is None
    bench.loop.arm()
    assert bench.loop.armed
    sent = bench.tick()
    assert sent is not None and sent.tobytes() == np.zeros(2).tobytes(), "armed at zero"


def test_a_command_acts_for_its_hold_and_not_longer(bench: Bench) -> None:
    bench.now_ns = 40 * MS
    bench.loop.arm()
    torque = np.array([0.5, -0.5])
    bench.loop.command(torque)
    torque[:] = 7.0
    assert bench.tick() == pytest.approx([0.5, -0.5]), "a copy, and at rest before the first sample"
    assert bench.tick(50) == pytest.approx([0.5, -0.5])
    bench.now_ns += 1
    sent = bench.tick()
    assert sent is not None and sent.tobytes() == np.zeros(2).tobytes()


def test_friction_is_compensated_for_known_velocities_only(bench: Bench) -> None:
    both = np.ones(2, bool)
    bench.transport.sample = replace(REST, velocity=np.array([5.0, np.nan]), valid=both)
    bench.loop.arm()
    bench.loop.command(np.ones(2))
    assert bench.tick() == pytest.approx([1.0, 1.0]), "no sample yet"
    bench.transport.sample = replace(REST, velocity=np.array([5.0, 5.0]))  # joint 2: an old one
    assert bench.tick() == pytest.approx([1.25, 1.0])
    assert bench.tick() == pytest.approx([1.25, 1.0])
    moving = replace(REST, velocity=np.array([5.0, -5.0]), current=np.array([1.0, 1.0]))
    assert bench.loop.torque(moving) == pytest.approx([1.75, 2.25])


def test_a_torque_that_the_gate_has_cut_to_zero_stays_zero_in_motion(bench: Bench) -> None:
    bench.transport.sample = replace(REST, velocity=np.full(2, 5.0), valid=np.ones(2, bool))
    bench.loop.arm()
    bench.tick()
    bench.loop.command(np.zeros(2))
    assert bench.tick() == pytest.approx([0.0, 0.0])


def test_a_port_that_goes_before_the_first_tick_is_named(bench: Bench) -> None:
    bench.loop.arm()
    bench.transport.gone = True
    with pytest.raises(BusGoneError, match="unplugged"):
        bench.tick()
    assert not bench.transport.armed


def test_the_newest_sample_is_kept(bench: Bench) -> None:
    assert bench.loop.newest is None
    bench.tick()
    assert bench.loop.newest is REST


# --- verbs ----------------------------------------------------------------------------------------


def test_connect_reaches_the_transport(bench: Bench) -> None:
    bench.loop.connect()
    assert bench.transport.calls == ["connect"]
    assert bench.loop.connected


def test_arming_is_done_once_and_forgets_old_commands(bench: Bench) -> None:
    bench.loop.arm()
    bench.loop.command(np.ones(2))
    bench.loop.arm()
    assert bench.transport.calls == ["arm"]
    assert bench.tick() == pytest.approx([1.0, 1.0]), "armed already: the command stays"
    bench.transport.armed = False
    bench.loop.arm()
    assert bench.tick() == pytest.approx([0.0, 0.0])


def test_disarming_switches_off_and_forgets_the_command(bench: Bench) -> None:
    bench.loop.arm()
    bench.loop.command(np.ones(2))
    bench.loop.disarm()
    assert bench.transport.calls == ["arm", "disarm"]
    assert not bench.loop.armed and bench.tick() is None
    bench.transport.armed = True
    assert bench.tick() == pytest.approx([0.0, 0.0])


def test_closing_withdraws_torque_and_releases_the_bus(bench: Bench) -> None:
    bench.loop.arm()
    bench.loop.close()
    assert bench.transport.calls[-1] == "close" and not bench.loop.armed


# --- faults ---------------------------------------------------------------------------------------


def test_a_fault_latches_switches_off_and_is_told_once(bench: Bench) -> None:
    bench.loop.arm()
    bench.loop.command(np.ones(2))
    bench.tick()
    bench.other = ("spine: gone", "cover: open")
    bench.tick()
    assert bench.told == [("spine: gone", False)], "told when torque is off already"
    assert bench.transport.calls == ["arm", "disarm"]
    bench.other = ()
    bench.tick()
    assert bench.loop.faults == ("spine: gone", "cover: open") and len(bench.told) == 1
    with pytest.raises(PlantError, match="cannot arm, fault: spine: gone"):
        bench.loop.arm()
    bench.transport.armed = True
    assert bench.tick() == pytest.approx([0.0, 0.0]), "the command is forgotten"


def test_faults_of_the_servos_latch(bench: Bench) -> None:
    bench.transport.sample = replace(REST, misses=np.array([0, SERVOS.miss_limit]))
    bench.tick()
    (text,) = bench.loop.faults
    assert text.startswith("servo 2 (joint_02): no reply for 6 ticks")


def test_a_reset_prepares_the_servos_and_forgets(bench: Bench) -> None:
    bench.other = ("spine: gone",)
    bench.loop.arm()
    bench.tick()
    bench.other = ()
    bench.transport.armed = True
    bench.transport.fail.add("recover")
    with pytest.raises(PlantError, match="recover failed"):
        bench.loop.reset_fault()
    assert bench.loop.faults == ("spine: gone",) and not bench.loop.armed
    bench.transport.fail.clear()
    bench.loop.reset_fault()
    assert bench.transport.calls[-2:] == ["disarm", "recover"]
    assert bench.loop.faults == () and not bench.loop.armed
    bench.loop.arm()


@pytest.mark.realtime
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_whatever_fails_in_a_tick_switches_off(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def fail(*args: object) -> ServoCycle:
        raise error

    bench.loop.arm()
    monkeypatch.setattr(bench.transport, "cycle", fail)
    with pytest.raises(error):
        bench.loop.tick()
    assert bench.transport.calls == ["arm", "disarm"] and not bench.loop.armed
    assert elsewhere(bench.loop.connect), "the bus is free again"


# --- a lost port ----------------------------------------------------------------------------------


def test_a_lost_port_is_a_fault_and_the_last_sample_ages(bench: Bench) -> None:
    bench.unplug()
    bench.tick(5)
    newest = bench.loop.newest
    assert newest is not None and not bench.loop.connected and not bench.loop.armed
    assert bench.loop.faults == ("servo bus: unplugged",)
    assert bench.told == [("servo bus: unplugged", False)]
    assert newest.stamp_ns == 5 * MS and newest.age == pytest.approx([0.005, 0.007])
    assert not newest.valid.any() and newest.misses.tolist() == [1, 2]
    bench.tick(5)
    assert bench.loop.newest is not None
    assert bench.loop.newest.age == pytest.approx([0.010, 0.012])


def test_torque_is_withdrawn_before_anybody_is_told_that_the_port_is_gone(bench: Bench) -> None:
    bench.unplug()
    seen: list[bool] = []
    bench.loop._other_faults = lambda _: (seen.append(bench.transport.armed), ())[1]
    bench.tick()
    assert seen == [False]


def test_the_pause_before_a_lost_port_is_tried_again_doubles_up_to_its_limit(bench: Bench) -> None:
    bench.unplug()
    bench.transport.fail.add("reconnect")
    bench.tick()
    tried = []
    for _ in range(100):
        bench.transport.calls.clear()
        bench.tick(10)
        if "reconnect" in bench.transport.calls:
            tried.append(bench.now_ns // MS)
    assert tried == [100, 300, 600, 900]
    bench.transport.fail.clear()
    bench.tick(1000)
    assert bench.loop.connected and bench.loop.reconnects == 1
    assert bench.loop.newest is REST and not bench.loop.armed
    assert bench.loop.faults[0] == "servo bus: unplugged", "until it is reset"


@pytest.mark.parametrize("mend", ["reconnect", "reset"])
def test_after_a_repair_the_first_pause_is_the_short_one(bench: Bench, mend: str) -> None:
    bench.unplug()
    bench.transport.fail.add("reconnect")
    bench.tick()
    bench.tick(100)
    bench.transport.fail.clear()
    if mend == "reconnect":
        bench.tick(200)
    else:
        bench.loop.reset_fault()
        bench.transport.gone = False
    assert bench.loop.connected
    bench.transport.gone = True
    bench.tick()
    bench.transport.calls.clear()
    bench.tick(99)
    assert bench.transport.calls == []
    bench.tick(1)
    assert bench.transport.calls == ["reconnect"]
    assert bench.loop.reconnects == (2 if mend == "reconnect" else 1)


# --- who has the bus ------------------------------------------------------------------------------


@pytest.mark.realtime
def test_a_tick_is_left_out_while_the_owner_has_the_bus_or_waits_for_it(bench: Bench) -> None:
    with bench.loop._bus.owner() as free:
        assert free
        assert elsewhere(bench.loop.tick) and bench.loop.newest is None
    bench.loop._bus._owner_waits = 1
    bench.loop.tick()
    assert bench.loop.newest is None
    bench.loop._bus._owner_waits = 0
    bench.loop.tick()
    assert bench.loop.newest is REST
    assert elsewhere(bench.loop.connect), "a tick releases the bus"


@pytest.mark.realtime
def test_disarming_does_not_wait_for_a_bus_that_is_busy(bench: Bench) -> None:
    bench.loop.arm()
    bench.loop.command(np.ones(2))
    with bench.loop._bus.owner():
        assert elsewhere(bench.loop.disarm)
    assert bench.transport.calls == ["arm"] and not bench.loop.armed
    assert bench.tick() is None
    assert bench.loop.newest is REST, "nobody waits any more"
    assert elsewhere(bench.loop.connect), "and the bus is free"


def test_only_disarming_gives_up_waiting(bench: Bench) -> None:
    """Until the watchdog of the servos has done it."""
    bench.loop._bus._lock = lock = Lock()
    bench.loop.connect()
    bench.loop.arm()
    bench.loop.close()
    bench.loop.disarm()
    assert lock.patience[:3] == [-1.0] * 3
    assert 0.05 < lock.patience[3] <= SERVOS.watchdog


@pytest.mark.realtime
def test_closing_waits_for_the_bus(bench: Bench) -> None:
    closing = threading.Thread(target=bench.loop.close, daemon=True)
    with bench.loop._bus.owner():
        closing.start()
        closing.join(0.3)
        assert closing.is_alive() and bench.transport.calls == []
    closing.join(PATIENCE)
    assert bench.transport.calls == ["close"]
