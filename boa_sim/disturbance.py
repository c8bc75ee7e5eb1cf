# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Disturbances, unknown to the controller: displaced obstacles, wrong start, noise, delay, wrong
masses; all from one seed.
"""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from boa_control.experiments.disturbance import Disturbance, FloorTilt
from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts, gap_jacobian
from boa_control.plant import ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import GRAVITY, Circle, ContactModel, Obstacle, Wall, described
from boa_sim.streams import stream
from boa_sim.world import Physics

Obstacles = tuple[Obstacle, ...]

LEAST_FRICTION = 1e-9  # N m; an engine has dry friction in all joints, or in none
OVERLAP = 1e-6  # m; gaps above minus this count as free
PROJECTION_STEPS = 50
RMS_MEMORY = 1.0  # s over which the rms of a signal is taken
BASE_SHARE = 0.1  # m; how much of the base moves for one radian of the joints in a random start


def displaced(obstacles: Sequence[Obstacle], distance: float, seed: int) -> Obstacles:
    """Every obstacle moved by `distance` (m) in its own random direction."""
    angles = stream(seed, "obstacle_offset").uniform(0, 2 * np.pi, len(obstacles))
    steps = distance * np.column_stack((np.cos(angles), np.sin(angles)))
    return tuple(
        moved_by(obstacle, *map(float, step))
        for obstacle, step in zip(obstacles, steps, strict=True)
    )


def thickened(obstacles: Sequence[Obstacle], by: float) -> Obstacles:
    """Every round post with a radius that is larger by so much, m.

    Raises:
        BoaError: nothing would be left of one.
    """
    for one in obstacles:
        if isinstance(one, Circle) and one.radius + by <= 0:
            raise BoaError(
                f"disturbance.post_radius_error {by:g} m leaves nothing of the "
                f"{described(one)}, radius {one.radius:g} m; give more than {-one.radius:g} m"
            )
    return tuple(
        one.model_copy(update={"radius": one.radius + by}) if isinstance(one, Circle) else one
        for one in obstacles
    )


def moved_by(obstacle: Obstacle, dx: float, dy: float) -> Obstacle:
    """The obstacle moved by dx, dy, m, not turned."""
    if isinstance(obstacle, Wall):
        ends = {
            "x1": obstacle.x1 + dx,
            "y1": obstacle.y1 + dy,
            "x2": obstacle.x2 + dx,
            "y2": obstacle.y2 + dy,
        }
        return obstacle.model_copy(update=ends)
    return obstacle.model_copy(update={"x": obstacle.x + dx, "y": obstacle.y + dy})


def mass_scale(robot: Robot, error: float, seed: int) -> Array:
    """Factor on mass and inertia of every link, shape (n,), uniform in 1 +- error."""
    return 1 + stream(seed, "mass_error").uniform(-error, error, robot.links)


def torque_scale(robot: Robot, error: float, seed: int) -> Array:
    """Factor on the torque of every joint, shape (n_joints,), uniform in 1 +- error."""
    return 1 + stream(seed, "torque_error").uniform(-error, error, robot.joints)


def rubbed(contact: ContactModel, error: float, seed: int) -> ContactModel:
    """The contacts with a friction that is off by a factor, uniform in 1 +- error."""
    factor = 1 + float(stream(seed, "friction_error").uniform(-error, error))
    return contact.model_copy(update={"friction": factor * contact.friction})


def downhill(tilt: FloorTilt, seed: int) -> tuple[float, float]:
    """Part of gravity along a tilted floor, x and y in the map, m/s2."""
    if tilt.angle == 0.0:
        return 0.0, 0.0
    drawn = stream(seed, "floor_tilt").uniform(0.0, 2 * np.pi)
    direction = float(drawn) if tilt.direction is None else tilt.direction
    pull = GRAVITY * math.sin(tilt.angle)
    return pull * math.cos(direction), pull * math.sin(direction)


def _dry_friction(
    all_joints: Array | float, disturbance: Disturbance, robot: Robot
) -> Array | float:
    """In the joints, N m, with the one that is stiffer."""
    stiff = disturbance.stiff_joint
    if stiff.torque == 0.0:
        return all_joints
    if stiff.joint > robot.joints:
        raise BoaError(
            f"disturbance.stiff_joint: joint {stiff.joint}, the robot has {robot.joints}; give a "
            f"number from 1 to {robot.joints}"
        )
    friction = np.full(robot.joints, np.maximum(all_joints, LEAST_FRICTION))
    friction[stiff.joint - 1] += stiff.torque
    return friction


def disturbed_physics(
    physics: Physics, robot: Robot, disturbance: Disturbance, seed: int
) -> Physics:
    """The laws and numbers that the true robot obeys, from those that its controller counts on."""
    return replace(
        physics,
        contact=rubbed(physics.contact, disturbance.friction_error, seed),
        coulomb=_dry_friction(physics.coulomb + disturbance.stiction, disturbance, robot),
        extra_damping=disturbance.extra_damping,
        mass_scale=mass_scale(robot, disturbance.mass_error, seed),
        downhill=downhill(disturbance.floor_tilt, seed),
    )


def disturbed_start(
    robot: Robot, base: Array, joints: Array, obstacles: Obstacles, head_error: float, seed: int
) -> tuple[Array, Array]:
    """Start pose with a random head error of at most `head_error` (m), clear of all obstacles.

    Returns:
        base (3,) and joints (n_joints,) near the given ones; nothing overlaps.

    Raises:
        BoaError: no free pose near the start.
    """
    free = project_free(robot, base, joints, obstacles)
    if head_error == 0:
        return free
    rng = stream(seed, "initial_head_error")
    direction = rng.standard_normal(3 + robot.joints)
    direction[:2] *= BASE_SHARE
    start = np.concatenate(free)
    size = rng.uniform(0.3, 1.0) * head_error
    scale = size / np.hypot(*(_head(robot, start + 1e-6 * direction) - _head(robot, start))) * 1e-6
    for _ in range(20):
        moved = start + scale * direction
        moved = np.concatenate(project_free(robot, moved[:3], moved[3:], obstacles))
        if np.hypot(*(_head(robot, moved) - _head(robot, start))) <= head_error:
            return moved[:3], moved[3:]
        scale *= 0.7
    return free


def _head(robot: Robot, pose: Array) -> Array:
    """Head-side end of the last link, shape (2,), m."""
    return joint_axes(robot.link.pitch, pose[:3], pose[3:])[-1]


def project_free(
    robot: Robot, base: Array, joints: Array, obstacles: Obstacles
) -> tuple[Array, Array]:
    """The nearest pose without overlap: repeated least-distance steps onto the linearised gaps.

    Each step solves min |dq| with gap + J dq >= 0, whose dual is a non-negative least squares
    problem (Lawson and Hanson, Solving Least Squares Problems, chapter 23).

    Raises:
        BoaError: no such pose near the start.
    """
    pose = np.concatenate((base, joints))
    # 1 rad weighs as much as a pitch
    scale = np.concatenate((np.full(2, robot.link.pitch), np.ones(1 + robot.joints)))
    around = ObstacleMap.of(obstacles)
    for _ in range(PROJECTION_STEPS):
        chain = chain_pose(robot, pose[:3], pose[3:])
        near = find_contacts(chain, around, within=robot.link.radius)
        if not len(near) or near.gap.min() >= -OVERLAP:
            return pose[:3], pose[3:]
        jacobian = gap_jacobian(chain, near) * scale
        pose = pose + scale * _least_step(jacobian, -near.gap)
    raise BoaError(
        f"start: the robot overlaps the "
        f"{described(obstacles[near.obstacle[near.gap.argmin()]])} by "
        f"{-near.gap.min() * 1e3:.1f} mm and there is no free pose close by; move it or "
        "the start"
    )


def _least_step(jacobian: Array, needed: Array) -> Array:
    """The shortest dq with jacobian dq >= needed."""
    from scipy.optimize import nnls  # takes half a second to load, and most starts are free

    stacked = np.vstack((jacobian.T, needed))
    target = np.zeros(stacked.shape[0])
    target[-1] = 1.0
    dual, _ = nnls(stacked, target)
    residual = stacked @ dual - target
    if abs(residual[-1]) < 1e-12:  # gaps contradict each other: best compromise
        return np.asarray(np.linalg.lstsq(jacobian, needed, rcond=None)[0], float)
    return -residual[:-1] / residual[-1]


class SensorDisturbance:
    """White noise relative to each signal's running rms, and a hidden delay, on sensor frames."""

    def __init__(self, noise: float, delay_ticks: int, period: float, seed: int) -> None:
        """`noise` is a share of the rms; `period` the control period, s."""
        self._noise = noise
        self._delay = delay_ticks
        self._seed = seed
        self._keep = float(np.exp(-period / RMS_MEMORY))
        self.reset()

    def reset(self) -> None:
        """As at the start of a run, with the same random numbers."""
        self._rng: dict[str, np.random.Generator] = {}
        self._power: dict[str, tuple[float, float]] = {}
        self._held: deque[SensorFrame] = deque(maxlen=self._delay + 1)
        self._seen: dict[str, tuple[int, Array]] = {}

    def apply(self, frame: SensorFrame) -> SensorFrame:
        """The frame as the controller gets it."""
        if self._noise == 0 and self._delay == 0:
            return frame
        self._held.append(self._noisy(frame) if self._noise > 0 else frame)
        return self._held[0] if self._delay == 0 else _restamped(self._held[0], frame.stamp_ns)

    def _noisy(self, frame: SensorFrame) -> SensorFrame:
        force, imu = frame.joint_force, frame.imu
        if force is not None:
            force = force._replace(force=self._once("force", force.stamp_ns, force.force))
        if imu is not None:
            imu = self._noisy_imu(imu)
        return frame._replace(
            position=self._once("position", frame.stamp_ns, frame.position),
            velocity=self._once("velocity", frame.stamp_ns, frame.velocity),
            effort=self._once("effort", frame.stamp_ns, frame.effort),
            joint_force=force,
            imu=imu,
        )

    def _noisy_imu(self, imu: ImuSample) -> ImuSample:
        """Noise on rates and accelerations; what lies in the plane and what does not have their own
        rms and random numbers.
        """
        spin, push = imu.angular_velocity.copy(), imu.linear_acceleration.copy()
        spin[:, 2] = self._once("yaw_rate", imu.stamp_ns, imu.yaw_rate)
        spin[:, :2] = self._once("tilt_rate", imu.stamp_ns, spin[:, :2])
        push[:, :2] = self._once("acceleration", imu.stamp_ns, imu.acceleration)
        push[:, 2] = self._once("vertical_acceleration", imu.stamp_ns, push[:, 2])
        return imu._replace(angular_velocity=spin, linear_acceleration=push)

    def _once(self, name: str, stamp_ns: int, value: Array) -> Array:
        """`value` with noise; a sample seen again (same stamp) keeps its noise."""
        if name in self._seen and self._seen[name][0] == stamp_ns:
            return self._seen[name][1]
        rng = self._rng.setdefault(name, stream(self._seed, f"sensor_noise/{name}"))
        power, weight = self._power.get(name, (0.0, 0.0))
        power = self._keep * power + float(np.mean(value**2))
        weight = self._keep * weight + 1.0
        self._power[name] = power, weight
        noisy = value + self._noise * np.sqrt(power / weight) * rng.standard_normal(value.shape)
        self._seen[name] = stamp_ns, noisy
        return noisy


def _restamped(frame: SensorFrame, stamp_ns: int) -> SensorFrame:
    """An old frame that claims to be of `stamp_ns`: the delay is hidden."""
    shift = stamp_ns - frame.stamp_ns
    force, imu = frame.joint_force, frame.imu
    return frame._replace(
        stamp_ns=stamp_ns,
        joint_force=None if force is None else force._replace(stamp_ns=force.stamp_ns + shift),
        imu=None if imu is None else imu._replace(stamp_ns=imu.stamp_ns + shift),
        further={name: _shifted(sample, shift) for name, sample in frame.further.items()},
    )


def _shifted(sample: Any, shift_ns: int) -> Any:
    """A sample, which is a named tuple or a frozen dataclass, with a later stamp."""
    change = sample._replace if hasattr(sample, "_replace") else partial(replace, sample)
    return change(stamp_ns=sample.stamp_ns + shift_ns)
