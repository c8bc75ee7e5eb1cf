# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force sensors against the motion of the links.

Posts push across a link. Along it the joints on both its ends must give what its mass needs for its
acceleration, but for friction, of which the floor's is much the same for all links. What is missing
in this balance tells a wrong sensor, and which: over some seconds of motion there is one error that
would explain most of it, two neighbours exchanged, an opposite sign, or a zero that has slipped. A
sensor that shows nothing but noise is told by that alone.
"""

from enum import Enum, auto
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from boa_description.arrays import Array
from boa_description.robot import Robot

WINDOW = 8.0  # s of motion that are judged together
STEP = 2.0  # s of motion from one judgement to the next
MOVING = 0.05  # rad/s, mean of all joints from which on the robot moves
NOISE = 1.5  # times its noise, below which a sensor shows nothing else
EXPLAINS = 2.0  # times less is missing on its links, in squares, with the error that is believed
# N that a zero is off; 80 mg of an accelerometer's zero (BNO055 data sheet) look like 1.4 N
SLIPPED = 2.0
UNSEEN = 1e-3  # share of the samples that count for a zero of 0: across joints that stay straight


class Suspicion(Enum):
    """What a force sensor seems to have."""

    NOTHING_BUT_NOISE = auto()
    OPPOSITE_SIGN = auto()
    EXCHANGED = auto()  # with the next one
    SLIPPED_ZERO = auto()


class SuspectSensor(NamedTuple):
    """A force sensor that seems wrong, by the index of its joint.

    Attributes:
        newton: by which its zero has slipped.
    """

    joint: int
    suspicion: Suspicion
    newton: float = 0.0


class ForceWatch:
    """Judges the force sensors of one robot over the last seconds of motion.

    Args:
        robot: gives number, noise and rate of the sensors, and the mass of the links.

    Attributes:
        suspects: of the last judgement; none before the first whole window.
    """

    def __init__(self, robot: Robot) -> None:
        self._noise = np.sqrt(robot.force_sensor.noise**2 + robot.force_sensor.quantum**2 / 12)
        self._mass = robot.link.mass
        samples = round(WINDOW * robot.force_sensor.rate)
        self._force = np.zeros((samples, robot.joints, 2))
        self._angle = np.zeros((samples, robot.joints))
        self._needed = np.zeros((samples, robot.links))
        self._step = round(STEP * robot.force_sensor.rate)
        self._taken = 0
        self._newest_ns: int | None = None
        self.suspects: tuple[SuspectSensor, ...] = ()

    def update(
        self, stamp_ns: int, force: Array, acceleration: Array, angle: Array, velocity: Array
    ) -> None:
        """Take the newest sample.

        Args:
            stamp_ns: of the sample; one that comes again is left out.
            force: shape (n_joints, 3), N; samples with missing values are left out.
            acceleration: without gravity, link axes, (n_links, 3), m/s2; likewise.
            angle, velocity: of the joints, shape (n_joints,), rad and rad/s.
        """
        planar, needed = force[:, :2], self._mass * acceleration[:, 0]
        moving = np.abs(velocity).mean() > MOVING  # NaN: not
        known = np.isfinite(planar).all() and np.isfinite(needed).all()
        if stamp_ns == self._newest_ns or not moving or not known:
            return
        self._newest_ns = stamp_ns
        row = self._taken % len(self._force)  # their order does not matter
        self._force[row], self._angle[row], self._needed[row] = planar, angle, needed
        self._taken += 1
        if self._taken >= len(self._force) and self._taken % self._step == 0:
            self.suspects = self._judged()

    def _judged(self) -> tuple[SuspectSensor, ...]:
        dead = self._force.std(axis=0).max(axis=1) < NOISE * self._noise
        if dead.any():
            found = np.flatnonzero(dead).tolist()
            return tuple(SuspectSensor(joint, Suspicion.NOTHING_BUT_NOISE) for joint in found)
        return single_error(self._force, self._angle, self._needed)


def single_error(force: Array, angle: Array, needed: Array) -> tuple[SuspectSensor, ...]:
    """The one error of the sensors that explains most of what is missing along the links; none
    where no error explains enough.

    Args:
        force: as measured, of link i + 1 on link i in the axes of link i + 1, (T, n - 1, 2), N.
        angle: of the joints, (T, n - 1), rad.
        needed: mass times acceleration of the links along themselves, (T, n), N.
    """
    missing = needed.copy()
    missing[:, :-1] -= _along(force, angle)
    missing[:, 1:] += force[..., 0]
    missing -= np.median(missing, axis=1, keepdims=True)  # the floor's friction
    before = np.square(missing).sum(axis=0)
    pairs = before[1:] + before[:-1]
    slip, explained = _slip(missing, angle)
    errors = (
        (Suspicion.EXCHANGED, pairs[:-1] + before[2:], _exchanged(missing, force, angle)),
        (Suspicion.OPPOSITE_SIGN, pairs, _opposite(missing, force, angle)),
        (Suspicion.SLIPPED_ZERO, pairs, np.where(slip < SLIPPED, pairs, pairs - explained)),
    )
    found = [
        (had[joint] - has[joint], joint, suspicion)
        for suspicion, had, has in errors
        for joint in np.flatnonzero(had > EXPLAINS * has).tolist()
    ]
    if not found:
        return ()
    _, joint, suspicion = max(found, key=itemgetter(0))
    newton = float(slip[joint]) if suspicion is Suspicion.SLIPPED_ZERO else 0.0
    return (SuspectSensor(joint, suspicion, newton),)


def _along(force: Array, angle: Array) -> Array:
    """Along the link behind a joint, of forces in the axes of the link ahead, (..., n - 1, 2)."""
    return np.asarray(np.cos(angle) * force[..., 0] - np.sin(angle) * force[..., 1])


def _opposite(missing: Array, force: Array, angle: Array) -> Array:
    """Squares missing on both links of a joint if its sensor showed the opposite, (n - 1,)."""
    behind = missing[:, :-1] + 2 * _along(force, angle)
    ahead = missing[:, 1:] - 2 * force[..., 0]
    return np.asarray(np.square([behind, ahead]).sum(axis=(0, 1)))


def _exchanged(missing: Array, force: Array, angle: Array) -> Array:
    """Likewise on the three links of a joint and the next one, if their sensors were exchanged,
    (n - 2,).
    """
    more = force[:, 1:] - force[:, :-1]
    behind = missing[:, :-2] - _along(more, angle[:, :-1])
    between = missing[:, 1:-1] + more[..., 0] + _along(more, angle[:, 1:])
    ahead = missing[:, 2:] - more[..., 0]
    return np.asarray(np.square([behind, between, ahead]).sum(axis=(0, 1)))


def _slip(missing: Array, angle: Array) -> tuple[Array, Array]:
    """By how much each zero would have to be off, N, and the squares that this explains on both
    links of the joint; both (n - 1,): least squares of the two components of the force.
    """
    samples, turned = len(missing), np.stack([-np.cos(angle), np.sin(angle)], axis=-1)
    square = np.einsum("tja,tjb->jab", turned, turned) + samples * np.diag([1.0, 0.0])
    square += UNSEEN * samples * np.eye(2)
    shown = np.einsum("tja,tj->ja", turned, missing[:, :-1])
    shown[:, 0] += missing[:, 1:].sum(axis=0)
    zero = np.linalg.solve(square, shown[..., None])[..., 0]
    return np.hypot(*zero.T), np.einsum("ja,ja->j", zero, shown)


_REMEDY = {
    Suspicion.NOTHING_BUT_NOISE: "check its bridge, cable and amplifier",
    Suspicion.OPPOSITE_SIGN: "check its sign and its mounting",
    Suspicion.EXCHANGED: "exchange their cables at the boards",
    Suspicion.SLIPPED_ZERO: "tare; check its mounting if it slips again",
}


def suspect_texts(suspects: tuple[SuspectSensor, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """One line for each sensor that seems wrong."""
    return tuple(
        f"force sensor {names[one.joint]}: {_seems(one, names)} over {WINDOW:g} s of motion; "
        f"{_REMEDY[one.suspicion]}"
        for one in suspects
    )


def _seems(one: SuspectSensor, names: tuple[str, ...]) -> str:
    match one.suspicion:
        case Suspicion.NOTHING_BUT_NOISE:
            return "shows nothing but noise"
        case Suspicion.OPPOSITE_SIGN:
            return "shows the opposite of what its links need"
        case Suspicion.EXCHANGED:
            return f"seems to be exchanged with {names[one.joint + 1]}"
        case Suspicion.SLIPPED_ZERO:
            return f"its zero seems to be off by {one.newton:.0f} N"
