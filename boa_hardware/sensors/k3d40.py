# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""K3D40 three-axis force sensor: from converter counts to newtons by each sensor's calibration.

A strain-gauge bridge gives a voltage per volt of supply, u in mV/V. The certificate's matrix A
turns it into forces, F = A (u - u0) (ME-Messsysteme, manual of multi-component sensors: L = A U,
elements in N/(mV/V)).
"""

from datetime import date
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Newton, Radian

Triple = tuple[float, float, float]

NOMINAL_SERIAL = "nominal"  # of the stand-in for a sensor without certificate

# Typical ME-Messsysteme value; the rated output of the +-50 N version is not published.
NOMINAL_RATED_OUTPUT = 0.5  # mV/V at full range
RANK_TOLERANCE = 1e-3  # least ratio of the singular values of loads that span all axes
LARGEST_CROSSTALK = 0.2  # above this, rows and columns of the matrix are probably swapped


class Calibration(Block):
    """Calibration of one K3D40, one YAML file per serial number."""

    serial: str = Field(min_length=1)
    date: date
    certificate: str = Field(
        description="number of the certificate, or how the calibration was made"
    )
    matrix: tuple[Triple, Triple, Triple] = Field(
        description="A, N/(mV/V), rows force x y z, columns channel x y z"
    )
    offset: Triple = Field(default=(0.0, 0.0, 0.0), description="u0 without load, mV/V")
    range: Newton = Field(default=50.0, gt=0, description="rated force per axis")
    mounting: Radian = Field(
        default=0.0, description="angle of the sensor's x axis from the link's x axis"
    )

    @model_validator(mode="after")
    def _plausible(self) -> Self:
        a = np.array(self.matrix)
        gains = np.abs(np.diag(a))
        if gains.min() <= 0:
            raise ValueError("matrix: a diagonal element is zero; the rows are force x, y, z")
        ratio = np.abs(a - np.diag(np.diag(a))) / gains.min()
        if ratio.max() > LARGEST_CROSSTALK:
            raise ValueError(
                f"matrix: crosstalk of {ratio.max():.0%} exceeds {LARGEST_CROSSTALK:.0%}; check "
                "the order of rows and columns (x, y, z) against the certificate"
            )
        return self

    @property
    def to_link(self) -> Array:
        """Shape (3, 3), N/(mV/V): A, followed by the turn from the sensor's axes to the link's."""
        c, s = np.cos(self.mounting), np.sin(self.mounting)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array(self.matrix)

    @property
    def to_link_planar(self) -> Array:
        """Shape (2, 2): the same for the channels x and y alone, for boards that do not send z.

        With only u_x and u_y known and no vertical force, F_xy = (A_xx - A_xz A_zx / A_zz) u_xy:
        the Schur complement, which removes the crosstalk that the unknown u_z would have
        compensated.
        """
        a = self.to_link
        return a[:2, :2] - np.outer(a[:2, 2], a[2, :2]) / a[2, 2]


def nominal_calibration(range_n: float) -> Calibration:
    """A stand-in for a sensor without certificate: typical rated output, no crosstalk."""
    gain = range_n / NOMINAL_RATED_OUTPUT
    return Calibration(
        serial=NOMINAL_SERIAL,
        date=date(1970, 1, 1),
        certificate="none: typical rated output, replace by the sensor's certificate",
        matrix=((gain, 0, 0), (0, gain, 0), (0, 0, gain)),
        range=range_n,
    )


def bridge_to_force(difference: Array, full: Array, planar: Array) -> Array:
    """F = A (u - u0) in the link's axes, for any number of sensors at once.

    Args:
        difference: u - u0, shape (..., n, 3), mV/V; the third channel is NaN where it is not
            measured.
        full: `Calibration.to_link` of each sensor, shape (n, 3, 3).
        planar: `Calibration.to_link_planar` of each sensor, shape (n, 2, 2).

    Returns:
        Shape (..., n, 3), N, x to the head, y left, z up; z is NaN where its channel is.
    """
    spatial = (full @ difference[..., None])[..., 0]
    plane = (planar @ difference[..., :2, None])[..., 0]
    flat = np.concatenate([plane, np.full_like(plane[..., :1], np.nan)], axis=-1)
    return np.where(np.isnan(difference[..., 2:3]), flat, spatial)


def fit_matrix(u: Array, force: Array) -> tuple[Array, Array, Array]:
    """Least-squares calibration from known loads: force = A u + c.

    Args:
        u: shape (m, k), mV/V, k channels (2 or 3).
        force: shape (m, k), N, in the sensor's axes.

    Returns:
        A, shape (k, k), N/(mV/V); u0 = -A^-1 c, shape (k,), mV/V; residual rms per axis, shape
        (k,), N.

    Raises:
        BoaError: too few loads, or loads that do not span all axes.
    """
    m, k = u.shape
    if m < k + 2:
        raise BoaError(
            f"{m} load points are too few for {k} axes: record at least {k + 2}, better twice "
            f"as many"
        )
    spread = np.linalg.svd(force - force.mean(axis=0), compute_uv=False)
    if spread[-1] < RANK_TOLERANCE * spread[0]:
        raise BoaError("the loads do not span all axes: load every axis in both directions")
    design = np.hstack([u, np.ones((m, 1))])
    solution, *_ = np.linalg.lstsq(design, force, rcond=None)
    a, c = solution[:k].T, solution[k]
    residual = force - design @ solution
    matrix = np.asarray(a, dtype=np.float64)
    zero = np.asarray(-np.linalg.solve(a, c), dtype=np.float64)
    return matrix, zero, np.asarray(np.sqrt((residual**2).mean(axis=0)), dtype=np.float64)
