# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the control law."""

from __future__ import annotations

from boa_control.controllers.hoal.constant import MetrePerSecond, PerSecond, Room, constant
from boa_description.robot import (
    Metre,
    MetrePerSecond2,
    Newton,
    NewtonMetre,
    Radian,
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
        "in which the rest fades while a sensor is silent: what it stands for depends on the place",
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
    learn_time: Second = constant(
        0.02, "between two samples of the losses, whose errors are alike anyway"
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
    still_time: Second = constant(0.3, "for which it must stand")
    # loops
    acceleration: MetrePerSecond2 = constant(
        1.0, "at most, of the speed loop: a large speed error asks for no blow"
    )
    # QP
    equal_error: Metre = constant(
        0.014,
        "of the map, from which posts that are taken hold of are pressed with equal forces: "
        "its balance is not that of the posts; up to `steering.known_error` with balanced ones",
    )
    push: Ratio = constant(
        2.0,
        "of `correction`: norm of the contact forces that speed the robot up; four contacts, "
        "the fewest that hold a body, give it with one `correction` each",
    )
    always_asked: MetrePerSecond2 = constant(
        0.03, "along the path: for so little no contact is spared"
    )
    # joints that stick
    stand_way: Metre = constant(0.02, "within `stick_time`, below which the robot stands")
    stick_time: Second = constant(2.0, "of standing, after which joints that stick are told")
    stop_time: Second = constant(5.0, "of the same, after which it is for good")
    still_angle: Radian = constant(
        0.02,
        "that a joint which sticks turns meanwhile at most: more than encoders and backlash "
        "make up",
    )
    missing: NewtonMetre = constant(
        0.25,
        "that a joint passes on too little, or holds above its known losses: 2 N at a post",
        "pitch",
    )
    loss_time: Second = constant(
        1.0, "with losses outside of what is sensible, after which they are told: blows are shorter"
    )

    @property
    def solve_time(self) -> float:
        """Between two estimates of the losses, which change within seconds, s."""
        return 5 * self.learn_time

    @property
    def ground_time(self) -> float:
        """Between two samples of the floor's friction, which changes slowly, s."""
        return 2 * self.learn_time

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
