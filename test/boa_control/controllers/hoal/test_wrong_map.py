# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""hoal where a post of the map does not stand, in simulation."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_description.errors import BoaError
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog
from test.boa_control.controllers.hoal.robot_rate import RATE, at_robot_rate


@pytest.fixture(scope="module")
def without_post_5() -> RunLog:
    """Starts where post 5 is the next but one: it is reached after some 9 s."""
    shipped = load_scenario("boa_missing_post").model_dump(exclude_unset=True)
    changed = {
        "initial": {"progress": 0.72},
        "disturbance": {"missing": {"posts": [5]}},
        "duration": 12.5,
        "distance": None,
    }
    return run_experiment(prepare(Scenario.model_validate(shipped | changed))).log


def test_it_says_which_post_is_missing_and_why_it_stops(without_post_5: RunLog) -> None:
    told = [event.text for event in without_post_5.events]
    assert "post 5 not there" in told
    assert not any(f"post {other} not there" in told for other in range(24) if other != 5)
    ends = [text for text in told if text.startswith(("stopped: ", "lost: "))]
    assert "without post 5" in ends[0]
    assert ", at (" in ends[0]


def test_joint_forces_stay_below_35_n_and_the_robot_stands(without_post_5: RunLog) -> None:
    """A K3D40 bears 50 N."""
    force = without_post_5.sensors["joint_force"]["force"]
    assert np.hypot(force[:, :, 0], force[:, :, 1]).max() < 35.0
    assert without_post_5.truth is not None
    assert np.abs(without_post_5.truth.joint_velocity[-250:]).max() < 0.05


@pytest.mark.parametrize(
    ("name", "map_error", "refused"),
    [
        ("boa_both_sides", 0.005, True),
        ("boa_both_sides", 0.0, False),
        ("boa_circle", 0.005, False),
    ],
)
def test_opposite_posts_that_may_stand_off_their_places_are_refused(
    name: str, map_error: float, refused: bool
) -> None:
    """They leave the body no play; the one that is not pressed used to count as missing."""
    shipped = load_scenario(name).model_dump(exclude_unset=True)
    shipped["controller"]["parameters"]["map_error"] = map_error
    experiment = prepare(Scenario.model_validate(shipped))
    if not refused:
        build_controller(experiment)
        return
    with pytest.raises(BoaError, match=r"posts 0 and 1 stand opposite .* use map_error 0"):
        build_controller(experiment)


@pytest.mark.closed_loop
def test_a_slow_robot_passes_where_few_posts_do_not_balance() -> None:
    """At 0.22 m the tail leaves its post before the nose has the next one, and nothing holds the
    robot. Pressed with all of its forces it is lost there; pressed with a fiftieth it is carried
    back by less than 5 mm, finds the next post and goes on as planned.
    """
    shipped = load_scenario("boa_moved_30mm").model_dump(exclude_unset=True)
    shipped["controller"]["parameters"]["speed"] = 0.11
    scenario = Scenario.model_validate(shipped | {"duration": 21.0})
    experiment = prepare(at_robot_rate(scenario))
    log = run_experiment(experiment, seed=186).log
    slow = next(event for event in log.events if event.text.startswith("slow: "))
    assert any(event.text.startswith("go: as planned again") for event in log.events)
    assert log.truth is not None
    progress = log.debug["progress_m"]
    assert progress[-1] > 0.4
    assert (np.maximum.accumulate(progress) - progress).max() < 0.02  # m
    since = progress[round(slow.stamp_ns * 1e-9 * RATE) :]
    assert (np.maximum.accumulate(since) - since).max() < 0.005  # m
