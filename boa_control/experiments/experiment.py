# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a scenario to the things a run needs: robot, path, map, start."""

from dataclasses import dataclass

import numpy as np

from boa_control.experiments.scenario import Scenario
from boa_control.paths.construct import build_path
from boa_control.paths.goals import Goal, build_goal
from boa_control.paths.path import Curve, PlannedPath
from boa_description.arrays import Array
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.link_frames import centre_on_floor, link_frames, points_on_links, start_pose
from boa_description.load import load_robot
from boa_description.placement import place_on_curve
from boa_description.post_fields import centres
from boa_description.robot import Robot, require_planar
from boa_description.scene import Circle, Obstacle
from boa_description.terrain import raised


@dataclass(frozen=True, slots=True)
class Experiment:
    """A scenario with everything nominal worked out; disturbances are the plant's business.

    Attributes:
        scenario: as loaded.
        robot: nominal robot.
        path: planned path, None for scenarios without one, and for those with a goal.
        obstacles: nominal obstacles: the posts of the path (`PlannedPath.posts`), then those listed
            in the scene, then those of its fields.
        start_base: shape (3,), x, y, heading of link 1, m and rad.
        start_joints: shape (n_joints,), rad.
        start_progress: arc length of the middle joint on the path at start, m; None without a path.
        goal: where to go without posts, None for scenarios without one.
    """

    scenario: Scenario
    robot: Robot
    path: PlannedPath | None
    obstacles: tuple[Obstacle, ...]
    start_base: Array
    start_joints: Array
    start_progress: float | None
    goal: Goal | None = None

    @property
    def curve(self) -> Curve | None:
        """The line to follow: the path, or the guide of the goal."""
        if self.path is not None:
            return self.path.curve
        return None if self.goal is None else self.goal.guide

    @property
    def post_names(self) -> dict[int, str]:
        """Of the posts that have one, by their index among the obstacles."""
        return {
            index: post.name
            for index, post in enumerate(self.obstacles)
            if isinstance(post, Circle) and post.name is not None
        }

    @property
    def control_period(self) -> float:
        """Time between control ticks, s."""
        return 1.0 / self.scenario.plant.control_rate


def chosen_robot(scenario: Scenario) -> Robot:
    """The robot of a scenario. Raises BoaError: unknown, or values that do not fit together."""
    choice = scenario.robot
    return load_robot(choice.name, links=choice.links, pitch=choice.pitch, override=choice.override)


def prepare(scenario: Scenario) -> Experiment:
    """Work out robot, path, obstacles and start pose.

    Raises:
        BoaError: a duration without a tick, unknown robot, impossible path, wrong number of joint
            angles, chain does not fit on the path, terrain where there may be none.
    """
    if scenario.duration * scenario.plant.control_rate < 1:
        raise BoaError(
            f"scenario {scenario.name}: duration {scenario.duration:g} s is less than one control "
            f"period ({1 / scenario.plant.control_rate:g} s)"
        )
    robot = chosen_robot(scenario)
    if robot.planar and scenario.scene.terrain:
        raise BoaError(
            f"scenario {scenario.name}: scene.terrain is for robots that leave the plane, and "
            f"{robot.name} does not; leave it out, or choose cobra12"
        )
    if robot.planar and scenario.initial.roll != 0.0:
        raise BoaError(
            f"scenario {scenario.name}: initial.roll {scenario.initial.roll:g} rad is for robots "
            f"that leave the plane, and {robot.name} does not; leave it out, or choose cobra12"
        )
    if scenario.disturbance.initial_head_error > 0:
        require_planar(robot, f"scenario {scenario.name}: disturbance.initial_head_error")
    if scenario.evaluation.stop.heading is not None:
        require_planar(robot, f"scenario {scenario.name}: evaluation.stop.heading")
    path = build_path(scenario.path, robot) if scenario.path is not None else None
    obstacles: list[Obstacle] = []
    if path is not None:
        obstacles += path.posts
    obstacles += scenario.scene.bodies
    base, joints, progress = _start(scenario, robot, path)
    _require_level_start(scenario, robot, base, joints)
    spine = joint_axes(robot.link.pitch, base, joints)
    for field in scenario.scene.fields:
        for x, y in centres(field, spine).tolist():
            obstacles.append(Circle(x=x, y=y, radius=field.radius))
    goal = None
    if scenario.goal is not None:
        path, progress = None, None
        goal = build_goal(scenario.goal, centre_on_floor(robot, start_pose(robot, base), joints))
    return Experiment(scenario, robot, path, tuple(obstacles), base, joints, progress, goal)


def _require_reachable(scenario: Scenario, robot: Robot, joints: Array) -> None:
    """Refuse joint angles beyond the stops. Raises BoaError."""
    beyond = robot.beyond_stops(joints)
    if beyond is not None:
        name, angle = beyond
        raise BoaError(
            f"scenario {scenario.name}: initial.joints puts {name} at {angle:g} rad; robot "
            f"{robot.name} has stops at {robot.joint.lower:g} and {robot.joint.upper:g} rad; stay "
            "between them"
        )


def _require_level_start(scenario: Scenario, robot: Robot, base: Array, joints: Array) -> None:
    """Refuse a start on or in a step: robots are put on the floor of height 0. Raises BoaError."""
    terrain = scenario.scene.terrain
    if not terrain:
        return
    frames = link_frames(robot, start_pose(robot, base), joints)
    fronts = points_on_links(frames, np.array([robot.link.pitch, 0.0, 0.0]))
    x = np.append(frames[:, 0], fronts[:, 0])
    low, high = float(x.min()) - robot.link.radius, float(x.max()) + robot.link.radius
    piece = raised(terrain, low, high)
    if piece is not None:
        raise BoaError(
            f"scenario {scenario.name}: the robot starts at x = {low:.2f} to {high:.2f} m, where "
            f"scene.terrain lifts the floor by {piece.top:g} m; robots start on the floor before "
            "it: move the terrain or initial.base"
        )


def _start(
    scenario: Scenario, robot: Robot, path: PlannedPath | None
) -> tuple[Array, Array, float | None]:
    initial = scenario.initial
    if initial.base is not None:
        joints = (
            np.zeros(robot.joints) if initial.joints is None else np.array(initial.joints, float)
        )
        if joints.shape != (robot.joints,):
            raise BoaError(
                f"scenario {scenario.name}: initial.joints has {joints.size} angles; "
                f"robot {robot.name} has {robot.joints} joints"
            )
        _require_reachable(scenario, robot, joints)
        return np.array(initial.base, float), joints, None
    assert path is not None  # the scenario's own validation
    middle = robot.links // 2
    curve, body = path.curve, robot.links * robot.link.pitch
    if not curve.closed and curve.length < body:
        raise BoaError(
            f"scenario {scenario.name}: the path is {curve.length:.3f} m long, robot {robot.name} "
            f"{body:.3f} m; make the path longer"
        )
    progress = initial.progress
    if progress is None:
        progress = 0.0 if path.curve.closed else (middle + 1) * robot.link.pitch
    elif not (path.curve.closed or 0.0 <= progress <= path.curve.length):
        raise BoaError(
            f"scenario {scenario.name}: initial.progress = {progress:g} m lies outside the path, "
            f"which runs from 0 to {path.curve.length:.3f} m"
        )
    base, joints = place_on_curve(
        path.curve, robot.links, robot.link.pitch, anchor_s=progress, anchor_joint=middle
    )
    return base, joints, progress
