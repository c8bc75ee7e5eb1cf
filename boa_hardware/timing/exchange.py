# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long one cyclic exchange takes: the software's share beside the wire's."""

import multiprocessing
import time
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from boa_hardware.emulator.servo_chain import TURNAROUND, configured_chain
from boa_hardware.emulator.servo_line import ServoLine
from boa_hardware.servo.bringup import bring_up, energised
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.pace import Ticker
from boa_hardware.servo.settings import ServoBusSettings, ServoJoint

PERIOD = 0.005  # s


def bench_cycle(
    servos: int = 12, baud: int = 3_000_000, seconds: float = 3.0, reply_margin: float = 0.02
) -> dict[str, Any]:
    """Run the cyclic exchange at 200 Hz against emulated servos in another process; see
    ServoBusSettings.

    Returns:
        `software_us_*`: processor time of the calling thread per cycle (request, reply, conversion,
        system calls); `wall_us_*`: from request to sample; `wire_us`: least time on the line;
        `incomplete`: cycles in which a servo's answer was missing.
    """
    settings = ServoBusSettings(
        joints=tuple(ServoJoint(id=number) for number in range(1, servos + 1)),
        baud=baud,
        reply_margin=reply_margin,
    )
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(there, settings.model_dump()), daemon=True)
    process.start()
    try:
        with ServoBus(here.recv(), settings) as bus:
            bring_up(bus)
            with energised(bus):
                return _measure(bus, round(seconds / PERIOD))
    finally:
        here.send("stop")
        process.join(5)


def _measure(bus: ServoBus, cycles: int) -> dict[str, Any]:
    software, wall, incomplete = np.zeros(cycles), np.zeros(cycles), 0
    goal = np.zeros(len(bus.ids))
    ticker = Ticker(PERIOD)
    for cycle in range(cycles):
        ticker.wait()
        thread, start = time.thread_time_ns(), time.monotonic_ns()
        sample = bus.cycle(goal)
        wall[cycle] = (time.monotonic_ns() - start) / 1e3
        software[cycle] = (time.thread_time_ns() - thread) / 1e3
        incomplete += not sample.valid.all()
    return {
        "servos": len(bus.ids),
        "baud": bus.link.baud,
        "cycles": cycles,
        "software_us_p50": float(np.percentile(software, 50)),
        "software_us_p99": float(np.percentile(software, 99)),
        "wall_us_p50": float(np.percentile(wall, 50)),
        "wall_us_p99": float(np.percentile(wall, 99)),
        "wire_us": bus.wire_time() * 1e6,
        "servo_turnaround_us": TURNAROUND * 1e6,
        "incomplete": int(incomplete),
    }


def _serve(pipe: Connection, settings: dict[str, Any]) -> None:
    """The other process: emulated servos until told to stop."""
    chain = configured_chain(ServoBusSettings.model_validate(settings), now=time.monotonic())
    with ServoLine(chain) as line:
        pipe.send(line.port)
        pipe.recv()
