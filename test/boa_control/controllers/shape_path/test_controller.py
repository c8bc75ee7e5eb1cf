# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller shape_path in its scenarios."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.errors import BoaError
from boa_sim.factory import plant_from_experiment


def test_targets_are_no_guide() -> None:
    scenario = load_scenario("wang_free").model_copy(
        update={"controller": load_scenario("scp_line_flat").controller}
    )
    with pytest.raises(BoaError, match=r"shape_path: it follows a guide; add goal: \{kind: line"):
        build_controller(prepare(scenario))


def test_it_turns_towards_the_line_and_says_where_it_is() -> None:
    """The line is 1 m to the right; heading_ref = -atan(1 / 1.9)."""
    at = prepare(load_scenario("scp_line_flat"))
    controller, plant = build_controller(at), plant_from_experiment(at)
    plant.arm()
    for _ in range(400):
        output = controller.step(plant.read())
        plant.write(output.torque)
    assert output.debug["offset_m"] == pytest.approx(1.0, abs=0.05)
    assert output.debug["position_m"][1] == pytest.approx(1.0, abs=0.05)
    sight = -np.arctan(output.debug["offset_m"] / 1.9)
    assert output.debug["heading_rad"] + output.debug["turn_rad"] == pytest.approx(sight)


def test_a_replay_from_the_start_repeats_the_torques() -> None:
    scenario = changed(load_scenario("scp_line_flat"), {"duration": 0.4})
    at = prepare(scenario)
    controller, plant = build_controller(at), plant_from_experiment(at)
    plant.arm()
    frames, torques = [], []
    for _ in range(100):
        frames.append(plant.read())
        torques.append(controller.step(frames[-1]).torque)
        plant.write(torques[-1])
    controller.reset()
    for frame, torque in zip(frames, torques, strict=True):
        np.testing.assert_array_equal(controller.step(frame).torque, torque)
