# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots and situations that several simulation tests use."""

from __future__ import annotations

import numpy as np
import pytest

from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_description.scene import Circle


@pytest.fixture(scope="session")
def boa3() -> Robot:
    return load_robot("boa3")


@pytest.fixture(scope="session")
def boa13() -> Robot:
    return load_robot("boa13")


class Arch:
    """The thesis's arch: links at +45, 0, -45 degrees between four posts.

    One post at the outer side of each end link, at distance `reach` from its joint; two below the
    middle link. Straightening torques (tau, tau) press on all four: tau / reach on the end links,
    sqrt(2) of that on the middle.
    """

    def __init__(self, robot: Robot, reach: float = 0.1, spread: float = 0.05) -> None:
        self.base = np.array([0.0, 0.0, np.pi / 4])
        self.joints = np.array([-np.pi / 4, -np.pi / 4])
        self.reach = reach
        pitch, stand_off, c = robot.link.pitch, robot.link.radius + 0.05, np.sqrt(0.5)
        first = np.array([pitch * c, pitch * c])
        second = first + np.array([pitch, 0])
        middle = (first + second) / 2
        places = (
            first - reach * np.array([c, c]) + stand_off * np.array([-c, c]),
            middle + np.array([-spread, -stand_off]),
            middle + np.array([spread, -stand_off]),
            second + reach * np.array([c, -c]) + stand_off * np.array([c, c]),
        )
        self.posts = tuple(Circle(x=float(x), y=float(y), radius=0.05) for x, y in places)


@pytest.fixture(scope="session")
def arch(boa3: Robot) -> Arch:
    return Arch(boa3)
