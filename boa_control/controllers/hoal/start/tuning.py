# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the start."""

from boa_control.controllers.hoal.constant import NewtonMetrePerRadian, PerSecond, Room, constant
from boa_description.robot import Metre, Newton, NewtonMetreSecond, Radian, Ratio, Second


class StartTuning(Room):
    """How posts are taken hold of, and how a place is tried by touch."""

    held_time: Second = constant(
        0.5,
        "for which those that are detected must hold the robot: while the body bends, some "
        "do so in passing; and the longest absence of the torque after which it is held at "
        "once",
    )
    laid_way: Metre = constant(
        0.03,
        "along the path from where the run begins, up to which the robot may lie: 0.05 m cost "
        "nothing, 0.1 m costs a joint up to 38 N",
    )
    laid_noise: Radian = constant(
        0.14, "rms of one sample, by which a start may be further off its shape; 10 % reach 0.075"
    )
    first_share: Ratio = constant(
        0.01, "of the desired force at the beginning: a free body gathers no momentum"
    )
    slow_rise: PerSecond = constant(0.08, "of that share while closing: 5 N rise by 0.4 N/s")
    fast_rise: PerSecond = constant(2.0, "of the same, once all contacts are detected")
    stiffness: NewtonMetrePerRadian = constant(
        2.0, "of the springs to the shape of the path: weak, posts are met and not hit"
    )
    firmer: Ratio = constant(
        2.0,
        "times that, by which they grow while first posts are missing: those that stand "
        "elsewhere bend the body",
    )
    damping: NewtonMetreSecond = constant(
        1.0, "of the joints; with 2.0, sensors that are 15 ms late make them swing"
    )
    settling_time: Second = constant(
        1.0,
        "for which the robot is only held after an absence of the torque, at the speed that it "
        "has; in which the springs grow; and of quiet standing, after which one that stopped for a "
        "blow goes on",
        gt=0,
    )
    return_time: Second = constant(
        0.1,
        "over which the torque comes back to a slow robot, whose posts pushed it away; and with "
        "which that of a lost robot fades: contacts that are dropped at once close with a blow",
        gt=0,
    )
    settling_correction: Newton = constant(
        2.0,
        "most that a contact carries above its balanced force after an absence of the "
        "torque: with more, forces go from one set of contacts to another",
    )
    fade_time: Second = constant(
        0.4,
        "over which the shape at the end of the start-up gives way to that of the path: "
        "slower than the shape loop",
        "1 / `damping` of the shape",
        gt=0,
    )
    # a place on trial
    held_damping: NewtonMetreSecond = constant(
        3.0, "of joints that are held stiffly in a shape: while a place is on trial, and when lost"
    )
    first_trial: Second = constant(
        0.6,
        "after which a place whose posts are not detected is given up: by then five contacts "
        "press with 1.4 N in sum, and a body that they miss has gathered no more momentum than "
        "posts bear; each further trial takes twice as long",
        "1 / `slow_rise`",
    )
    trial_stiffness: NewtonMetrePerRadian = constant(
        15.0, "pushing where no post stands moves the body little"
    )

    @property
    def damping_displaced(self) -> float:
        """Of the joints where posts may stand elsewhere, and the body has further to fall, N m s;
        also of joint rates that are off the way along the path, outside of the QP, where it would
        act in the null space of a wrong contact model.
        """
        return 2 * self.damping

    @property
    def longest_trial(self) -> float:
        """Of a place, s, when the forces have risen to a fifth of those desired."""
        return 4 * self.first_trial

    @property
    def held_stiffness(self) -> float:
        """Towards the shape in which a robot was lost, N m/rad."""
        return 2 * self.stiffness

    @property
    def least_share(self) -> float:
        """Of the desired force where nothing holds a robot that is under way: more would set it in
        motion.
        """
        return 2 * self.first_share
