# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The constants of `hoal`, room by room: one object, handed to whatever uses them."""

from __future__ import annotations

from boa_control.controllers.hoal.constant import (
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
from boa_description.robot import Block, Metre, Second


class SteeringTuning(Room):
    """What several rooms mean by slow, still and known, and how set-points are followed."""

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
    known_error: Metre = constant(
        0.0105,
        "of the map, up to which its balance is that of the posts, and the tail is kept near the "
        "path by as much: routes keep two of it clear",
    )
    force_rate: NewtonPerSecond = constant(
        5.0, "at which the contact forces follow a new set-point", gt=0
    )
    turning_time: Second = constant(
        0.2, "in which what resists the motion turns round in the feedforward", gt=0
    )
    same_body: Metre = constant(
        0.003, "by which a joint axis may lie elsewhere on the new path: rounding of the route"
    )


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
