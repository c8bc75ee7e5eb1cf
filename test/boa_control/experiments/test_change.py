# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenarios with other values at single keys."""

from __future__ import annotations

import pytest

from boa_control.experiments.change import changed, known_keys, unit_of_key
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError

CIRCLE = load_scenario("boa_circle")


def test_values_are_put_at_their_keys_and_the_scenario_stays_as_it_is():
    before = CIRCLE.model_dump()
    result = changed(
        CIRCLE,
        {
            "disturbance.obstacle_offset": 0.01,
            "controller.parameters.speed": 0.05,
            "robot.override.actuator.armature": 0.007,
            "duration": 3,
        },
    )
    assert result.disturbance.obstacle_offset == 0.01
    assert result.controller.parameters["speed"] == 0.05
    assert result.robot.override == {"actuator": {"armature": 0.007}}
    assert result.duration == 3.0
    assert CIRCLE.model_dump() == before
    assert result.path == CIRCLE.path


def test_entries_of_lists_are_counted():
    post = {"kind": "circle", "x": 1.0, "y": 1.0, "radius": 0.05}
    scenario = changed(CIRCLE, {"scene.obstacles": [post, post | {"x": 2.0}]})
    moved = changed(scenario, {"scene.obstacles.1.x": 3.0})
    assert [obstacle.x for obstacle in moved.scene.obstacles] == [1.0, 3.0]
    with pytest.raises(BoaError, match="there are 2 entries, counted from 0; '2' is none of them"):
        changed(scenario, {"scene.obstacles.2.x": 3.0})


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        (
            "plant.disturbance.obstacle_offset",
            0.01,
            "has no key 'plant.disturbance.obstacle_offset'; did you mean "
            "'disturbance.obstacle_offset'",
        ),
        ("speed", 0.1, "did you mean 'controller.parameters.speed'"),
        ("disturbance.obstacle_ofset", 0.01, "did you mean 'disturbance.obstacle_offset'"),
        ("controller.parameters.sped", 0.1, "unknown key 'sped'; did you mean 'speed'"),
        ("nothing_like_it", 1, "unknown key 'nothing_like_it'"),
        ("disturbance.obstacle_offset", 0.9, "less than or equal to 0.5 m"),
        ("disturbance.obstacle_offset", "x", "a plain number in m is needed"),
        ("duration.x", 1, "duration is the value 186.0, not a block with keys"),
        ("controller..speed", 1, "is not a key; write its place with dots"),
        ("", 1, "is not a key"),
        ("summary", "x", "only labels a scenario"),
        ("plant.control_rate", 333, "whole number of physics steps.* physics_step: 0.00075075075"),
        ("plant.control_rate", 2000, "choose another control_rate, or physics_step: 0.0005"),
    ],
)
def test_wrong_keys_and_values_are_refused_with_what_would_be_right(key, value, complaint):
    with pytest.raises(BoaError, match=complaint.replace("(", r"\(")) as error:
        changed(CIRCLE, {key: value})
    assert "\n" not in str(error.value)


def test_known_keys_are_those_of_the_scenario_and_of_its_controller():
    known = known_keys(CIRCLE)
    assert set(Scenario.model_fields) <= set(known)
    assert {"controller.parameters.speed", "plant.effects.fidelity", "path.radius"} <= set(known)


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("disturbance.obstacle_offset", "m"),
        ("duration", "s"),
        ("controller.parameters.force", "N"),
        ("plant.engine", None),
        ("robot.override.actuator.armature", None),
    ],
)
def test_units_are_those_of_the_fields(key, unit):
    assert unit_of_key(CIRCLE, key) == unit
