"""Setting the zero of the force sensors, as a pure decision on recorded samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from boa_control.plant import Array, PlantError
from boa_description.robot import Block, Newton, Second


class TareLimits(Block):
    """When a tare is accepted."""

    duration: Second = 1.0
    noise: Newton = 0.5  # standard deviation per axis; more means that something moves
    load: Newton = 5.0  # |force| with the certificate's zero; more means that something presses
    drift: Newton = 1.0  # change since the last tare that is reported


@dataclass(frozen=True, slots=True)
class Tare:
    """The zero of all force sensors.

    Attributes:
        zero: u0, shape (n_joints, 3), mV/V.
        stamp_ns: when it was taken, ns since 1970.
        temperature: shape (n_joints,), degC at that time; NaN where not measured.
        noise: shape (n_joints, 3), standard deviation of the samples, N.
    """

    zero: Array
    stamp_ns: int
    temperature: Array
    noise: Array


def take_tare(
    bridge: Array,
    force: Array,
    stamps_ns: Array,
    *,
    armed: bool,
    temperature: Array,
    names: tuple[str, ...],
    taken_ns: int,
    limits: TareLimits = TareLimits(),  # noqa: B008 (frozen)
) -> Tare:
    """Return the new zero from samples at rest.

    Args:
        bridge: shape (m, n_joints, 3), mV/V; a channel that is never measured is NaN throughout.
        force: shape (m, n_joints, 3), the same samples in N with the certificate's zero.
        stamps_ns: shape (m,).
        armed: whether torques may act.
        temperature: shape (n_joints,), degC, kept with the result.
        names: joint names, for the error message.
        taken_ns: time of the tare, ns since 1970, kept with the result.
        limits: thresholds.

    Raises:
        PlantError: armed, too short, moving, loaded, or a sensor without enough samples; names the joint.
    """
    if armed:
        raise PlantError("tare refused: the robot is armed; call ~/disarm first")
    span = (stamps_ns[-1] - stamps_ns[0]) * 1e-9 if len(stamps_ns) > 1 else 0.0
    if span < limits.duration:
        raise PlantError(f"tare refused: {span:.2f} s of samples, {limits.duration:.2f} s needed; wait and repeat")
    count = np.isfinite(bridge[..., :2]).all(axis=-1).sum(axis=0)
    _refuse(count < 0.5 * len(stamps_ns), count / len(stamps_ns), names, "answered only {:.0%} of the SYNCs", "cable")
    noise = _over_time(np.nanstd, force)
    load = _over_time(np.nanmean, force)
    _refuse(
        np.nanmax(noise, axis=1) > limits.noise,
        np.nanmax(noise, axis=1),
        names,
        f"is not still: standard deviation {{:.2f}} N, limit {limits.noise:.2f} N",
        "stop all motion",
    )
    _refuse(
        np.nanmax(np.abs(load), axis=1) > limits.load,
        np.nanmax(np.abs(load), axis=1),
        names,
        f"is loaded: {{:.1f}} N, limit {limits.load:.1f} N",
        "lift the robot off the obstacles, or check the sensor's calibration file",
    )
    return Tare(_over_time(np.nanmean, bridge), taken_ns, np.array(temperature, dtype=float), noise)


def drift(new: Tare, old_zero: Array, gains: Array) -> Array:
    """Change of the zero between two tares, shape (n_joints, 3), N.

    Args:
        new: the newer tare.
        old_zero: shape (n_joints, 3), mV/V.
        gains: diagonal of each calibration matrix, shape (n_joints, 3), N/(mV/V).
    """
    return (new.zero - old_zero) * gains


def _over_time(reduce: Callable[..., Array], samples: Array) -> Array:
    """`reduce` over the first axis; a channel without any value stays NaN, without numpy's warning."""
    empty = ~np.isfinite(samples).any(axis=0)
    return np.where(empty, np.nan, reduce(np.where(empty, 0.0, samples), axis=0))


def _refuse(bad: Array, values: Array, names: tuple[str, ...], text: str, remedy: str) -> None:
    for index in np.flatnonzero(bad):
        raise PlantError(f"tare refused: force sensor of {names[index]} {text.format(values[index])}; {remedy}")
