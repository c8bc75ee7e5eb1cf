# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Disturbances: drawn from the seed, in the right size, one independent of the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_description.scene import Box, Circle, Wall
from boa_sim.disturbance import (
    OVERLAP,
    Obstacles,
    SensorDisturbance,
    displaced,
    disturbed_start,
    mass_scale,
    project_free,
    thickened,
)

ROBOT = load_robot("boa3")
PITCH, RADIUS = ROBOT.link.pitch, ROBOT.link.radius
WEIGHT = np.array([1 / PITCH, 1 / PITCH, 1, 1, 1])
POSTS: Obstacles = (
    Circle(x=0.1, y=RADIUS + 0.05, radius=0.05),
    Circle(x=0.3, y=-RADIUS - 0.05, radius=0.05),
    Circle(x=0.5, y=RADIUS + 0.05, radius=0.05),
)


def clearances(robot: Robot, base: Array, joints: Array, posts: Obstacles) -> Array:
    """Gap between every link and every round post, by hand: distance of a point to a segment."""
    heading = base[2] + np.concatenate(([0.0], np.cumsum(joints)))
    along = np.column_stack((np.cos(heading), np.sin(heading)))
    tail = base[:2] + robot.link.pitch * np.concatenate(
        (np.zeros((1, 2)), np.cumsum(along, axis=0)[:-1])
    )
    gaps = []
    for post in posts:
        assert isinstance(post, Circle)
        to_post = np.array([post.x, post.y]) - tail
        offset = np.clip(np.sum(to_post * along, axis=1), 0, robot.link.pitch)
        gaps.append(
            np.hypot(*(to_post - offset[:, None] * along).T) - post.radius - robot.link.radius
        )
    return np.array(gaps)


def head(robot: Robot, base: Array, joints: Array) -> Array:
    heading = base[2] + np.concatenate(([0.0], np.cumsum(joints)))
    return base[:2] + robot.link.pitch * np.array([np.cos(heading).sum(), np.sin(heading).sum()])


# --- obstacles and masses -------------------------------------------------------------------------


def test_every_obstacle_moves_by_the_distance_in_its_own_direction() -> None:
    posts = tuple(Circle(x=float(k), y=2.0, radius=0.05) for k in range(300))
    moved = displaced(posts, 0.01, seed=4)
    steps = np.array(
        [[a.x - b.x, a.y - b.y] for a, b in zip(moved, posts, strict=True) if isinstance(a, Circle)]
    )
    assert np.hypot(*steps.T) == pytest.approx(np.full(300, 0.01))
    assert np.abs(steps.mean(axis=0)).max() < 0.002  # all directions
    assert displaced(posts, 0.01, seed=4) == moved
    assert displaced(posts, 0.01, seed=5) != moved
    assert displaced(posts, 0.0, seed=4) == posts


def test_boxes_and_walls_move_without_turning() -> None:
    box, wall = displaced(
        (Box(x=0, y=0, length=1, width=2, heading=0.3), Wall(x1=0, y1=0, x2=1, y2=1)), 0.02, 0
    )
    assert isinstance(box, Box)
    assert isinstance(wall, Wall)
    assert np.hypot(box.x, box.y) == pytest.approx(0.02)
    assert (box.length, box.width, box.heading) == (1, 2, 0.3)
    assert np.hypot(wall.x1, wall.y1) == pytest.approx(0.02)
    assert (wall.x2 - wall.x1, wall.y2 - wall.y1) == pytest.approx((1, 1))


def test_mass_scale() -> None:
    robot = ROBOT.model_copy(update={"links": 100})
    scale = mass_scale(robot, 0.15, seed=0)
    assert scale.shape == (100,)
    assert (np.abs(scale - 1) <= 0.15).all()
    assert scale.std() == pytest.approx(0.15 / np.sqrt(3), rel=0.2)
    assert np.array_equal(mass_scale(robot, 0.0, seed=0), np.ones(100))


# --- start ----------------------------------------------------------------------------------------


def test_a_free_start_is_left_alone() -> None:
    base, joints = project_free(ROBOT, np.zeros(3), np.zeros(2), POSTS)
    assert not base.any()
    assert not joints.any()


def shortest_way_out(posts: Obstacles) -> float:
    """By a general optimiser on the true distances, from the straight pose; 1 rad counts like one
    pitch.
    """
    best = minimize(
        lambda q: np.sum((WEIGHT * q) ** 2),
        np.zeros(5),
        constraints={
            "type": "ineq",
            "fun": lambda q: clearances(ROBOT, q[:3], q[3:], posts).min(axis=1),
        },
        method="SLSQP",
    )
    assert best.success
    return float(np.sqrt(best.fun))


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), offset=st.sampled_from([0.002, 0.005, 0.01]))
def test_projection_is_the_shortest_way_out(seed: int, offset: float) -> None:
    posts = displaced(POSTS, offset, seed)
    base, joints = project_free(ROBOT, np.zeros(3), np.zeros(2), posts)
    assert clearances(ROBOT, base, joints, posts).min() >= -2 * OVERLAP
    moved = np.linalg.norm(WEIGHT * np.concatenate((base, joints)))
    assert moved <= 1.1 * shortest_way_out(posts) + 1e-4


def test_no_way_out_is_an_error_with_the_obstacle() -> None:
    y = RADIUS + 0.05 - 0.01
    trap = tuple(Circle(x=x, y=s * y, radius=0.05) for x in (0.1, 0.3, 0.5) for s in (1, -1))
    with pytest.raises(BoaError, match=r"overlaps the circle at x = 0\.\d m, y = .* m by"):
        project_free(ROBOT, np.zeros(3), np.zeros(2), trap)


@pytest.mark.parametrize("seed", range(8))
def test_the_head_error_stays_within_its_limit_and_free(seed: int) -> None:
    base, joints = disturbed_start(ROBOT, np.zeros(3), np.zeros(2), POSTS, 0.02, seed)
    error = np.hypot(*(head(ROBOT, base, joints) - head(ROBOT, np.zeros(3), np.zeros(2))))
    assert 1e-4 < error <= 0.02
    assert clearances(ROBOT, base, joints, POSTS).min() >= -2 * OVERLAP


def test_head_errors_differ_by_seed_only() -> None:
    ends = [
        disturbed_start(ROBOT, np.zeros(3), np.zeros(2), (), 0.02, seed)[1] for seed in (0, 0, 1)
    ]
    assert np.array_equal(ends[0], ends[1])
    assert not np.array_equal(ends[0], ends[2])


# --- sensors --------------------------------------------------------------------------------------

PERIOD_NS = 2_000_000


def frame(number: int, value: float = 1.0) -> SensorFrame:
    stamp = number * PERIOD_NS
    joints, links = np.full(12, value), np.full(13, value)
    return SensorFrame(
        stamp,
        joints,
        2 * joints,
        3 * joints,
        ForceSample(stamp, np.full((12, 3), 4 * value)),
        ImuSample.planar(stamp, links, 5 * links, np.full((13, 2), 6 * value)),
        np.full(12, 25.0),
        np.zeros(12),
    )


def test_noise_is_a_share_of_each_signals_rms() -> None:
    disturb = SensorDisturbance(0.1, 0, 0.002, seed=0)
    frames = [disturb.apply(frame(k)) for k in range(400)]
    for name, level in (("position", 1.0), ("velocity", 2.0), ("effort", 3.0)):
        read = np.array([getattr(f, name) for f in frames])
        assert read.std() == pytest.approx(0.1 * level, rel=0.05)
        assert read.mean() == pytest.approx(level, abs=0.01 * level)
    forces = np.array([f.joint_force.force for f in frames if f.joint_force is not None])
    assert forces.std() == pytest.approx(0.4, rel=0.05)
    rates = np.array([f.imu.yaw_rate for f in frames if f.imu is not None])
    assert rates.std() == pytest.approx(0.5, rel=0.05)


def test_a_sample_seen_again_keeps_its_noise() -> None:
    disturb = SensorDisturbance(0.1, 0, 0.002, seed=0)
    first = disturb.apply(frame(0))
    again = disturb.apply(frame(1)._replace(joint_force=frame(0).joint_force, imu=frame(0).imu))
    assert first.joint_force is not None
    assert again.joint_force is not None
    assert np.array_equal(first.joint_force.force, again.joint_force.force)
    assert not np.array_equal(first.position, again.position)


def test_delay_is_hidden() -> None:
    disturb = SensorDisturbance(0.0, 2, 0.002, seed=0)
    frames = [disturb.apply(frame(k, float(k))) for k in range(6)]
    assert [f.position[0] for f in frames] == [0, 0, 0, 1, 2, 3]
    for number, f in enumerate(frames):
        assert f.joint_force is not None
        assert f.imu is not None
        assert f.stamp_ns == f.joint_force.stamp_ns == f.imu.stamp_ns == number * PERIOD_NS


class Reading(NamedTuple):
    """Of a further sensor, as the samples of the core."""

    stamp_ns: int


@dataclass(frozen=True)
class DataReading:
    """The same as a frozen dataclass."""

    stamp_ns: int


@pytest.mark.parametrize("kind", [Reading, DataReading])
def test_delay_of_a_further_sensor_is_hidden(kind: Callable[[int], Any]) -> None:
    disturb = SensorDisturbance(0.0, 2, 0.002, seed=0)
    sent = [frame(k)._replace(further={"pressure": kind(k * PERIOD_NS)}) for k in range(4)]
    late = [disturb.apply(each).further["pressure"] for each in sent]
    assert late == [kind(k * PERIOD_NS) for k in range(4)]


def test_without_disturbance_the_frame_passes_untouched() -> None:
    sent = frame(3)
    assert SensorDisturbance(0.0, 0, 0.002, seed=0).apply(sent) is sent


def test_reset_repeats_the_noise() -> None:
    disturb = SensorDisturbance(0.1, 1, 0.002, seed=0)
    first = [disturb.apply(frame(k)).position for k in range(5)]
    disturb.reset()
    assert np.array_equal(first, [disturb.apply(frame(k)).position for k in range(5)])


def test_a_post_of_which_nothing_is_left_is_refused() -> None:
    thin = Circle(x=1.0, y=2.0, radius=0.03)
    with pytest.raises(BoaError, match=r"post_radius_error -0\.04 m leaves nothing of the circle"):
        thickened((thin,), -0.04)
