# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the robot's buses, against the emulated robot."""

from collections.abc import Iterator

import numpy as np

from boa_tools.bench.result import Result, from_times

SERVOS = 12
SERVO_TARGET = 500.0  # us, software per cycle of all servos
LATE_TARGET = 0.001  # share of the ticks of the robot plant that may begin more than a period late
SPINE_TARGET = 1000.0  # us, 13 links with 3 frames each


def servo_cycle() -> Iterator[Result]:
    """The cyclic exchange with 12 emulated servos: software alone, and from request to sample."""
    from boa_hardware.timing import bench_cycle

    measured = bench_cycle(SERVOS)
    wire = f"{measured.wire_us:.0f} us on the wire at {measured.baud / 1e6:g} Mbit/s"
    what = f"software of one cycle of {SERVOS} servos"
    yield from_times("servo_cycle/software", what, measured.software_us, SERVO_TARGET)
    yield from_times("servo_cycle/wall", f"the whole cycle ({wire})", measured.wall_us)


def plant() -> Iterator[Result]:
    """The robot plant at 200 Hz against an emulated Boa in another process, over real bytes and
    frames.
    """
    from boa_hardware.timing import RATE, bench_plant

    measured = bench_plant()
    us = measured.numbers
    late = f"{measured.late_share:.2%} of {us['bus_ticks']:.0f} ticks late"
    what = (
        f"waking of the bus loop at {RATE:g} Hz; {late} by a period (target {LATE_TARGET:.1%}), "
        f"{measured.stale_ticks} incomplete"
    )
    yield Result("robot_plant/wake", what, us["bus_wake_us_p50"], us["bus_wake_us_p99"])
    what = f"one exchange with all servos, wire and emulator included; {measured.faults} faults"
    yield Result("robot_plant/work", what, us["bus_work_us_p50"], us["bus_work_us_p99"])


def spine_decode() -> Iterator[Result]:
    """Decoding one set of sensor frames of 13 links."""
    from boa_hardware.timing import LINKS, bench_decoding

    median, rare = 1e6 * np.percentile(bench_decoding(), [50, 99], axis=0).sum(axis=1)
    what = f"{3 * LINKS} CAN frames to forces and IMU samples"
    yield Result("spine_decode", what, float(median), float(rare), SPINE_TARGET)
