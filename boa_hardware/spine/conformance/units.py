# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Checks of a board's values: byte order, units, signs."""

import math

import numpy as np

from boa_description.arrays import Array
from boa_hardware.sensors.k3d40 import nominal_calibration
from boa_hardware.spine.conformance.bench import BoardBench
from boa_hardware.spine.conformance.finding import Finding, Requests, Tell, failed, passed, skipped

TURN_TOLERANCE = 0.3  # of the angle: a hand is no instrument
RATE_TOLERANCE = 0.25  # of the turn, between the yaw and the integral of its rate
LOAD_TOLERANCE = 0.4  # of the load: the rated output of a sensor without certificate
REST = 0.5  # m/s2 and deg/s that a board at rest may show
TINY = 1e-30  # a float other than zero that is smaller was read in the wrong byte order


def byte_order(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """Values make sense in the byte order of the settings, and not in the other."""
    order = bench.settings.byte_order
    right = wrong = 0
    for answer in bench.series(link, 10):
        right += _nonsense(bench.values(answer), bench)
        wrong += _nonsense(bench.values(answer, swapped=True), bench)
    if right == 0 and wrong > 0:
        return passed("byte order", f"{order}-endian")
    if right > wrong:
        other = "big" if order == "little" else "little"
        return failed("byte order", f"looks {other}-endian, the settings say {order}")
    if right == wrong == 0:
        return failed("byte order", "every value is 0 in both orders; are the sensors read?")
    return failed("byte order", "values out of range in both orders")


def units_at_rest(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """At rest acceleration (without gravity) and rate are near zero, the force within its range."""
    samples = [bench.values(answer) for answer in bench.series(link, 20)]
    known = [sample for sample in samples if sample]
    if not known:
        return failed("at rest", "no values")
    mean = {name: float(np.mean([s[name] for s in known if name in s])) for name in known[0]}
    push = math.hypot(mean.get("acceleration_x", 0.0), mean.get("acceleration_y", 0.0))
    turning = abs(_rate(bench, mean.get("yaw_rate", 0.0)))
    full = bench.settings.force.front_end.full_scale
    if push > REST:
        return failed("at rest", f"acceleration {push:.2f} m/s2: with gravity, or another unit?")
    if turning > math.radians(REST):
        return failed("at rest", f"yaw rate {math.degrees(turning):.2f} deg/s; keep it still")
    loud = [name for name in ("cfs_x", "cfs_y") if abs(mean.get(name, 0.0)) >= full]
    if loud and bench.settings.force.content == "counts":
        return failed("at rest", f"{loud[0]} at full scale; is the bridge connected?")
    return passed("at rest", f"{push:.2f} m/s2, {math.degrees(turning):.2f} deg/s")


def units_of_yaw(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """A turn by hand: yaw in its unit and sign, and its rate, whose integral is the turn."""
    if requests.turn is None:
        return skipped("yaw and rate", "give --turn DEGREES and turn the board by hand")
    tell(
        f"turn link {link} by {requests.turn:g} deg counter-clockwise within {requests.seconds:g} s"
    )
    count = round(requests.seconds * bench.settings.sensor_rate)
    samples = [bench.values(answer) for answer in bench.series(link, count)]
    known = [sample for sample in samples if {"yaw", "yaw_rate"} <= sample.keys()]
    if len(known) < 2:
        return failed("yaw and rate", "no IMU frames")
    imu = bench.settings.imu
    unit = math.radians(1) if imu.angle_unit == "deg" else 1.0
    yaw = np.unwrap([imu.angle_sign * unit * sample["yaw"] for sample in known])
    turned = math.degrees(float(yaw[-1] - yaw[0]))
    integral = math.degrees(
        sum(_rate(bench, sample["yaw_rate"]) for sample in known) / bench.settings.sensor_rate
    )
    text = f"yaw {turned:+.1f} deg, integral of its rate {integral:+.1f} deg"
    if abs(turned - requests.turn) > TURN_TOLERANCE * abs(requests.turn):
        return failed(
            "yaw and rate",
            f"{text}, turned by {requests.turn:+g}; imu.angle_unit {imu.angle_unit}, "
            f"angle_sign {imu.angle_sign}?",
        )
    if abs(integral - turned) > RATE_TOLERANCE * abs(turned):
        return failed(
            "yaw and rate", f"{text}; imu.rate_unit {imu.rate_unit}, rate_sign {imu.rate_sign}?"
        )
    return passed("yaw and rate", text)


def units_of_force(bench: BoardBench, link: int, requests: Requests, tell: Tell) -> Finding:
    """A known load: newtons in the sensor's x axis, in sign and size."""
    if requests.load is None:
        return skipped("force", "give --load NEWTON and load the sensor along its x axis")
    before = _force(bench, link, requests)
    tell(
        f"load the sensor of link {link} with {requests.load:g} N along its x axis within "
        f"{requests.seconds:g} s"
    )
    bench.listen(requests.seconds)
    change = _force(bench, link, requests) - before
    text = f"{change[0]:+.2f} N in x, {change[1]:+.2f} N in y for {requests.load:+g} N in x"
    wire = bench.settings.force
    if not abs(change[0] - requests.load) <= LOAD_TOLERANCE * abs(requests.load):
        return failed("force", f"{text}; force.content {wire.content}, front end, axes?")
    if abs(change[1]) > LOAD_TOLERANCE * abs(requests.load):
        return failed("force", f"{text}; are the axes interchanged?")
    return passed("force", text)


def _nonsense(values: dict[str, float], bench: BoardBench) -> int:
    """How many of the values cannot be meant: above every range, or smaller than any sensor tells.

    Values that are no number are missing already.
    """
    imu, wire = bench.settings.imu, bench.settings.force
    degrees = {"yaw_rate": imu.rate_unit == "deg/s", "yaw": imu.angle_unit == "deg"}
    ranges = {
        "acceleration_x": imu.acceleration_range,
        "acceleration_y": imu.acceleration_range,
        "yaw_rate": imu.rate_range,
        "yaw": imu.angle_range,
        "cfs_x": float(wire.front_end.full_scale),
        "cfs_y": float(wire.front_end.full_scale),
    }
    missing = sum(name not in values for name in ("acceleration_x", "yaw_rate", "yaw"))
    for name, largest in ranges.items():
        limit = math.degrees(largest) if degrees.get(name, False) else largest
        value = abs(values.get(name, 0.0))
        missing += value > 1.01 * limit or 0.0 < value < TINY
    return missing


def _rate(bench: BoardBench, raw: float) -> float:
    """rad/s of a yaw rate on the wire."""
    imu = bench.settings.imu
    return imu.rate_sign * (math.radians(raw) if imu.rate_unit == "deg/s" else raw)


def _force(bench: BoardBench, link: int, requests: Requests) -> Array:
    """Mean force in the plane, N; with a nominal sensor where the board sends counts."""
    samples = [bench.values(answer) for answer in bench.series(link, 30)]
    counts = np.array([[s["cfs_x"], s["cfs_y"]] for s in samples if "cfs_x" in s])
    if not len(counts):
        return np.full(2, math.nan)
    wire = bench.settings.force
    if wire.content == "force":
        return counts.mean(axis=0) * wire.newton_per_count
    bridge = counts.mean(axis=0) * wire.front_end.mv_per_v
    return nominal_calibration(requests.range_n).to_link_planar @ bridge
