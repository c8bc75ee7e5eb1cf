# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gravity along a floor that is not level: forces on the links, and what loads them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from boa_control.controllers.hoal.law.gravity import Gravity, along_links, loaded
from boa_control.estimation.link_forces import link_forces
from boa_control.model.path_model import Sideways
from boa_control.plant import ForceSample
from boa_description.scene import GroundFriction
from test.boa_control.controllers.hoal.offset_circle import BOA, CHAIN, MODEL, frame

STATE = MODEL.at(0.35)
GRAVITY = np.array([0.4, -0.3])


def test_the_mass_matrix_has_the_generalised_force_of_gravity() -> None:
    """As the sum of weights at the link centres has it."""
    posture = CHAIN.posture(STATE.q)
    weights = np.tile(BOA.link.mass * GRAVITY, (BOA.links, 1))
    np.testing.assert_allclose(
        CHAIN.mass_matrix(posture)[:, :2] @ GRAVITY, CHAIN.centre_forces(posture, weights)
    )


def test_links_that_fall_freely_are_not_loaded() -> None:
    """Their joints carry nothing, and no post is seen to press."""
    seen = along_links(STATE, GRAVITY)
    falling = frame(STATE.q[3:], np.zeros(BOA.joints), np.column_stack([seen.real, seen.imag]))
    weightless = ForceSample(0, np.zeros((BOA.joints, 3)))
    falling = falling._replace(joint_force=weightless)
    still = Sideways(np.zeros(BOA.links), np.zeros(BOA.links))
    forces = link_forces(loaded(falling, STATE, GRAVITY), CHAIN, still)
    assert forces is not None
    np.testing.assert_allclose([forces.along, forces.across], 0.0, atol=1e-12)


def test_on_a_level_floor_the_frame_stays_as_it_is() -> None:
    level = frame(STATE.q[3:], np.zeros(BOA.joints), np.zeros((BOA.links, 2)))
    assert loaded(level, STATE, np.zeros(2)) is level


@pytest.mark.parametrize(("mu", "seen"), [(0.0, 0.15), (0.01, 0.15), (0.02, 0.0)])
def test_what_the_floor_may_hold_by_friction_weighs_nothing(mu: float, seen: float) -> None:
    """Links on a floor of 0.02 are held by up to 0.2 m/s2, whichever way: a robot that came back to
    posts took that for a tilt of 0.6 deg, and its start was refused.
    """
    floor = GroundFriction(model="anisotropic", mu=mu, mu_normal=0.2)
    gravity = Gravity(BOA, floor, MODEL.reference.curve)
    pressed = SimpleNamespace(along=BOA.link.mass * 0.15 * STATE.along.real)
    still = frame(STATE.q[3:], np.zeros(BOA.joints), np.zeros((BOA.links, 2)))
    for stamp_ns in (0, 10_000_000):
        sample = ForceSample(stamp_ns, np.zeros((BOA.joints, 3)))
        tick: Any = SimpleNamespace(
            frame=still._replace(joint_force=sample), state=STATE, outside=pressed
        )
        gravity.weigh(tick)
    assert abs(gravity.downhill.pull) == pytest.approx(seen)
