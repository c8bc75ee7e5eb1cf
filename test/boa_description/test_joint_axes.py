"""Axes of the joints: what a robot that leaves the plane has, and who refuses it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from boa_control.experiments.library import load_scenario
from boa_control.model.dynamics import PlanarChain
from boa_control.paths.construct import build_path
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from boa_description.robot import Robot
from boa_description.urdf import build_urdf
from boa_sim.plant import SimulatedPlant

ROLLER = load_robot("boa13", override={"joint": {"axes": "alternating"}})
PATH = load_scenario("boa_circle").path


def test_joints_turn_about_the_vertical_unless_told_otherwise() -> None:
    boa = load_robot("boa13")
    assert boa.planar and set(boa.joint_axes) == {(0.0, 0.0, 1.0)}
    assert not ROLLER.planar
    assert ROLLER.joint_axes[:3] == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_the_free_model_has_these_axes() -> None:
    model = build_spec(ROLLER, base="free").compile()
    axes = [model.joint(name).axis for name in ROLLER.joint_names]
    np.testing.assert_array_equal(axes, ROLLER.joint_axes)


@pytest.mark.parametrize(
    ("what", "use"),
    [
        ("a path", lambda robot: build_path(PATH, robot)),
        ("the closed-form model of the chain", PlanarChain),
        ("a MuJoCo model with a planar base", build_spec),
        ("a MuJoCo model with a planar base", SimulatedPlant),
        ("a URDF with a moving base", build_urdf),
    ],
)
def test_what_is_planar_refuses_in_one_line(what: str, use: Callable[[Robot], object]) -> None:
    with pytest.raises(BoaError) as refused:
        use(ROLLER)
    assert str(refused.value) == (
        f"robot boa13: joint.axes is alternating, {what} works in the plane; set joint.axes: yaw"
    )
