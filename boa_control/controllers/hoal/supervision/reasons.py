# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why the contact model is trusted more or less: a reason with its numbers, and how it is told."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

import numpy as np

from boa_control.events import Event, EventKind, Place
from boa_control.paths.path import NO_NAMES


class Reason(Enum):
    """The reasons, each with its sentence; the words in braces are fields of `Finding`."""

    # signals outside a band
    TOO_FAST = "{value:.2f} m/s too fast"
    OFF_SHAPE = "shape {degrees:.1f} deg off"
    JOINT_RATE = "a joint {value:.2f} rad/s off"
    JOINT_FORCE = "joint force {value:.0f} N"
    # posts that are measured
    FEW_MEASURED = "{value} of {of} posts measured"
    FEW_FOR_LONG = "{value} of {of} planned posts measured"
    UNBALANCED = "{value} of {of} planned posts measured, too few hold the robot"
    FEW_AT_START = "{value} of {of} planned posts measured at the start"
    NOT_AMONG_THEM = "not {posts}"
    MISSING_AT_START = "{value} planned posts not measured at the start"
    # posts that are not there, on no map, or elsewhere
    TOO_FEW_HOLD = "without post {posts} too few hold the robot"
    WITHOUT_POSTS = "without post {posts}"
    UNEXPECTED_CONTACT = "unexpected contact on link {link}"
    NO_WAY_PAST = "an unexpected contact that tells no way past it"
    MISLED = "{words}"
    MET_BY_TIP = "post {posts} met by the tip"
    # how the robot gets on
    NO_WAY_MADE = "no way made in {value:.0f} s"
    JOINTS_STICK = "{joints} stuck at {value:.1f} N m"
    SLIPS_BACK = (
        "slips back, {value:.2f} m by now: its posts do not hold it; plan a path with more of "
        "them, or tell it its gearboxes (--identified)"
    )
    NOT_STILL = "does not stand still"
    AS_PLANNED = "as planned again"
    GOES_BACK = "goes back"
    GOES_ON = "goes on"
    TAKES_HOLD = "takes hold of its posts anew"


class Finding(NamedTuple):
    """A reason with what was measured.

    Attributes:
        value: in SI units, or how many. of: how many there should be.
        posts: concerned, numbers of the map. joints: concerned, from 1. link: from 1; side: of it.
        words: of the map, which judged. further: what was also found.
    """

    reason: Reason
    value: float | None = None
    of: int | None = None
    posts: tuple[int, ...] = ()
    link: int | None = None
    side: str | None = None
    words: str = ""
    further: Finding | None = None
    joints: tuple[int, ...] = ()


def joint_names(joints: tuple[int, ...]) -> str:
    """Joints as people list them: "joint 4", "joints 4, 5 and 9"."""
    *others, last = map(str, joints) if joints else ("",)
    return f"joints {', '.join(others)} and {last}" if others else f"joint {last}"


def sentence(finding: Finding, names: Mapping[int, str] = NO_NAMES) -> str:
    """The finding as people read it, with all that was also found; `names` of posts by number."""
    fields = finding._asdict()
    fields["posts"] = ", ".join(names.get(post, str(post)) for post in finding.posts)
    fields["joints"] = joint_names(finding.joints)
    fields["degrees"] = np.degrees(finding.value or 0.0)
    told = finding.reason.value.format(**fields)
    return told if finding.further is None else f"{told}, {sentence(finding.further, names)}"


def entered(
    state: str, finding: Finding, place: Place, names: Mapping[int, str] = NO_NAMES
) -> Event:
    """The event of a state that is entered for what was found, at a point of the path, m."""
    return Event(
        kind=EventKind.SUPERVISION,
        state=state,
        reason=finding.reason.name.lower(),
        place=place,
        post=finding.posts[0] if len(finding.posts) == 1 else None,
        link=finding.link,
        value=finding.value,
        note=sentence(finding, names),
    )
