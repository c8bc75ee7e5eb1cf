"""Axes of the joints: what a robot that leaves the plane has, and who refuses it."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest

from boa_control.experiments.library import load_scenario
from boa_control.model.dynamics import PlanarChain
from boa_control.paths.construct import build_path
from boa_description import frames
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.mjcf import build_spec
from boa_description.robot import Robot
from boa_description.urdf import build_urdf

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
    ],
)
def test_what_is_planar_refuses_in_one_line(what: str, use: Callable[[Robot], object]) -> None:
    with pytest.raises(BoaError) as refused:
        use(ROLLER)
    assert str(refused.value) == (
        f"robot boa13: joint.axes is alternating, {what} works in the plane; set joint.axes: yaw"
    )


def test_pitch_comes_first_where_the_description_says_so() -> None:
    cobra = load_robot("cobra12")
    assert cobra.pitch_joints == (0, 2, 4, 6, 8, 10)
    assert cobra.joint_axes[0] == (0.0, 1.0, 0.0) and cobra.joint_axes[1] == (0.0, 0.0, 1.0)
    assert ROLLER.pitch_joints == (1, 3, 5, 7, 9, 11)


def test_a_track_is_two_capsules_side_by_side_and_no_more_mass() -> None:
    cobra = load_robot("cobra12")
    model = build_spec(cobra, base="free").compile()
    left, right = (model.geom(name) for name in frames.link_geoms("link_03", cobra.link.track))
    assert left.pos[1] == -right.pos[1] == 0.03
    assert left.size[0] == right.size[0] == 0.05
    assert model.body_mass.sum() == pytest.approx(cobra.mass, rel=1e-12)


def test_the_urdf_has_the_axes_and_a_free_base() -> None:
    """As in the MuJoCo model; a second reader of the same text."""
    cobra = load_robot("cobra12")
    joints = {
        joint.attrib["name"]: joint
        for joint in ElementTree.fromstring(build_urdf(cobra)).iter("joint")
        if "type" in joint.attrib
    }
    assert joints[frames.FREE_JOINT].attrib["type"] == "floating"
    for name, axis in zip(cobra.joint_names, cobra.joint_axes, strict=True):
        written = joints[name].find("axis")
        assert written is not None
        assert tuple(map(float, written.attrib["xyz"].split())) == axis
