# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the controller counts with where nobody knows how much posts and floor rub."""

from __future__ import annotations

from boa_control.controllers.hoal.parameters import FrictionSettings
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.scene import GroundFriction


def test_it_begins_with_other_frictions_than_it_is_told():
    told = briefing(prepare(load_scenario("boa_rough_field")))
    assert (told.contact_friction, told.ground.coefficient) == (0.0, 0.0)
    begins = FrictionSettings(posts=0.2, floor=0.03).assumed(told)
    assert begins.contact_friction == 0.2
    assert begins.ground == GroundFriction(model="coulomb", mu=0.03)


def test_what_is_not_given_is_as_told():
    told = briefing(prepare(load_scenario("boa_rough_field")))
    assert FrictionSettings().assumed(told) is told
    begins = FrictionSettings(posts=0.2).assumed(told)
    assert begins.ground is told.ground
