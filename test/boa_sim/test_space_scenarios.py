# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The first seconds of scenarios in space: what the whole runs show is in docs/spatial.md."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import mujoco
import numpy as np
import pytest

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import PlantSettings
from boa_description.link_frames import points_on_links
from boa_description.scene import GRAVITY
from boa_description.terrain import Gap, Step
from boa_sim.factory import plant_from_experiment
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.runs.drive import run_experiment

pytestmark = pytest.mark.closed_loop


@cache
def began(
    name: str, seconds: float, seed: int = 0, engine: str = "mujoco", step: float = 0.001
) -> Analysis:
    """The first seconds of a scenario."""
    scenario = load_scenario(name)
    plant = scenario.plant.model_copy(update={"engine": engine, "physics_step": step})
    scenario = scenario.model_copy(update={"duration": seconds, "plant": plant})
    experiment = prepare(scenario)
    return Analysis(run_experiment(experiment, seed=seed).log, experiment)


@pytest.mark.parametrize("name", ["cobra_step", "cobra_gap"])
def test_the_head_comes_across(name: str) -> None:
    """Within 5 s the head has left the edge behind and has stood on the other side, with model
    errors of a seed that nothing was tuned on.
    """
    analysis = began(name, 5.0, seed=11)
    (feature,) = analysis.experiment.scenario.scene.terrain
    far = 0.05 if isinstance(feature, Step) else 0.0
    frames, floor = analysis.frames, analysis.log.floor
    assert frames is not None and floor is not None
    assert frames[-1, -1, 0] > feature.end
    robot = analysis.experiment.robot
    link = robot.links - 1
    bears = (floor.link == link) & (floor.force[:, 2] > 1.0)
    across = frames[floor.tick[bears], link, 0] > feature.end
    assert across.any()
    poses = frames[floor.tick[bears][across], link]
    spine = points_on_links(poses, np.array([robot.spine(link)[0], 0.0, 0.0]))
    assert spine[:, 2].min() > far + 0.9 * robot.link.radius
    assert metrics(analysis)["gate_trips"] == 0


def test_a_gap_is_deeper_than_the_head_ever_hangs() -> None:
    """The head never falls in: its axis stays above the floor's level."""
    analysis = began("cobra_gap", 5.0, seed=11)
    (feature,) = analysis.experiment.scenario.scene.terrain
    assert isinstance(feature, Gap)
    assert analysis.frames is not None
    over = (analysis.frames[:, -1, 0] > feature.x) & (analysis.frames[:, -1, 0] < feature.end)
    assert over.any()
    assert analysis.frames[over, -1, 2].min() > 0.0


def test_model_errors_change_the_run() -> None:
    """Another seed, other masses, friction and servos."""
    one, other = began("cobra_gap", 5.0, seed=11), began("cobra_gap", 1.5, seed=12)
    assert one.log.truth is not None and other.log.truth is not None
    ticks = other.log.ticks
    assert not np.allclose(one.log.truth.base[:ticks], other.log.truth.base, atol=1e-4)


def test_boa_with_alternating_axes_creeps_within_its_torque() -> None:
    extra = metrics(began("boa_vertical", 4.0))["extra"]
    assert extra["distance_m"] > 0.02
    assert extra["torque_demand_peak_nm"] < 6.4
    assert extra["tilt_peak_rad"] < np.radians(2)


class Bounds(NamedTuple):
    """What the first seconds of a scenario, from rest, must show; s, m, N m, rad/s."""

    seconds: float
    distance: float
    demand: float
    speed: float


FAR = {
    ("cobra_vertical", "mujoco"): Bounds(5.0, 0.54, 8.5, 4.9),
    ("cobra_vertical", "moreau"): Bounds(3.0, 0.30, 8.5, 4.9),
    ("cobra_fast", "mujoco"): Bounds(5.0, 0.83, 9.8, 4.9),
    ("cobra_fastest", "mujoco"): Bounds(5.0, 1.05, 9.8, 5.1),
    ("cobra_smooth_floor", "mujoco"): Bounds(5.0, 0.765, 9.8, 5.1),
    ("cobra_clipped", "mujoco"): Bounds(5.0, 1.55, np.inf, 6.5),
}


@pytest.mark.parametrize(("name", "engine"), FAR)
def test_a_run_comes_far_within_its_limits(name: str, engine: str) -> None:
    """Distance of the centre of mass, torque demand before the gate and joint speed. All stay
    upright with the degree of roll of their start, go straight, and trip no gate.
    """
    bounds = FAR[name, engine]
    found = metrics(began(name, bounds.seconds, engine=engine))
    extra = found["extra"]
    assert extra["distance_m"] > bounds.distance
    assert extra["torque_demand_peak_nm"] < bounds.demand
    assert extra["joint_speed_peak_rps"] < bounds.speed
    assert extra["tilt_peak_rad"] < np.radians(1.01)
    assert extra["lateral_drift_m"] < 0.010
    assert found["gate_trips"] == 0


@pytest.mark.parametrize("engine", ["mujoco", "moreau"])
def test_the_recorded_forces_of_the_floor_bear_the_weight(engine: str) -> None:
    """Two seconds of cobra_vertical from rest: what the floor gave, as every tick's mean force, is
    m g t and the momentum that the robot has in the end (Newton). The rest is M(q) in a step of
    first order; every second step alone would lack 0.5 % and more of the impacts.
    """
    scenario = load_scenario("cobra_vertical")
    settings = PlantSettings(engine=engine, physics_step=0.001)
    experiment = prepare(scenario.model_copy(update={"plant": settings}))
    plant, controller = plant_from_experiment(experiment), build_controller(experiment)
    plant.arm()
    given, ticks = np.zeros(3), 1000
    for _ in range(ticks):
        plant.write(controller.step(plant.read()).torque)
        given += plant.period * sum(contact.force for contact in plant.truth().contacts)
    model, data = plant.world.model, plant.world.data
    mujoco.mj_subtreeVel(model, data)
    gained = experiment.robot.mass * data.subtree_linvel[1]
    weight = GRAVITY * experiment.robot.mass * ticks * plant.period
    expected = gained + np.array([0.0, 0.0, weight])
    np.testing.assert_allclose(given, expected, atol=2e-4 * weight)


def test_ways_on_rigid_contact_converge_with_the_step() -> None:
    """1.4 s of cobra_fast: Moreau's scheme is of order one, so the differences halve from 2
    to 1 to 0.5 ms, and 1 ms is within 1 % of the limit.
    """
    ways = [
        metrics(began("cobra_fast", 1.4, engine="moreau", step=step))["extra"]["distance_m"]
        for step in (0.002, 0.001, 0.0005)
    ]
    coarse, fine = np.diff(ways)
    assert 1.7 < coarse / fine < 2.3
    assert ways[1] == pytest.approx(ways[2] + fine, rel=0.01)
