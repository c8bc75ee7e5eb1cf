# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The wanted speed, against the kinematics of uniform acceleration and the chain rule."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from boa_control.controllers.speed_reference import SpeedReference
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.optimisation.speed_profile import SpeedProfile
from boa_description.errors import BoaError

PERIOD = 0.002
WAVES = SpeedProfile(  # v = 0.2 + 0.1 sin(2 pi s) over one period of 1 m, a = v v'
    0.0,
    1e-3,
    0.2 + 0.1 * np.sin(2 * np.pi * np.arange(1000) * 1e-3),
    (0.2 + 0.1 * np.sin(2 * np.pi * (np.arange(1000) + 0.5) * 1e-3))
    * (0.2 * np.pi * np.cos(2 * np.pi * (np.arange(1000) + 0.5) * 1e-3)),
    periodic=True,
)


def travel(reference: SpeedReference, duration: float) -> np.ndarray:
    """Place, speed and acceleration of a robot that does exactly what is wanted, shape (ticks,
    3).
    """
    s, rows = 0.0, []
    for _ in range(round(duration / PERIOD)):
        reference.advance(s)
        s += reference.speed * PERIOD
        rows.append((s, reference.speed, reference.acceleration))
    return np.array(rows)


def test_it_rises_uniformly_to_the_wanted_speed() -> None:
    speed = travel(SpeedReference(0.1, 0.25, PERIOD, math.inf), 1.0)[:, 1]
    np.testing.assert_allclose(
        speed, np.minimum(0.25 * PERIOD * np.arange(1, 501), 0.1), atol=1e-12
    )


def test_it_comes_to_rest_at_the_end_of_the_path() -> None:
    s, speed, acceleration = travel(SpeedReference(0.3, 0.25, PERIOD, 1.0), 12.0).T
    assert s[-1] == pytest.approx(1.0, abs=1e-4)
    assert s.max() <= 1.0
    assert speed[-1] < 1e-3
    assert abs(acceleration[-1]) < 1e-3  # at rest nothing is left of the braking
    braking = slice(int(acceleration.argmin()), None)
    np.testing.assert_allclose(
        np.diff(speed[braking]) / PERIOD, acceleration[braking][1:], atol=1e-3
    )
    assert np.abs(np.diff(speed)).max() <= 0.25 * PERIOD + 1e-12


def test_beyond_the_end_of_the_path_it_asks_for_nothing() -> None:
    reference = SpeedReference(0.3, 0.25, PERIOD, 1.0)
    for _ in range(1000):
        reference.advance(1.001)
    assert (reference.speed, reference.acceleration) == (0.0, 0.0)


def test_along_a_profile_the_acceleration_is_that_of_the_speed() -> None:
    for profile in (WAVES, WAVES.slowed(0.5)):
        _, speed, acceleration = travel(SpeedReference(1.0, 5.0, PERIOD, math.inf, profile), 10.0).T
        settled = slice(200, None)  # the pace has reached 1
        assert speed[settled].max() == pytest.approx(profile.speed.max(), rel=1e-3)
        np.testing.assert_allclose(
            np.diff(speed[settled]) / PERIOD, acceleration[settled][1:], atol=3e-3
        )


def follow(reference: SpeedReference, s: float, duration: float) -> np.ndarray:
    """As `travel`, from s on."""
    rows = []
    for _ in range(round(duration / PERIOD)):
        reference.advance(s)
        s += reference.speed * PERIOD
        rows.append((s, reference.speed, reference.acceleration))
    return np.array(rows)


def test_it_turns_round_with_the_acceleration_and_knows_it() -> None:
    reference = SpeedReference(0.1, 0.25, PERIOD, math.inf)
    follow(reference, 0.0, 1.0)
    for wanted in (-0.1, 0.05, 0.0, -0.05, 0.1):
        before = reference.speed
        reference.steer(wanted)
        _, speed, acceleration = follow(reference, 0.0, 1.0).T
        np.testing.assert_allclose(np.diff([before, *speed]) / PERIOD, acceleration, atol=1e-9)
        assert np.abs(acceleration).max() <= 0.25 + 1e-9
        assert speed[-1] == pytest.approx(wanted, abs=1e-15)
    reference.reset()
    np.testing.assert_array_equal(
        follow(reference, 0.0, 1.0), travel(SpeedReference(0.1, 0.25, PERIOD, math.inf), 1.0)
    )


def test_it_comes_to_rest_at_the_start_of_the_path_too() -> None:
    reference = SpeedReference(0.3, 0.25, PERIOD, 9.0, start=1.0)
    reference.steer(-0.3)
    s, speed, _ = follow(reference, 2.0, 12.0).T
    assert s[-1] == pytest.approx(1.0, abs=1e-4)
    assert s.min() >= 1.0
    assert speed.min() == pytest.approx(-0.3, abs=0.01)
    assert abs(speed[-1]) < 1e-3


def test_from_the_end_of_the_path_it_goes_back() -> None:
    reference = SpeedReference(0.3, 0.25, PERIOD, 1.0)
    end = follow(reference, 0.0, 12.0)[-1, 0]
    reference.steer(-0.1)
    s, speed, _ = follow(reference, end, 2.0).T
    assert np.all(np.diff(s) <= 0)
    assert speed[-1] == pytest.approx(-0.1)


def test_backwards_the_profile_is_that_of_the_way_back() -> None:
    slow = WAVES.slowed(0.5)
    reference = SpeedReference(1.0, 5.0, PERIOD, math.inf, WAVES, backwards=slow)
    reference.steer(-1.0)
    _, speed, acceleration = follow(reference, 0.0, 10.0).T
    settled = slice(200, None)
    assert speed[settled].min() == pytest.approx(-slow.speed.max(), rel=1e-3)
    np.testing.assert_allclose(
        np.diff(speed[settled]) / PERIOD, acceleration[settled][1:], atol=3e-3
    )


def test_a_limit_holds_for_one_tick_and_the_wanted_speed_for_all() -> None:
    reference = SpeedReference(0.2, 10.0, PERIOD, math.inf, WAVES)
    assert travel(reference, 5.0)[:, 1].max() == pytest.approx(0.2)
    reference.advance(0.0, limit=0.05)
    assert (reference.speed, reference.acceleration) == (0.05, 0.0)
    reference.advance(0.0)
    assert reference.speed == pytest.approx(0.2)
    reference.stop()
    assert reference.speed == 0.0


@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        ({"ground": {"model": "viscous", "viscous": 30.0}}, "viscous floor"),
        (
            {"ground": {"model": "coulomb", "mu": 0.1}},
            "no forces within the limits carry the robot",
        ),
        ({"contact": {"friction": 0.5}}, "no forces within the limits carry the robot"),
    ],
)
def test_the_planned_profile_knows_the_friction_of_floor_and_posts(
    scene: dict[str, Any], reason: str
) -> None:
    scenario = load_scenario("boa_fastest").model_dump()
    scenario["scene"] |= scene
    with pytest.raises(BoaError, match=reason):
        build_controller(prepare(Scenario.model_validate(scenario)))
