# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the control law."""

import numpy as np

from boa_control.controllers.hoal.constant import MetrePerSecond, PerSecond, Room, constant
from boa_description.robot import (
    Metre,
    MetrePerSecond2,
    Newton,
    NewtonMetre,
    RadianPerSecond,
    Ratio,
    Second,
)


class LawTuning(Room):
    """The QP, the loops around it, and what is known of friction and torque."""

    # gearboxes
    fastest: PerSecond = constant(
        50.0, "rate of the inner loop with ideal sensors; faster, blows grow"
    )
    loop_time: Second = constant(
        0.002, "between two samples of that loop, each of which costs computing time"
    )
    fade_time: Second = constant(
        1.0,
        "in which the rest fades while a sensor is silent: what it stands for depends on the "
        "place; and after which losses outside of what is sensible are told: blows are shorter",
        gt=0,
    )
    largest: Ratio = constant(
        0.3, "that the rest may be: more is a sensor or a gearbox at fault", "torque limit"
    )
    moving_rate: RadianPerSecond = constant(
        0.05,
        "from which a joint moves: two counts of the servo's velocity. On the path, joints "
        "that surely move turn twice as fast",
        "resolution of the servos",
    )
    least_speed: MetrePerSecond = constant(
        0.02, "along the path; nothing is learnt below, and joints may stick"
    )
    # friction of the floor
    turning_rate: RadianPerSecond = constant(
        0.01, "over which a joint changes its direction in the feedforward", gt=0
    )
    memory: Second = constant(
        20.0,
        "of motion, over which samples fade; three periods of the shapes of `boa_circle`",
        gt=0,
    )
    force_noise: Newton = constant(
        1.5, "of a sample: errors of map and model make neighbouring samples alike", gt=0
    )
    ground_doubt: Ratio = constant(
        0.3, "of mu, or of the viscosity that brakes as much at the desired speed", gt=0
    )
    ground_most: Ratio = constant(2.0, "largest mu of any floor, or viscosity in the same sense")
    # whether the joints give the torque that is commanded
    decisive_torque: NewtonMetre = constant(
        0.2, "norm over the joints; below, noise and friction decide"
    )
    measured_share: Ratio = constant(
        0.5, "of the commanded torque that must be measured: above noise and friction"
    )
    lag: Second = constant(
        0.03, "by which a measured torque may be later than its command", "latency of the bus"
    )
    # whether the robot stands
    still_rate: MetrePerSecond = constant(
        0.005, "measured, smoothed: noise of the joint rates counts for 2 mm/s"
    )
    still_filter: Second = constant(0.1, "low-pass of that rate")
    still_time: Second = constant(
        0.3, "for which it must stand; so long after a change inertia looks like contact forces"
    )
    # loops
    acceleration: MetrePerSecond2 = constant(
        1.0,
        "at most, that an error of the speed or a gap may ask for: a large one is no reason for a "
        "blow, and what the body does for a post that it does not feel, others must push. Good "
        "runs ask for less than 0.8",
    )
    # QP
    known_error: Metre = constant(
        0.0105,
        "of the map, up to which its balance is that of the posts, and the tail is kept near the "
        "path by as much: routes keep two of it clear",
    )
    push: Ratio = constant(
        2.0,
        "of `correction`: norm of the contact forces that speed the robot up; four contacts, "
        "the fewest that hold a body, give it with one `correction` each",
    )
    always_asked: MetrePerSecond2 = constant(
        0.03, "along the path: for so little no contact is spared"
    )
    # friction of the posts
    sure: Ratio = constant(
        0.03, "standard deviation from which the friction is told: reached after some 3 s of way"
    )
    otherwise: Ratio = constant(
        0.05,
        "beside what was told before, by which it is told anew, if it is three standard "
        "deviations as well",
    )
    adoption: PerSecond = constant(
        0.1, "with which the control law goes over to it: 0.2 in 2 s, so that no force jumps"
    )
    # joints that stick
    missing: NewtonMetre = constant(
        0.25,
        "that a joint passes on too little, or holds above its known losses: 2 N at a post",
        "pitch",
    )

    @property
    def turned_rate(self) -> float:
        """On the path, above which a joint surely moves, rad/s."""
        return 2 * self.moving_rate

    @property
    def integral(self) -> float:
        """Limit of the speed integral, m/s2: a robot that is held does not gather more than twice
        what the speed loop may ask for.
        """
        return 2 * self.acceleration

    @property
    def equal_error(self) -> float:
        """Of the map, m, from which posts that are taken hold of are pressed with equal forces: its
        balance is not that of the posts. In between, with both.
        """
        return 4 / 3 * self.known_error

    def known(self, map_error: float) -> float:
        """How far the balance of the map is that of the posts, 1 to 0, where they are off their
        places by a standard deviation of `map_error`, m.
        """
        return float(np.interp(map_error, (self.known_error, self.equal_error), (1.0, 0.0)))

    @property
    def standing_rate(self) -> float:
        """Largest of the joints of a robot that stands, rad/s; one that does has `moving_rate`."""
        return 4 * self.moving_rate
