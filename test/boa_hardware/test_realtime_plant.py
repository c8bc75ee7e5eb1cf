"""The same over real pseudo-terminals, threads and processes. Bounds are wide: these tests share the machine."""

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
from boa_hardware.block_file import save_block
from boa_hardware.build import robot_plant
from boa_hardware.config import RobotSettings, Topology
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.server import BoaServer
from boa_hardware.servo.settings import default_settings
from boa_hardware.spine.settings import SpineSettings

RATE = 20.0  # Hz; a busy machine keeps it


def unhurried(topology: Topology = "rs485") -> RobotSettings:
    """Settings that leave a busy machine time to answer."""
    servos = default_settings(load_robot("boa13")).model_copy(
        update={"reply_margin": 0.5, "watchdog": 2.0, "miss_limit": 50}
    )
    spine = SpineSettings(sensor_rate=RATE, deadline=0.045, patience=0.5, sensor_age=1.0, fault_age=5.0)
    return RobotSettings(
        topology=topology, servos=servos, spine=spine, command_hold=1.0, settle=5.0, realtime_priority=0
    )


def connected(settings: RobotSettings, server: BoaServer) -> RobotSettings:
    spine = settings.spine.model_copy(update={"channel": server.channel})
    return settings.model_copy(update={"serial_port": server.serial_port, "spine": spine})


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.fixture(params=["rs485", "spine"])
def server(request: pytest.FixtureRequest) -> Iterator[BoaServer]:
    boa = EmulatedBoa(unhurried(request.param), real_time=True)
    with BoaServer(boa) as running:
        yield running


def test_torques_move_the_emulated_robot(server: BoaServer) -> None:
    settings = connected(server.boa.settings, server)
    with robot_plant(server.boa.robot, settings, RATE) as plant:
        first = plant.read()
        assert first.faults == ()
        plant.arm()
        for _ in range(20):
            frame = plant.read()
            plant.write(np.array([0.3, *np.zeros(11)]))
        assert frame.faults == ()
        assert frame.position[0] - first.position[0] > 0.05
        assert frame.joint_force is not None
    assert np.abs(server.boa.body.torque).max() < 0.01


DRIVER = """
import sys, numpy as np
from boa_description.load import load_robot
from boa_hardware.build import robot_plant
from boa_hardware.config import load_robot_settings
with robot_plant(load_robot("boa13"), load_robot_settings(sys.argv[1]), float(sys.argv[2])) as plant:
    plant.read()
    plant.arm()
    while True:
        plant.read()
        plant.write(np.full(12, 0.2))
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_torque_ends_with_the_process(server: BoaServer, tmp_path: Path, end: signal.Signals) -> None:
    """Killed: the watchdogs of servos or boards stop the motors. Interrupted: torque is switched off on the way out."""
    file = tmp_path / "robot.yaml"
    save_block(connected(server.boa.settings, server), file)
    command = [sys.executable, "-c", DRIVER, str(file), str(RATE)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            assert eventually(lambda: bool(np.abs(server.boa.body.torque).min() > 0.1), 60.0)
            process.send_signal(end)
            process.wait(20)
        finally:
            process.kill()
    assert eventually(lambda: bool(np.abs(server.boa.body.torque).max() < 0.01))


def test_the_port_may_vanish_and_come_back() -> None:
    boa = EmulatedBoa(unhurried(), real_time=True)
    with BoaServer(boa) as server, robot_plant(boa.robot, connected(boa.settings, server), RATE) as plant:
        plant.read()
        plant.arm()
        assert server.line is not None
        boa._unplugged.append(lambda _: True)
        assert eventually(lambda: bool(plant.read().faults))
        assert any("serial port" in text for text in plant.read().faults)
        boa._unplugged.clear()
        assert eventually(lambda: plant.read().joint_age.max() == 0)
        assert plant.state == "error"
        plant.reset_fault()
        plant.arm()
        assert plant.state == "active"


def test_the_owner_gets_the_bus_although_the_loop_is_busy() -> None:
    boa = EmulatedBoa(unhurried(), real_time=True)
    with BoaServer(boa) as server, robot_plant(boa.robot, connected(boa.settings, server), 100.0) as plant:
        for _ in range(3):
            plant.read()
            plant.arm()
            plant.disarm()
        assert plant.state == "inactive"


def test_an_error_in_the_bus_thread_reaches_the_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    boa = EmulatedBoa(unhurried(), real_time=True)
    with BoaServer(boa) as server, robot_plant(boa.robot, connected(boa.settings, server), RATE) as plant:
        monkeypatch.setattr(plant.loop, "_other_faults", lambda: 1 / 0)
        with pytest.raises(PlantError, match=r"thread has ended: ZeroDivisionError"):
            for _ in range(3):
                plant.read()
