# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long the Brain needs for one sample set of the spine: software without bus and waiting."""

import struct
import time
from dataclasses import dataclass

import numpy as np

from boa_description.load import load_robot
from boa_hardware.sensors.force import ForceSensors
from boa_hardware.sensors.imu import Imus
from boa_hardware.spine.collector import Collector
from boa_hardware.spine.protocol import Opcode, arbitration_id
from boa_hardware.spine.settings import SpineSettings
from boa_hardware.spine.slcan_driver import parse_frame


@dataclass(frozen=True, slots=True)
class SpineTimes:
    """Seconds per sample set, median and 99th percentile.

    Attributes:
        decode: sort and decode all frames of a set (cantools).
        process: newtons, ranges, yaw: what follows.
        slcan: parse the lines of an slcan adapter, which comes before; not needed with SocketCAN.
    """

    frames: int
    decode: tuple[float, float]
    process: tuple[float, float]
    slcan: tuple[float, float]


def bench(links: int = 13, repeats: int = 300) -> SpineTimes:
    """Measure `repeats` sample sets of `links` links with ACC, IMU and CFS each."""
    settings = SpineSettings()
    robot = load_robot("boa13", links=links)
    collector, force = Collector(settings, links), ForceSensors(robot, settings.force)
    imus = Imus(links, settings.imu)
    generator = np.random.default_rng(0)
    rows = []
    for step in range(repeats):
        frames = _frames(links, generator)
        lines = [f"t{identifier:03X}8{data.hex()}".encode() for identifier, data in frames]
        stamp_ns = step * 10_000_000
        start = time.perf_counter()
        for line in lines:
            parse_frame(line)
        parsed = time.perf_counter()
        collector.begin(stamp_ns)
        for identifier, data in frames:
            collector.accept(identifier, data, stamp_ns)
        sensors = collector.close()
        decoded = time.perf_counter()
        force.read(sensors.cfs[1:], stamp_ns)
        imus.read(sensors.yaw, sensors.yaw_rate, sensors.acceleration, stamp_ns)
        rows.append((decoded - parsed, time.perf_counter() - decoded, parsed - start))
    decode, process, slcan = (
        (float(np.median(c)), float(np.percentile(c, 99))) for c in np.array(rows).T
    )
    return SpineTimes(3 * links, decode, process, slcan)


def _frames(links: int, generator: np.random.Generator) -> list[tuple[int, bytes]]:
    frames = []
    for link in range(1, links + 1):
        ax, ay, rate, yaw = generator.normal(0, 1, 4)
        frames.append((arbitration_id(Opcode.ACC, link), struct.pack("<ff", ax, ay)))
        frames.append((arbitration_id(Opcode.IMU, link), struct.pack("<ff", rate, 180 + yaw)))
        x, y = generator.integers(-(10**5), 10**5, 2)
        frames.append((arbitration_id(Opcode.CFS, link), struct.pack("<ii", x, y)))
    return frames


def main() -> None:
    """Print the times in microseconds."""
    times = bench()
    print(f"{times.frames} frames, median / 99 % in us")
    for name in ("slcan", "decode", "process"):
        median, late = getattr(times, name)
        print(f"{name:8} {median * 1e6:7.0f} {late * 1e6:7.0f}")


if __name__ == "__main__":
    main()
