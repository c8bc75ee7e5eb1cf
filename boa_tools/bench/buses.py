# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the robot's buses, against the emulated robot."""

from collections.abc import Iterator

from boa_tools.bench.result import Result

SERVO_TARGET = 500.0  # us, software per cycle of 12 servos
LATE_TARGET = 0.001  # share of the ticks of the robot plant that may begin more than a period late
SPINE_TARGET = 1000.0  # us, 13 links with 3 frames each


def servo_cycle() -> Iterator[Result]:
    """The cyclic exchange with 12 emulated servos: software alone, and from request to sample."""
    from boa_hardware.timing import bench_cycle

    measured = bench_cycle()
    wire = f"{measured['wire_us']:.0f} us on the wire at {measured['baud'] / 1e6:g} Mbit/s"
    yield Result(
        "servo_cycle/software",
        f"software of one cycle of {measured['servos']} servos",
        measured["software_us_p50"],
        measured["software_us_p99"],
        SERVO_TARGET,
    )
    yield Result(
        "servo_cycle/wall",
        f"the whole cycle ({wire})",
        measured["wall_us_p50"],
        measured["wall_us_p99"],
    )


def plant() -> Iterator[Result]:
    """The robot plant at 200 Hz against an emulated Boa in another process, over real bytes and
    frames.
    """
    from boa_hardware.timing import bench_plant

    measured = bench_plant()
    late = f"{measured['late_share']:.2%} of {measured['ticks']} ticks late"
    stale = f"{measured['stale_ticks']} incomplete"
    what = (
        f"waking of the bus loop at {measured['rate_hz']:g} Hz; {late} by a period (target "
        f"{LATE_TARGET:.1%}), {stale}"
    )
    yield Result("robot_plant/wake", what, measured["wake_us_p50"], measured["wake_us_p99"])
    what = f"one exchange with all servos, wire and emulator included; {measured['faults']} faults"
    yield Result("robot_plant/work", what, measured["work_us_p50"], measured["work_us_p99"])


def spine_decode() -> Iterator[Result]:
    """Decoding one set of sensor frames of 13 links."""
    from boa_hardware.timing import bench_decoding

    times = bench_decoding()
    p50, p99 = (1e6 * (times.decode[k] + times.process[k]) for k in (0, 1))
    yield Result(
        "spine_decode",
        f"{times.frames} CAN frames to forces and IMU samples",
        p50,
        p99,
        SPINE_TARGET,
    )
