# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Known loads on one force sensor, recorded one by one, and the calibration fitted to them."""

import csv
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import numpy as np

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_hardware.sensors.k3d40 import Calibration, fit_matrix, nominal_calibration

HEADER = ("joint", "bridge_x", "bridge_y", "force_x", "force_y", "noise_x", "noise_y")
FEWEST_SAMPLES = 20
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """One load: bridge output and its standard deviation in mV/V, force in N in the sensor's axes x
    and y.
    """

    joint: int
    bridge: Pair
    force: Pair
    noise: Pair

    @classmethod
    def from_samples(cls, joint: int, bridge: Array, force: Sequence[float]) -> Self:
        """Average samples of shape (m, 2), mV/V.

        Raises:
            PlantError: too few samples have come, or boards send forces instead of counts.
        """
        good = bridge[np.isfinite(bridge).all(axis=1)] if len(bridge) else np.empty((0, 2))
        if len(good) < FEWEST_SAMPLES:
            raise PlantError(
                f"joint {joint}: {len(good)} of {len(bridge)} samples have bridge voltages, "
                f"{FEWEST_SAMPLES} are needed; check the link board, and that the settings say "
                "force: {content: counts}"
            )
        (ux, uy), (nx, ny) = good.mean(axis=0), good.std(axis=0)
        return cls(joint, (float(ux), float(uy)), (force[0], force[1]), (float(nx), float(ny)))


def append_point(path: Path, point: LoadPoint) -> None:
    """Add one point to a CSV file, which is begun if it does not exist.

    Raises:
        BoaError: the file holds points of another joint.
    """
    if path.exists():
        others = {known.joint for known in read_points(path)} - {point.joint}
        if others:
            raise BoaError(f"{path}: holds loads of joint {min(others)}; use one file per sensor")
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(HEADER)
        joint, *pairs = astuple(point)
        writer.writerow([joint, *(value for pair in pairs for value in pair)])


def read_points(path: Path) -> list[LoadPoint]:
    """Read the points of a CSV file.

    Raises:
        BoaError: it cannot be read or is no such file; names the line.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
    except (OSError, ValueError) as error:
        raise BoaError(
            f"{path}: no load points can be read ({error}); record some with --load"
        ) from error
    if tuple(header) != HEADER:
        raise BoaError(f"{path}: columns are {', '.join(header)}; expected {', '.join(HEADER)}")
    points = []
    for line, row in enumerate(rows, start=2):
        try:
            joint, (ux, uy, fx, fy, nx, ny) = int(row[0]), map(float, row[1:])
        except (ValueError, IndexError) as error:
            raise BoaError(f"{path}, line {line}: {error}; expected {', '.join(HEADER)}") from error
        points.append(LoadPoint(joint, (ux, uy), (fx, fy), (nx, ny)))
    return points


def fit_calibration(
    points: Sequence[LoadPoint], serial: str, range_n: float
) -> tuple[Calibration, Array]:
    """Calibration of the channels x and y from load points; z keeps its nominal gain, no crosstalk.

    Returns:
        The calibration and the residual rms in x and y, N.

    Raises:
        BoaError: too few loads, or loads that do not span both axes.
    """
    if not points:
        raise BoaError("no load points to fit; record some with --load")
    bridge, force = np.array([p.bridge for p in points]), np.array([p.force for p in points])
    matrix, zero, residual = fit_matrix(bridge, force)
    gain = nominal_calibration(range_n).matrix[2][2]
    (xx, xy), (yx, yy) = matrix.tolist()
    ux, uy = zero.tolist()
    calibration = Calibration(
        serial=serial,
        date=datetime.now(tz=UTC).date(),
        certificate=f"in situ, {len(points)} loads on joint {points[0].joint}, residual "
        f"{residual.max():.3f} N rms",
        matrix=((xx, xy, 0.0), (yx, yy, 0.0), (0.0, 0.0, gain)),
        offset=(ux, uy, 0.0),
        range=range_n,
    )
    return calibration, residual
