"""Ground friction as a pure function."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_description.arrays import Array
from boa_description.scene import GRAVITY, GroundFriction
from boa_sim.ground_friction import ground_force

MASS = np.array([1.0, 2.0])
velocities = arrays(np.float64, (2, 2), elements=st.floats(-2, 2))
headings = arrays(np.float64, 2, elements=st.floats(-4, 4))
grounds = st.sampled_from(
    [
        GroundFriction(model="coulomb", mu=0.3),
        GroundFriction(model="viscous", viscous=2.0),
        GroundFriction(model="anisotropic", mu=0.1, mu_normal=0.5),
    ]
)


@given(ground=grounds, velocity=velocities, heading=headings)
def test_friction_never_drives(ground: GroundFriction, velocity: Array, heading: Array) -> None:
    force = ground_force(ground, MASS, velocity, heading)
    assert (np.sum(force * velocity, axis=1) <= 1e-12).all()


@given(ground=grounds, velocity=velocities, heading=headings, turn=st.floats(-4, 4))
def test_friction_turns_with_the_robot(
    ground: GroundFriction, velocity: Array, heading: Array, turn: float
) -> None:
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    turned = ground_force(ground, MASS, velocity @ rotation.T, heading + turn)
    assert turned == pytest.approx(
        ground_force(ground, MASS, velocity, heading) @ rotation.T, abs=1e-9
    )


@given(velocity=velocities, heading=headings)
def test_anisotropic_with_equal_coefficients_is_coulomb(velocity: Array, heading: Array) -> None:
    coulomb = ground_force(GroundFriction(model="coulomb", mu=0.2), MASS, velocity, heading)
    both = ground_force(
        GroundFriction(model="anisotropic", mu=0.2, mu_normal=0.2), MASS, velocity, heading
    )
    assert both == pytest.approx(coulomb, abs=1e-12)


def test_coulomb_above_and_below_the_slip_speed() -> None:
    ground = GroundFriction(model="coulomb", mu=0.3, slip_speed=0.01)
    force = ground_force(ground, MASS, np.array([[0.02, 0.0], [0.0, -0.005]]), np.zeros(2))
    assert force == pytest.approx(
        np.array([[-0.3 * GRAVITY, 0.0], [0.0, 0.5 * 0.3 * 2.0 * GRAVITY]])
    )


def test_none_is_nothing() -> None:
    assert not ground_force(GroundFriction(), MASS, np.ones((2, 2)), np.zeros(2)).any()
