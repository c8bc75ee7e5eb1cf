# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the map of posts."""

from boa_control.controllers.hoal.constant import (
    Count,
    Deviations,
    MetrePerSecond,
    NewtonSecond,
    PerAcceleration2,
    PerSecond,
    RadianPerSecond2,
    Room,
    constant,
)
from boa_description.robot import Metre, Newton, Radian, Ratio, Second

FAULT = "joint force that is a fault"
RADIUS = "radius of the body"
RADII = "radius of the body and of a post"


class PostMapTuning(Room):
    """How fast the robot comes to posts, how it bends to them, searches, reads and adds them."""

    # how fast the robot may go
    reach: Metre = constant(
        0.09,
        "before the contact point, where the round leading end may first touch a post",
        RADII,
        gt=0,
    )
    search_distance: Metre = constant(
        0.15,
        "behind the leading end, over which a post that is not detected limits the speed: a "
        "little more than a link",
        "pitch",
        gt=0,
    )
    expected: Deviations = constant(3.0, "of its place, within which a post is expected")
    braking_share: Ratio = constant(
        0.5, "of `acceleration`, with which the robot slows down before a post", gt=0
    )
    blow: Ratio = constant(
        0.34, "of a joint, that the first touch of a post may give, beside preloads", FAULT, gt=0
    )
    left: Metre = constant(
        0.012,
        "before a post is left, where the robot stands and searches: the post still carries there",
        "`contact_ramp`",
    )
    # the bent reference
    systematic: Metre = constant(
        0.001,
        "that no filter knows of: soft contacts, zeros of the joints. By so much the bent "
        "chain may miss a post, and no place is known better",
        gt=0,
    )
    nose_share: Ratio = constant(
        0.2,
        "of the map error, by which the nose may leave the path, if that is more than twice "
        "`systematic`: the path is not known better",
    )
    tail_clearance: Metre = constant(
        0.004,
        "by which the tail keeps clear of the post that it leaves: pressed on, it pushes "
        "the body along",
        gt=0,
    )
    end_zone: Metre = constant(
        0.04,
        "from the ends of the body, over which posts begin and cease to bend the chain; and that a "
        "robot goes further back once it is held again",
        RADIUS,
        gt=0,
    )
    follow_rate: PerSecond = constant(
        25.0,
        "of the critically damped motion of the reference to the fitted shape; near that of "
        "the shape loop",
        "`damping` / 2",
        gt=0,
    )
    bend_std: Radian = constant(
        0.03,
        "per joint: as unlikely as a gap of `systematic`; with more the head bends far for a "
        "nose that a few mm of doubt do not call for",
        gt=0,
    )
    # posts that are not detected
    search_speed: MetrePerSecond = constant(
        0.02,
        "at which the body approaches a post that is not detected: 19 to 25 N in a joint. "
        "The reference moves at most twice as fast towards or away from a post",
        "damping of a first touch",
        gt=0,
    )
    search_way: Metre = constant(
        0.02,
        "before the leading end, from which a post is searched; and by which the body may "
        "lag behind the place where it is searched: there the search waits",
        "`search_speed`",
    )
    search_limit: Deviations = constant(
        4.0, "of the gap between body and post, up to which it is searched"
    )
    margin: Metre = constant(
        0.005, "beyond `search_limit`: the body does not fit its posts any better"
    )
    tip_force: Newton = constant(
        4.0,
        "of a post on the tip of the nose, from which its place is read: below the desired force",
        "`force`",
        gt=0,
    )
    # QP
    shape_limit: RadianPerSecond2 = constant(
        10.0,
        "that a shape error may ask for, norm over the joints: one that the posts do not "
        "allow breaks out when one of them is left. Good runs ask for less",
    )
    base_weight: PerAcceleration2 = constant(
        0.0001, "of an acceleration of the base: small beside that of travel", gt=0
    )
    # what touch tells
    record_time: Second = constant(1.0, "between two corrected maps, 12 kB each", gt=0)
    # posts that the map lacks
    agree: Deviations = constant(2.0, "of a reading, up to which it agrees with the first")
    agreed: Count = constant(
        5, "readings in a row, before a post is planned with: in a blow some are wrong"
    )
    passage_step: Metre = constant(
        0.05, "between the places at which the way past a post is tried", "pitch", gt=0
    )
    overlap: Metre = constant(
        0.008,
        "by which the bent body may overlap a post: joints and reference give way by about as much",
    )
    # posts that are not there
    probe_force: Newton = constant(
        3.0, "at most, of a contact until it is detected, where posts may be missing"
    )
    astray: Metre = constant(
        0.01, "off the path, at which the body shows that the post there stands elsewhere"
    )
    tip: Metre = constant(
        0.015, "beyond an end, up to which its round tip is less than 1.3 mm clear of a post", RADII
    )
    in_vain: NewtonSecond = constant(0.15, "of pressing, by which a gap of 1 mm has closed")

    @property
    def follow_speed(self) -> float:
        """Most that the reference may move towards or away from a post, m/s."""
        return 2 * self.search_speed

    @property
    def preview(self) -> float:
        """Before the body, from which posts are part of the plan, m: twice their reach."""
        return 2 * self.reach

    @property
    def nose_std(self) -> float:
        """By which the nose may leave the path at least, m: twice that of a contact."""
        return 2 * self.systematic

    @property
    def beside(self) -> float:
        """That the end of the body must have come past the place of a post that is not there, std:
        half of that within which it is expected.
        """
        return self.expected / 2

    @property
    def leaving(self) -> float:
        """Before a post is left, from which it counts, m: where both ends are round."""
        return 2 * self.end_zone

    @property
    def lead(self) -> float:
        """Over which the approach to a post that is searched ends, m."""
        return self.search_way / 2

    @property
    def sighting_way(self) -> float:
        """Along the path, m, between two sightings of the posts: less tells nothing new."""
        return 2 * self.systematic

    @property
    def same_body(self) -> float:
        """By which a joint axis may lie elsewhere on a new path, m: rounding of the route."""
        return 3 * self.systematic

    @property
    def settled(self) -> int:
        """Sightings, after which a post counts as touched: 20 mm of way."""
        return 2 * self.agreed

    @property
    def tell_step(self) -> float:
        """By which the largest correction must grow for another event, m: the body fits its posts
        no better.
        """
        return self.margin
