# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a scenario to its plant: what stands in the robot's place at the start."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment


def chain_along_x(obstacle):
    """Three links from x = 0 to 0.39 m, 0.035 m to either side of the x axis, and one obstacle."""
    data = {
        "name": "beside",
        "summary": "",
        "robot": {"name": "boa13", "links": 3},
        "initial": {"base": [0.0, 0.0, 0.0]},
        "scene": {"obstacles": [obstacle]},
        "controller": {"name": "none"},
        "duration": 1.0,
    }
    return prepare(Scenario.model_validate(data))


def post_beside_the_second_link(overlap: float):
    robot = chain_along_x({"kind": "circle", "x": 9.0, "y": 9.0, "radius": 0.05}).robot
    return {"kind": "circle", "x": 0.195, "y": robot.link.radius + 0.05 - overlap, "radius": 0.05}


def test_a_start_deep_in_an_obstacle_is_refused_with_link_place_and_depth():
    with pytest.raises(
        BoaError,
        match=r"link 2 overlaps the circle at x = 0\.195 m, .* by 30\.0 mm \(at most 20 mm\)",
    ):
        plant_from_experiment(chain_along_x(post_beside_the_second_link(0.03)))


def test_a_start_deep_in_a_post_of_no_map_is_refused_likewise():
    """It was moved aside, joints by up to a radian."""
    free = chain_along_x(post_beside_the_second_link(-1.0)).scenario
    hidden = {"unmapped": {"posts": [post_beside_the_second_link(0.03)]}}
    scenario = Scenario.model_validate(free.model_dump() | {"disturbance": hidden})
    with pytest.raises(BoaError, match=r"link 2 overlaps the circle .* by 30\.0 mm"):
        plant_from_experiment(prepare(scenario))


def test_a_start_that_overlaps_a_little_is_moved_aside():
    plant = plant_from_experiment(chain_along_x(post_beside_the_second_link(0.004)))
    truth = plant.truth()
    plant.close()
    assert np.hypot(truth.base[1], truth.joint_position[0]) > 1e-3


def test_walls_and_boxes_are_named():
    wall = {"kind": "wall", "x1": 0.2, "y1": -1.0, "x2": 0.2, "y2": 1.0}
    with pytest.raises(BoaError, match=r"overlaps the wall at x = 0\.2 m, y = -1 m"):
        plant_from_experiment(chain_along_x(wall))
