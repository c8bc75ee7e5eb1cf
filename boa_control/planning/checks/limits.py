# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limits of a path with given servos: floor friction, speed, preload; by feasible contact forces.

At path coordinate s, speed v, floor friction mu and no acceleration along the path, contact forces
    lam must exist with M_b q'' v^2 + h_b v^2 - mu G_b = (P' lam)_b,     lam_min <= lam <= lam_max,
    |M_phi q'' v^2 + h_phi v^2 + d phi' v - mu G_phi - (P' lam)_phi| <= torque limit(phi' v).
That is a linear program in lam; each limit comes from bisection on its feasibility. On a viscous
floor mu stands for viscosity times v. Friction at the posts is in P = J - mu_o J_t: it resists the
motion.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from boa_control.estimation.progress import LEAST_BENDING
from boa_control.optimisation import balance
from boa_control.optimisation.balance import TorqueRange, balanced_forces
from boa_control.optimisation.speed_profile import Allowance, SpeedProfile, fastest_profile
from boa_control.planning.checks.along_path import PathScan, Sample
from boa_control.planning.checks.friction import FrictionRange
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.scene import GRAVITY
from boa_description.torque_speed import TorqueSpeedLine

BISECTIONS = 14
LARGEST_FRICTION = 2.0  # mu, up to which the limit of floor friction is searched
LEAST_FORCE = 0.5  # N; kept on every contact at the largest speed

largest = partial(balance.largest, halvings=BISECTIONS)


@dataclass(frozen=True, slots=True)
class Load:
    """Load on contacts and servos.

    Attributes:
        speed: m/s. friction: what multiplies `PathState.ground`, see
            `GroundFriction.coefficient_at`. posts: friction at them, by default that of the scan.
        least, most: contact force, N; `most`, of all contacts or of each, is by default what
            stops the robot when a joint measures it.
        torque_share: of the servos' torque that may be used.
    """

    speed: float = 0.0
    friction: float = 0.0
    least: float = 0.0
    most: float | Array | None = None
    posts: float | None = None
    torque_share: float = 1.0


@dataclass(frozen=True, slots=True)
class LimitStudy:
    """Limits over the samples s, shape (N,). Zero where already the least load cannot be carried.

    Attributes:
        friction: largest coefficient of the floor that slow motion can overcome, for a given ratio
            of friction along and across the links; on a viscous floor the largest drag on links
            that move at the speed of the robot, N.
        speed: largest constant speed, m/s, on the given floor.
        preload: largest force that all contacts can carry at once as a minimum, N, in slow motion
            on that floor.
        profile: the fastest speed profile on that floor; None where even standing asks for too
            much.
    """

    s: Array
    friction: Array
    speed: Array
    preload: Array
    profile: SpeedProfile | None


def limit_study(scan: PathScan) -> LimitStudy:
    """Find the limits along the path with all of the servos' torque, on the floor and among the
    posts of the scan.
    """
    return replace(load_limits(scan), profile=_profile(scan))


def load_limits(scan: PathScan) -> LimitStudy:
    """As `limit_study`, without a profile."""
    s = scan.positions()
    limits = np.array(
        [
            (
                friction_limit(scan, sample),
                speed_limit(scan, sample, 1.0, LEAST_FORCE),
                preload_limit(scan, sample),
            )
            for sample in scan.samples
        ]
    )
    floor, speed, preload = limits.T
    return LimitStudy(s, floor, speed, preload, None)


def least_loads(scan: PathScan) -> LimitStudy:
    """As `limit_study` for who only refuses a path, in a twentieth of the time: the friction of the
    floor and a creeping speed where they are carried; no preload (NaN) and no profile.
    """
    floor = scan.ground.coefficient

    def least(sample: Sample) -> tuple[float, float]:
        speed = creeping_speed(scan, sample)
        # who creeps on a floor with the least forces can stand on it with smaller ones
        carried = speed > 0.0 or feasible(scan, sample, Load(friction=floor))
        return (floor if carried else friction_limit(scan, sample)), speed

    friction, speed = np.array([least(sample) for sample in scan.samples]).T
    return LimitStudy(scan.positions(), friction, speed, np.full(friction.size, np.nan), None)


def withstood(scan: PathScan, friction: FrictionRange) -> Array:
    """Share of what posts and floor may rub more than the least, up to which contacts balance the
    robot in slow motion at each sample, whatever the friction; shape (N,), 0 to 1.

    Args:
        friction: of a floor with Coulomb friction; any other floor counts as it is.
    """
    floor = scan.ground
    known = None if floor.model == "coulomb" else floor.coefficient_at(0.0)

    def carried(sample: Sample, share: float) -> bool:
        loads = (
            Load(0.0, floor if known is None else known, LEAST_FORCE, posts=posts)
            for posts, floor in friction.corners(share)
        )
        return all(feasible(scan, sample, load) for load in loads)

    return np.array([largest(partial(carried, sample), 1.0) for sample in scan.samples])


def _profile(scan: PathScan) -> SpeedProfile | None:
    use = Allowance(1.0, LEAST_FORCE, scan.ground, scan.contact_friction)
    start, length = scan.period
    periodic = scan.path.curve.repeat is not None
    try:
        return fastest_profile(scan.chain, scan.robot, scan.state_at, start, length, periodic, use)
    except BoaError:
        return None


def friction_limit(scan: PathScan, sample: Sample) -> float:
    """Largest coefficient of the floor in slow motion at one sample, in the units of
    `LimitStudy.friction`.
    """
    floor = scan.ground
    top = LARGEST_FRICTION
    if floor.model == "viscous":
        top *= scan.robot.link.mass * GRAVITY
    elif floor.model == "anisotropic" and floor.coefficient > 0:
        top *= floor.coefficient / max(floor.mu, floor.mu_normal)
    return largest(lambda mu: feasible(scan, sample, Load(friction=mu)), top)


def preload_limit(scan: PathScan, sample: Sample) -> float:
    """Largest force that every contact can carry at once in slow motion at one sample, N."""
    friction = scan.ground.coefficient_at(0.0)
    return largest(
        lambda force: feasible(scan, sample, Load(least=force, friction=friction)),
        scan.robot.limits.joint_force_fault,
    )


def speed_limit(scan: PathScan, sample: Sample, torque_share: float, least_force: float) -> float:
    """Largest constant speed at one sample, m/s."""
    return largest(*_speeds(scan, sample, torque_share, least_force))


def creeping_speed(scan: PathScan, sample: Sample) -> float:
    """The slowest speed that `speed_limit` tries, m/s, or that limit where it is not carried."""
    carries, top = _speeds(scan, sample, 1.0, LEAST_FORCE)
    slowest = top / 2**BISECTIONS
    return slowest if carries(slowest) else largest(carries, top)


def _speeds(
    scan: PathScan, sample: Sample, torque_share: float, least_force: float
) -> tuple[Callable[[float], bool], float]:
    """Whether a speed is carried, and the largest one that the servos have, m/s."""

    def carries(speed: float) -> bool:
        floor = scan.ground.coefficient_at(speed)
        return feasible(scan, sample, Load(speed, floor, least_force, torque_share=torque_share))

    fastest = max(float(np.abs(sample.state.dphi).max()), LEAST_BENDING)
    return carries, scan.robot.actuator.speed_limit / fastest


def feasible(scan: PathScan, sample: Sample, load: Load) -> bool:
    """Whether contact forces and torques within their limits carry `load` at `sample`."""
    return carrying_forces(scan, sample, load) is not None


def carrying_forces(scan: PathScan, sample: Sample, load: Load) -> Array | None:
    """The smallest contact forces (least squares) that carry `load`, shape (nc,), N; None when
    there are none.
    """
    state, robot = sample.state, scan.robot
    if sample.contacts.link.size == 0:
        return None
    posts = scan.contact_friction if load.posts is None else load.posts
    _, push = sample.contacts.rows(scan.chain, state, posts)
    bias = state.inertial * load.speed**2 - load.friction * state.ground
    joint_rate = state.dphi * load.speed
    bias[3:] += robot.actuator.damping * joint_rate
    servos = TorqueSpeedLine(
        robot.actuator, robot.joints, limit=robot.limits.torque, share=load.torque_share
    )
    most = robot.limits.joint_force_fault if load.most is None else load.most
    return balanced_forces(push, bias, TorqueRange(*servos.bounds(joint_rate)), load.least, most)
