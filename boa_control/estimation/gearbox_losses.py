# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What gearboxes pass on of the torque of their motors, learnt while the joints move.

With motor torque u, viscous friction taken off, and torque L that reaches the link, in the
direction d of the motion,

    u d = a (L d)+ - c (-L d)+ + b:

a joint that drives needs a |L| + b, one that its load drives back holds it with c |L| - b. By the
definition of the torque constant (stall torque over stall current) a is about 1; c is what the
gearbox's losses make of a load, 1 without any. At rest the motor torque may lie anywhere between.

Source: `boa_description.gearbox_friction` (Duclusaud et al., ICRA 2025), solved for the motor.
Derivation: docs/mathematics.md, section 9.3.
"""

import math
from typing import NamedTuple

import numpy as np

from boa_control.compiled.transmission import add_sample
from boa_description.arrays import Array, Flags
from boa_description.gearbox import OWN, load_gearbox
from boa_description.robot import COULOMB, Robot

LEAST = np.array([0.6, 0.1, 0.0])  # of drive, back (1) and base (N m): a gearbox that still moves
MOST = np.array([1.6, 1.4, 1.5])
NOISE = 0.15  # N m, of a sample: errors of contact places, inertia and the model itself
USUAL_RATE = 0.2  # rad/s, of the joints on their path
CORRELATION = 0.4  # s; samples nearer to each other have the same errors
MEMORY = 5.0  # s of motion, over which samples fade: load and temperature change
# standard deviations of single gearboxes from the average: losses differ by 30 % from servo to
# servo, torque constants by 10 %
SPREAD = np.array([0.06, 0.09, 0.05])


class GearboxLosses(NamedTuple):
    """The three numbers of every gearbox, shape (n - 1,) each.

    Attributes:
        drive, back: a and c, 1. base: b, N m.
    """

    drive: Array
    back: Array
    base: Array

    def motor_torque(self, torque: Array, direction: Array) -> Array:
        """Torque of the motors with which the joints pass on `torque`, N m, shape (n - 1,).

        Args:
            direction: of the motion, -1 to 1; 0: the joint may move either way, and the middle of
                both is taken.
        """
        mean = (self.drive + self.back) / 2
        motor: Array = torque * mean + direction * self.band(torque)
        return motor

    def band(self, torque: Array) -> Array:
        """How far, N m, from that of the middle the torque of a motor lies whose joint moves; as
        `motor_torque`.
        """
        band: Array = np.abs(torque) * ((self.drive - self.back) / 2) + self.base
        return band


def nominal_losses(robot: Robot) -> tuple[float, float, float]:
    """a, c (1) and b (N m) that the gearbox of the robot's file has in motion.

    Raises:
        BoaError: no such gearbox.
    """
    model = robot.actuator.gearbox.model
    if model in OWN:
        return 1.0, 1.0, robot.actuator.coulomb if model == COULOMB else 0.0
    gearbox = load_gearbox(model)
    here = gearbox.friction.at(USUAL_RATE)
    k = gearbox.motor_per_command(robot.actuator.torque_limit)
    drives, holds = k * (1 - here.motor), k * (1 + here.motor)
    return (
        float((1 + here.load) / drives),
        float((1 - here.load) / holds),
        float(here.base / drives),
    )


class LossEstimate:
    """Gearbox losses by least squares with a prior; those of one kind are alike, so the average is
    estimated first, and each is taken for it as far as its own samples do not say otherwise.

    Old samples fade as new ones come: a joint at rest keeps what it knows.

    Attributes:
        losses: as estimated now; prior: as believed before. std: of the estimate, (3, n - 1).
        debug: both, for the log.
        at_bound: joints for which another gearbox than one that moves would be estimated, (n - 1,).
        sound: there are none.
    """

    def __init__(self, joints: int, prior: Array, doubt: Array) -> None:
        """`prior`, `doubt`: of a, c (1) and b (N m), and their standard deviations, shape (3,) for
        all gearboxes or (3, n - 1).
        """
        self._joints = joints
        each = np.broadcast_to(np.reshape(prior, (3, -1)), (3, joints)).T
        self._prior = np.array(each, order="C")  # (n - 1, 3)
        self.prior = GearboxLosses(*self._prior.T)
        self._doubt = np.asarray(doubt, float).reshape(3, -1).mean(axis=1)
        self.reset()

    def reset(self) -> None:
        """Back to the prior."""
        self._square = np.zeros((self._joints, 3, 3))
        self._product = np.zeros((self._joints, 3))
        self._accept(self._prior, np.hypot(self._doubt, SPREAD)[:, None] * np.ones(self._joints))

    def doubt(self, torque: Array, direction: Array) -> Array:
        """Standard deviation of what the gearboxes eat of a torque, shape (n - 1,), N m; as
        `GearboxLosses.motor_torque`. A joint at rest may be held anywhere between both ways.
        """
        drive, back, base = self.std
        share = np.where(torque * direction >= 0.0, drive, back)
        rest = (1.0 - np.abs(direction)) * self.losses.band(torque) / math.sqrt(3.0)
        std: Array = np.sqrt((share * torque) ** 2 + base**2 + rest**2)
        return std

    def add(self, motor: Array, load: Array, rate: Array, moving: Flags, seconds: float) -> None:
        """Use one sample.

        Args:
            motor: torque less viscous friction, load: torque that is passed on, (n - 1,), N m.
            rate: of the joints, whose sign counts, (n - 1,), rad/s. moving: those that surely do.
            seconds: since the last sample.
        """
        keep, weight = 1.0 - seconds / MEMORY, seconds / CORRELATION / NOISE**2
        sample = motor, load, rate, moving
        add_sample(self._square, self._product, self._prior, sample, keep, weight)

    def solve(self) -> None:
        """Estimate anew from the samples so far."""
        square = self._square.sum(axis=0) + np.diag(self._doubt**-2)
        average = np.linalg.solve(square, self._product.sum(axis=0))
        own = self._square + np.diag(SPREAD**-2)
        off = np.linalg.solve(own, (self._product + average * SPREAD**-2)[..., None])[..., 0]
        of_average = np.linalg.inv(square).diagonal()[:, None]
        of_each = np.linalg.inv(own).diagonal(axis1=1, axis2=2).T
        self._accept(self._prior + off, np.sqrt(of_average + of_each))

    def _accept(self, losses: Array, std: Array) -> None:
        self.losses = GearboxLosses(*np.ascontiguousarray(np.clip(losses, LEAST, MOST).T))
        out = losses > MOST
        out[:, :2] |= losses[:, :2] < LEAST[:2]  # base may be about 0
        self.at_bound: Flags = np.asarray(out.any(axis=1))
        self.sound = not self.at_bound.any()
        self.std = std
        names = "gearbox_drive", "gearbox_back", "gearbox_base_nm"
        deviations = "gearbox_drive_std", "gearbox_back_std", "gearbox_base_std_nm"
        self.debug: dict[str, float | Array] = dict(
            zip(names + deviations, (*self.losses, *std), strict=True)
        )
