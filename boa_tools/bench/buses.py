"""Benchmarks of the robot's buses, against the emulated robot."""

from __future__ import annotations

from collections.abc import Iterator

from boa_tools.bench.result import Result

SERVO_TARGET = 500.0  # us, software per cycle of 12 servos
SPINE_TARGET = 1000.0  # us, 13 links with 3 frames each


def servo_cycle() -> Iterator[Result]:
    """The cyclic exchange with 12 emulated servos: software alone, and from request to sample."""
    from boa_hardware.servo.bench import bench_cycle

    found = bench_cycle()
    wire = f"{found['wire_us']:.0f} us on the wire at {found['baud'] / 1e6:g} Mbit/s"
    yield Result(
        "servo_cycle/software",
        f"software of one cycle of {found['servos']} servos",
        found["software_us_p50"],
        found["software_us_p99"],
        SERVO_TARGET,
    )
    yield Result("servo_cycle/wall", f"the whole cycle ({wire})", found["wall_us_p50"], found["wall_us_p99"])


def spine_decode() -> Iterator[Result]:
    """Decoding one set of sensor frames of 13 links."""
    from boa_hardware.spine.bench import bench

    times = bench()
    p50, p99 = (1e6 * (times.decode[k] + times.process[k]) for k in (0, 1))
    yield Result("spine_decode", f"{times.frames} CAN frames to forces and IMU samples", p50, p99, SPINE_TARGET)
