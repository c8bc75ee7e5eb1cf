# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The film of a robot in space in a real browser, and its live page: links, floor and charts are
those of the log.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from browser import settled, watched

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.link_frames import link_frames
from boa_sim.factory import plant_from_experiment
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.films import films_page
from boa_tools.report.interactive.film import film_ticks, poses
from boa_tools.runs.drive import drive, run_experiment
from boa_tools.view.live_run import LiveRun

pytestmark = pytest.mark.realtime

PITCH = np.array([1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def experiment():
    return prepare(load_scenario("cobra_vertical").model_copy(update={"duration": 1.2}))


@pytest.fixture(scope="module")
def analysis(experiment):
    return Analysis(run_experiment(experiment).log, experiment)


@pytest.fixture
def opened(browser, analysis, tmp_path):
    file = tmp_path / "film.html"
    file.write_text(films_page([("here", analysis)]), encoding="utf-8")
    opened = watched(browser)
    opened.page.goto(f"file://{file}")
    settled(opened.page)
    yield opened
    opened.page.close()


def test_the_page_puts_the_links_where_the_log_has_them(opened, analysis) -> None:
    """From the angles, by the page's own arithmetic, against `link_frames`; poses have 24 bits."""
    tick = int(film_ticks(analysis.log.time)[40])
    opened.page.evaluate("t => boa.player.seek(t)", float(analysis.log.time[tick]))
    canvas = opened.page.locator("canvas.stage-canvas")
    drawn = np.array(json.loads(canvas.get_attribute("data-pose")))
    assert drawn == pytest.approx(poses(analysis)[tick], abs=1e-6)
    assert np.abs(drawn[7:]).max() > 0.3, "it has lifted itself"
    points = np.array(
        opened.page.evaluate("boa.films[0].chain.spine(boa.films[0].poseAt(boa.player.t)).points")
    )
    truth = analysis.log.truth
    frames = link_frames(analysis.experiment.robot, truth.pose[tick], truth.joint_position[tick])
    np.testing.assert_allclose(points[:-1], frames[:, :3], atol=1e-6)
    capsules = np.array(
        opened.page.evaluate(
            "boa.films[0].chain.capsules(boa.films[0].chain.spine(boa.films[0].poseAt(boa.player.t)))"
        )
    )
    robot = analysis.experiment.robot
    lengths = np.linalg.norm(capsules[:, 0, 1] - capsules[:, 0, 0], axis=-1)
    inner = [end - begin for begin, end in map(robot.spine, range(robot.links))]
    np.testing.assert_allclose(lengths, inner, atol=1e-9)
    assert canvas.get_attribute("data-projection") == "from the side"
    flat = np.array(opened.page.evaluate("boa.stages[0].spine()"))
    np.testing.assert_allclose(flat, points[:, [0, 2]], atol=1e-9)


def test_a_button_turns_the_view(opened) -> None:
    canvas = opened.page.locator("canvas.stage-canvas")
    opened.page.click("button.turn")
    assert canvas.get_attribute("data-projection") == "from above"
    assert opened.page.locator("button.turn").inner_text() == "from the side"
    points = np.array(
        opened.page.evaluate("boa.films[0].chain.spine(boa.films[0].poseAt(boa.player.t)).points")
    )
    np.testing.assert_allclose(opened.page.evaluate("boa.stages[0].spine()"), points[:, :2])


def test_the_floor_carries_the_robot_and_the_page_says_where(opened, analysis) -> None:
    """All forces of the film together bear the weight: the momentum at the end is none to speak
    of against the 1.2 s of the run.
    """
    total = opened.page.evaluate(
        "() => { let sum = 0; for (const t of boa.films[0].time)"
        " for (const c of boa.films[0].contactsAt(t)) sum += c.force[2];"
        " return sum / boa.films[0].time.length; }"
    )
    assert total == pytest.approx(9.81 * analysis.experiment.robot.mass, rel=0.05)
    assert "weight 69.5 N" in opened.page.inner_text(".force-bars")
    labels = opened.page.evaluate("boa.films[0].panels.map(panel => panel.label)")
    assert "distance (m)" in labels and "force of the floor (N)" in labels


def test_nothing_stands_outside_the_page_and_nothing_is_loaded(opened) -> None:
    for width in (1400, 900, 400):
        opened.page.set_viewport_size({"width": width, "height": 800})
        opened.page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
    assert opened.problems == [] and len(opened.requests) == 1


def test_the_live_page_shows_the_pose_of_the_run(browser, experiment) -> None:
    live = LiveRun(experiment, ("127.0.0.1", 0))
    controller, plant = build_controller(experiment), plant_from_experiment(experiment)
    try:
        opened = watched(browser)
        opened.page.route(
            "**/scene/**", lambda route: route.fulfill(body="", content_type="text/html")
        )
        opened.page.goto(live.address)
        settled(opened.page)
        live.begin(controller, lambda: False)
        log = drive(
            experiment, plant, controller, watchers=(live,), before_tick=live.before_tick
        ).log
        opened.page.wait_for_function("document.documentElement.dataset.time > 0.6")
        shown = opened.page.evaluate(
            "({ time: +document.documentElement.dataset.time, pose: boa.instant.pose })"
        )
        tick = int(np.searchsorted(log.time, shown["time"] - 1e-6))
        truth = log.truth
        pose = np.concatenate((truth.pose[tick], truth.joint_position[tick]))
        assert shown["pose"] == pytest.approx(pose, abs=1e-4)
        assert opened.page.inner_text("#progress").endswith(" m")
        assert not opened.page.locator("#map-key").is_visible()
        assert opened.problems == []
    finally:
        live.close()
        plant.close()
