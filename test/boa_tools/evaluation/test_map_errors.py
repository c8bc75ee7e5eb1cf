# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The corrected map of a run against the posts that stood, and what is written of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.planning.post_map import load_map
from boa_tools.bags.ticks import bag_sink, read_run
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.map_errors import map_errors
from boa_tools.evaluation.metric_table import metrics
from boa_tools.report import map as map_plot
from boa_tools.report.finish import finish
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog

pytestmark = pytest.mark.closed_loop


def short(name: str, duration: float) -> Experiment:
    scenario = load_scenario(name).model_dump(exclude_unset=True)
    plant = scenario.get("plant", {}) | {"control_rate": 250}  # as on one bus
    changed = {"duration": duration, "distance": None, "plant": plant}
    return prepare(Scenario.model_validate(scenario | changed))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Experiment, RunLog, Path]:
    experiment = short("boa_offset_15mm", 7.5)
    bag = tmp_path_factory.mktemp("run") / "bag"
    with bag_sink(bag, experiment) as sinks:
        log = run_experiment(experiment, 0, sinks=sinks).log
    return experiment, log, bag


def test_touched_posts_are_right_to_5_mm_and_the_deviations_say_so(
    run: tuple[Experiment, RunLog, Path],
) -> None:
    experiment, log, _ = run
    errors = map_errors(log, experiment)
    assert errors is not None and errors.post.size >= 4
    assert np.abs(errors.before).max() > 0.008
    assert np.abs(errors.after).max() < 0.005
    values = metrics(Analysis(log, experiment))["extra"]
    assert values["map_error_max_m"] < 0.005 < values["map_error_before_m"]
    assert values["map_within_two_std"] >= 0.9
    assert values["map_posts_touched"] == errors.post.size


def test_the_caution_has_nothing_to_say_in_a_good_run(run: tuple[Experiment, RunLog, Path]) -> None:
    _, log, _ = run
    states = ("slow: ", "back: ", "stopped: ", "lost: ", "unexpected contact")
    assert not [event.text for event in log.events if event.text.startswith(states)]


def test_the_bag_brings_every_corrected_map_back(run: tuple[Experiment, RunLog, Path]) -> None:
    experiment, log, bag = run
    back = read_run(bag, experiment)
    assert [news.stamp_ns for news in back.maps] == [news.stamp_ns for news in log.maps]
    for news, other in zip(back.maps, log.maps, strict=True):
        for post, expected in zip(news.corrected.posts, other.corrected.posts, strict=True):
            assert post == pytest.approx(expected, abs=1e-9)


def test_the_map_is_written_for_the_planner_and_drawn(
    run: tuple[Experiment, RunLog, Path], tmp_path: Path
) -> None:
    experiment, log, _ = run
    finish(log, experiment, tmp_path, report=False)
    posts = load_map(tmp_path / "map.yaml").posts
    assert len(posts) == len(experiment.obstacles)
    assert map_plot.draw(Analysis(log, experiment)) is not None


def test_an_exact_map_is_not_corrected(tmp_path: Path) -> None:
    experiment = short("boa_circle", 1.0)
    log = run_experiment(experiment, 0).log
    assert log.maps == () and map_errors(log, experiment) is None
    assert metrics(Analysis(log, experiment))["extra"]["map_error_max_m"] is None
    finish(log, experiment, tmp_path, report=False)
    assert not (tmp_path / "map.yaml").exists()
    assert map_plot.draw(Analysis(log, experiment)) is None
