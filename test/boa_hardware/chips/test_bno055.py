# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""BNO055: registers and the lab's recordings.

The recordings hold SI values that the lab's software made from registers. They are turned back into
registers here and decoded by our decoder; physics (gravity, rate against heading) judges the
result.
"""

from __future__ import annotations

import csv
import math
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from bno055 import BLOCK_SIZE, Quaternion, Units, decode, implausible
from hypothesis import given
from hypothesis import strategies as st

from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_hardware.sensors.imu import YawTracker

DATA = Path(__file__).parents[2] / "data" / "boa_lab"
# LSB per unit of the recorded columns: uT, m/s2, rad/s, deg
GROUPS = {
    "mag": 16.0,
    "acc": 100.0,
    "gyr": 16.0 * 180 / math.pi,
    "euler": 16.0,
    "lin": 100.0,
    "grav": 100.0,
}


def recording(name: str) -> tuple[Array, dict[str, Array]]:
    """Time and the columns of each group, shape (samples, 3); rows with a missing value are left
    out.
    """
    with (DATA / name).open(newline="") as file:
        header, *rows = csv.reader(file)
    header = [column.replace("euleY", "eulerY") for column in header]
    values = np.array([[float(cell) for cell in row] for row in rows if "" not in row])
    groups = {
        g: np.stack([values[:, header.index(g + axis)] for axis in "XYZ"], axis=1) for g in GROUPS
    }
    return values[:, 0], groups


def registers(groups: dict[str, Array], row: int) -> bytes:
    """The register block 0x08 to 0x35 that gives this row; identity quaternion, 30 degC,
    calibrated.
    """
    words = {
        group: np.rint(groups[group][row] * scale).astype(int) for group, scale in GROUPS.items()
    }
    quaternion = [1 << 14, 0, 0, 0]
    order = [
        *words["acc"],
        *words["mag"],
        *words["gyr"],
        *words["euler"],
        *quaternion,
        *words["lin"],
        *words["grav"],
    ]
    return struct.pack("<22hbB", *order, 30, 0xFF)


RECORDINGS = ("imu_moving.csv", "servo_moving.csv")


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_values_lie_on_the_register_grid(name: str) -> None:
    """If a scale were wrong, the lab's values would not be whole numbers of LSB."""
    _, groups = recording(name)
    for group, scale in GROUPS.items():
        counts = groups[group] * scale
        np.testing.assert_allclose(counts, np.rint(counts), atol=1e-6, err_msg=group)


@pytest.mark.parametrize("name", RECORDINGS)
def test_decoded_recording_equals_the_lab_values(name: str) -> None:
    _, groups = recording(name)
    for row in range(0, len(groups["acc"]), 7):
        reading = decode(registers(groups, row))
        np.testing.assert_allclose(reading.acceleration, groups["acc"][row], atol=1e-9)
        np.testing.assert_allclose(reading.rate, groups["gyr"][row], atol=1e-9)
        np.testing.assert_allclose(np.degrees(reading.euler), groups["euler"][row], atol=1e-9)
        np.testing.assert_allclose(
            np.array(reading.magnetic_field) * 1e6, groups["mag"][row], atol=1e-9
        )


@pytest.mark.parametrize(
    ("name", "glitches"),
    [
        # counted in the files with awk, by the limits of the data sheet and |gravity| in 9.75 to
        # 9.86 m/s2
        ("imu_moving.csv", {"gravity": 16, "magnetic_field": 8}),
        (
            "servo_moving.csv",
            {"rate": 3, "magnetic_field": 4, "euler": 1, "gravity": 1, "linear_acceleration": 1},
        ),
    ],
)
def test_glitches_of_the_real_sensor_are_found_and_the_rest_is_physical(
    name: str, glitches: dict[str, int]
) -> None:
    _, groups = recording(name)
    readings = [decode(registers(groups, row)) for row in range(len(groups["acc"]))]
    found = Counter(quantity for reading in readings for quantity in implausible(reading))
    assert found == glitches
    good = [reading for reading in readings if not implausible(reading)]
    gravity = np.linalg.norm([reading.gravity for reading in good], axis=1)
    np.testing.assert_allclose(gravity, 9.80665, atol=0.05)
    total = np.array([reading.acceleration for reading in good])
    parts = np.array([np.add(reading.gravity, reading.linear_acceleration) for reading in good])
    # the chip splits acceleration into gravity and the rest, sampled a little apart: equal on
    # average
    np.testing.assert_allclose((total - parts).mean(axis=0), 0.0, atol=0.03)


def test_heading_of_the_recording_agrees_with_the_recorded_rate() -> None:
    """d(heading)/dt = -rate about z: a BNO055's heading is positive clockwise."""
    time, groups = recording("servo_moving.csv")
    heading, rate = np.radians(groups["euler"][:, 0]), groups["gyr"][:, 2]
    slope = wrapped(heading[2:] - heading[:-2]) / (time[2:] - time[:-2])
    believable = (np.abs(heading) < 7)[2:] & (np.abs(heading) < 7)[:-2]
    slope, middle = slope[believable], rate[1:-1][believable]
    assert np.corrcoef(slope, middle)[0, 1] < -0.96
    assert np.polyfit(middle, slope, 1)[0] == pytest.approx(-1.0, abs=0.15)


def test_tracked_heading_of_the_recording_has_no_glitch_left() -> None:
    time, groups = recording("servo_moving.csv")
    yaw, rate = -np.radians(groups["euler"][:, 0]), groups["gyr"][:, 2]
    yaw[np.abs(yaw) > 4 * np.pi] = np.nan  # the range check of `Imus`
    tracker = YawTracker(1)
    relative = np.array(
        [
            tracker.update(yaw[k : k + 1], rate[k : k + 1], time[k] - time[0])[0]
            for k in range(len(time))
        ]
    )
    assert tracker.jumps[0] == 0
    # the heading of -1872 deg, and what the tracker found
    assert np.isnan(relative).sum() == 1 + tracker.rejected[0]
    assert tracker.rejected[0] < 0.02 * len(time)  # at 10 Hz the rate hardly predicts a step
    good = np.isfinite(relative)
    # the recorded motion spans 99 to 225 deg from 186
    assert np.abs(relative[good]).max() < np.radians(100)
    np.testing.assert_allclose(relative[good], (yaw - yaw[0])[good], atol=1e-9)


@given(st.binary(min_size=BLOCK_SIZE, max_size=BLOCK_SIZE))
def test_any_block_decodes_and_is_judged(block: bytes) -> None:
    reading = decode(block)
    w, x, y, z = struct.unpack_from("<4h", block, 24)
    assert reading.orientation == Quaternion(x / 16384, y / 16384, z / 16384, w / 16384)
    norm_is_good = abs(math.sqrt(w * w + x * x + y * y + z * z) / 16384 - 1) <= 0.02
    assert ("orientation" in implausible(reading)) == (not norm_is_good)
    assert reading.calibration == tuple(block[-1] >> shift & 3 for shift in (6, 4, 2, 0))


def test_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match="46"):
        decode(bytes(45))


def test_quaternion_order_is_turned_from_the_chip_to_ros() -> None:
    """A turn by 90 deg about z is (w, x, y, z) = (0.7071, 0, 0, 0.7071) on the chip."""
    half = round(math.sqrt(0.5) * 16384)
    block = bytearray(BLOCK_SIZE)
    struct.pack_into("<4h", block, 24, half, 0, 0, half)
    orientation = decode(bytes(block)).orientation
    assert orientation.x == orientation.y == 0
    assert orientation.z == pytest.approx(math.sqrt(0.5), abs=1e-4)
    assert orientation.w == pytest.approx(math.sqrt(0.5), abs=1e-4)
    assert orientation.yaw == pytest.approx(math.pi / 2, abs=1e-4)
    about_x = bytearray(BLOCK_SIZE)
    struct.pack_into("<4h", about_x, 24, half, half, 0, 0)
    assert decode(bytes(about_x)).orientation.yaw == pytest.approx(0.0, abs=1e-4)


def test_other_units_of_the_chip() -> None:
    block = bytearray(BLOCK_SIZE)
    struct.pack_into("<3h", block, 0, 1000, 0, 0)
    struct.pack_into("<3h", block, 12, 900, 0, 0)
    struct.pack_into("<3h", block, 18, 900, 0, 0)
    other = decode(bytes(block), Units(milli_g=True, radian_rate=True, radian_angle=True))
    assert other.acceleration[0] == pytest.approx(9.80665)
    assert other.rate[0] == pytest.approx(1.0)
    assert other.euler[0] == pytest.approx(1.0)
    assert decode(bytes(block)).acceleration[0] == pytest.approx(10.0)
    assert decode(bytes(block)).rate[0] == pytest.approx(math.radians(56.25))
