# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wrong wirings of an emulated robot of six joints, and which step of commissioning says what of
each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from boa_tools.commission.step import Finding, Step, Verdict
from boa_tools.commission.steps.buses import Buses
from boa_tools.commission.steps.forces import Forces
from boa_tools.commission.steps.imus import Imus
from boa_tools.commission.steps.joints import Joints
from boa_tools.commission.steps.straight import Straight
from boa_tools.commission.steps.torques import Torques

LINKS = 7  # enough that what is wrong at one robot are joints apart from each other
WRONG, CORRECTED = Verdict.WRONG, Verdict.CORRECTED
EXCHANGED_BOARDS = {"boards": [{"link": 3, "id": 4}, {"link": 4, "id": 3}]}
EXCHANGED_LEADS = {"forces": [{"joint": 3, "read_at": 4}, {"joint": 4, "read_at": 3}]}
ALL_DOWN = {"imus": [{"link": link, "upside_down": True} for link in range(1, LINKS + 1)]}
EXCHANGED_SERVOS = {"servos": [{"joint": 1, "id": 2}, {"joint": 2, "id": 1}]}


class Wired(NamedTuple):
    """One wrong wiring.

    Attributes:
        words: for the table of the manual. wiring: as a file for `boa emulate`.
        step: meets it. verdict, subject, text: of what it must say; of the text a part.
    """

    words: str
    wiring: Mapping[str, Any]
    step: Step
    verdict: Verdict
    subject: str
    text: str


def servo(**how: Any) -> dict[str, Any]:
    """A robot with one wrong servo."""
    return {"servos": [how]}


def imu(**how: Any) -> dict[str, Any]:
    """A robot with one wrong IMU."""
    return {"imus": [how]}


def force(**how: Any) -> dict[str, Any]:
    """A robot with one wrong force sensor."""
    return {"forces": [how]}


# those of a row are tried at one robot: what is wrong hides what is corrected, else none another
AT_ONE_ROBOT: tuple[tuple[Wired, ...], ...] = (
    (
        Wired(
            "servo of joint 5 has ID 6, too",
            servo(joint=5, id=6),
            *(Buses(), WRONG, "servo 6", "several servos share this ID"),
        ),
    ),
    (
        Wired(
            "servo of joint 5 has ID 40",
            servo(joint=5, id=40),
            *(Buses(), WRONG, "servo 5", "no reply"),
        ),
    ),
    (
        Wired(
            "IMU of link 4 upside down",
            imu(link=4, upside_down=True),
            *(Imus(), WRONG, "link 4", "upside down"),
        ),
    ),
    (Wired("all IMUs upside down", ALL_DOWN, Imus(), WRONG, "all IMUs", "clockwise"),),
    (
        Wired(
            "IMU of link 6 twisted",
            imu(link=6, mounted=math.pi / 2),
            *(Imus(), WRONG, "link 6", "turned by 90 deg"),
        ),
    ),
    (
        Wired(
            "boards of links 3 and 4 exchanged",
            EXCHANGED_BOARDS,
            *(Joints(), WRONG, "link 3", "sits in link 4"),
        ),
    ),
    (
        Wired(
            "servo of joint 5 reversed",
            servo(joint=5, reversed=True),
            *(Joints(), CORRECTED, "servo 5", "counts down"),
        ),
        Wired(
            "IDs 1 and 2 exchanged",
            EXCHANGED_SERVOS,
            *(Joints(), CORRECTED, "servo 1", "moves joint 2"),
        ),
    ),
    (
        Wired(
            "horn of joint 3 off by 10 degrees",
            servo(joint=3, turned=math.radians(10)),
            *(Straight(), CORRECTED, "joint 3", "its zero was off by +10.0 deg"),
        ),
    ),
    (
        Wired(
            "horn of joint 2 off by 115 degrees",
            servo(joint=2, turned=2.0),
            *(Straight(), WRONG, "joint 2", "wraps"),
        ),
        Wired(
            "horn of joint 5 off by 180 degrees",
            servo(joint=5, turned=math.pi),
            *(Straight(), WRONG, "joint 5", "wraps"),
        ),
    ),
    (
        Wired(
            "leads of the force sensor of joint 5 swapped, its zero moved",
            force(joint=5, scale=-1.0, zero=(4.0, -3.0)),
            *(Forces(), CORRECTED, "joint 5", "shows -1.00 (x) and -1.00 (y)"),
        ),
        Wired(
            "force sensor of joint 2 shows half of the force",
            force(joint=2, scale=0.5),
            *(Forces(), CORRECTED, "joint 2", "shows +0.50 (x) and +0.50 (y)"),
        ),
    ),
    (
        Wired(
            "force sensors of joints 3 and 4 exchanged",
            EXCHANGED_LEADS,
            *(Forces(), WRONG, "joint 3", "is read as that of joint 4"),
        ),
        Wired(
            "force sensor of joint 6 without a bridge",
            force(joint=6, scale=0.0),
            *(Forces(), WRONG, "joint 6", "no force sensor answers"),
        ),
    ),
    (
        Wired(
            "motor of joint 4 against its encoder",
            servo(joint=4, motor_reversed=True),
            *(Torques(), WRONG, "servo 4", "against"),
        ),
    ),
)
WIRINGS = tuple(wired for row in AT_ONE_ROBOT for wired in row)


def together(wirings: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several wirings of one robot."""
    parts = dict.fromkeys(part for wiring in wirings for part in wiring)
    return {part: [one for wiring in wirings for one in wiring.get(part, [])] for part in parts}


def table(found: Sequence[tuple[Wired, Finding]]) -> list[str]:
    """What was said of each, as lines of Markdown."""
    rows = [
        f"| {wired.words} | `{wired.step.name}` | {one.verdict.value}: {one.subject}: {one.text} |"
        for wired, one in found
    ]
    return ["| wired wrongly | step | what it says |", "|---|---|---|", *rows]
