# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constants of the map of posts."""

from __future__ import annotations

from boa_control.controllers.hoal.constant import (
    Count,
    Deviations,
    MetrePerSecond,
    NewtonSecond,
    PerSecond,
    RadianPerSecond2,
    Room,
    constant,
)
from boa_description.robot import Metre, MetrePerSecond2, Newton, Radian, Ratio, Second

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
    limit_braking: MetrePerSecond2 = constant(
        0.2, "with which the limit falls: 6 N along the path", "mass of the robot", gt=0
    )
    braking_share: Ratio = constant(
        0.5, "of `acceleration`, with which the robot slows down before a post", gt=0
    )
    blow: Ratio = constant(
        0.34, "of a joint, that the first touch of a post may give, beside preloads", FAULT, gt=0
    )
    leaving: Metre = constant(0.08, "before a post is left, from which it counts", RADII)
    left: Metre = constant(
        0.012,
        "of the same, where the robot stands and searches: the post still carries there",
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
        "from the ends of the body, over which posts begin and cease to bend the chain",
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
    update_time: Second = constant(
        0.02,
        "between two fits; the reference moves 0.8 mm at most meanwhile",
        "computing time",
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
    beside: Deviations = constant(
        1.5, "that the end of the body must have come past the place of a post that is not there"
    )
    margin: Metre = constant(
        0.005, "beyond `search_limit`: the body does not fit its posts any better"
    )
    lead: Metre = constant(
        0.01,
        "over which the approach to a post that is searched ends",
        gt=0,
    )
    tip_force: Newton = constant(
        4.0,
        "of a post on the tip of the nose, from which its place is read: below the desired force",
        "`force`",
        gt=0,
    )
    # QP
    shape_weight: Ratio = constant(
        0.05,
        "of an acceleration, 1/(rad/s2)2, that of travel: the direction of travel of the map "
        "is not that of the posts; were shape dearer, it would hold the robot back",
        gt=0,
    )
    shape_limit: RadianPerSecond2 = constant(
        10.0,
        "that a shape error may ask for, norm over the joints: one that the posts do not "
        "allow breaks out when one of them is left. Good runs ask for less",
    )
    gap_limit: MetrePerSecond2 = constant(
        1.0,
        "that a gap may ask for: what the body does for a post that it does not feel, others "
        "must push. Good runs ask for less than 0.8",
    )
    base_weight: Ratio = constant(
        0.0001, "of an acceleration of the base, 1/(m/s2)2: small beside `shape_weight`", gt=0
    )
    # what touch tells
    sighting_way: Metre = constant(0.002, "along the path, between two sightings of the posts")
    settled: Count = constant(10, "sightings, after which a post counts as touched: 20 mm of way")
    record_time: Second = constant(1.0, "between two corrected maps, 12 kB each", gt=0)
    tell_step: Metre = constant(
        0.005, "by which the largest correction must grow for another event"
    )
    # posts that the map lacks
    agree: Deviations = constant(2.0, "of a reading, up to which it agrees with the first")
    agreed: Count = constant(
        5, "readings in a row, before a post is planned with: in a blow some are wrong"
    )
    tries: Count = constant(3, "of a way past a post, before there is none")
    passage_step: Metre = constant(0.05, "between the places at which that is tried", "pitch", gt=0)
    overlap: Metre = constant(
        0.008,
        "by which the bent body may overlap a post: joints and reference give way by about as much",
    )
    # posts that are not there
    patience: Second = constant(0.05, "for which a contact that is due need not be detected")
    probe_force: Newton = constant(3.0, "at most, of a contact until it is detected")
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
