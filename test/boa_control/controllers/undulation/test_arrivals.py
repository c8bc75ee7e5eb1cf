# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Short runs to near targets and along the first metres of a guide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment

pytestmark = pytest.mark.closed_loop


PLANT = {"plant.control_rate": 200.0, "plant.physics_step": 0.0025}


def run(name: str, seed: int = 1, **changes: Any) -> Analysis:
    """At the rate of a robot, with steps that a floor of viscous friction bears."""
    scenario = changed(
        load_scenario(name),
        PLANT | {key.replace("__", "."): value for key, value in changes.items()},
    )
    experiment = prepare(scenario)
    return Analysis(run_experiment(experiment, seed).log, experiment)


def test_a_target_is_reached_at_the_speed_of_the_free_floor() -> None:
    """0.5 m at 0.0975 m/s take 5.1 s; the robot needs 2.6 s more to set itself in motion."""
    after = run("wang_free", goal__points=[[0.6, 0.0]], duration=12)
    assert after.free is not None and after.free.done
    assert after.free.reached == pytest.approx([7.75], rel=0.03)


def test_dead_reckoning_arrives_on_a_floor_that_is_rougher_than_told() -> None:
    after = run("boa_targets_no_tracker", goal__points=[[1.0, 0.0]], duration=9)
    assert after.free is not None and after.free.done  # within 0.12 m, by the truth
    believed = after.log.debug["position_m"][after.free.tick]
    error = np.hypot(*(believed - after.free.centre).T)
    assert 1e-4 < error.max() < 0.08  # most of it while the robot speeds up


def test_sensors_and_tracker_of_data_sheets_lead_to_a_target_beside_the_start() -> None:
    """A second target keeps the run from ending as soon as the first is truly reached, before the
    controller believes it.
    """
    after = run("boa_targets_datasheet", goal__points=[[1.0, 0.3], [2.0, 0.3]], duration=7)
    assert after.free is not None and len(after.free.reached) == 1
    values = metrics(after)
    assert values["gate_trips"] == 0 and values["extra"]["target_miss_max_m"] < 0.11


def test_the_first_metres_of_the_figure_eight_are_kept_at_full_pace() -> None:
    """With steering that turns faster than it can answer the offset swings, and the torques of
    turns slow the wave down.
    """
    after = run("boa_figure_eight", duration=10)
    assert after.free is not None
    late = after.free.time > 5
    assert np.abs(after.free.offset[late]).max() < 0.06
    assert after.log.debug["pace"].min() > 0.99


def test_the_head_meets_a_peg_that_stands_in_its_way_gently() -> None:
    """Straight on, after 28 s: 8 N in the joints. With a wave that does not taper towards the head,
    and without `link_speed`, they are 24 N.
    """
    after = run("boa_pegboard_targets", plant__physics_step=0.001, duration=30)
    assert after.log.true_contacts is not None
    assert after.log.true_contacts.link.max() == after.experiment.robot.links - 1
    assert metrics(after)["joint_force_peak_n"] < 12.0
