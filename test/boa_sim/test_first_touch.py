# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""First touches of posts that nobody expected: what docs/first_touch.md says of them."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from boa_description.load import load_robot
from boa_description.scene import ContactModel
from test.script import loaded

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "first_touch.md").read_text(encoding="utf-8")
ROBOT = load_robot("boa13")
# offset in mm, ..., force on the circle at 0.1 m/s, force of a straight body at 0.1 m/s
ROW = re.compile(r"^\| (\d+) \| \d+ \| \d+ \| .* ([\d.]+)(?: N)? \| ([\d.]+)(?: N)? \|$", re.M)


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return loaded(ROOT / "examples" / "first_touch.py")


@pytest.mark.parametrize("offset", [0.0, 0.045, 0.08])
def test_the_page_has_the_force_of_a_straight_body(example: ModuleType, offset: float) -> None:
    told = {float(row[0]) * 1e-3: float(row[2]) for row in ROW.findall(PAGE)}
    motion = example.straight(ROBOT)
    touch = example.first_touch(ROBOT, ContactModel(), motion, 0.1, offset)
    assert touch.joint == pytest.approx(told[offset], abs=0.06)


def test_the_contact_is_a_damper(example: ModuleType) -> None:
    """The force is proportional to the speed, and smaller with the cosine of the angle at least."""
    motion, contact = example.straight(ROBOT), ContactModel()
    slow, fast = (example.first_touch(ROBOT, contact, motion, v, 0.0) for v in (0.02, 0.1))
    assert fast.joint == pytest.approx(5 * slow.joint, rel=0.01)
    aside = example.first_touch(ROBOT, contact, motion, 0.1, 0.045)
    assert 0.0 < aside.joint < fast.joint * np.cos(np.arcsin(0.045 / 0.09))


def test_a_bent_body_gives_way(example: ModuleType) -> None:
    """The page has 1.6 N per mm/s for a straight body and 1.1 for the worst place on the circle."""
    contact = ContactModel()
    straight = example.first_touch(ROBOT, contact, example.straight(ROBOT), 0.1, 0.0)
    bent = example.first_touch(ROBOT, contact, example.on_circle(ROBOT)[0], 0.1, 0.0)
    assert bent.joint < 0.7 * straight.joint


def test_posts_beside_the_path_are_met_at_all_angles(example: ModuleType) -> None:
    """Head-on in bends, at the flank elsewhere; the nose closes no faster than it can move."""
    from boa_control.experiments.experiment import prepare
    from boa_control.experiments.library import load_scenario

    closing, angle = example.encounters(
        prepare(load_scenario("boa_unmapped_post")), range(1000, 1040)
    )
    assert len(closing) >= 35, "of 40; the others stand before the first place"
    assert closing.min() > 0.0
    assert closing.max() < 1.5
    assert angle.min() < np.radians(30.0) < np.radians(60.0) < angle.max()
