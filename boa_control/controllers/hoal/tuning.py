# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The constants of `hoal`, room by room: one object, handed to whatever uses them."""

from boa_control.controllers.hoal.constant import (
    Count,
    MetrePerSecond,
    NewtonPerSecond,
    Room,
    constant,
)
from boa_control.controllers.hoal.contacts.tuning import ContactTuning
from boa_control.controllers.hoal.law.tuning import LawTuning
from boa_control.controllers.hoal.post_map.tuning import PostMapTuning
from boa_control.controllers.hoal.start.tuning import StartTuning
from boa_control.controllers.hoal.supervision.tuning import SupervisionTuning
from boa_description.robot import Block, Second


class SteeringTuning(Room):
    """What several rooms mean by slow, still and patient, and how set-points are followed."""

    slow_speed: MetrePerSecond = constant(
        0.03,
        "unless the map is trusted: a post struck at it gives 33 N in a joint, and few posts hold "
        "a robot that searches the next one so slowly",
        "damping of a first touch",
    )
    slow_return: MetrePerSecond = constant(
        0.05,
        "up to which a robot is slow enough to turn round without hold, or to lose its torque for "
        "a moment: a faster one bends off its path",
    )
    still_speed: MetrePerSecond = constant(
        0.002, "up to which nothing moves, or shall move", "noise of the joint rates"
    )
    patience: Second = constant(
        2.0,
        "in which nothing gets better, after which it is told, or given up: too few first posts, "
        "something unplanned that bars the way, joints that stick",
    )
    long_patience: Second = constant(
        5.0,
        "the same, after which it is for good: a planned contact that is not detected at the "
        "start, joints that stick, a robot that swings although its posts hold it",
    )
    tries: Count = constant(
        3, "after which there is no further one: stops for a blow at one place, ways past a post"
    )
    update_time: Second = constant(
        0.02,
        "between two fits of the bent reference, and two samples of the losses: both cost "
        "computing time, and change slowly",
        "computing time",
        gt=0,
    )
    force_rate: NewtonPerSecond = constant(
        5.0, "at which the contact forces follow a new set-point", gt=0
    )
    turning_time: Second = constant(
        0.2,
        "with which the robot follows its speed, and in which what resists the motion turns round "
        "in the feedforward",
        "1 / `speed_gain`",
        gt=0,
    )

    @property
    def solve_time(self) -> float:
        """Between two estimates of the losses, s, which change within seconds."""
        return 5 * self.update_time

    @property
    def ground_time(self) -> float:
        """Between two samples of the floor's friction, s, which changes slowly."""
        return 2 * self.update_time

    @property
    def longest_closing(self) -> float:
        """After which a start-up ends in which those that are detected do not hold the robot and
        others have not been met, s.
        """
        return 4 * self.long_patience

    @property
    def free_speed(self) -> float:
        """Above the desired speed, m/s, up to which joint rates of a robot that is not trusted
        count as on the way; of one that is trusted, `slow_speed`.
        """
        return self.slow_speed / 3


class Tuning(Block):
    """All rooms. What a scenario may set is in `Parameters`; these are the same for all robots and
    scenarios, unless one replaces single ones (`controller.parameters.tuning`).
    """

    steering: SteeringTuning = SteeringTuning()
    contacts: ContactTuning = ContactTuning()
    start: StartTuning = StartTuning()
    post_map: PostMapTuning = PostMapTuning()
    supervision: SupervisionTuning = SupervisionTuning()
    law: LawTuning = LawTuning()


SHIPPED = Tuning()
