# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same over real pseudo-terminals, threads and processes.

These tests share the machine, which may stand still for a second: the plant waits long for answers,
and the emulated robot's clock runs slowly, so that its watchdogs do.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_description.load import load_robot
from boa_hardware.assembly import robot_plant
from boa_hardware.block_file import save_block
from boa_hardware.config import RobotSettings, Topology
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.server import BoaServer
from boa_hardware.robot_plant import RobotPlant
from boa_hardware.servo.settings import default_settings
from boa_hardware.spine.settings import SpineSettings

pytestmark = pytest.mark.realtime

RATE = 20.0  # Hz
PATIENCE = 60.0  # s for an answer of a servo; more than settings in a file may say
SLOWER = 5  # times that the emulated robot is slower than a real one
WATCHDOG = 2.5  # s of the emulated robot


class SlowClock:
    """Time of the emulated robot, ns; a test may let some pass at once."""

    def __init__(self) -> None:
        self._skipped = 0

    def __call__(self) -> int:
        return time.monotonic_ns() // SLOWER + self._skipped

    def skip(self, seconds: float) -> None:
        self._skipped += round(seconds * 1e9)


def unhurried(topology: Topology = "rs485") -> RobotSettings:
    """Settings that leave a busy machine time to answer."""
    servos = default_settings(load_robot("boa13")).model_copy(
        update={"reply_margin": PATIENCE, "watchdog": WATCHDOG, "miss_limit": 100}
    )
    spine = SpineSettings(
        sensor_rate=RATE, deadline=0.045, patience=1.0, sensor_age=PATIENCE, fault_age=PATIENCE
    )
    return RobotSettings(
        topology=topology,
        servos=servos,
        spine=spine,
        command_hold=1.0,
        sample_age=PATIENCE,
        settle=PATIENCE,
        realtime_priority=0,
    )


@pytest.fixture
def clock() -> SlowClock:
    return SlowClock()


def emulated(clock: SlowClock, topology: Topology = "rs485") -> BoaServer:
    return BoaServer(EmulatedBoa(unhurried(topology), real_time=True), clock_ns=clock)


def connected(server: BoaServer) -> RobotSettings:
    settings = server.boa.settings
    spine = settings.spine.model_copy(update={"channel": server.channel})
    return settings.model_copy(update={"serial_port": server.serial_port, "spine": spine})


def plant_of(server: BoaServer, rate: float = RATE) -> RobotPlant:
    return robot_plant(server.boa.robot, connected(server), rate)


def eventually(condition: Callable[[], bool], seconds: float = 600.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boa_hardware.robot_plant.PATIENCE", PATIENCE)
    monkeypatch.setattr("boa_hardware.servo.sdk.CONFIGURATION_MARGIN", PATIENCE)


@pytest.fixture(params=["rs485", "spine"])
def server(request: pytest.FixtureRequest, clock: SlowClock) -> Iterator[BoaServer]:
    with emulated(clock, request.param) as running:
        yield running


def test_torques_move_the_emulated_robot(server: BoaServer) -> None:
    with plant_of(server) as plant:
        first = plant.read()
        assert first.faults == ()
        plant.arm()

        def has_moved() -> bool:
            frame = plant.read()
            plant.write(np.array([0.3, *np.zeros(11)]))
            assert frame.faults == ()
            return bool(
                frame.joint_force is not None and frame.position[0] - first.position[0] > 0.05
            )

        assert eventually(has_moved)
    assert eventually(lambda: bool(np.abs(server.boa.body.torque).max() < 0.01))


DRIVER = f"""
import sys, numpy as np
from boa_description.load import load_robot
from boa_hardware.assembly import robot_plant
from boa_hardware.config import load_robot_settings
from boa_hardware.servo import sdk
sdk.CONFIGURATION_MARGIN = {PATIENCE}
settings = load_robot_settings(sys.argv[1])
servos = settings.servos.model_copy(update={{"reply_margin": {PATIENCE}}})
settings = settings.model_copy(update={{"servos": servos}})
with robot_plant(load_robot("boa13"), settings, float(sys.argv[2])) as plant:
    plant.read()
    plant.arm()
    while True:
        plant.read()
        plant.write(np.full(12, 0.2))
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_torque_ends_with_the_process(
    server: BoaServer, clock: SlowClock, tmp_path: Path, end: signal.Signals
) -> None:
    """Killed: the watchdogs of servos or boards stop the motors. Interrupted: torque is switched
    off on the way out.
    """
    file = tmp_path / "robot.yaml"
    settings = connected(server)
    assert settings.servos is not None
    servos = settings.servos.model_copy(update={"reply_margin": 1.0})
    save_block(settings.model_copy(update={"servos": servos}), file)
    command = [sys.executable, "-c", DRIVER, str(file), str(RATE)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            assert eventually(lambda: bool(np.abs(server.boa.body.torque).min() > 0.1))
            process.send_signal(end)
            process.wait(600)
            if end is signal.SIGKILL:
                clock.skip(WATCHDOG)
        finally:
            process.kill()
    assert eventually(lambda: bool(np.abs(server.boa.body.torque).max() < 0.01))


def test_the_port_may_vanish_and_come_back() -> None:
    with emulated(SlowClock()) as server, plant_of(server) as plant:
        plant.read()
        plant.arm()
        assert server.line is not None
        server.boa._unplugged.append(lambda _: True)
        assert eventually(lambda: bool(plant.read().faults))
        assert any("serial port" in text for text in plant.read().faults)
        server.boa._unplugged.clear()
        assert eventually(lambda: plant.read().joint_age.max() == 0)
        assert plant.loop.faults
        plant.reset_fault()
        plant.arm()
        assert plant.armed and not plant.loop.faults


def test_the_owner_gets_the_bus_although_the_loop_is_busy() -> None:
    with emulated(SlowClock()) as server, plant_of(server, rate=100.0) as plant:
        for _ in range(3):
            plant.read()
            plant.arm()
            plant.disarm()
        assert not plant.armed and not plant.loop.faults


def test_an_error_in_the_bus_thread_reaches_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    with emulated(SlowClock()) as server, plant_of(server) as plant:
        monkeypatch.setattr(plant.loop, "_other_faults", lambda _: 1 / 0)
        with pytest.raises(PlantError, match=r"thread has ended: ZeroDivisionError"):
            for _ in range(3):
                plant.read()
