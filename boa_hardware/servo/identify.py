# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Estimate a joint's torque constant and friction from a recorded sweep.

Motor current at a moving joint with load torque tau_l (what drives the load: positive when the
motor must push in the positive direction), from `boa_hardware.servo.torque`:

    i = i0 + tau_l / k + (tau_c / k) s(omega) + (b / k) omega + (J / k) domega/dt

is linear in (i0, 1/k, tau_c/k, b/k, J/k): ordinary least squares, standard errors from the
residuals, and first-order propagation to (k, tau_c, b, J). Without a known, varying load k cannot
be seen and is taken as given.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_hardware.servo.registers import REGISTERS, VELOCITY, Register
from boa_hardware.servo.torque import STALL_CONSTANT, TorqueModel, smooth_sign

MOVING = 2.5 * VELOCITY  # rad/s; slower samples do not tell the sign of friction
MIN_SAMPLES = 30
DOUBT = 3.0  # standard errors
SLOPE_TIME = 0.01  # s; velocity comes in steps of 0.024 rad/s, so its slope needs several samples
COLUMNS = ("time_s", "position_rad", "velocity_rad_s", "current_a", "load_nm")
# the lab's recordings: register words as logged, unsigned
RAW_COLUMNS = {
    "servoPos": "present_position",
    "servoVel": "present_velocity",
    "servoCur": "present_current",
}


@dataclass(frozen=True, slots=True)
class Sweep:
    """One joint's recording; arrays of shape (n,), servo coordinates, SI units.

    Attributes:
        time: s, increasing.
        position, velocity, current: rad, rad/s, A.
        load: torque the motor must deliver to the load, N m; zeros for a free joint.
    """

    time: Array
    position: Array
    velocity: Array
    current: Array
    load: Array


@dataclass(frozen=True, slots=True)
class Identification:
    """Estimates from a sweep.

    Attributes:
        model: the estimate.
        inertia: moment of inertia at the joint, kg m2.
        standard_error: of "constant" (nan when given), "coulomb", "viscous", "current_offset",
            "inertia".
        residual_rms: A.
        r_squared: share of the current's variance that the model explains.
        samples: moving samples that were used.
    """

    model: TorqueModel
    inertia: float
    standard_error: Mapping[str, float]
    residual_rms: float
    r_squared: float
    samples: int

    def __str__(self) -> str:
        units = {
            "constant": "N m/A",
            "coulomb": "N m",
            "viscous": "N m s",
            "current_offset": "A",
            "inertia": "kg m2",
        }
        values = {**self.model.model_dump(), "inertia": self.inertia}
        lines = [
            f"{name:<15} {values[name]:9.5f} +- {self.standard_error[name]:.5f} {unit}"
            for name, unit in units.items()
        ]
        quality = (
            f"residual {self.residual_rms * 1e3:.2f} mA rms, R2 {self.r_squared:.3f}, "
            f"{self.samples} samples"
        )
        return "\n".join([*lines, quality])


def identify(sweep: Sweep, constant: float | None = None) -> Identification:
    """Fit the model to a sweep.

    Args:
        sweep: with motion in both directions at several speeds.
        constant: torque constant, N m/A, to take as given; None: estimate it where the load varies,
            else the data sheet's stall ratio.

    Raises:
        BoaError: the sweep cannot show all of them (too short, one direction, one speed), or the
            estimate is not physical; says what to record.
    """
    moving = _moving(sweep)
    velocity, current = sweep.velocity[moving], sweep.current[moving]
    acceleration = _slope(sweep.time, sweep.velocity)[moving]
    estimate_constant = constant is None and float(np.ptp(sweep.load[moving])) > 0.1
    given = constant or STALL_CONSTANT
    current_of_load = np.zeros_like(current) if estimate_constant else sweep.load[moving] / given
    columns = [np.ones_like(current), smooth_sign(velocity), velocity, acceleration]
    if estimate_constant:
        columns.append(sweep.load[moving])
    beta, covariance, residual = _least_squares(np.column_stack(columns), current - current_of_load)
    values, errors = _physical(beta, covariance, given, estimate_constant=estimate_constant)
    inertia = values.pop("inertia")
    for loss in ("coulomb", "viscous"):  # a joint without loss seems to gain as often as to lose
        if -DOUBT * errors[loss] < values[loss] < 0:
            values[loss] = 0.0
    try:
        model = TorqueModel(**values)
    except ValidationError as error:
        what = ", ".join(f"{item['loc'][0]} = {item['input']:.4g}" for item in error.errors())
        raise BoaError(
            f"the estimate is not physical ({what}); check signs and units of the recording"
        ) from error
    return Identification(
        model=model,
        inertia=inertia,
        standard_error=errors,
        residual_rms=float(np.sqrt(np.mean(residual**2))),
        r_squared=1 - float(np.var(residual) / np.var(current)),
        samples=int(moving.sum()),
    )


def _moving(sweep: Sweep) -> NDArray[np.bool_]:
    moving: NDArray[np.bool_] = np.abs(sweep.velocity) > MOVING
    forward, backward = int((sweep.velocity > MOVING).sum()), int((sweep.velocity < -MOVING).sum())
    if min(forward, backward) < MIN_SAMPLES // 2:
        raise BoaError(
            f"the sweep has {forward} samples forward and {backward} backward above {MOVING:.3f} "
            f"rad/s; record at least {MIN_SAMPLES // 2} in each direction"
        )
    speed = np.abs(sweep.velocity[moving])
    if np.ptp(speed) < 2 * MOVING:
        raise BoaError(
            f"the sweep has one speed only ({speed.min():.3f} to {speed.max():.3f} rad/s), which "
            "cannot tell dry from viscous friction; sweep at several speeds"
        )
    return moving


def _slope(time: Array, value: Array) -> Array:
    """Derivative by a straight line through the samples within `SLOPE_TIME` to each side, at least
    one.
    """
    reach = max(1, round(SLOPE_TIME / float(np.median(np.diff(time)))))
    around = np.arange(len(time))[:, None] + np.arange(-reach, reach + 1)
    around = np.clip(around, 0, len(time) - 1)
    t, v = time[around], value[around]
    t, v = t - t.mean(axis=1, keepdims=True), v - v.mean(axis=1, keepdims=True)
    return (t * v).sum(axis=1) / (t * t).sum(axis=1)


def _least_squares(design: Array, target: Array) -> tuple[Array, Array, Array]:
    """Coefficients, their covariance and the residual of design beta = target."""
    q, r = np.linalg.qr(design)
    inverse = np.linalg.inv(r)
    beta = inverse @ (q.T @ target)
    residual = target - design @ beta
    variance = residual @ residual / (len(target) - design.shape[1])
    return beta, variance * inverse @ inverse.T, residual


def _physical(
    beta: Array, covariance: Array, given: float, *, estimate_constant: bool
) -> tuple[dict[str, float], dict[str, float]]:
    """Values and standard errors from (i0, tau_c/k, b/k, J/k[, 1/k])."""
    offset, *scaled = (float(value) for value in beta[:4])
    k = 1 / float(beta[4]) if estimate_constant else given
    jacobian = np.zeros((5, len(beta)))  # rows: offset, tau_c, b, J, k
    jacobian[0, 0] = 1.0
    for row, value in enumerate(scaled, start=1):
        jacobian[row, row] = k
        if estimate_constant:
            jacobian[row, 4] = -value * k**2
    if estimate_constant:
        jacobian[4, 4] = -(k**2)
    errors = np.sqrt(np.diag(jacobian @ covariance @ jacobian.T))
    names = ("current_offset", "coulomb", "viscous", "inertia", "constant")
    values = dict(zip(names, (offset, *(k * value for value in scaled), k), strict=True))
    standard = dict(zip(names, (float(error) for error in errors), strict=True))
    if not estimate_constant:
        standard["constant"] = float("nan")
    return values, standard


def load_sweep(path: Path) -> Sweep:
    """Read a recording: the columns of `save_sweep`, or `time` and the lab's raw words servoPos,
    servoVel, servoCur.

    Raises:
        BoaError: missing file or columns, or a value that is no number.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise BoaError(f"recording '{path}' cannot be read: {error.strerror}") from error
    names = set(rows[0]) if rows else set()
    try:
        if names >= set(COLUMNS):
            return Sweep(*(np.array([float(row[name]) for row in rows]) for name in COLUMNS))
        if names >= {"time", *RAW_COLUMNS}:
            time = np.array([float(row["time"]) for row in rows])
            position, velocity, current = (
                _words([row[name] for row in rows], REGISTERS[entry])
                for name, entry in RAW_COLUMNS.items()
            )
            return Sweep(time - time[0], position, velocity, current, np.zeros(len(rows)))
    except ValueError as error:
        raise BoaError(f"{path}: {error}") from error
    raise BoaError(
        f"{path}: needs the columns {', '.join(COLUMNS)}, or time, {', '.join(RAW_COLUMNS)}"
    )


def _words(texts: list[str], entry: Register) -> Array:
    """SI values of register words that were logged unsigned: 65535 of a two-byte register is -1."""
    return np.array(
        [entry.to_si(entry.decode(int(text).to_bytes(entry.size, "little"))) for text in texts]
    )


def save_sweep(sweep: Sweep, path: Path) -> None:
    """Write a recording as CSV that `load_sweep` reads."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        table = np.column_stack(
            [sweep.time, sweep.position, sweep.velocity, sweep.current, sweep.load]
        )
        writer.writerows([f"{value:.9g}" for value in row] for row in table)
