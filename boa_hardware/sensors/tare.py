# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Setting the zero of the force sensors, as a pure decision on recorded samples."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import Field

from boa_control.plant import PlantError
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Newton, Second


class TareLimits(Block):
    """When a tare is accepted."""

    duration: Second = 1.0
    noise: Newton = 0.5  # standard deviation per axis; more means that something moves
    load: Newton = 5.0  # |force| with the certificate's zero; more means that something presses
    drift: Newton = 1.0  # change since the last tare that is reported


USUAL_LIMITS = TareLimits()


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
    limits: TareLimits = USUAL_LIMITS,
) -> Tare:
    """Return the new zero from samples at rest.

    Args:
        bridge: shape (m, n_joints, 3), mV/V; a channel that is never measured is NaN throughout.
        force: shape (m, n_joints, 3), the same samples in N with the certificate's zero.
        stamps_ns: shape (m,), increasing.
        armed: whether torques may act.
        temperature: shape (n_joints,), degC, kept with the result.
        names: joint names, for the error message.
        taken_ns: time of the tare, ns since 1970, kept with the result.
        limits: thresholds.

    Raises:
        PlantError: armed, too short, moving, loaded, or a sensor without enough samples; names the
            joint.
    """
    if armed:
        raise PlantError("tare refused: the robot is armed; call ~/disarm first")
    span = (stamps_ns[-1] - stamps_ns[0]) * 1e-9 if len(stamps_ns) > 1 else 0.0
    if span < limits.duration:
        raise PlantError(
            f"tare refused: {span:.2f} s of samples, {limits.duration:.2f} s needed; wait and "
            f"repeat"
        )
    count = np.isfinite(bridge[..., :2]).all(axis=-1).sum(axis=0)
    _refuse(
        count < 0.5 * len(stamps_ns),
        count / len(stamps_ns),
        names,
        "answered only {:.0%} of the SYNCs",
        "cable",
    )
    noise = _over_time(np.nanstd, force)
    _require_rest(noise, _over_time(np.nanmean, force), names, limits)
    return Tare(_over_time(np.nanmean, bridge), taken_ns, np.array(temperature, dtype=float), noise)


def _require_rest(noise: Array, load: Array, names: tuple[str, ...], limits: TareLimits) -> None:
    """Refuse sensors that move or are loaded: standard deviation and mean of their samples, shape
    (n_joints, 3), N.
    """
    spread, pull = np.nanmax(noise, axis=1), np.nanmax(np.abs(load), axis=1)
    _refuse(
        spread > limits.noise,
        spread,
        names,
        f"is not still: standard deviation {{:.2f}} N, limit {limits.noise:.2f} N",
        "stop all motion",
    )
    _refuse(
        pull > limits.load,
        pull,
        names,
        f"is loaded: {{:.1f}} N, limit {limits.load:.1f} N",
        "lift the robot off the obstacles, or check the sensor's calibration file",
    )


def drift(new: Tare, old_zero: Array, gains: Array) -> Array:
    """Change of the zero between two tares, shape (n_joints, 3), N.

    Args:
        new: the newer tare.
        old_zero: shape (n_joints, 3), mV/V.
        gains: diagonal of each calibration matrix, shape (n_joints, 3), N/(mV/V).
    """
    return (new.zero - old_zero) * gains


def _over_time(reduce: Callable[..., Array], samples: Array) -> Array:
    """`reduce` over the first axis; a channel without any value stays NaN, without numpy's
    warning.
    """
    empty = ~np.isfinite(samples).any(axis=0)
    return np.where(empty, np.nan, reduce(np.where(empty, 0.0, samples), axis=0))


def _refuse(bad: Array, values: Array, names: tuple[str, ...], text: str, remedy: str) -> None:
    for index in np.flatnonzero(bad):
        raise PlantError(
            f"tare refused: force sensor of {names[index]} {text.format(values[index])}; {remedy}"
        )


class TareFile(Block):
    """A tare as kept between runs; null where a value was not measured."""

    joints: tuple[str, ...]
    zero: tuple[tuple[float | None, float | None, float | None], ...] = Field(
        description="u0, mV/V"
    )
    stamp_ns: int = Field(description="ns since 1970")
    temperature: tuple[float | None, ...] = Field(description="degC")
    noise: tuple[tuple[float | None, float | None, float | None], ...] = Field(description="N")
    serials: tuple[str, ...] = Field(default=(), description="of the sensors that it is of")

    @classmethod
    def of(cls, tare: Tare, joints: tuple[str, ...], serials: tuple[str, ...] = ()) -> Self:
        """The file content of a tare of the sensors with these serial numbers."""
        zero, temperature, noise = (
            np.where(np.isnan(values), np.array(None, object), values).tolist()
            for values in (tare.zero, tare.temperature, tare.noise)
        )
        return cls(
            joints=joints,
            zero=zero,
            stamp_ns=tare.stamp_ns,
            temperature=temperature,
            noise=noise,
            serials=serials,
        )

    def foreign(self, joints: tuple[str, ...], serials: tuple[str, ...]) -> str:
        """Why this is not the zero of these sensors; empty where it is."""
        if not self.serials:
            return "the tare does not say of which force sensors it is"
        for name, then, now in zip(joints, self.serials, serials, strict=True):
            if then != now:
                return f"the tare of {name} is of force sensor {then}, now it has {now}"
        return ""

    def tare(self, joints: tuple[str, ...]) -> Tare:
        """The tare for a robot with these joints.

        Raises:
            BoaError: the file belongs to another robot.
        """
        if self.joints != joints:
            raise BoaError(
                f"the tare is of {len(self.joints)} joints, the robot has {len(joints)}; tare again"
            )
        zero, temperature, noise = (
            np.array(v, dtype=float) for v in (self.zero, self.temperature, self.noise)
        )
        return Tare(zero, self.stamp_ns, temperature, noise)


class TareWindow:
    """The newest force samples, long enough for a tare at any moment."""

    def __init__(self, names: tuple[str, ...], limits: TareLimits | None = None) -> None:
        self._names = names
        self._limits = limits or TareLimits()
        self._samples: deque[tuple[int, Array, Array]] = deque()

    def add(self, stamp_ns: int, bridge: Array, force: Array) -> None:
        """Take one sample; `force` is with the certificate's zero. A repeated stamp is ignored."""
        if self._samples and stamp_ns <= self._samples[-1][0]:
            return
        self._samples.append((stamp_ns, bridge, force))
        oldest = stamp_ns - round(1.2e9 * self._limits.duration)
        while self._samples[0][0] < oldest:
            self._samples.popleft()

    def clear(self) -> None:
        """Forget all samples."""
        self._samples.clear()

    @property
    def full(self) -> bool:
        """The samples are enough for a tare."""
        span_ns = self._samples[-1][0] - self._samples[0][0] if self._samples else 0
        return span_ns >= self._limits.duration * 1e9

    def take(self, *, armed: bool, temperature: Array, taken_ns: int) -> Tare:
        """A tare from the newest samples; see `take_tare` for what is refused."""
        if not self._samples:
            raise PlantError("tare refused: no force samples; is the spine connected?")
        stamps, bridge, force = zip(*self._samples, strict=True)
        return take_tare(
            np.array(bridge),
            np.array(force),
            np.array(stamps),
            armed=armed,
            temperature=temperature,
            names=self._names,
            taken_ns=taken_ns,
            limits=self._limits,
        )
