# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa sensors`: watch, tare and calibrate the force sensors and IMUs on the CAN spine.

Nothing moves.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from boa_description.errors import BoaError
from boa_tools.commands.arguments import argument, file_to_write, flag

if TYPE_CHECKING:
    from boa_description.robot import Robot
    from boa_hardware.spine.bus import SpineBus
    from boa_hardware.spine.status import SpineReading

FAILED = 1
AVERAGE = 1.2  # s of samples for a tare or a load point
ENOUGH = 30  # of them
PATIENCE = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the sub-commands."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)

    def action(name: str, summary: str) -> argparse.ArgumentParser:
        return actions.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )

    monitor = action(
        "monitor", "show what all links send; without --can, what a running robot publishes"
    )
    _spine_arguments(monitor, required=False)
    argument(monitor, "--seconds", "stop after so long (default: until Ctrl-C)", float)

    tare = action("tare", "set the zero of the force sensors and keep it in a file")
    _spine_arguments(tare, required=True)
    argument(tare, "--out", "tare file to write (YAML; required)", file_to_write)
    flag(tare, "--servos-off", "confirm: servos are off, the robot lies unloaded")

    calibrate = action("calibrate", "record known loads on one sensor, then fit its matrix")
    _spine_arguments(calibrate, required=False)
    argument(calibrate, "--data", "CSV with the recorded load points", file_to_write, required=True)
    step = calibrate.add_mutually_exclusive_group(required=True)
    step.add_argument(
        "--load", type=float, nargs=2, metavar=("FX", "FY"), help="add the load that acts now, N"
    )
    flag(step, "--fit", "fit the matrix and write --out")
    argument(calibrate, "--joint", "joint of the loaded sensor, 1 = tail (with --load)", int)
    argument(calibrate, "--serial", "serial number of the sensor (with --fit)")
    argument(calibrate, "--out", "calibration file (with --fit)", file_to_write)


def _spine_arguments(action: argparse.ArgumentParser, *, required: bool) -> None:
    argument(
        action, "--can", "channel, e.g. socketcan:can0 or that of `boa emulate`", required=required
    )
    argument(action, "--settings", "spine settings YAML", Path)
    argument(action, "--robot", "robot name or file", default="boa13")
    argument(
        action, "--calibration", "folder with joint_01.yaml, ... (default: nominal sensors)", Path
    )
    argument(action, "--tare", "tare file to start from", Path, dest="tare_file")


def main(arguments: argparse.Namespace) -> int | None:
    """Run one action."""
    return {"monitor": _monitor, "tare": _tare, "calibrate": _calibrate}[arguments.action](
        arguments
    )


@contextmanager
def _spine(arguments: argparse.Namespace) -> Iterator[SpineBus]:
    """The running spine that the arguments describe."""
    from boa_description.load import load_robot
    from boa_hardware.block_file import load_block
    from boa_hardware.sensors.force import ForceSensors, load_calibrations
    from boa_hardware.sensors.tare import TareFile
    from boa_hardware.spine.bus import SpineBus
    from boa_hardware.spine.settings import SpineSettings

    robot = load_robot(arguments.robot)
    settings = (
        load_block(SpineSettings, arguments.settings, "spine")
        if arguments.settings
        else SpineSettings()
    )
    calibrations = (
        load_calibrations(arguments.calibration, robot) if arguments.calibration else None
    )
    tare = (
        load_block(TareFile, arguments.tare_file).tare(robot.joint_names)
        if arguments.tare_file
        else None
    )
    force = ForceSensors(robot, settings.force, calibrations, tare=tare)
    spine = SpineBus(settings.model_copy(update={"channel": arguments.can}), robot, force=force)
    spine.open()
    try:
        spine.require_alone()
        spine.start()
        yield spine
    finally:
        spine.close()


def _readings(spine: SpineBus, seconds: float | None) -> Iterator[SpineReading]:
    """New readings as they come: the first, which a busy computer may take its time for, and those
    that come within so long after it.
    """
    end, last = math.inf, -1
    while time.monotonic() < end:
        reading = spine.newest()
        if reading is not None and reading.stamp_ns != last:
            if last < 0 and seconds is not None:
                end = time.monotonic() + seconds
            last = reading.stamp_ns
            yield reading
        time.sleep(0.25 / spine.settings.sensor_rate)


def _span(
    spine: SpineBus, seconds: float, enough: Callable[[], bool] = lambda: True
) -> Iterator[SpineReading]:
    """New readings until they span `seconds` and are enough for a mean and for who asked, which on
    a busy computer takes longer; a bus that stands still is given up after `PATIENCE` times as
    long.
    """
    first_ns = None
    for count, reading in enumerate(_readings(spine, PATIENCE * seconds), 1):
        first_ns = reading.stamp_ns if first_ns is None else first_ns
        yield reading
        if reading.stamp_ns - first_ns >= seconds * 1e9 and count >= ENOUGH and enough():
            return


def _monitor(arguments: argparse.Namespace) -> int | None:
    import sys

    from boa_description.load import load_robot
    from boa_tools.commands import running_robot

    users = running_robot.used_by_others(None, arguments.can)
    if arguments.can is None or (users and _ros_is_installed()):
        for user in users:
            print(f"{user}; asking the running robot instead", flush=True)
        return running_robot.monitor(load_robot(arguments.robot), arguments.seconds)

    clear = "\x1b[H\x1b[J" if sys.stdout.isatty() else ""
    with _spine(arguments) as spine:
        shown, reading = -1e9, None
        try:
            for reading in _readings(spine, arguments.seconds):
                if time.monotonic() - shown > 0.5:
                    shown = time.monotonic()
                    print(f"{clear}{table(reading, spine.robot)}", flush=True)
        except KeyboardInterrupt:
            pass
    return FAILED if reading is None or reading.status.faults else None


def _ros_is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("rclpy") is not None


def table(reading: SpineReading, robot: Robot) -> str:
    """One reading as text: a line per link, then the state of the bus."""
    import numpy as np

    imu, force, status = reading.imu.sample, reading.force.sample.force, reading.status
    head = (
        "link   ax m/s2   ay m/s2   yaw deg  rate deg/s      joint     Fx N     Fy N    age "
        "ms   missed"
    )
    lines = [head]
    for link in range(robot.links):
        ax, ay = imu.acceleration[link]
        yaw, rate = np.degrees(imu.yaw[link]), np.degrees(imu.yaw_rate[link])
        sensor = "         -        -        -"
        if link < robot.joints:
            fx, fy, _ = force[link]
            sensor = f"{robot.joint_names[link]:>10} {fx:8.2f} {fy:8.2f}"
        lines.append(
            f"{link + 1:4d} {ax:9.2f} {ay:9.2f} {yaw:9.2f} {rate:11.2f} {sensor} "
            f"{1e3 * status.age[link]:9.1f} {status.counts.missed[link]:8d}"
        )
    lines.append(
        f"bus {status.state.value}, {status.counts.syncs} SYNCs, {status.restarts} restarts"
    )
    lines += [f"warning: {text}" for text in status.warnings] + [
        f"fault: {text}" for text in status.faults
    ]
    return "\n".join(lines)


def _tare(arguments: argparse.Namespace) -> int | None:
    import numpy as np

    from boa_control.plant import PlantError
    from boa_hardware.block_file import save_block
    from boa_hardware.sensors.tare import TareFile, TareLimits, TareWindow, drift

    lacking = [] if arguments.out is not None else ["--out FILE for the tare"]
    if not arguments.servos_off:
        lacking.append("--servos-off, which confirms that servos are off and the robot unloaded")
    if lacking:
        raise BoaError(
            f"boa sensors tare needs {' and '.join(lacking)}; while the plant node runs, use its "
            "service ~/tare"
        )
    with _spine(arguments) as spine:
        window, reading = TareWindow(spine.force.names), None
        # after a pause of the computer the window begins anew
        for reading in _span(spine, AVERAGE, lambda: window.full):
            certified = spine.force.force(reading.force.bridge, spine.force.certificate_zero)
            window.add(reading.stamp_ns, reading.force.bridge, certified)
        if reading is not None and reading.status.faults:
            raise PlantError(f"tare refused: {reading.status.faults[0]}")
        temperature = (
            np.full(len(spine.force.names), np.nan) if reading is None else reading.servo[:, 3]
        )
        result = window.take(armed=False, temperature=temperature, taken_ns=time.time_ns())
        gains = np.array([np.diag(np.array(sensor.matrix)) for sensor in spine.force.calibrations])
        change = drift(result, spine.force.zero, gains)
        serials = tuple(sensor.serial for sensor in spine.force.calibrations)
        save_block(TareFile.of(result, spine.force.names, serials), arguments.out)
    for name, zero, shift, noise in zip(
        spine.force.names, result.zero, change, result.noise, strict=True
    ):
        remark = (
            "  drift: check the sensor" if np.nanmax(np.abs(shift)) > TareLimits().drift else ""
        )
        print(
            f"{name}  zero {zero[0]:+.5f} {zero[1]:+.5f} mV/V  changed by {shift[0]:+.2f} "
            f"{shift[1]:+.2f} N  noise {np.nanmax(noise):.3f} N{remark}"
        )
    print(arguments.out)
    return None


def _calibrate(arguments: argparse.Namespace) -> int | None:
    if arguments.fit:
        return _fit(arguments)
    if arguments.can is None or arguments.joint is None:
        raise BoaError("boa sensors calibrate --load also needs --can and --joint")
    import numpy as np

    from boa_hardware.sensors.load_points import LoadPoint, append_point

    with _spine(arguments) as spine:
        if not 1 <= arguments.joint <= spine.robot.joints:
            raise BoaError(
                f"--joint {arguments.joint}: {spine.robot.name} has joints 1 to "
                f"{spine.robot.joints}"
            )
        bridge = np.array([r.force.bridge[arguments.joint - 1, :2] for r in _span(spine, AVERAGE)])
    point = LoadPoint.from_samples(arguments.joint, bridge, arguments.load)
    append_point(arguments.data, point)
    print(
        f"{arguments.data}: joint {point.joint}, load {point.force} N, {point.bridge} mV/V, "
        f"noise {point.noise} mV/V"
    )
    return None


def _fit(arguments: argparse.Namespace) -> int | None:
    if arguments.serial is None or arguments.out is None:
        raise BoaError("boa sensors calibrate --fit also needs --serial and --out")
    from boa_description.load import load_robot
    from boa_hardware.block_file import save_block
    from boa_hardware.sensors.load_points import fit_calibration, read_points

    range_n = load_robot(arguments.robot).force_sensor.range
    calibration, residual = fit_calibration(read_points(arguments.data), arguments.serial, range_n)
    save_block(calibration, arguments.out)
    print(f"residual {residual[0]:.3f} N in x, {residual[1]:.3f} N in y (rms)")
    print(arguments.out)
    return None
