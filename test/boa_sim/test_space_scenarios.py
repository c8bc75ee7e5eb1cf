"""The first seconds of scenarios in space: what the whole runs show is in docs/spatial.md."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.terrain import Gap, Step
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metrics import metrics
from boa_tools.runs.drive import run_experiment

pytestmark = pytest.mark.closed_loop


@cache
def began(name: str, seconds: float, seed: int = 0) -> Analysis:
    """The first seconds of a scenario."""
    scenario = load_scenario(name).model_copy(update={"duration": seconds})
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
    link = analysis.experiment.robot.links - 1
    bears = (floor.link == link) & (floor.force[:, 2] > 1.0)
    across = frames[floor.tick[bears], link, 0] > feature.end
    assert across.any()
    lowest = frames[floor.tick[bears], link, 2][across].min()
    assert lowest > far + 0.9 * analysis.experiment.robot.link.radius
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
