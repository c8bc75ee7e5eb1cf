# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constant torque and joint PD, and what all controllers refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.controller import Briefing
from boa_control.controllers import CONTROLLERS, controller_class, make_controller
from boa_control.plant import SensorFrame
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle, GroundFriction

ROBOT = load_robot("boa3")


def briefing(**changes: object) -> Briefing:
    told: dict[str, Any] = {
        "robot": ROBOT,
        "obstacles": (Circle(x=5.0, y=5.0, radius=0.1),),
        "path": None,
        "period": 0.002,
        "start_base": np.zeros(3),
        "start_joints": np.array([0.1, -0.2]),
        "start_progress": None,
        "ground": GroundFriction(),
    }
    return Briefing(**(told | changes))


def frame(position: list[float], velocity: list[float], stamp_ns: int = 0) -> SensorFrame:
    return SensorFrame(
        stamp_ns,
        np.array(position),
        np.array(velocity),
        np.zeros(2),
        None,
        None,
        np.zeros(2),
        np.zeros(2),
    )


def test_every_registered_controller_can_be_loaded() -> None:
    for name in CONTROLLERS:
        assert hasattr(controller_class(name), "Parameters"), name


def test_constant() -> None:
    controller = make_controller("constant", {"torque": [1.0, -2.0]}, briefing())
    np.testing.assert_array_equal(controller.step(frame([0, 0], [0, 0])).torque, [1.0, -2.0])
    with pytest.raises(BoaError, match="3 values given, the robot has 2 joints"):
        make_controller("constant", {"torque": [1.0, 2.0, 3.0]}, briefing())


def test_pd_pulls_towards_the_reference() -> None:
    """Eq. 2.2 with the stable sign, by hand: 20 (0.1 - 0.3) + 1 (0 - 0.5) = -4.5."""
    controller = make_controller("joint_pd", {"kp": 20.0, "kd": 1.0}, briefing())
    output = controller.step(frame([0.3, -0.2], [0.5, 0.0]))
    np.testing.assert_allclose(output.torque, [-4.5, 0.0])


def test_pd_respects_its_limit() -> None:
    controller = make_controller("joint_pd", {"kp": 60.0, "torque_limit": 2.0}, briefing())
    np.testing.assert_allclose(controller.step(frame([1.0, -1.0], [0, 0])).torque, [-2.0, 2.0])


def test_pd_follows_its_gait_in_time_and_forgets_on_reset() -> None:
    gait = {
        "kind": "rocking",
        "centre": 0.0,
        "amplitude": 1.0,
        "frequency": 2.0,
        "phase_shift": 0.0,
    }
    controller = make_controller("joint_pd", {"kp": 1.0, "kd": 0.0, "gait": gait}, briefing())
    controller.step(frame([0, 0], [0, 0], 5_000_000_000))
    later = controller.step(frame([0, 0], [0, 0], 5_250_000_000))
    np.testing.assert_allclose(later.torque, np.sin(0.5))
    controller.reset()
    np.testing.assert_allclose(controller.step(frame([0, 0], [0, 0], 9_000_000_000)).torque, 0.0)


@pytest.mark.parametrize(
    ("name", "parameters", "told", "message"),
    [
        (
            "joint_pd",
            {"gait": {"kind": "hold", "target": [0.1]}},
            {},
            "1 values given, the robot has 2 joints",
        ),
        ("joint_pd", {"kq": 1.0}, {}, "unknown key 'kq'"),
        ("two_phase", {"phase_a": {}, "phase_b": {}}, {}, "'switch_time' is missing"),
        (
            "two_phase",
            {"phase_a": {}, "phase_b": {}, "switch_time": 1.0},
            {"start_base": None},
            "start pose",
        ),
        (
            "two_phase",
            {"phase_a": {"contact_torque": [1.0]}, "phase_b": {}, "switch_time": 1.0},
            {},
            "1 values given",
        ),
        (
            "west_asada",
            {"gait": {"kind": "hold"}, "essential_joints": [3]},
            {},
            r"\[3\] do not exist; valid: 1 to 2",
        ),
        ("west_asada", {}, {}, "needs parameters.gait, or a scenario with a path"),
        ("manifold_rocking", {}, {}, "0 contacts at the start"),
        ("manifold_rocking", {}, {"start_joints": None}, "needs the start pose"),
        ("wall_grinding", {}, {}, "use robot: {name: rods2}"),
    ],
)
def test_wrong_set_up_is_named(
    name: str, parameters: dict[str, object], told: dict[str, object], message: str
) -> None:
    with pytest.raises(BoaError, match=message):
        make_controller(name, parameters, briefing(**told))
