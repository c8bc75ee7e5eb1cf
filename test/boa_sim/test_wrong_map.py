# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Posts that are missing, moved or not on the map: which, where, and how the truth numbers them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from boa_control.experiments.disturbance import Disturbance
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_members, load_scenario
from boa_control.experiments.scenario import PlantSettings, Scenario
from boa_control.experiments.wrong_map import MissingPosts, MovedPosts
from boa_control.model.contact_geometry import ObstacleMap, chain_pose, find_contacts
from boa_control.plant import PlantError
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.scene import Circle
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.factory import plant_from_experiment
from boa_sim.plant import SimulatedPlant
from boa_sim.wrong_map import drawn_ahead, moved, standing, unmapped

POSTS = tuple(Circle(x=float(k), y=0.0, radius=0.05) for k in range(20))


def scenario(**disturbance: Any) -> Scenario:
    shipped = load_scenario("boa_circle").model_dump(exclude_unset=True)
    return Scenario.model_validate({**shipped, "disturbance": disturbance})


def experiment(**disturbance: Any) -> Experiment:
    return prepare(scenario(**disturbance))


@given(seed=st.integers(0, 1000), count=st.integers(0, 18))
def test_as_many_posts_are_missing_as_are_called_for(seed: int, count: int) -> None:
    present = standing(POSTS, MissingPosts(posts=(3,), count=count), seed)
    assert 3 not in present
    assert len(set(present)) == 19 - count
    assert list(present) == sorted(present)


def test_drawn_posts_depend_on_the_seed_alone() -> None:
    drawn = [standing(POSTS, MissingPosts(count=2), seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


@settings(max_examples=30)
@given(seed=st.integers(0, 1000))
def test_only_the_chosen_posts_move_and_by_the_distance(seed: int) -> None:
    result = moved(POSTS, MovedPosts(distance=0.03, posts=(4,), count=2), seed)
    steps = np.array(
        [[a.x - b.x, a.y - b.y] for a, b in zip(result, POSTS, strict=True) if type(a) is Circle]
    )
    distance = np.hypot(*steps.T)
    assert distance[4] == pytest.approx(0.03)
    assert np.count_nonzero(distance) == 3
    assert distance[distance > 0] == pytest.approx(np.full(3, 0.03))


def test_without_a_choice_all_posts_move_in_the_given_direction() -> None:
    result = moved(POSTS, MovedPosts(distance=0.02, direction=np.pi / 2), seed=0)
    places = np.array([(post.x, post.y) for post in result if type(post) is Circle])
    assert places == pytest.approx(np.array([(post.x, 0.02) for post in POSTS]))


@pytest.mark.parametrize(
    ("disturbance", "message"),
    [
        ({"missing": {"posts": [24]}}, r"missing: post 24 is not on the map, which has 24 posts"),
        ({"missing": {"count": 25}}, "count 25 is more than the 24 other posts"),
        ({"moved": {"posts": [-1], "distance": 0.01}}, "moved: post -1 is not on the map"),
    ],
)
def test_posts_that_are_not_on_the_map_are_refused(
    disturbance: dict[str, Any], message: str
) -> None:
    with pytest.raises(BoaError, match=message):
        plant_from_experiment(experiment(**disturbance))


def test_moving_by_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="moved posts need a distance"):
        scenario(moved={"posts": [3]})


@pytest.mark.parametrize(
    "given", [{"moved": {"distance": 0.02, "ahead": True}}, {"missing": {"ahead": True}}]
)
def test_no_number_of_posts_ahead_is_refused(given: dict) -> None:
    """Not all of them moved: that is what a distance alone means."""
    with pytest.raises(ValidationError, match="drawn ahead need a count"):
        scenario(**given)


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_unmapped_post_stands_as_far_in_the_way_as_it_says(side: str) -> None:
    place = {"s": 1.6, "side": side, "into": 0.02}
    here = experiment(unmapped={"posts": [place]})
    (post,) = unmapped(here, here.obstacles, seed=0)
    assert here.path is not None
    s = np.linspace(1.4, 1.8, 4001)
    away = np.array([post.x, post.y]) - here.path.curve.position(s)
    nearest = int(np.hypot(*away.T).argmin())
    heading = here.path.curve.heading(s)[nearest]
    left = away[nearest] @ [-np.sin(heading), np.cos(heading)]
    overlap = here.robot.link.radius + post.radius - abs(left)
    assert overlap == pytest.approx(0.02, abs=1e-6)
    assert (left > 0) == (side == "left")
    assert s[nearest] == pytest.approx(1.6, abs=1e-4)


def test_posts_drawn_beside_the_path_are_clear_of_the_others_and_in_the_way() -> None:
    here = experiment(unmapped={"count": 5, "into": [0.005, 0.02]})
    posts = unmapped(here, here.obstacles, seed=7)
    assert len(posts) == 5
    assert posts == unmapped(here, here.obstacles, seed=7)
    everything = [post for post in (*here.obstacles, *posts) if isinstance(post, Circle)]
    for post in posts:
        for other in everything:
            if other is not post:
                apart = np.hypot(post.x - other.x, post.y - other.y)
                assert apart >= post.radius + other.radius + 0.02
    assert here.path is not None
    s = np.linspace(0.0, here.path.curve.length, 20_000)
    line = here.path.curve.position(s)
    for post in posts:
        gap = np.hypot(*(line - [post.x, post.y]).T).min() - post.radius - here.robot.link.radius
        assert -0.0201 <= gap <= 0.0


def test_the_truth_numbers_contacts_as_the_map_does() -> None:
    """Post 1 carries the body at the start of boa_circle; without post 0 it is still post 1."""
    plant = plant_from_experiment(experiment(missing={"posts": [0]}))
    whole = plant_from_experiment(experiment())
    for each in (plant, whole):
        each.arm()
        for _ in range(50):
            each.write(np.full(each.robot.joints, 0.5))
    touched = {contact.obstacle for contact in plant.truth().contacts}
    assert 0 not in touched
    assert len(plant.obstacles) == len(whole.obstacles) - 1
    for contact in plant.truth().contacts:
        post = experiment().obstacles[contact.obstacle]
        assert isinstance(post, Circle)
        reach = np.hypot(contact.point[0] - post.x, contact.point[1] - post.y)
        assert reach == pytest.approx(post.radius, abs=2e-3)
    assert touched


def test_an_unmapped_post_is_numbered_after_the_map() -> None:
    start = experiment()
    tail = start.start_base
    body = start.robot.link.radius
    left = np.array([-np.sin(tail[2]), np.cos(tail[2])])
    middle = tail[:2] + 0.5 * start.robot.link.pitch * np.array([np.cos(tail[2]), np.sin(tail[2])])
    x, y = middle + (body + 0.05 - 1e-4) * left
    touching = {"kind": "circle", "x": float(x), "y": float(y), "radius": 0.05}
    plant = plant_from_experiment(
        experiment(missing={"posts": [5]}, unmapped={"posts": [touching]})
    )
    plant.world.place(start.start_base, start.start_joints)
    plant.world.refresh()
    assert 24 in {contact.obstacle for contact in plant.truth().contacts}


def test_the_set_takes_each_post_away_in_turn() -> None:
    _, members = load_members("missing_posts")
    assert [member.scenario.disturbance.missing.posts for member in members] == [
        (k,) for k in range(24)
    ]


def carrying_post(plant: SimulatedPlant) -> Circle:
    """A post that the body touches after some ticks of pressing."""
    plant.arm()
    for _ in range(50):
        plant.write(np.full(plant.robot.joints, 0.5))
    number = min(contact.obstacle for contact in plant.truth().contacts)
    post = plant.obstacles[number]
    assert isinstance(post, Circle)
    return post


@pytest.mark.parametrize("engine", ["mujoco", "moreau"])
def test_a_post_moves_during_the_run_and_back_with_a_reset(engine: str) -> None:
    usual = scenario().model_copy(update={"plant": PlantSettings(engine=engine)})
    at = carrying_post(plant_from_experiment(prepare(usual)))
    obstacles = prepare(usual).obstacles
    number = obstacles.index(at)
    away = math.atan2(at.y, at.x) + (math.pi if math.hypot(at.x, at.y) < 1.15 else 0.0)
    late = MovedPosts(posts=(number,), distance=0.3, direction=away, time=0.1003)
    plant = plant_from_experiment(
        prepare(usual.model_copy(update={"disturbance": Disturbance(moved=late)}))
    )
    assert plant.obstacles == obstacles
    for _ in range(2):
        assert carrying_post(plant) == at
        assert plant.now_ns() - plant.control_period_ns <= 100_300_000
        plant.write(np.full(plant.robot.joints, 0.5))
        plant.write(np.full(plant.robot.joints, 0.5))
        there = plant.obstacles[-1]
        assert isinstance(there, Circle)
        assert len(plant.obstacles) == len(obstacles)
        assert at not in plant.obstacles
        assert math.hypot(there.x - at.x, there.y - at.y) == pytest.approx(0.3)
        plant.write(np.full(plant.robot.joints, 0.5))
        assert number not in {contact.obstacle for contact in plant.truth().contacts}
        plant.reset()
        assert plant.obstacles == obstacles


def test_a_post_does_not_move_into_the_robot() -> None:
    start = experiment()
    axes = joint_axes(start.robot.link.pitch, start.start_base, start.start_joints)
    middle = axes[3:5].mean(axis=0)
    posts = [post for post in start.obstacles if isinstance(post, Circle)]
    ways = [middle - [post.x, post.y] for post in posts]
    near = min(range(len(posts)), key=lambda k: float(np.hypot(*ways[k])))
    distance, direction = np.hypot(*ways[near]), np.arctan2(*ways[near][::-1])
    late = {"posts": [near], "distance": float(distance), "direction": float(direction)}
    plant = plant_from_experiment(experiment(moved={**late, "time": 0.01}))
    with pytest.raises(PlantError, match="would move into the robot"):
        for _ in range(10):
            plant.write(np.zeros(plant.robot.joints))
    assert plant.obstacles == start.obstacles
    with pytest.raises(PlantError, match="would move into the robot"):
        plant.write(np.zeros(plant.robot.joints))


def test_an_engine_that_cannot_move_posts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(MujocoWorld, "stand")
    late = {"posts": [3], "distance": 0.3}
    plant_from_experiment(experiment(moved=late))
    with pytest.raises(BoaError, match="engine mujoco cannot move posts in the course of a run"):
        plant_from_experiment(experiment(moved={**late, "time": 1.0}))


@pytest.mark.parametrize("what", ["missing", "moved"])
def test_posts_drawn_ahead_are_such_that_the_robot_will_need(what: str) -> None:
    """All of them are drawn in turn, none that holds the robot at the start."""
    shipped = load_scenario("boa_random_field").model_dump(exclude_unset=True)
    settings = {"count": 2, "ahead": True} | ({"distance": 0.02} if what == "moved" else {})
    data = {**shipped, "disturbance": {what: settings}}
    here = prepare(Scenario.model_validate(data))
    path = here.path
    assert path is not None and here.start_progress is not None
    head = here.start_progress + 7 * here.robot.link.pitch
    first = {post: at.s for post, at in zip(path.post_of[::-1], path.contacts[::-1], strict=True)}
    for seed in range(100):
        drawn = getattr(drawn_ahead(here, seed), what)
        assert len(set(drawn.posts)) == 2
        assert all(first[post] > head for post in drawn.posts)


@pytest.mark.parametrize("progress", [0.0, 4.0, 8.0])
def test_posts_that_hold_the_tail_on_a_closed_path_are_not_ahead(progress: float) -> None:
    """The tail of a robot at the beginning of a lap lies at its end. All others are ahead."""
    shipped = load_scenario("boa_circle").model_dump(exclude_unset=True)
    missing = {"count": 16, "ahead": True}
    data = {**shipped, "initial": {"progress": progress}, "disturbance": {"missing": missing}}
    here = prepare(Scenario.model_validate(data))
    drawn = [drawn_ahead(here, seed).missing.posts for seed in range(10)]
    body = chain_pose(here.robot, here.start_base, here.start_joints)
    near = find_contacts(body, ObstacleMap.of(here.obstacles), within=0.03)
    assert len(near) >= 4
    for posts in drawn:
        assert len(set(posts)) == 16
        assert not set(posts) & set(near.obstacle.tolist())


def test_more_than_the_path_touches_ahead_are_refused() -> None:
    shipped = load_scenario("boa_random_field").model_dump(exclude_unset=True)
    data = {**shipped, "disturbance": {"missing": {"count": 100, "ahead": True}}}
    with pytest.raises(BoaError, match=r"missing: count 100 is more than the .* to choose from"):
        plant_from_experiment(prepare(Scenario.model_validate(data)))


def test_moved_posts_stand_where_they_are_said_to() -> None:
    here = experiment(moved={"posts": [2, 0], "to": [[9.0, 8.0], [7.0, 6.0]]})
    result = moved(here.obstacles, here.scenario.disturbance.moved, seed=0)
    assert [(result[k].x, result[k].y) for k in (2, 0)] == [(9.0, 8.0), (7.0, 6.0)]
    assert result[1] == here.obstacles[1]


def test_places_need_as_many_posts() -> None:
    with pytest.raises(ValidationError, match="1 places need as many posts"):
        experiment(moved={"posts": [2, 0], "to": [[9.0, 8.0]]})
