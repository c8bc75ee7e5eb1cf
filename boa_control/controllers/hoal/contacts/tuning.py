# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the contacts."""

from boa_control.controllers.hoal.constant import Count, PerSecond, Room, constant
from boa_description.robot import Metre, Newton, Radian, Ratio, Second

NOISE = "noise of the joint force sensors"


class ContactTuning(Room):
    """When a contact counts as detected, and when contacts hold the body."""

    felt_force: Newton = constant(
        0.3, "smoothed, from which a contact is detected: sensors have 0.2 N of noise", NOISE
    )
    touch_force: Newton = constant(
        0.5,
        "smoothed, above which a touch begins; contacts carry at least as much: what carries less "
        "is not detected",
        NOISE,
    )
    filter_time: Second = constant(
        0.02, "low-pass of the measured forces: two samples", "period of the sensors"
    )
    approach: Ratio = constant(
        0.2, "of the desired force, with which a contact that is not detected is approached", lt=1
    )
    rise: PerSecond = constant(5.0, "from approach to full force in 0.16 s")
    memory: Second = constant(
        0.05,
        "for which contacts and torques are remembered: sensors of 100 Hz tell of what was 5 to "
        "20 ms ago",
        "period of the sensors",
    )
    blow_time: Second = constant(
        0.05,
        "low-pass of forces, and for how long signals must last: blows and first touches do not "
        "count",
        "period of the sensors",
    )
    start_shape: Radian = constant(
        0.05,
        "rms off the path, with which a start-up that has not detected all posts must not end: "
        "good ones end below 0.02",
    )
    least_hold: Ratio = constant(
        0.5, "of the preload that balance allows; good sets of contacts have 0.8 and more", gt=0
    )
    balanced: Count = constant(
        3, "contacts that balance a body: as many as there are equations in the plane"
    )
    same_place: Metre = constant(
        0.02,
        "along a link between contacts that are one, and by which a robot may have coasted that "
        "still lies between its posts",
        "half the radius of the body",
    )

    @property
    def release_force(self) -> float:
        """Smoothed, below which a touch ends, N: half of what is detected, so that contacts do not
        chatter.
        """
        return self.felt_force / 2

    @property
    def telling_force(self) -> float:
        """Of pressing, N: a post that is pressed more gently than twice what is detected may be
        there without being detected.
        """
        return 2 * self.felt_force

    @property
    def fade(self) -> float:
        """From full force to approach in 0.064 s when nothing is detected, 1/s."""
        return 2.5 * self.rise

    @property
    def closure(self) -> int:
        """Contacts, fewer of which cannot close a body: one more than balance it."""
        return self.balanced + 1

    @property
    def decisive_force(self) -> float:
        """Sum of the measured forces that confirms or refutes a place on trial, N: five standard
        deviations of its noise.
        """
        return 2 * self.touch_force
