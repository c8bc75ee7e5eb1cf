# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Place and direction of a robot in space from one tracked link, against its true frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controller import Briefing
from boa_control.controllers.place_in_space import PlaceInSpace, frames_around, whole_body
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.messages.tracker import TrackerSample
from boa_control.plant import SensorFrame
from boa_description.errors import BoaError
from boa_description.link_frames import centre_in_space, link_frames, start_pose
from boa_description.quaternion import product, yaw_quaternion
from boa_description.robot import Robot

TICK = 2_000_000  # ns


@pytest.fixture(scope="module")
def told() -> Briefing:
    return briefing(prepare(load_scenario("cobra_targets")))


def some_pose(seed: int, robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """A pose of link 1 (7,) and joint angles."""
    rng = np.random.default_rng(seed)
    turn = rng.standard_normal(4)
    place = rng.uniform(-2, 2, 3)
    joints = rng.uniform(-1.2, 1.2, robot.joints)
    return np.concatenate((place, turn / np.linalg.norm(turn))), joints


def frame_of(stamp_ns: int, joints: np.ndarray, sample: TrackerSample | None) -> SensorFrame:
    further = {} if sample is None else {"tracker": sample}
    still = np.zeros_like(joints)
    return SensorFrame(
        stamp_ns=stamp_ns,
        position=joints,
        velocity=still,
        effort=still,
        joint_force=None,
        imu=None,
        temperature=still,
        joint_age=still,
        further=further,
    )


@given(seed=st.integers(0, 200), link=st.integers(0, 11))
def test_all_frames_follow_from_one(told: Briefing, seed: int, link: int) -> None:
    robot = told.robot
    pose, joints = some_pose(seed, robot)
    true = link_frames(robot, pose, joints)
    found = frames_around(robot, link, true[link], joints)
    np.testing.assert_allclose(found[:, :3], true[:, :3], atol=1e-9)
    same = np.abs((found[:, 3:] * true[:, 3:]).sum(axis=1))  # q and -q are one rotation
    np.testing.assert_allclose(same, 1.0, atol=1e-9)
    centre = centre_in_space(robot, pose, joints)
    np.testing.assert_allclose(whole_body(robot, found).centre, centre[:2], atol=1e-9)


@given(heading=st.floats(-3, 3), pitch=st.floats(0, 1.0))
def test_a_wave_does_not_turn_the_heading(told: Briefing, heading: float, pitch: float) -> None:
    """Links that pitch up and down in turn point where the straight robot does."""
    robot = told.robot
    joints = np.zeros(robot.joints)
    joints[list(robot.pitch_joints)] = pitch * np.array([1, -1, 1, -1, 1, -1])
    base = start_pose(robot, np.array([0.3, -0.2, heading]))
    assert whole_body(robot, link_frames(robot, base, joints)).heading == pytest.approx(heading)


def test_a_late_sample_is_seen_with_the_joints_of_its_time(told: Briefing) -> None:
    robot, link = told.robot, told.tracked_link
    assert link is not None
    place = PlaceInSpace(told, "here")
    pose, then = some_pose(3, robot)
    true = link_frames(robot, pose, then)
    sample = TrackerSample(TICK, true[link, :3], true[link, 3:])
    place.update(frame_of(TICK, then, None))
    found = place.update(frame_of(2 * TICK, np.zeros(robot.joints), sample))
    np.testing.assert_allclose(found.centre, centre_in_space(robot, pose, then)[:2], atol=1e-9)
    again = place.update(frame_of(3 * TICK, then, sample))
    assert again is found, "a sample counts once"


def test_without_samples_the_start_stands_and_lost_ones_change_nothing(told: Briefing) -> None:
    robot = told.robot
    place = PlaceInSpace(told, "here")
    straight = np.zeros(robot.joints)
    start = place.update(frame_of(TICK, straight, None))
    np.testing.assert_allclose(start.centre, [0.0, 0.0], atol=1e-9)
    assert start.heading == 0.0
    lost = TrackerSample(2 * TICK, np.full(3, np.nan), np.full(4, np.nan))
    assert place.update(frame_of(2 * TICK, straight, lost)) is start
    seen = TrackerSample(3 * TICK, np.array([1.0, 2.0, 0.05]), yaw_quaternion(0.5))
    assert place.update(frame_of(3 * TICK, straight, seen)).heading == pytest.approx(0.5)
    place.reset()
    assert place.update(frame_of(4 * TICK, straight, None)).heading == 0.0


def test_quaternions_turn_the_body_with_the_link(told: Briefing) -> None:
    """The whole body turned by 0.7 rad about the vertical: so is its heading."""
    robot = told.robot
    pose, joints = some_pose(8, robot)
    turned = np.concatenate((pose[:3], product(yaw_quaternion(0.7), pose[3:])))
    before = whole_body(robot, link_frames(robot, pose, joints)).heading
    after = whole_body(robot, link_frames(robot, turned, joints)).heading
    assert np.cos(after - before - 0.7) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"tracked_link": None}, "plant.tracker"), ({"start_base": None}, "unknown_start")],
)
def test_what_is_missing_is_named(told: Briefing, change: dict, message: str) -> None:
    with pytest.raises(BoaError, match=message):
        PlaceInSpace(replace(told, **change), "here")
