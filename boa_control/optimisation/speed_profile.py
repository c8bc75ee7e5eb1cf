# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""How fast a chain can travel its path when the speed may change on the way: time-optimal path
parameterisation.

With x = s_dot^2 and u = s_ddot, at path coordinate s there must be contact forces lam with
    (M q' u + (M q'' + h) x - mu G)_b = (P' lam)_b,     lam >= lam_min,
    |(M q' u + (M q'' + h) x - mu G - P' lam)_phi + d phi' v| <= torque limit(phi' v),
all linear in (x, u, lam) once v = sqrt(x) is replaced by its tangent; and dx/ds = 2 u. Reachability
analysis (Pham and Pham, IEEE Trans. Robotics 34, 2018) finds the fastest profile with two passes of
small linear programs: backwards the speeds from which the rest of the path can be travelled, then
forwards the largest acceleration that stays below. Standing must be possible everywhere: then, the
set of (x, u, lam) being convex, so is every lower speed, and the profile can be followed at any
share of it. A viscous floor is refused: where it is strong the tangents do not converge.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import daqp
import numpy as np
from numpy.typing import NDArray

from boa_control.compiled.qp import EQUAL, UNBOUNDED
from boa_control.estimation.progress import LEAST_BENDING
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import SMOOTH, GroundFriction
from boa_description.torque_speed import TorqueSpeedLine

SampleAt = Callable[[float], tuple[PathState, ContactSet]]

STEP = 0.005  # m, between samples
JOINT_SPEED_SHARE = 0.9  # of the servo's no-load speed
PASSES = 2  # the tangent to sqrt(x) is taken at the profile of the pass before
FIRST_SPEED = 0.3  # m/s, and at this speed in the first pass
LEAST_SPEED = 1e-3  # m/s, below which no tangent is taken
SLACK = 1e-7  # m2/s2, of squared speeds, on whose limits rounding errors may fall
LARGEST_ACCELERATION = 5.0  # m/s2, along the path
# The solver wants a strictly convex cost. Weights so small leave the optimum of a linear program
# where it is (Mangasarian and Meyer 1979), to 1e-8 of its value; the solver's own proximal
# iterations may stop 1e-4 before it.
MOTION_WEIGHT, FORCE_WEIGHT = 1e-5, 1e-8


@dataclass(frozen=True, slots=True)
class SpeedProfile:
    """Speed and acceleration along the path, over one period of the posts or all of an open path.

    Attributes:
        start: path coordinate of the first sample, m. step: between samples, m.
        speed: shape (N,), m/s. acceleration: shape (N,), s_ddot from each sample to the next, m/s2.
        periodic: the profile repeats after N samples.
    """

    start: float
    step: float
    speed: Array
    acceleration: Array
    periodic: bool

    @property
    def mean_speed(self) -> float:
        """Of a run over the whole profile, m/s."""
        return float(1 / np.mean(1 / np.maximum(self.speed, 1e-9)))

    def slowed(self, share: float) -> Self:
        """The same profile at `share` of its speed everywhere."""
        return replace(self, speed=share * self.speed, acceleration=share**2 * self.acceleration)

    def at(self, s: float) -> tuple[float, float]:
        """Speed and acceleration at path coordinate s."""
        x = (s - self.start) / self.step
        n = self.speed.size
        x = x % n if self.periodic else min(max(x, 0.0), n - 1.0)
        i = min(int(x), n - 1)
        now, then = self.speed[i], self.speed[(i + 1) % n if self.periodic else min(i + 1, n - 1)]
        return float(now + (x - i) * (then - now)), float(self.acceleration[i])


@dataclass(frozen=True, slots=True)
class Allowance:
    """Share of the robot that the profile may use.

    Attributes:
        torque_share: of the servo torque, 0 to 1.
        least_force: of every contact that carries fully, N.
        ground: floor; the one for which the samples hold the pattern of its forces.
            contact_friction: at the posts.
        direction: 1 for the way along the path; -1 for the way back, on which all friction has the
            other sign. Inertial forces are the same on both ways, at the same speed and s_ddot.
    """

    torque_share: float
    least_force: float
    ground: GroundFriction = SMOOTH
    contact_friction: float = 0.0
    direction: int = 1


def fastest_profile(
    chain: PlanarChain,
    robot: Robot,
    sample_at: SampleAt,
    start: float,
    length: float,
    periodic: bool,
    use: Allowance,
) -> SpeedProfile:
    """Find the fastest profile over `length` (m) from `start`.

    Args:
        sample_at: state and contacts at a path coordinate; the state may share memory with the next
            one.
        periodic: what comes after `length` is as at the start. Otherwise the robot may arrive at
            any speed.

    Raises:
        BoaError: somewhere not even standing is possible with these forces and torques; or the
            floor is viscous.
    """
    if use.ground.model == "viscous" and use.ground.coefficient > 0:
        raise BoaError(
            "speed profile: none is found for a viscous floor; set profile: 0 for a constant speed"
        )
    count = max(2, round(length / STEP))
    step = length / count
    samples = start + step * np.arange(count, dtype=np.float64)
    speed = np.full(count, FIRST_SPEED)
    for _ in range(PASSES):
        rows = [
            _Constraints.around(chain, robot, sample_at, s, v, use)
            for s, v in zip(samples.tolist(), speed.tolist(), strict=True)
        ]
        laps = 3 if periodic else 1  # the middle one knows what comes before and after
        ceiling = _backwards(rows * laps, step)
        squared, acceleration = _forwards(rows * laps, step, ceiling)
        kept = slice(laps // 2 * count, (laps // 2 + 1) * count)
        squared, acceleration = squared[kept], acceleration[kept]
        speed = np.sqrt(squared)
    return SpeedProfile(start, step, speed, acceleration, periodic)


@dataclass(frozen=True, slots=True)
class _Constraints:
    """lower <= A [x, u, lam] <= upper at one sample; the first bounds are those of the unknowns
    themselves.
    """

    A: Array
    lower: Array
    upper: Array
    sense: NDArray[np.int32]

    @classmethod
    def around(
        cls,
        chain: PlanarChain,
        robot: Robot,
        sample_at: SampleAt,
        s: float,
        v: float,
        use: Allowance,
    ) -> Self:
        """The constraints at one sample for speeds near `v`, m/s.

        The tangent to sqrt(x) there asks too much of a standing robot; where that is more than it
        can carry, the tangent at a lower speed is taken.

        Raises:
            BoaError: it cannot even stand.
        """
        state, contacts = sample_at(s)
        while True:
            rows = cls.at(chain, robot, state, contacts, max(v, LEAST_SPEED), use)
            if rows.stands():
                return rows
            if v <= LEAST_SPEED:
                raise BoaError(
                    f"speed profile: at s = {s:.3f} m no forces within the limits carry the "
                    f"robot; lower force_floor "
                    "or the friction of the floor and the posts, or allow a larger torque share"
                )
            v /= 2

    @classmethod
    def at(
        cls,
        chain: PlanarChain,
        robot: Robot,
        state: PathState,
        contacts: ContactSet,
        v: float,
        use: Allowance,
    ) -> Self:
        """The constraints at one sample, sqrt(x) being v / 2 + x / (2 v)."""
        _, push = contacts.rows(chain, state, use.direction * use.contact_friction)
        count, actuator = contacts.link.size, robot.actuator
        rate = state.dphi  # joint rate at unit speed
        damping = use.direction * chain.damping * rate
        friction = use.direction * use.ground.coefficient * state.ground
        inertial, path = state.inertial, state.mass @ state.dq
        servos = TorqueSpeedLine(
            actuator, robot.joints, limit=robot.limits.torque, share=use.torque_share
        )
        stall, limit, line = servos.stall, servos.limit, use.direction * servos.slope * rate
        torque = np.column_stack([inertial[3:] + damping / (2 * v), path[3:], -push[:, 3:].T])
        # torque + stall v phi' / no-load speed, which stays below the stall torque
        with_line = torque.copy()
        with_line[:, 0] += line / (2 * v)
        offset = damping * v / 2 - friction[3:]
        base = np.column_stack([inertial[:3], path[:3], -push[:, :3].T])
        fastest = (
            JOINT_SPEED_SHARE * actuator.speed_limit / max(float(np.abs(rate).max()), LEAST_BENDING)
        ) ** 2
        known, floor = offset + line * v / 2, use.least_force * contacts.activation
        return cls(
            np.vstack([base, torque, with_line, np.zeros(2 + count)]),
            np.r_[
                0.0,
                -LARGEST_ACCELERATION,
                floor,
                friction[:3],
                -limit - offset,
                -stall - known,
                0.0,
            ],
            np.r_[
                fastest,
                LARGEST_ACCELERATION,
                np.full(count, UNBOUNDED),
                friction[:3],
                limit - offset,
                stall - known,
                UNBOUNDED,
            ],
            np.r_[np.zeros(2 + count), np.full(3, EQUAL), np.zeros(2 * rate.size + 1)].astype(
                np.int32
            ),
        )

    def stands(self) -> bool:
        """Whether the constraints allow x = u = 0."""
        upper, lower = self.upper.copy(), self.lower.copy()
        upper[:2] = lower[:2] = 0.0
        return self._optimum(0, lower, upper) is not None

    def largest(
        self, unknown: int, step: float, ceiling: float, x: float | None = None
    ) -> float | None:
        """Largest x (`unknown` 0) or u (1) from which the next sample is reached at a squared speed
        up to `ceiling`.

        `x` fixes the squared speed here. None when nothing fulfils the constraints.
        """
        self.A[-1, :2] = 1.0, 2 * step
        upper, lower = self.upper.copy(), self.lower.copy()
        upper[-1] = ceiling
        if x is not None:
            lower[0], upper[0] = x - SLACK, x
        return self._optimum(unknown, lower, upper)

    def _optimum(self, unknown: int, lower: Array, upper: Array) -> float | None:
        """Largest value of one unknown; None when nothing fulfils the constraints."""
        size = self.A.shape[1]
        aim, weights = np.zeros(size), np.full(size, FORCE_WEIGHT)
        aim[unknown], weights[:2] = -1.0, MOTION_WEIGHT
        found, _, flag, _ = daqp.solve(np.diag(weights), aim, self.A, upper, lower, self.sense)
        return float(found[unknown]) if flag > 0 else None


def _backwards(rows: list[_Constraints], step: float) -> Array:
    """Largest squared speed at every sample from which the rest of the path can be travelled, shape
    (len(rows),).
    """
    ceiling = np.empty(len(rows))
    after = UNBOUNDED
    for k in range(len(rows) - 1, -1, -1):
        ceiling[k] = after = _found(rows[k].largest(0, step, after))
    return ceiling


def _forwards(rows: list[_Constraints], step: float, ceiling: Array) -> tuple[Array, Array]:
    """The fastest squared speeds below `ceiling`, beginning at it, and the accelerations; shape
    (len(rows),) each.
    """
    squared, acceleration = np.empty(len(rows)), np.zeros(len(rows))
    x = ceiling[0]
    for k, row in enumerate(rows):
        squared[k] = x
        if k + 1 < len(rows):
            u = _found(row.largest(1, step, ceiling[k + 1] + SLACK, x))
            after = min(max(x + 2 * step * u, 0.0), ceiling[k + 1])
            acceleration[k] = (after - x) / (2 * step)
            x = after
    return squared, acceleration


def _found(optimum: float | None) -> float:
    """The optimum, which exists wherever standing is possible."""
    if optimum is None:
        raise BoaError(
            "speed profile: the solver found no speed although the robot can stand; use profile: 0"
        )
    return optimum
