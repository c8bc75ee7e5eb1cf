# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kernel of dead reckoning, against the laws of friction in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.compiled import reckoning
from boa_control.estimation.dead_reckoning import floor_numbers
from boa_description.floor import ground_force
from boa_description.scene import GRAVITY, GroundFriction

FLOORS = {
    "none": GroundFriction(),
    "coulomb": GroundFriction(model="coulomb", mu=0.3, slip_speed=0.2),
    "viscous": GroundFriction(model="viscous", viscous=2.0),
    "anisotropic": GroundFriction(model="anisotropic", mu=0.1, mu_normal=0.5),
    "mixed": GroundFriction(model="mixed", mu=0.1, viscous=0.4, viscous_normal=3.0),
    "components": GroundFriction(model="components", mu=0.1, mu_normal=0.6, viscous=0.4),
}
LINKS, MASS, DT, STEPS = 5, 0.4, 0.001, 7


@pytest.mark.parametrize("name", FLOORS)
def test_the_centre_of_mass_moves_as_the_floor_pushes_the_links(name: str) -> None:
    rng, ground = np.random.default_rng(4), FLOORS[name]
    theta, trust = rng.normal(size=LINKS), rng.uniform(size=LINKS)
    relative, outside = 0.1 * rng.normal(size=(2, LINKS, 2))
    motion = 0.1 * rng.normal(size=4)
    place, velocity = motion[:2].copy(), motion[2:].copy()
    links = reckoning.Links(np.cos(theta), np.sin(theta), relative, outside, trust)
    floor = floor_numbers(ground, MASS * GRAVITY)
    reckoning.glide(motion, floor, links, LINKS * MASS, DT, STEPS)
    for _ in range(STEPS):
        force = ground_force(ground, np.full(LINKS, MASS), velocity + relative, theta)
        velocity = velocity + DT * (trust @ (force - outside)) / (LINKS * MASS)
        place = place + DT * velocity
    np.testing.assert_allclose(motion, [*place, *velocity], rtol=1e-12, atol=1e-12)
