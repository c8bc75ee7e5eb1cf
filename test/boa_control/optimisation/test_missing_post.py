# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether forces of the other posts balance where one of a path does not stand."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_control.optimisation.balance import attainable_share
from boa_description.scene import GroundFriction

STEP = 0.05  # m
LEAST = 0.5  # share of the preload, below which `hoal` counts a body as not held


def without(name: str, post: int) -> tuple[float, float]:
    """Lengths of path on which the post would touch the body, and on which the others do not hold
    it, m.
    """
    experiment = prepare(load_scenario(name))
    robot, path = experiment.robot, experiment.path
    assert path is not None
    chain = PlanarChain(robot)
    reference = ReferenceTable(path.curve, robot.links, robot.link.pitch)
    model = PathModel(chain, reference, GroundFriction())
    schedule = ContactSchedule(path, reference, robot.link.radius, 0.03)
    touched = lost = 0
    half = robot.links * robot.link.pitch / 2
    for s in path.contacts[post].s + np.arange(-half, half, STEP):
        state = model.at(float(s))
        contacts = schedule.at(state)
        others = contacts.contact != post
        if others.all():
            continue
        touched += 1
        gap, _ = contacts.rows(chain, state, 0.0)
        share = attainable_share(gap[others], contacts.activation[others])
        lost += share < LEAST
    return touched * STEP, lost * STEP


@pytest.mark.parametrize("post", [4, 5])
def test_a_post_of_every_four_is_needed_over_a_metre(post: int) -> None:
    touched, lost = without("boa_circle", post)
    assert touched == pytest.approx(1.65, abs=0.06)
    assert lost == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("post", [4, 5])
def test_with_posts_on_both_sides_none_is_needed(post: int) -> None:
    touched, lost = without("boa_both_sides", post)
    assert touched > 1.5
    assert lost == 0.0
