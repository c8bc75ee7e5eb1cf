# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the stretches of a way, each from where the robot has come to rest on the last."""

from __future__ import annotations

from collections.abc import Sequence

from boa_control.experiments.planned import TravelSettings, planned_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.planning.stretches import Stretch
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import GroundFriction, Obstacle

# a slow wave among posts, as in the scenario boa_pegboard_targets: at the head half as wide
WAVE = {
    "frequency": 0.5759586532,
    "phase_shift": 0.6981317008,
    "amplitudes": [0.5236] * 5 + [0.4862, 0.4488, 0.4114, 0.374, 0.3366, 0.2992, 0.2618],
}
SWIM_SPEED = 0.01  # m/s, slower than which a wave is given up


def held_stretch(stretch: Stretch, robot: Robot, settings: TravelSettings) -> Scenario:
    """Past posts, to the end of the path, where the robot comes to rest.

    Raises:
        BoaError: the servos carry no speed that makes sense.
    """
    assert stretch.route is not None
    scenario = planned_scenario("held", str(stretch), stretch.route, robot, settings)
    data = scenario.model_dump(exclude_unset=True) | {"tour": {}}
    data.pop("distance")
    return Scenario.model_validate(data)


def swum_stretch(
    stretch: Stretch,
    base: Array,
    joints: Array,
    obstacles: Sequence[Obstacle],
    ground: GroundFriction,
    robot: str,
    within: float,
) -> Scenario:
    """By undulation to the goal, from where the robot lies: `base` (3,), m and rad, and `joints`,
    rad. Its centre of mass comes as near as `within`, m.
    """
    return Scenario.model_validate(
        {
            "name": "swum",
            "summary": str(stretch),
            "robot": {"name": robot},
            "scene": {
                "ground": ground.model_dump(),
                "obstacles": [one.model_dump() for one in obstacles],
            },
            "initial": {"base": tuple(base.tolist()), "joints": tuple(joints.tolist())},
            "goal": {"kind": "targets", "points": [stretch.end], "acceptance": within},
            "plant": {"control_rate": 200, "tracker": {}},
            "controller": {
                "name": "undulation",
                "parameters": {
                    "gait": WAVE,
                    "ramp": 2.0,
                    "kp": 20.0,
                    "kd": 40.0,
                    "link_speed": 0.06,
                    "head_speed": 0.045,
                    "steering": {"gain": 0.4, "limit": 0.3, "filter": 0.6},
                },
                "relief": {"soft": 15.0, "hard": 40.0},
            },
            "evaluation": {"settle": 2.0},
            "duration": round((stretch.length + 1.0) / SWIM_SPEED, 1),
        }
    )
