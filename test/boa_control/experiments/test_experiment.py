# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Valid scenarios, and those that are refused before anything runs."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError

CIRCLE = {
    "kind": "circle",
    "radius": 1.15,
    "segments": 24,
    "attack_angle": 0.5236,
    "half_line": 0.13,
}
SHORT = {"kind": "waypoints", "minimum_radius": 0.2, "points": [[0, 0], [0.3, 0.1], [0.55, 0]]}


def scenario(**changes) -> Scenario:
    data = {
        "name": "asked",
        "summary": "",
        "path": CIRCLE,
        "controller": {"name": "hoal"},
        "duration": 1.0,
    }
    return Scenario.model_validate(data | changes)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"duration": 0.0001}, r"duration 0\.0001 s is less than one control period \(0\.002 s\)"),
        (
            {"path": SHORT},
            r"the path is 0\.59\d m long, robot boa13 1\.690 m; make the path longer",
        ),
        (
            {"path": SHORT | {"points": [[0, 0], [2, 0.5], [4, 0]]}, "initial": {"progress": 9.0}},
            "outside the path",
        ),
        ({"initial": {"roll": 0.3}}, r"initial\.roll 0\.3 rad is for robots that leave the plane"),
        (
            {"path": None, "initial": {"base": [0, 0, 0], "joints": [0, 2.0, *10 * [0]]}},
            r"initial\.joints puts joint_02 at 2 rad.* stops at -1\.5708 and 1\.5708 rad",
        ),
        (
            {
                "path": None,
                "robot": {"name": "cobra12"},
                "initial": {"base": [0, 0, 0]},
                "disturbance": {"initial_head_error": 0.01},
            },
            r"disturbance\.initial_head_error works in the plane",
        ),
    ],
)
def test_what_cannot_be_is_refused(changes, says):
    with pytest.raises(BoaError, match=says):
        prepare(scenario(**changes))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"scene": {"ground": {"mu": 0.5}}},
            "mu = 0.5 has no effect with model: none; write model: coulomb",
        ),
        (
            {"scene": {"ground": {"model": "coulomb", "viscous": 3}}},
            "viscous = 3 has no effect with model: coulomb",
        ),
        (
            {"scene": {"ground": {"model": "coulomb", "mu": 0.1, "mu_normal": 0.2}}},
            "write model: anisotropic",
        ),
        ({"evaluation": {"closure": "contacts"}}, "required_contacts"),
        ({"evaluation": {"required_contacts": 3}}, "closure: contacts"),
        ({"disturbance": {"obstacle_offset": 5}}, "less than or equal to 0.5"),  # 5 mm were meant
        ({"path": CIRCLE | {"radius": 1150}}, "less than or equal to 100"),
    ],
)
def test_what_would_be_ignored_or_is_in_another_unit_is_refused(changes, says):
    with pytest.raises(ValidationError, match=says):
        scenario(**changes)


@pytest.mark.parametrize(
    "ground",
    [
        {},
        {"model": "coulomb", "mu": 0.0},
        {"model": "viscous", "viscous": 3.0},
        {"model": "anisotropic", "mu_normal": 0.2},
    ],
)
def test_floors_that_mean_something_are_taken(ground):
    assert scenario(scene={"ground": ground}).scene.ground.model == ground.get("model", "none")
