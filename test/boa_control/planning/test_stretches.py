# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stretches of a way: posts as far as they close the body, then the floor where it grips."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.planned import TravelSettings
from boa_control.experiments.way import way_scenario
from boa_control.paths.goals import Targets
from boa_control.paths.named import segment_curve
from boa_control.planning.route import RouteSettings
from boa_control.planning.search.region import Around
from boa_control.planning.stretches import Means, Stretch, stretches
from boa_description.load import load_robot
from boa_description.placement import place_on_curve
from boa_description.scene import SMOOTH, Circle, GroundFriction
from boa_sim.factory import plant_from_experiment
from test.boa_control.planning.hexagonal import hexagonal

ROBOT = load_robot("boa13")
# posts end at x = 3 m
POSTS = tuple(Circle(x=x, y=y, radius=0.05) for x, y in hexagonal(0.32, 3.0, 1.6, 0.26))
START = Around(0.3, 0.5, 0.3)
# they begin again at x = 4 m
AGAIN = tuple(post.model_copy(update={"x": post.x + 4.0}) for post in POSTS)
GRIPPING = GroundFriction(model="anisotropic", mu=0.02, mu_normal=0.2)


def settings(ground: GroundFriction = SMOOTH) -> RouteSettings:
    """The clock counts its readings, so that the machine does not matter; sixty of them come as far
    as hundreds.
    """
    readings = count(0.0, 0.1).__next__  # s
    return RouteSettings(seconds=6.0, clock=readings, refine=0.0, helping=0.0, ground=ground)


@pytest.fixture(scope="module")
def refused() -> tuple[Stretch, ...]:
    return stretches(POSTS, ROBOT, START, Around(4.2, 0.8, 0.3), settings())


def test_among_posts_one_stretch_leads_to_the_goal():
    (only,) = stretches(POSTS, ROBOT, START, Around(2.6, 0.7, 0.35), settings())
    assert only.means is Means.POSTS
    scenario = way_scenario("way", (only,), ROBOT, POSTS, TravelSettings(), 0.3)
    goal = prepare(scenario).goal
    assert isinstance(goal, Targets)
    x, y = only.route.found.start  # of the tail
    assert np.hypot(*(goal.points[0] - (x, y))) < only.length, "of the centre of mass at the end"


def test_beyond_the_posts_a_smooth_floor_is_refused_with_the_stretch_and_the_reason(refused):
    held, beyond = refused
    assert (held.means, beyond.means) == (Means.POSTS, Means.NOTHING)
    assert beyond.start == held.end
    assert 2.0 < beyond.start[0] < 3.3
    assert "the floor does not grip across the links" in str(beyond)
    assert "(4.20, 0.80)" in str(beyond)


@pytest.mark.parametrize(
    ("ground", "means"),
    [
        (GRIPPING, Means.FLOOR),
        (GRIPPING.model_copy(update={"mu_normal": 0.05}), Means.NOTHING),
        (GroundFriction(model="coulomb", mu=0.2), Means.NOTHING),
    ],
)
def test_where_no_post_holds_the_robot_the_floor_must_grip(ground, means):
    far = Around(9.0, 9.0, 0.3)
    (only,) = stretches(POSTS, ROBOT, far, Around(10.0, 9.0, 0.3), settings(ground))
    assert only.means is means
    assert bool(only.why) == (means is Means.NOTHING)


def test_a_way_is_one_run_of_one_law_after_the_other():
    """The first one holds the robot where it is laid down, the second one looks on."""
    way = stretches(POSTS, ROBOT, START, Around(4.2, 0.8, 0.3), settings(GRIPPING))
    travel = TravelSettings(ground=GRIPPING)
    experiment = prepare(way_scenario("way", way, ROBOT, POSTS, travel, 0.2))
    assert len(experiment.obstacles) == len(POSTS)
    assert experiment.scenario.scene.ground == GRIPPING
    told = experiment.scenario.controller.parameters["stretches"]
    assert [one["controller"] for one in told] == ["hoal", "undulation"]
    assert isinstance(experiment.goal, Targets)
    assert experiment.goal.points.tolist() == [[4.2, 0.8]]
    controller = build_controller(experiment)
    plant = plant_from_experiment(experiment, 0)
    plant.arm()
    output = controller.step(plant.read())
    plant.close()
    assert output.debug["stretch"] == 1.0
    assert output.debug["progress_m"] == pytest.approx(0.91, abs=0.02), "the tail at the beginning"


@pytest.fixture(scope="module")
def returned() -> tuple[Stretch, ...]:
    return stretches((*POSTS, *AGAIN), ROBOT, START, Around(6.6, 0.7, 0.35), settings(GRIPPING))


def test_behind_a_clearing_posts_carry_the_robot_again(returned):
    assert [one.means for one in returned] == [Means.POSTS, Means.FLOOR, Means.POSTS]
    held, across, again = returned
    assert (across.start, again.start) == (held.end, across.end)
    assert str(across).endswith("m: weaving")
    assert np.hypot(again.end[0] - 6.6, again.end[1] - 0.7) < 0.36
    assert again.length < again.route.found.length - 1.69, "on which the robot lies already"


def test_the_way_across_ends_with_the_body_on_the_path_past_the_posts_behind(returned):
    """Its shape there is that with which the law of the posts begins; as exact as the table."""
    _, across, again = returned
    bodies = [
        place_on_curve(segment_curve(path), 13, ROBOT.link.pitch, anchor_s=progress, anchor_joint=6)
        for path, progress in (
            (across.guide.path, across.guide.end),
            (again.route.settings, again.progress),
        )
    ]
    for one, other in zip(*bodies, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_a_way_back_to_posts_is_one_run_of_three_laws(returned):
    travel = TravelSettings(ground=GRIPPING)
    scenario = way_scenario("way", returned, ROBOT, (*POSTS, *AGAIN), travel, 0.2)
    experiment = prepare(scenario)
    told = experiment.scenario.controller.parameters
    assert [one["controller"] for one in told["stretches"]] == ["hoal", "weaving", "hoal"]
    assert told["otherwise"]["controller"] == "undulation", "where it comes no further"
    assert told["otherwise"]["goal"]["points"] == list(scenario.goal.points)
    assert build_controller(experiment)


def gaps(laid: tuple[float, float, float]) -> np.ndarray:
    """From the straight robot to the posts, m, by points along it."""
    x, y, heading = laid
    along = np.linspace(0.0, ROBOT.links * ROBOT.link.pitch, 400)[:, None]
    points = np.array([x, y]) + along * np.array([np.cos(heading), np.sin(heading)])
    centres = np.array([[post.x, post.y] for post in SPARSE])
    apart = np.linalg.norm(points[:, None] - centres, axis=2).min(axis=0)
    return apart - 0.05 - ROBOT.link.radius


# one stands where the tail of a straight robot would lie, one in its way
SPARSE = (Circle(x=0.3, y=0.5, radius=0.05), Circle(x=1.2, y=0.55, radius=0.05))


def test_where_the_floor_carries_it_from_the_start_the_straight_robot_lies_clear_of_posts():
    (only,) = stretches(SPARSE, ROBOT, START, Around(4.2, 0.8, 0.3), settings(GRIPPING))
    assert only.means is Means.FLOOR
    assert only.laid is not None
    assert np.hypot(only.laid[0] - 0.3, only.laid[1] - 0.5) <= 0.3
    assert gaps(only.laid).min() > 0.01


def test_where_it_cannot_lie_straight_it_is_refused():
    blocked = tuple(Circle(x=1.2, y=0.1 * k - 1.0, radius=0.05) for k in range(31))
    (only,) = stretches(blocked, ROBOT, START, Around(4.2, 0.8, 0.3), settings(GRIPPING))
    assert only.means is Means.NOTHING
    assert "no place within 0.3 m" in str(only)
