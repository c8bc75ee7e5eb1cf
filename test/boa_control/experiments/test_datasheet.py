# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same scenario with the sensors and servos of the data sheets."""

from __future__ import annotations

import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.datasheet import PLANNED_GAINS, with_datasheet
from boa_control.experiments.library import load_scenario
from boa_description.errors import BoaError


def test_boa_circle_becomes_boa_datasheet() -> None:
    """`boa_datasheet` was written by hand; only its label and its end are its own."""
    made, shipped = with_datasheet(load_scenario("boa_circle")), load_scenario("boa_datasheet")
    assert made.plant == shipped.plant
    assert made.controller == shipped.controller
    assert made.scene == shipped.scene


def test_what_the_scenario_says_of_single_effects_stays() -> None:
    data = load_scenario("boa_circle").model_dump(mode="json", exclude_unset=True)
    data["plant"] = {"effects": {"force_noise": False}}
    made = with_datasheet(type(load_scenario("boa_circle")).model_validate(data))
    assert not made.plant.effects.on("force_noise")
    assert made.plant.effects.on("imu_noise")


def test_a_controller_without_gains_of_the_shape_keeps_its_parameters() -> None:
    before = load_scenario("scp_boa_field")
    made = with_datasheet(before)
    assert made.controller == before.controller
    assert made.plant.effects.fidelity == "datasheet"


def test_planned_paths_get_gains_for_noise() -> None:
    before = load_scenario("boa_random_field")
    made = with_datasheet(before)
    given = made.controller.parameters
    assert given == {**before.controller.parameters, **PLANNED_GAINS}
    assert with_datasheet(made) == made
    exact = load_scenario("boa_datasheet").controller.parameters
    assert exact["stiffness"] == PLANNED_GAINS["stiffness"]
    assert exact["damping"] == PLANNED_GAINS["damping"]


def test_a_stretch_on_a_planned_path_gets_them_too() -> None:
    """Undulation has no such gains."""
    planned = load_scenario("boa_random_field")
    path = planned.path.model_dump(exclude_unset=True)  # type: ignore[union-attr]
    held = {"controller": "hoal", "parameters": planned.controller.parameters, "path": path}
    goal = {"kind": "targets", "points": [[4.0, 1.0]]}
    swum = {"controller": "undulation", "goal": goal}
    choice = {"name": "stretches", "parameters": {"stretches": [held, swum]}}
    after = with_datasheet(changed(planned, {"controller": choice}))
    one, other = after.controller.parameters["stretches"]
    assert one["parameters"] == {**planned.controller.parameters, **PLANNED_GAINS}
    assert other.get("parameters", {}) == {}
    assert after.plant.control_rate == 200.0


def test_gains_that_a_planned_scenario_tells_stay() -> None:
    scenario = load_scenario("boa_random_field")
    told = {**scenario.controller.parameters, "stiffness": 300.0}
    choice = scenario.controller.model_copy(update={"parameters": told})
    made = with_datasheet(scenario.model_copy(update={"controller": choice}))
    assert made.controller.parameters["stiffness"] == 300.0
    assert made.controller.parameters["damping"] == PLANNED_GAINS["damping"]


def test_a_physics_step_that_does_not_suit_200_hz_is_refused() -> None:
    scenario = load_scenario("boa_circle")
    plant = scenario.plant.model_copy(update={"physics_step": 0.002, "control_rate": 250.0})
    with pytest.raises(BoaError, match=r"control_rate|physics_step"):
        with_datasheet(scenario.model_copy(update={"plant": plant}))
