# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
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


def test_no_sphere_of_an_inset_link_is_that_of_another() -> None:
    """Ends of the capsules, in the MuJoCo model and in the URDF: 20 mm before every joint, on it
    at the robot's own two ends.
    """
    cobra = load_robot("cobra12")
    model = build_spec(cobra, base="free").compile()
    root = ElementTree.fromstring(build_urdf(cobra))
    for index, name in enumerate(cobra.link_names):
        start = 0.0 if index == 0 else 0.02
        stop = 0.14 if index == cobra.links - 1 else 0.12
        for geom in (model.geom(each) for each in frames.link_geoms(name, cobra.link.track)):
            along = geom.pos[0] + geom.size[1] * np.array([-1.0, 1.0])
            assert along == pytest.approx([start, stop], abs=1e-12)
        caps = {
            float(origin.attrib["xyz"].split()[0])
            for part in root.findall(f"link[@name='{name}']/collision")
            if part.find("geometry/sphere") is not None
            for origin in part.findall("origin")
        }
        assert sorted(caps) == pytest.approx([start, stop], abs=1e-12)


@pytest.mark.parametrize(
    ("robot", "inset", "message"),
    [
        ("boa13", 0.02, "contacts in the plane pass joints on the end sphere"),
        ("cobra12", 0.07, "leaves nothing of link.pitch 0.14 m"),
    ],
)
def test_an_inset_that_cannot_be_is_refused(robot: str, inset: float, message: str) -> None:
    with pytest.raises(BoaError, match=message):
        load_robot(robot, override={"link": {"inset": inset}})


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
