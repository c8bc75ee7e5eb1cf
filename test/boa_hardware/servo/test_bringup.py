# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The safe order, arming, every way out, and recovery."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_hardware.emulator.servo import EmulatedServo
from boa_hardware.emulator.servo_chain import ServoChain
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo.bringup import arm, bring_up, disarm, energised, recover
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.errors import BringUpError
from boa_hardware.servo.registers import HardwareError, Register
from boa_hardware.servo.settings import ServoBusSettings
from test.boa_hardware.free_joint import FreeJoint
from test.boa_hardware.servo.conftest import PATIENCE, SlowClock
from test.boa_hardware.virtual_line import VirtualClock, VirtualLine


def eventually(condition: Callable[[], bool], seconds: float = 600.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def writes_of(servo: EmulatedServo, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Record the registers a servo has written, in order."""
    seen: list[tuple[str, int]] = []
    real = servo._after_write

    def record(entry: Register, raw: int, *, changed: bool) -> None:
        seen.append((entry.name, raw))
        real(entry, raw, changed=changed)

    monkeypatch.setattr(servo, "_after_write", record)
    return seen


def test_bring_up_leaves_no_torque_and_goal_zero(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(2).table["torque_enable"] = 1  # a program before us died with torque on
    assert chain.servo(1).table["goal_current"] > 0  # the start value is the limit
    report = bring_up(bus)
    assert report.ok
    for servo in chain.servos:
        assert (
            servo.table["torque_enable"],
            servo.table["goal_current"],
            servo.table["bus_watchdog"],
        ) == (0, 0, 0)


def test_arming_writes_in_the_safe_order(
    bus: ServoBus, chain: ServoChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_up(bus)
    seen = writes_of(chain.servo(1), monkeypatch)
    arm(bus)
    names = [name for name, _ in seen]
    assert names.index("goal_current") < names.index("torque_enable", names.index("goal_current"))
    assert seen[-2:] == [("bus_watchdog", bus.settings.watchdog_counts), ("torque_enable", 1)]
    assert ("goal_current", 0) in seen
    assert bus.armed
    assert all(servo.torque_on for servo in chain.servos)


def test_bring_up_never_writes_eeprom(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(3).table["operating_mode"] = 3
    chain.servo(4).table["current_limit"] = 1188
    eeprom = [bytes(servo.table.memory[:64]) for servo in chain.servos]
    with pytest.raises(BringUpError) as refused:
        bring_up(bus)
    assert [bytes(servo.table.memory[:64]) for servo in chain.servos] == eeprom
    assert "servo 3: operating_mode is 3 instead of 0; run `boa servo configure`" in str(
        refused.value
    )
    assert "servo 4: current_limit is 1188 instead of 892" in str(refused.value)
    assert not any(servo.torque_on for servo in chain.servos)


def test_a_tripped_watchdog_does_not_hinder_bring_up(bus: ServoBus, chain: ServoChain) -> None:
    chain.servo(1).table["bus_watchdog"] = -1
    assert bring_up(bus).ok


def test_arming_refuses_on_a_hardware_error(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    bring_up(bus)
    with line.lock:
        chain.servo(4).trip(HardwareError.OVERHEATING)
    with pytest.raises(BringUpError, match="servo 4 has a hardware error: overheating"):
        arm(bus)
    assert not bus.armed
    assert not any(servo.torque_on for servo in chain.servos)


def test_arming_half_way_ends_without_torque(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    """The last servo falls silent between set-up and arming: the others must not stay on."""
    bring_up(bus)
    chain.servo(4).silent = True
    with pytest.raises(PlantError, match="servo 4 did not answer"):
        arm(bus)
    assert not any(servo.torque_on for servo in chain.servos)


def test_a_servo_lost_while_arming_takes_the_others_down(
    bus: ServoBus, chain: ServoChain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It falls silent on switching torque on, when the others have switched on as well."""
    bring_up(bus)
    servo = chain.servo(4)
    monkeypatch.setattr(servo, "_hold_position", lambda: setattr(servo, "silent", True))
    with pytest.raises(PlantError, match="servo 4 did not answer"):
        arm(bus)
    assert servo.silent
    assert not any(servo.torque_on for servo in chain.servos)


def test_torque_goes_off_on_every_orderly_way_out(bus: ServoBus, chain: ServoChain) -> None:
    bring_up(bus)
    for error in (RuntimeError, KeyboardInterrupt, SystemExit):
        with pytest.raises(error), energised(bus):
            bus.cycle(np.full(4, 0.1))
            assert all(servo.torque_on for servo in chain.servos)
            raise error
        assert not any(servo.torque_on for servo in chain.servos)
    with energised(bus):
        pass
    assert not any(servo.torque_on for servo in chain.servos)
    assert {servo.table["goal_current"] for servo in chain.servos} == {0}


def test_disarm_survives_a_dead_port(bus: ServoBus, line: VirtualLine) -> None:
    bring_up(bus)
    arm(bus)
    line.unplug()
    disarm(bus)
    assert not bus.armed


HOST = f"""
import sys, time
import numpy as np
from boa_hardware.servo import sdk
from boa_hardware.servo.bringup import arm, bring_up
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.settings import ServoBusSettings
sdk.CONFIGURATION_MARGIN = {PATIENCE}
settings = ServoBusSettings.model_validate_json(sys.argv[2])
bus = ServoBus(sys.argv[1], settings.model_copy(update={{"reply_margin": {PATIENCE}}}))
bus.open()
bring_up(bus)
arm(bus)
print("armed", flush=True)
while sys.argv[3] == "loop":
    bus.cycle(np.full(4, 0.05))
    time.sleep(0.01)
if sys.argv[3] == "crash":
    raise RuntimeError("a bug")
"""


@pytest.mark.realtime
@pytest.mark.parametrize("way", ["end", "crash", "interrupt", "kill"])
def test_torque_goes_off_however_the_program_ends(
    way: str,
    terminal_line: ServoLine,
    terminal_chain: ServoChain,
    slow_clock: SlowClock,
    settings: ServoBusSettings,
) -> None:
    """Orderly ends switch torque off; a killed program, and one whose last words were not heard, is
    noticed by the servos' own watchdog.
    """
    mode = way if way in ("end", "crash") else "loop"
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, terminal_line.port, settings.model_dump_json(), mode],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert host.stdout is not None
    try:
        assert host.stdout.readline() == b"armed\n"
        if mode == "loop":
            assert eventually(lambda: terminal_chain.servo(1).table["goal_current"] > 0)
            host.send_signal(signal.SIGKILL if way == "kill" else signal.SIGINT)
        host.wait(600)
    finally:
        host.kill()
        host.wait()
        host.stdout.close()

    def powered() -> bool:
        return any(servo.torque_on for servo in terminal_chain.servos)

    if way != "kill":  # on a line that stands still meanwhile its last words may meet an answer
        assert eventually(lambda: not powered() or terminal_line.collisions > 0)
    if powered():
        slow_clock.skip(settings.watchdog)
        assert eventually(
            lambda: all(servo.table["bus_watchdog"] == -1 for servo in terminal_chain.servos)
        )
    now = terminal_line.clock
    assert eventually(
        lambda: all(servo.physics.state(now()).current == 0.0 for servo in terminal_chain.servos)
    )


def test_recovery_reboots_sets_up_again_and_stays_disarmed(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    bring_up(bus)
    arm(bus)
    with line.lock:
        chain.servo(2).trip(HardwareError.OVERLOAD)
    assert bus.cycle(np.zeros(4)).hardware_error[1]
    assert recover(bus).ok
    assert not bus.armed
    assert not any(servo.torque_on for servo in chain.servos)
    sample = bus.cycle()
    assert sample.valid.all()
    assert not sample.hardware_error.any()
    arm(bus)


def test_recovery_sets_up_a_servo_that_lost_its_setup(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    bring_up(bus)
    with line.lock:
        chain.servo(3).reboot(line.clock())
        chain.servo(3)._on_from = 0.0
    assert bus.cycle().lost_setup[2]
    recover(bus)
    assert bus.cycle().valid.all()


def test_recovery_reports_what_stays_broken(
    bus: ServoBus, line: VirtualLine, chain: ServoChain
) -> None:
    bring_up(bus)
    hot = chain.servo(2).physics
    assert isinstance(hot, FreeJoint)
    with line.lock:
        hot.temperature = 90.0
    with pytest.raises(BringUpError, match="servo 2: hardware error: overheating"):
        recover(bus)


def test_an_adapter_that_holds_answers_back_is_told_apart_from_a_dead_bus(
    settings: ServoBusSettings, chain: ServoChain
) -> None:
    """16 ms, the latency timer of an FTDI adapter as it is delivered: set-up works, the cycle
    does not.
    """
    quick = settings.model_copy(update={"reply_margin": 0.003})
    with VirtualLine(chain, None, VirtualClock()) as line:
        line.latency = 0.016
        with (
            ServoBus("virtual", quick, line.host) as bus,
            pytest.raises(BringUpError, match="set the adapter's latency timer to 1 ms"),
        ):
            bring_up(bus)
