"""What a path can carry with given servos: floor friction, speed and preload, by feasibility of contact forces.

At path coordinate s, speed v, floor friction mu and no acceleration along the path, contact forces lam must exist with
    M_b q'' v^2 + h_b v^2 - mu G_b = (J' lam)_b,     lam_min <= lam <= lam_max,
    |M_phi q'' v^2 + h_phi v^2 + d phi' v - mu G_phi - (J' lam)_phi| <= torque limit(phi' v).
That is a linear programme in lam; each limit is found by bisection on its feasibility.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import daqp
import numpy as np
from numpy.typing import NDArray

from boa_control.closure.along_path import PathScan, Sample
from boa_control.closure.speed_profile import Allowance, SpeedProfile, fastest_profile
from boa_control.controllers.hoal.qp import EQUAL
from boa_description.errors import BoaError
from boa_description.torque_speed import TorqueSpeedLine

Array = NDArray[np.float64]

BISECTIONS = 14


@dataclass(frozen=True, slots=True)
class Load:
    """What the contacts and servos have to carry.

    Attributes:
        speed: m/s. friction: mu of the floor. least, most: contact force, N.
    """

    speed: float = 0.0
    friction: float = 0.0
    least: float = 0.0
    most: float = 50.0


@dataclass(frozen=True, slots=True)
class LimitStudy:
    """Limits over the samples s, shape (N,). Zero where already the least load cannot be carried.

    Attributes:
        friction: largest mu of the floor that slow motion can overcome.
        speed: largest constant speed, m/s, on the given floor.
        preload: largest force that all contacts can carry at once as a minimum, N, in slow motion on that floor.
        profile: the fastest speed profile on that floor; None where even standing asks for too much.
    """

    s: Array
    friction: Array
    speed: Array
    preload: Array
    profile: SpeedProfile | None


def limit_study(scan: PathScan, friction: float = 0.0, least_force: float = 0.5) -> LimitStudy:
    """Find the limits along the path with all of the servos' torque.

    Args:
        friction: mu of the floor under which speed and preload are found.
        least_force: contact force to be kept at the largest speed, N.
    """
    s = scan.positions()
    limits = np.array(
        [
            (
                _friction_limit(scan, sample),
                speed_limit(scan, sample, 1.0, least_force, friction),
                _preload_limit(scan, sample, friction),
            )
            for sample in scan.samples()
        ]
    )
    floor, speed, preload = limits.T
    return LimitStudy(s, floor, speed, preload, _profile(scan, friction, least_force))


def _profile(scan: PathScan, friction: float, least_force: float) -> SpeedProfile | None:
    use = Allowance(1.0, least_force, friction)
    start, length = scan.period
    periodic = scan.path.curve.repeat is not None
    try:
        return fastest_profile(scan.chain, scan.robot, scan.state_at, start, length, periodic, use)
    except BoaError:
        return None


def _friction_limit(scan: PathScan, sample: Sample) -> float:
    return largest(lambda mu: feasible(scan, sample, Load(friction=mu)), 2.0)


def _preload_limit(scan: PathScan, sample: Sample, friction: float) -> float:
    return largest(lambda force: feasible(scan, sample, Load(least=force, friction=friction)), 50.0)


def speed_limit(
    scan: PathScan, sample: Sample, torque_share: float, least_force: float, friction: float = 0.0
) -> float:
    """Largest constant speed at one sample, m/s."""
    top = scan.robot.actuator.speed_limit / float(np.abs(sample.state.dq[3:]).max())
    return largest(
        lambda x: feasible(scan, sample, Load(speed=x, least=least_force, friction=friction), torque_share), top
    )


def largest(carries: Callable[[float], bool], top: float) -> float:
    """Largest x in [0, top] that is carried, all smaller ones being carried too; 0 when none is."""
    if carries(top):
        return top
    low, high = 0.0, top
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if carries(middle) else (low, middle)
    return low


def feasible(scan: PathScan, sample: Sample, load: Load, torque_share: float = 1.0) -> bool:
    """Whether contact forces and torques within their limits carry `load` at `sample`."""
    return carrying_forces(scan, sample, load, torque_share) is not None


def carrying_forces(scan: PathScan, sample: Sample, load: Load, torque_share: float = 1.0) -> Array | None:
    """The smallest contact forces (least squares) that carry `load`, shape (nc,), N; None when there are none."""
    state, robot = sample.state, scan.robot
    count = sample.contacts.link.size
    if count == 0:
        return None
    _, push = sample.contacts.rows(scan.chain, state, 0.0)
    bias = state.inertial * load.speed**2 - load.friction * state.ground
    joint_rate = state.dq[3:] * load.speed
    bias[3:] += robot.actuator.damping * joint_rate
    servos = TorqueSpeedLine(robot.actuator, robot.joints, limit=robot.limits.torque, share=torque_share)
    lower, upper = servos.bounds(joint_rate)
    x, _, flag, _ = daqp.solve(
        np.eye(count),
        np.zeros(count),
        np.ascontiguousarray(-push.T),
        np.r_[np.full(count, load.most), -bias[:3], upper - bias[3:]],
        np.r_[np.full(count, load.least), -bias[:3], lower - bias[3:]],
        np.r_[np.zeros(count), np.full(3, EQUAL), np.zeros(bias.size - 3)].astype(np.int32),
    )
    return np.asarray(x) if flag > 0 else None
