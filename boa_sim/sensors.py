# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors as the robot has them: joint encoders, K3D40 force sensors, BNO055 IMUs.

Each effect can be switched.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol, Self

import numpy as np

from boa_control.experiments.scenario import Effects, PlantSettings
from boa_control.plant import ForceSample, ImuSample, PlantError, Sample
from boa_description.angles import wrapped
from boa_description.arrays import Array
from boa_description.quaternion import turned_about_vertical
from boa_description.robot import Encoder, ForceSensor, Imu, Robot
from boa_sim.streams import stream
from boa_sim.tracker import make_tracker
from boa_sim.world import World

TARE_TIME = 1.0  # s of samples at rest that a tare averages
TARE_LOAD = 0.1  # share of the range that counts as loaded
# a sensor at rest spreads by its noise; more than this many times means that something moves
TARE_SPREAD = 3.0
TARE_SPREAD_FLOOR = 0.01  # N, for sensors without noise
ZERO = np.array(0.0)  # an array, as numpy would make a plain number one at every call


def quantise(value: Array, quantum: float) -> Array:
    """Nearest multiple of `quantum`; 0 leaves the value."""
    return np.round(value / quantum) * quantum if quantum > 0 else value


class Encoders:
    """The joint encoders: position and velocity as the servos report them."""

    def __init__(self, encoder: Encoder, effects: Effects) -> None:
        self._position_quantum = (
            encoder.position_quantum if effects.on("encoder_quantisation") else 0.0
        )
        self._velocity_quantum = (
            encoder.velocity_quantum if effects.on("velocity_quantisation") else 0.0
        )

    def position(self, position: Array) -> Array:
        """Reported joint position, rad."""
        return quantise(position, self._position_quantum)

    def velocity(self, velocity: Array) -> Array:
        """Reported joint velocity, rad/s."""
        return quantise(velocity, self._velocity_quantum)


class SimulatedSensor(Protocol):
    """A sensor beside force sensors and IMUs, as the simulated plant carries it."""

    def reset(self) -> None:
        """Back to the state at power-up."""

    def newest(self, world: World, now_ns: int) -> Sample | None:
        """Measure if a sample is due at this tick; the newest sample that has arrived by now."""


# name in the sensor table (boa_control.messages.sensors) -> its model for a robot, the settings of
# the plant and a seed; None where the plant does not have it
FURTHER: dict[str, Callable[[Robot, PlantSettings, int], SimulatedSensor | None]] = {
    "tracker": make_tracker
}


class ForceSensors:
    """The K3D40 sensors of all joints: crosstalk, drift, noise, range, counts, and the tare."""

    def __init__(self, sensor: ForceSensor, joints: int, effects: Effects, seed: int) -> None:
        self._sensor = sensor
        self._joints = joints
        self._leak = sensor.crosstalk if effects.on("force_crosstalk") else 0.0
        self._drifts = effects.on("force_drift")
        self._noisy = effects.on("force_noise")
        self._clips = effects.on("force_range")
        self._quantum = sensor.quantum if effects.on("force_quantisation") else 0.0
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """Back to the state at power-up, with the same random numbers."""
        shape = (self._joints, 3)
        self._noise = stream(self._seed, "force_noise")
        self._walk = stream(self._seed, "force_drift")
        signs = stream(self._seed, "force_crosstalk").choice([-1.0, 1.0], size=(self._joints, 3, 3))
        self._mixing = np.eye(3) + self._leak * signs * (1 - np.eye(3))
        self._drift, self._zero = np.zeros(shape), np.zeros(shape)
        self._last_ns: int | None = None
        self._history: deque[tuple[int, Array]] = deque()

    def measure(self, force: Array, stamp_ns: int) -> ForceSample:
        """Sample the true joint forces (n_joints, 3), N, sensor frames."""
        sensor = self._sensor
        # without crosstalk every sum has one term, the force itself
        signal = np.einsum("jab,jb->ja", self._mixing, force) if self._leak else force + ZERO
        if self._drifts:
            elapsed = 0.0 if self._last_ns is None else (stamp_ns - self._last_ns) * 1e-9
            self._drift += (
                sensor.drift_rate * np.sqrt(elapsed) * self._walk.standard_normal(force.shape)
            )
            signal = signal + self._drift
        if self._noisy:
            signal = signal + sensor.noise * self._noise.standard_normal(force.shape)
        if self._clips:
            signal = np.clip(signal, -sensor.range, sensor.range)
        signal = quantise(signal, self._quantum)
        self._last_ns = stamp_ns
        self._remember(stamp_ns, signal)
        return ForceSample(stamp_ns, signal - self._zero)

    def _remember(self, stamp_ns: int, signal: Array) -> None:
        self._history.append((stamp_ns, signal))
        while stamp_ns - self._history[0][0] > TARE_TIME * 1e9:
            self._history.popleft()

    def disturbed(self) -> None:
        """Whatever was measured so far was not at rest."""
        self._history.clear()

    def tare(self) -> None:
        """Make the mean of the last second the new zero.

        Raises:
            PlantError: less than a second at rest, forces that move, or a loaded sensor.
        """
        span = (self._history[-1][0] - self._history[0][0]) * 1e-9 if self._history else 0.0
        if span < 0.95 * TARE_TIME:
            raise PlantError(
                f"cannot tare: only {span:.2f} s at rest, need {TARE_TIME} s; keep the robot still"
            )
        signals = np.array([signal for _, signal in self._history])
        mean, spread = signals.mean(axis=0), signals.std(axis=0)
        noise = self._sensor.noise if self._noisy else 0.0
        most = TARE_SPREAD * noise + TARE_SPREAD_FLOOR
        if spread.max() > most:
            joint = int(spread.max(axis=1).argmax()) + 1
            raise PlantError(
                f"cannot tare: joint_{joint:02d} spreads by {spread.max():.3f} N, limit "
                f"{most:.3f} N; keep it still"
            )
        load, limit = np.abs(mean), TARE_LOAD * self._sensor.range
        if load.max() > limit:
            joint = int(load.max(axis=1).argmax()) + 1
            raise PlantError(
                f"cannot tare: joint_{joint:02d} carries {load.max():.1f} N, limit {limit:.1f} "
                f"N; unload the robot"
            )
        self._zero = mean


class LinkMotion(NamedTuple):
    """True motion of all links.

    Attributes:
        heading: shape (n,), turn about the vertical, rad, not wrapped.
        orientation: shape (n, 4), quaternions x, y, z, w in the world.
        angular_velocity: shape (n, 3), link frames, rad/s.
        acceleration: shape (n, 3), of the link centres without gravity, link frames, m/s2.
    """

    heading: Array
    orientation: Array
    angular_velocity: Array
    acceleration: Array

    @classmethod
    def of(cls, world: World) -> Self:
        """The present one."""
        return cls(world.heading, world.orientation, world.angular_velocity, world.acceleration)

    def rotation(self, heading: Array) -> Array | None:
        """Orientations (n, 4) in world frames in which the links have other headings, (n,), rad."""
        return turned_about_vertical(self.orientation, heading - self.heading)


class PlanarMotion(NamedTuple):
    """The same of links that lie in the plane."""

    heading: Array
    angular_velocity: Array
    acceleration: Array

    @classmethod
    def of(cls, world: World) -> Self:
        """The present one."""
        return cls(world.heading, world.angular_velocity, world.acceleration)

    def rotation(self, heading: Array) -> Array | None:  # noqa: ARG002
        """None: their heading is all of their orientation."""
        return None


class Imus:
    """The BNO055 of all links in IMUPLUS mode: noise, drift of the relative yaw, counts."""

    def __init__(self, imu: Imu, effects: Effects, seed: int) -> None:
        self._imu = imu
        self._drifts = effects.on("imu_drift")
        self._noises = effects.on("imu_noise")
        self._quantises = effects.on("imu_quantisation")
        self._seed = seed
        self.reset()

    def reset(self) -> None:
        """Back to the state at power-up, with the same random numbers; the next sample sets the
        yaw's zero.
        """
        self._noise, self._walk = stream(self._seed, "imu_noise"), stream(self._seed, "imu_drift")
        self._noise_off_plane = stream(self._seed, "imu_noise_off_plane")
        self._start: Array | None = None
        self._drift: Array | float = 0.0
        self._last_ns: int | None = None

    def measure(self, motion: LinkMotion | PlanarMotion, stamp_ns: int) -> ImuSample:
        """Sample the links' motion. Yaw is relative to the first sample and lies in [-pi, pi)."""
        imu = self._imu
        if self._start is None:
            self._start = motion.heading.copy()
        yaw, spin, push = motion.heading - self._start, motion.angular_velocity, motion.acceleration
        if self._drifts:
            elapsed = 0.0 if self._last_ns is None else (stamp_ns - self._last_ns) * 1e-9
            step = imu.yaw_drift_rate * np.sqrt(elapsed) * self._walk.standard_normal(yaw.shape)
            self._drift = self._drift + step
            yaw = yaw + self._drift
        if self._noises:
            spin, push = self._noisy(spin, push)
        if self._quantises:
            yaw, spin = quantise(yaw, imu.yaw_quantum), quantise(spin, imu.rate_quantum)
            push = quantise(push, imu.acceleration_quantum)
        self._last_ns = stamp_ns
        heading = wrapped(yaw)
        return ImuSample(stamp_ns, motion.rotation(heading), spin, push, heading)

    def _noisy(self, spin: Array, push: Array) -> tuple[Array, Array]:
        """Angular velocity and acceleration (n, 3) with noise. Within the plane and off it the
        noise comes from streams of their own: a planar controller sees the same numbers whether
        the rest is measured or not.
        """
        n = len(spin)
        rate, shift = np.empty((n, 3)), np.empty((n, 3))
        rate[:, 2] = self._noise.standard_normal(n)
        shift[:, :2] = self._noise.standard_normal((n, 2))
        off_plane = self._noise_off_plane.standard_normal((n, 3))
        rate[:, :2], shift[:, 2] = off_plane[:, :2], off_plane[:, 2]
        return spin + self._imu.rate_noise * rate, push + self._imu.acceleration_noise * shift
