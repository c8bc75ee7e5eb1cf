# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How punctual the robot plant is: 200 Hz on the emulated Boa, over real bytes and frames, in
another process.
"""

import multiprocessing
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from boa_description.load import load_robot
from boa_hardware.assembly import robot_plant
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.boa import EmulatedBoa
from boa_hardware.emulator.main import PRIORITY
from boa_hardware.emulator.server import BoaServer
from boa_hardware.realtime import OWN_PRIORITY_BELOW, make_punctual, priority

RATE = 200.0  # Hz


def bench_plant(seconds: float = 10.0) -> dict[str, Any]:
    """Run the plant, armed, with small torques; the emulated robot is in another process.

    Returns:
        `late_share`: ticks that began more than a period late, as a share of all; `wake_us_*`,
        `work_us_*`: how late ticks began and how long an exchange took; `stale_ticks`: ticks in
        which some joint had no fresh reading; `faults`: how many were latched at the end.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_emulate, args=(there,), daemon=True)
    process.start()
    try:
        serial_port, channel = here.recv()
        settings = RobotSettings(serial_port=serial_port)
        spine = settings.spine.model_copy(update={"channel": channel})
        settings = settings.model_copy(update={"spine": spine})
        with priority(0):
            make_punctual(settings.realtime_priority - OWN_PRIORITY_BELOW)
            return _measure(settings, seconds)
    finally:
        here.send("stop")
        process.join(5)


def _measure(settings: RobotSettings, seconds: float) -> dict[str, Any]:
    robot = load_robot("boa13")
    phase, stale = np.arange(robot.joints), 0
    with robot_plant(robot, settings, RATE) as plant:
        plant.read()
        plant.arm()
        plant.runner.reset_stats()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            frame = plant.read()
            plant.write(0.2 * np.sin(6.0 * frame.stamp_ns * 1e-9 + phase))
            stale += bool((frame.joint_age > 0).any())
        stats = plant.runner.stats
        numbers = stats.numbers()
        return {
            "rate_hz": RATE,
            "ticks": stats.ticks,
            "late_share": stats.late_share,
            "stale_ticks": stale,
            "faults": len(frame.faults),
            **{
                name.removeprefix("bus_"): value
                for name, value in numbers.items()
                if "_us_" in name
            },
        }


def _emulate(pipe: Connection) -> None:
    """The other process: an emulated Boa until told to stop."""
    boa = EmulatedBoa(real_time=True)
    make_punctual(PRIORITY)
    with BoaServer(boa) as server:
        pipe.send((server.serial_port, server.channel))
        pipe.recv()
