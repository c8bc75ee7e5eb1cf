# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the supervision."""

from typing import ClassVar

from boa_control.controllers.hoal.constant import MetrePerSecond, Room, constant
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

FAULT = "joint force that is a fault"
RADIUS = "radius of the body"


class SupervisionTuning(Room):
    """When the contact model counts as wrong, and what the robot does then."""

    ramps: ClassVar[tuple[tuple[str, str], ...]] = (("soft_from", "soft_to"),)

    # posts that are measured
    few_time: Second = constant(
        0.1, "with fewer posts measured than can hold the robot, after which it is slow"
    )
    # way that is made
    slow_time: Second = constant(
        3.0, "without `stuck_way` in which it should travel, after which it is slow"
    )
    stuck_way: Metre = constant(0.01, "more than the drift of a robot that stands")
    stand_share: Ratio = constant(
        0.25,
        "of the way that was desired meanwhile, up to which a robot has not got on: slow "
        "set-points make less than `stuck_way`",
    )
    strange_way: Metre = constant(
        0.03,
        "that a robot should have made within `steering.patience` where something unplanned "
        "presses; and against its way, from which it slips back where the map is exact: good runs "
        "reach 0.015",
        RADIUS,
    )
    quiet_way: Metre = constant(
        0.3, "inside the first band, after which a slow robot may go on: two links", "pitch"
    )
    # blows
    stop_way: Metre = constant(
        0.1, "within which stops for blows count as those for one post", "pitch"
    )
    pressed_time: Second = constant(
        0.5, "in which a post that the map may lack must be located, or the robot stops"
    )
    # the first band: good runs on displaced posts stay inside
    persistence: Second = constant(
        0.01, "outside the first band: noise and single samples do not count", "control period"
    )
    overspeed: MetrePerSecond = constant(
        0.06, "above the desired speed; good runs reach 0.046. Outside of these the robot is slow"
    )
    overspeed_slow: MetrePerSecond = constant(
        0.025, "the same of a robot that should go at `steering.slow_speed` or slower"
    )
    shape: Radian = constant(0.035, "rms off the shape of the path; good runs reach 0.026")
    joint_rate: RadianPerSecond = constant(
        0.45, "off the way along the path; good runs reach 0.35. Up to it nothing is damped"
    )
    stray: Newton = constant(
        4.0, "across a link, unexplained; good runs reach 3.7; also where the map is exact"
    )
    axial: Newton = constant(6.0, "the same along a link; good runs reach 4.0")
    load: Ratio = constant(0.55, "of a joint; good runs reach 0.5", FAULT)
    # the second band: outside, the robot stops
    stop_overspeed: MetrePerSecond = constant(
        0.07, "above the desired speed, well outside of what good runs do: the robot stops"
    )
    stop_shape: Radian = constant(
        0.08,
        "the same; twice as much is lost, where the model of the "
        "contacts has nothing to do with the robot any more",
    )
    stop_stray: Newton = constant(15.0, "a post presses harder than any is pressed")
    stop_axial: Newton = constant(20.0, "the same along a link")
    stop_load: Ratio = constant(0.65, "of a joint, from which the robot stops", FAULT)
    lost_joint_rate: RadianPerSecond = constant(
        1.3, "from which the model of the contacts does not describe the robot"
    )
    # of a robot that has stopped and come to rest
    standing_overspeed: MetrePerSecond = constant(
        0.04, "of a robot that stands and has come to rest"
    )
    standing_load: Ratio = constant(0.4, "of a joint, from which it does not rest", FAULT)
    # what replaces or weakens the control law
    braking: MetrePerSecond2 = constant(
        0.5, "with which a robot comes to rest: 15 N along the path on 29 kg", "mass of the robot"
    )
    lost_torque: NewtonMetre = constant(
        3.0, "most that springs and damping of a lost robot give", "torque limit"
    )
    soft_from: Ratio = constant(0.52, "of a joint, from which torques give way to damping", FAULT)
    soft_to: Ratio = constant(0.84, "of the same, from which only damping is left", FAULT)
    soft_torque: NewtonMetre = constant(
        2.0,
        "most that this damping gives: full torque would push off with hundreds of N by "
        "inertia alone",
        "torque limit",
    )
    calm_drift: MetrePerSecond = constant(
        0.008,
        "at which the body nears a first post, from which it is pressed less; at "
        "`post_map.search_speed` no more at all",
        "damping of a first touch",
    )
    slow_share: Ratio = constant(0.6, "of the forces, unless the contact model is trusted")

    @property
    def lost_time(self) -> float:
        """With too few, after which it is lost, s: three times as long as until it is slow."""
        return 3 * self.few_time

    @property
    def stuck_time(self) -> float:
        """Without `stuck_way`, after which the robot stops, s: five times as long as it was slow
        for.
        """
        return 5 * self.slow_time

    @property
    def stop_joint_rate(self) -> float:
        """Of the second band, rad/s."""
        return 2 * self.joint_rate

    @property
    def stop_stray_exact(self) -> float:
        """Of the second band where the map is exact, N: nothing else presses in good runs."""
        return 2 * self.stray

    @property
    def runaway(self) -> float:
        """Above the desired speed where the map is exact, m/s. Runs that get on reach 0.1, with
        gearboxes that lose a quarter of the torque on five posts; most reach 0.02.
        """
        return 2 * self.overspeed

    @property
    def lost_shape(self) -> float:
        """Rms off the shape of the path, rad, from which the robot is lost."""
        return 2 * self.stop_shape

    @property
    def lost_persistence(self) -> float:
        """For which a robot on an exact map must be outside, s; noise of 30 dB reaches 0.09 rad."""
        return 2 * self.persistence

    @property
    def return_way(self) -> float:
        """Back without being held again, m, after which the robot stops all the same."""
        return 2 * self.stop_way
