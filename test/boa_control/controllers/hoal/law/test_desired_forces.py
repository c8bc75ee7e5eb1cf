# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The balanced on shipped paths: balanced, also where posts stand opposite each other."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.controllers.hoal.law.desired_forces import BalancedForces
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel
from boa_control.model.reference import ReferenceTable
from boa_description.scene import GroundFriction

FORCE, FLOOR, SPEED = 5.0, 2.0, 0.1


@pytest.mark.parametrize("name", ["boa_circle", "boa_straight", "boa_both_sides"])
def test_the_wish_balances_what_the_body_needs_on_its_way(name: str) -> None:
    """With unit pushes of opposite posts opposite too, their net force is what counts."""
    experiment = prepare(load_scenario(name))
    robot, path = experiment.robot, experiment.path
    assert path is not None
    chain = PlanarChain(robot)
    reference = ReferenceTable(path.curve, robot.links, robot.link.pitch)
    model = PathModel(chain, reference, GroundFriction())
    schedule = ContactSchedule(path, reference, robot.link.radius, 0.03)
    balanced = BalancedForces()
    for s in np.linspace(1.0, 2.0, 23):
        state = model.at(float(s))
        contacts = schedule.at(state)
        _, push = contacts.rows(chain, state, 0.0)
        desired, least = contacts.preload(contacts.activation, FORCE, FLOOR)
        carried = state.bias(SPEED, 0.0)[:3]
        forces = balanced.forces(contacts, push, carried, state.mass, desired, least)
        net = np.maximum(forces, 0.0) @ push[:, :3]
        np.testing.assert_allclose(net, carried, atol=0.02)  # N, N m
        if contacts.two_sided:
            other = contacts.redundant
            np.testing.assert_allclose(forces[other], -forces[contacts.partner()[other]])
            assert (contacts.link[other] == contacts.link[contacts.partner()[other]]).all()
        else:
            assert (forces >= least - 0.3).all()
