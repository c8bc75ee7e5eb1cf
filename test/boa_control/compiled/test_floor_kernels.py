# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kernels of floors, against the laws of friction in numpy."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.compiled.floor import Bodies, Floor, Links, brake, glide
from boa_description.floor import Coefficients, coefficients, ground_force
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


def test_kernels_take_the_coefficients_in_their_order() -> None:
    assert Floor._fields == Coefficients._fields


@pytest.mark.parametrize("name", FLOORS)
def test_the_centre_of_mass_moves_as_the_floor_pushes_the_links(name: str) -> None:
    rng, ground = np.random.default_rng(4), FLOORS[name]
    theta, trust = rng.normal(size=LINKS), rng.uniform(size=LINKS)
    relative, outside = 0.1 * rng.normal(size=(2, LINKS, 2))
    motion = 0.1 * rng.normal(size=4)
    place, velocity = motion[:2].copy(), motion[2:].copy()
    links = Links(np.cos(theta), np.sin(theta), relative, outside, trust)
    floor = coefficients(ground)
    glide(motion, floor, MASS * GRAVITY, links, LINKS * MASS, DT, STEPS)
    for _ in range(STEPS):
        force = ground_force(ground, np.full(LINKS, MASS), velocity + relative, theta)
        pushed = trust @ force + (1.0 - trust) @ outside
        velocity = velocity + DT * pushed / (LINKS * MASS)
        place = place + DT * velocity
    np.testing.assert_allclose(motion, [*place, *velocity], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", FLOORS)
def test_the_floor_pushes_the_bodies_of_the_links_and_no_other(name: str) -> None:
    rng, ground = np.random.default_rng(5), FLOORS[name]
    number, mass = np.array([1, 2, 3, 5]), rng.uniform(0.3, 0.5, 4)
    heading, about = rng.normal(size=4), rng.normal(size=3)
    motion, centre = 0.2 * rng.normal(size=(6, 6)), rng.normal(size=(6, 3))
    motion[:, :2] = 0.0  # bodies turn in the plane
    wrench = np.full((6, 6), 7.0)
    bodies = Bodies(number, mass * GRAVITY, heading, motion, centre, about)
    brake(wrench, coefficients(ground), 0.3, bodies)
    velocity = (motion[:, 3:] + np.cross(motion[:, :3], centre - about))[number, :2]
    expected = np.full((6, 6), 7.0)
    expected[number, :2] = ground_force(ground, mass, velocity, heading)
    expected[number, 5] = -0.3 * motion[number, 2]
    np.testing.assert_allclose(wrench, expected, rtol=1e-12, atol=1e-12)
