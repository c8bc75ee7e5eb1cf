# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ground friction as a pure function."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.floor import (
    check_step,
    ground_force,
    ground_torque,
    require_one_coefficient,
)
from boa_description.load import load_robot
from boa_description.scene import GRAVITY, GroundFriction

MASS = np.array([1.0, 2.0])
velocities = arrays(np.float64, (2, 2), elements=st.floats(-2, 2))
headings = arrays(np.float64, 2, elements=st.floats(-4, 4))
grounds = st.sampled_from(
    [
        GroundFriction(model="coulomb", mu=0.3),
        GroundFriction(model="viscous", viscous=2.0),
        GroundFriction(model="anisotropic", mu=0.1, mu_normal=0.5),
        GroundFriction(model="mixed", mu=0.1, mu_normal=0.5, viscous=0.5, viscous_normal=3.0),
        GroundFriction(model="components", mu=0.1, mu_normal=0.5, viscous=2.0, viscous_normal=1.0),
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


@given(velocity=velocities, heading=headings)
def test_mixed_is_the_sum_of_its_parts(velocity: Array, heading: Array) -> None:
    """R diag(c_t, c_n) R' v of Wang's eq. 7, by hand, beside the anisotropic Coulomb law."""
    dry = GroundFriction(model="anisotropic", mu=0.1, mu_normal=0.4)
    both = GroundFriction(model="mixed", mu=0.1, mu_normal=0.4, viscous=0.5, viscous_normal=3.0)
    expected = ground_force(dry, MASS, velocity, heading)
    for i, (v, angle) in enumerate(zip(velocity, heading, strict=True)):
        R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        expected[i] -= R @ np.diag([0.5, 3.0]) @ R.T @ v
    assert ground_force(both, MASS, velocity, heading) == pytest.approx(expected, abs=1e-12)


def test_components_do_not_know_of_each_other() -> None:
    """Each component alone, at full Coulomb friction although they are unlike: the vector law would
    give the smaller one less.
    """
    ground = GroundFriction(
        model="components", mu=0.2, mu_normal=0.3, viscous=1.0, viscous_normal=2.0
    )
    force = ground_force(ground, MASS, np.array([[1.0, -0.1], [-0.1, 1.0]]), np.zeros(2))
    assert force[0] == pytest.approx([-0.2 * GRAVITY - 1.0, 0.3 * GRAVITY + 0.2])
    assert force[1] == pytest.approx([0.2 * 2 * GRAVITY + 0.1, -0.3 * 2 * GRAVITY - 2.0])


def test_torque_is_that_of_a_rod_rubbing_all_along() -> None:
    """The integral of -c/l (x theta')(x) over the rod, with c across the whole rod."""
    ground = GroundFriction(model="mixed", viscous_normal=3.0)
    x = (np.arange(20_000) + 0.5) / 20_000 * 0.14 - 0.07
    integral = -3.0 / 0.14 * np.sum(x * x * 2.0) * 0.14 / 20_000
    assert ground_torque(ground, 0.14, np.array([2.0])) == pytest.approx([integral], rel=1e-6)
    assert not ground_torque(GroundFriction(model="viscous", viscous=2.0), 0.14, np.ones(2)).any()


def test_all_parts_are_scaled_together() -> None:
    ground = GroundFriction(model="mixed", mu=0.1, mu_normal=0.4, viscous=0.5, viscous_normal=3.0)
    velocity, heading = np.array([[0.3, 0.1], [0.0, -0.2]]), np.array([0.2, 1.0])
    assert ground_force(ground.scaled(1.5), MASS, velocity, heading) == pytest.approx(
        1.5 * ground_force(ground, MASS, velocity, heading)
    )


@pytest.mark.parametrize("model", ["mixed", "components"])
def test_who_follows_a_path_refuses_floors_without_one_coefficient(model: str) -> None:
    ground = GroundFriction.model_validate({"model": model, "viscous_normal": 1.0})
    with pytest.raises(BoaError, match=rf"hoal knows floors with one coefficient.*{model}.*take"):
        require_one_coefficient(ground, "hoal")
    require_one_coefficient(GroundFriction(model="anisotropic", mu=0.1), "hoal")


def test_a_step_too_long_names_the_key_to_change() -> None:
    link = load_robot("boa13").link
    steep = GroundFriction(model="mixed", viscous=1.0, viscous_normal=5000.0)
    with pytest.raises(BoaError, match=r"lower scene.ground.viscous_normal or lower plant"):
        check_step(steep, link, 0.001)
    with pytest.raises(BoaError, match=r"raise scene.ground.slip_speed"):
        check_step(GroundFriction(model="components", mu=2.0, slip_speed=0.001), link, 0.001)


def test_none_is_nothing() -> None:
    assert not ground_force(GroundFriction(), MASS, np.ones((2, 2)), np.zeros(2)).any()
