# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The environment for learners: gymnasium's own checks, and the runs that `boa run` gives."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from boa_control.controllers.policy.interface import PolicyInterface, Torques
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_tools.bench import learning
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.definitions.free import advance
from boa_tools.runs.drive import run_experiment
from test.policies import SHORT, TABLE, small_policy

gymnasium = pytest.importorskip("gymnasium", reason="extra gym is not installed")
pytest.importorskip("onnx", reason="extra gym is not installed")


@pytest.fixture
def scenario() -> Scenario:
    return Scenario.model_validate(SHORT)


def environment(scenario: Scenario, **settings):
    from boa_tools.gym.environment import BoaEnv

    return BoaEnv(scenario, TABLE, **settings)


def test_gymnasium_finds_nothing_wrong(scenario: Scenario) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(environment(scenario), skip_render_check=True)


def test_a_policy_does_in_the_environment_what_it_does_in_a_run(
    scenario: Scenario, tmp_path: Path
) -> None:
    """Angles of the joints at each decision bit for bit, and the way of the whole run; the seed of
    the plant draws noise and offsets of its sensors.
    """
    pytest.importorskip("onnxruntime", reason="extra policy is not installed")
    from boa_control.controllers.policy.file import PolicyFile

    file = small_policy(tmp_path / "walk.onnx")
    run = changed(scenario, {"controller.name": "policy", "controller.parameters.file": str(file)})
    experiment = prepare(run)
    log = run_experiment(experiment, seed=3).log
    policy, env = PolicyFile(file), environment(scenario)
    observed, _ = env.reset(options={"plant_seed": 3})
    angles, way, over = [], 0.0, False
    while not over:
        angles.append(observed[:2])
        observed, reward, terminated, truncated, info = env.step(policy(observed))
        way, over = way + reward, terminated or truncated
    assert (truncated, info["ended"]) == (True, "duration")
    np.testing.assert_array_equal(angles, log.position[:: log.ticks // len(angles)].astype("f4"))
    assert np.ptp(log.position) > 0.01
    assert way == pytest.approx(advance(Analysis(log, experiment)), abs=1e-12)
    assert abs(way) > 1e-5


def test_every_episode_draws_from_the_ranges_and_a_seed_repeats_it(scenario: Scenario) -> None:
    ranges = {"scene.ground.mu": (0.01, 0.03), "disturbance.sensor_delay_ticks": (0, 3)}
    env = environment(scenario, randomise=ranges)
    drawn = [env.reset(seed=seed)[1]["randomised"] for seed in range(20)]
    frictions = [one["scene.ground.mu"] for one in drawn]
    assert 0.01 <= min(frictions) < 0.015 and 0.025 < max(frictions) <= 0.03
    assert {one["disturbance.sensor_delay_ticks"] for one in drawn} == {0, 1, 2, 3}
    assert env.reset(seed=5)[1]["randomised"] == drawn[5]
    between = environment(scenario, randomise={"duration": (1, 2)})
    assert 1 < between.reset(seed=1)[1]["randomised"]["duration"] < 2


@pytest.mark.parametrize(("spread", "alike"), [(0.0, True), (0.2, False)])
def test_every_episode_draws_the_losses_of_an_identified_gearbox(
    scenario: Scenario, tmp_path: Path, spread: float, alike: bool
) -> None:
    """A file as `boa identify` writes it: with 'losses' of every joint."""
    file = tmp_path / "gearbox.yaml"
    file.write_text(
        "name: mine\nsummary: as identified\nload: {value: 0.2, unit: '1', source: runs}\n"
        "losses: {value: [0.8, 1.1], unit: '1', source: runs}\n"
    )
    effect = {"model": str(file), "spread": spread}
    env = environment(changed(scenario, {"plant.effects.gearbox": effect}))
    ends = []
    for seed in (1, 2):
        env.reset(options={"plant_seed": seed})
        for action in (1, -1, 1, -1):
            observed = env.step(np.full(2, action, np.float32))[0]
        ends.append(observed[:2])
    assert np.array_equal(*ends) is alike


def test_an_action_of_another_shape_is_refused_one_that_is_no_number_ends_the_episode(
    scenario: Scenario,
) -> None:
    env = environment(scenario)
    env.reset(seed=0)
    for wrong in (np.zeros(3), np.zeros((1, 2)), 0.0):
        with pytest.raises(BoaError, match=r"an action of shape .*; \(2,\) is wanted"):
            env.step(wrong)
    _, _, terminated, truncated, info = env.step(np.full(2, np.nan, np.float32))
    assert (terminated, truncated) == (True, False)
    assert info["ended"].startswith("fault")
    with pytest.raises(BoaError, match="call reset first"):
        env.step(np.zeros(2, np.float32))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"reward": {"advance": 1.0}}, "advance_m"),
        ({"randomise": {"scene.ground.my": (0.0, 1.0)}}, "scene.ground.mu"),
        ({"randomise": {"scene.ground.mu": (0.0, -1.0)}}, "scene.ground.mu"),
        ({"randomise": {"scene.ground.mu": (0.2, 0.1)}}, r"\(0\.2, 0\.1\); \(least, largest\) is"),
        ({"randomise": {"robot.links": (3, 4)}}, r"'robot.links': 4} changes the 2 joints"),
        ({"randomise": {"scene.ground.mu": (0.2,)}}, r"\(0\.2,\); \(least, largest\) is wanted"),
    ],
)
def test_what_no_episode_could_begin_with_is_refused(
    scenario: Scenario, settings: dict, said: str
) -> None:
    with pytest.raises(BoaError, match=said):
        environment(scenario, **settings)


def test_a_reward_for_advance_needs_a_direction(scenario: Scenario) -> None:
    with pytest.raises(BoaError, match=r"evaluation: \{heading"):
        environment(changed(scenario, {"evaluation.heading": None}))


def test_decisions_between_ticks_are_refused(scenario: Scenario) -> None:
    from boa_tools.gym.environment import BoaEnv

    with pytest.raises(BoaError, match=r"rate 30 Hz is 6\.667 control periods"):
        BoaEnv(scenario, PolicyInterface(rate=30.0, action=Torques()))


@pytest.mark.realtime
def test_environments_run_side_by_side_in_processes(scenario: Scenario) -> None:
    one = partial(environment, scenario)
    both = gymnasium.vector.AsyncVectorEnv([one, one])
    try:
        observed, _ = both.reset(seed=[1, 2])
        alone, _ = one().reset(seed=2)
        np.testing.assert_array_equal(observed[1], alone)
    finally:
        both.close()


def test_the_benchmark_counts_physics_steps() -> None:
    step, physics = learning.environment(0.4)
    assert "20 physics steps" in step.what and physics.name == "gym/physics_step"
    assert physics.p50_us == pytest.approx(step.p50_us / 20)
