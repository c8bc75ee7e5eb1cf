# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scenario of a way in stretches: one run, from where the robot is laid down to the goal."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from boa_control.experiments.datasheet import RATE
from boa_control.experiments.planned import SLACK, START_UP, STOP, TravelSettings, travel_parameters
from boa_control.experiments.scenario import Scenario
from boa_control.paths.named import segment_curve
from boa_control.paths.settings import SegmentPath
from boa_control.planning.lying import last_place
from boa_control.planning.stretches import Means, Stretch
from boa_description.arrays import Array
from boa_description.chain import centre_of_mass
from boa_description.placement import place_on_curve
from boa_description.robot import Robot
from boa_description.scene import Obstacle

# between posts the body is squeezed in proportion to its torques
RELIEF = {"soft": 15.0, "hard": 40.0, "torque": 4.0}
# a wave as in the scenario boa_pegboard_targets: at the head half as wide. A head that meets a post
# puts up to 1.6 N per mm/s on the joint behind it (docs/first_touch.md): 19 N, beside what presses
SWIMMING: dict[str, Any] = {
    "controller": "undulation",
    "parameters": {
        "gait": {
            "frequency": 0.5759586532,
            "phase_shift": 0.6981317008,
            "amplitudes": [0.5236] * 5 + [0.4862, 0.4488, 0.4114, 0.374, 0.3366, 0.2992, 0.2618],
        },
        "ramp": 2.0,
        "kp": 20.0,
        "kd": 40.0,
        "closing_speed": 0.012,
        "steering": {"gain": 0.4, "limit": 0.3, "filter": 0.6},
    },
    "relief": RELIEF,
}
PATIENCE = 60.0  # s, for which a wave between posts may come no further; 10 s where it gets on
# the same along a path to posts, where the shape is known and the wave narrow between posts
WEAVING: dict[str, Any] = {
    "controller": "weaving",
    "parameters": {"closing_speed": 0.012},
    "relief": RELIEF,
    "patience": PATIENCE,
}
STALLED = 120.0  # s, for which the robot may stand
WEAVE_SPEED = 0.004  # m/s, slower than which it is given up
SWIM_SPEED = 0.01  # m/s, slower than which a wave is given up
SETTLE = 2.0  # s at the start that are not judged


def way_scenario(
    name: str,
    way: Sequence[Stretch],
    robot: Robot,
    obstacles: Sequence[Obstacle],
    travel: TravelSettings,
    within: float,
) -> Scenario:
    """The way from its beginning. Where a stretch ends on the floor, the centre of mass comes as
    near as `within`, m.

    Raises:
        BoaError: the servos carry no speed that makes sense along the posts.
    """
    stretches, durations = [], []
    for stretch in way:
        settings, duration = _settings(stretch, robot, travel, within)
        stretches.append(settings)
        durations.append(duration)
    parameters: dict[str, Any] = {"stretches": stretches}
    if any(stretch.guide is not None for stretch in way):
        parameters["otherwise"] = {**SWIMMING, "goal": _goal(way[-1], robot, within)}
    base, joints = _laid(way[0], robot)
    return Scenario.model_validate(
        {
            "name": name,
            "summary": "; ".join(map(str, way)),
            "robot": {"name": travel.robot},
            "scene": {
                "ground": travel.ground.model_dump(),
                "contact": {"friction": travel.contact_friction},
                "obstacles": [one.model_dump() for one in obstacles],
            },
            "initial": {"base": tuple(base.tolist()), "joints": tuple(joints.tolist())},
            "goal": _goal(way[-1], robot, within),
            "plant": {"control_rate": RATE, "tracker": {}},
            "controller": {"name": "stretches", "parameters": parameters},
            "evaluation": {"settle": SETTLE, "stalled": STALLED},
            "duration": round(sum(durations), 1),
        }
    )


def _settings(
    stretch: Stretch, robot: Robot, travel: TravelSettings, within: float
) -> tuple[dict[str, Any], float]:
    """A stretch as the controller has it, and the time that it may take, s."""
    if stretch.guide is not None:
        path, begin = stretch.guide.path.model_dump(), round(stretch.guide.begin, 4)
        return {**WEAVING, "path": path, "progress": begin}, stretch.length / WEAVE_SPEED
    if stretch.route is None:
        return (
            {**SWIMMING, "goal": _goal(stretch, robot, within)},
            (stretch.length + 1.0) / SWIM_SPEED,
        )
    speed, parameters = travel_parameters(stretch.route, robot, travel)
    path = stretch.route.settings.model_dump()
    settings = {
        "controller": "hoal",
        "parameters": parameters,
        "path": path,
        "progress": round(_begin(robot) if stretch.progress is None else stretch.progress, 4),
    }
    return settings, SLACK * stretch.length / speed + START_UP


def _laid(stretch: Stretch, robot: Robot) -> tuple[Array, Array]:
    """Base (3,), m and rad, and joint angles, rad, with which a way begins."""
    if stretch.route is None:
        assert stretch.laid is not None
        return np.array(stretch.laid), np.zeros(robot.joints)
    return _body(stretch.route.settings, robot, round(_begin(robot), 4))


def _begin(robot: Robot) -> float:
    """Place of the middle joint on a path at its beginning, as in other scenarios, m."""
    return (robot.links // 2 + 1) * robot.link.pitch


def _body(path: SegmentPath, robot: Robot, progress: float) -> tuple[Array, Array]:
    """Base and joint angles of the robot with its middle joint there on the path, m."""
    curve, middle = segment_curve(path), robot.links // 2
    return place_on_curve(
        curve, robot.links, robot.link.pitch, anchor_s=progress, anchor_joint=middle
    )


def _goal(stretch: Stretch, robot: Robot, within: float) -> dict[str, Any]:
    """Where the centre of mass is at the end of a stretch."""
    if stretch.means is Means.FLOOR:
        return {"kind": "targets", "points": [stretch.end], "acceptance": within}
    assert stretch.route is not None
    path = stretch.route.settings
    base, joints = _body(path, robot, last_place(path, robot))
    point = tuple(centre_of_mass(robot.link.pitch, base, joints).tolist())
    return {"kind": "targets", "points": [point], "acceptance": STOP}
