# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Perturbed values: within their share, the same again, and each on its own."""

from __future__ import annotations

import numpy as np
import pytest
from sweep_fakes import short

from boa_control.experiments.change import changed
from boa_description.errors import BoaError
from boa_tools.ensembles.perturbation import Perturbation, parse_perturbation, parse_setting

FORCE = "controller.parameters.force"
BASE = changed(short(0.1, "boa_circle"), {FORCE: 8.0})


def factors(share, count=400, key=FORCE):
    one = Perturbation(key, share)
    return np.array([one.value(BASE, seed, member) for seed in range(count) for member in (0, 1)])


def test_values_are_uniform_within_their_share():
    """The deviation of a uniform distribution on [-1, 1] is 1/sqrt(3); of 800 draws its own
    deviation is 1.6 % of it, and that of the mean 0.02.
    """
    moved = (factors(0.01) / 8.0 - 1.0) / 0.01
    assert np.abs(moved).max() <= 1.0 + 1e-9
    assert np.abs(moved).max() > 0.99
    assert moved.std() == pytest.approx(1 / np.sqrt(3), rel=0.05)
    assert abs(moved.mean()) < 0.06
    assert np.unique(moved).size == moved.size


def test_both_values_of_a_switch_meet_the_same_factor():
    one = Perturbation(FORCE, 0.1)
    other = changed(BASE, {FORCE: 4.0})
    assert one.value(BASE, 7, 2) == pytest.approx(2.0 * one.value(other, 7, 2), rel=1e-11)
    speed = Perturbation("controller.parameters.speed", 0.1)
    assert speed.value(BASE, 7, 2) / 0.1 != pytest.approx(one.value(BASE, 7, 2) / 8.0)


def test_every_number_of_a_list_is_moved_on_its_own():
    key = "robot.override.actuator.list"
    scenario = BASE.model_copy(
        update={
            "robot": BASE.robot.model_copy(update={"override": {"actuator": {"list": [0.1] * 12}}})
        }
    )
    values = Perturbation(key, 0.3).value(scenario, 3, 0)
    assert len(set(values)) == 12
    assert all(0.07 <= value <= 0.13 for value in values)
    assert values == Perturbation(key, 0.3).value(scenario, 3, 0)


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ("speed", "did you mean 'controller.parameters.speed'"),
        ("name", "neither a number nor a list of numbers"),
        ("disturbance.unknown_start", "neither a number nor a list of numbers"),
        ("disturbance.obstacle_offset", "a share of 0.0 is nothing; give it another value first"),
        ("disturbance.sensor_delay_ticks", "a whole number has no share"),
        ("evaluation.heading", "has None there"),
    ],
)
def test_what_has_no_share_is_refused(key, complaint):
    with pytest.raises(BoaError, match=complaint):
        Perturbation(key, 0.01).value(BASE, 0, 0)


@pytest.mark.parametrize("text", ["a.b", "a.b=", "=0.1", "a.b=0", "a.b=1.5", "a.b=nan", "a.b=x"])
def test_a_perturbation_is_a_key_and_a_share(text):
    with pytest.raises(BoaError, match="write KEY=SHARE with a share above 0, at most 1"):
        parse_perturbation(text)
    assert parse_perturbation("a.b=0.01") == Perturbation("a.b", 0.01)


def test_a_setting_is_a_key_and_a_value():
    assert parse_setting("a.b=1e-3", "--set") == ("a.b", 0.001)
    assert parse_setting("a.b=[1, 2]", "--set") == ("a.b", [1, 2])
    assert parse_setting("a.b=false", "--set") == ("a.b", False)
    for text in ("a.b", "a.b=", "=1"):
        with pytest.raises(BoaError, match=f"--against {text}: write KEY=VALUE"):
            parse_setting(text, "--against")
