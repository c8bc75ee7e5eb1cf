# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""URDF against MJCF, with MuJoCo's own URDF reader as a second implementation, and against plain
XML.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_description import frames
from boa_description.load import load_robot, robot_names
from boa_description.mjcf import build_spec
from boa_description.robot import Robot
from boa_description.urdf import HARDWARE, build_urdf, build_xacro

ROBOTS = ["boa3", "boa13", "boa20"]
INSTALLED = Path(__file__).resolve().parents[2] / "urdf"


def read_by_mujoco(text: str) -> mujoco.MjModel:
    """Compile a URDF. MuJoCo wants mass in every moving body: the two sliding frames get 1e-14
    kg.
    """
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.boundmass = spec.compiler.boundinertia = 1e-14
    spec.compiler.fusestatic = False
    return spec.compile()


def both(robot: Robot) -> tuple[mujoco.MjModel, mujoco.MjModel]:
    return build_spec(robot).compile(), read_by_mujoco(build_urdf(robot))


@pytest.mark.parametrize("name", ROBOTS)
def test_mass_centre_and_inertia_agree(name: str) -> None:
    robot = load_robot(name)
    mjcf, urdf = both(robot)
    assert mjcf.body_mass.sum() == pytest.approx(urdf.body_mass.sum(), rel=1e-12)
    for link in robot.link_names:
        ours, theirs = mjcf.body(link), urdf.body(link)
        assert ours.mass == pytest.approx(theirs.mass, rel=1e-15)
        np.testing.assert_allclose(ours.ipos, theirs.ipos, atol=1e-15)
        np.testing.assert_allclose(_inertia(ours), _inertia(theirs), rtol=1e-12, atol=1e-15)


def _inertia(body: Any) -> Any:
    """Inertia tensor about the centre of mass in the body frame (readers may order principal axes
    differently).
    """
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, body.iquat)
    rotation = flat.reshape(3, 3)
    return rotation @ np.diag(body.inertia) @ rotation.T


@pytest.mark.parametrize("name", ROBOTS)
def test_joints_agree_in_order_axis_and_limits(name: str) -> None:
    robot = load_robot(name)
    mjcf, urdf = both(robot)
    names = [*frames.BASE_JOINTS, *robot.joint_names]
    assert [mjcf.joint(i).name for i in range(mjcf.njnt)] == names
    assert [urdf.joint(i).name for i in range(urdf.njnt)] == names
    np.testing.assert_array_equal(mjcf.jnt_type, urdf.jnt_type)
    np.testing.assert_allclose(mjcf.jnt_axis, urdf.jnt_axis, atol=1e-15)
    np.testing.assert_allclose(mjcf.jnt_range[3:], urdf.jnt_range[3:], atol=1e-15)
    np.testing.assert_allclose(mjcf.dof_damping, urdf.dof_damping, rtol=1e-15)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_urdf_states_the_servo_s_limits(name: str) -> None:
    """Effort and velocity, which MuJoCo's reader does not keep."""
    robot = load_robot(name)
    root = ElementTree.fromstring(build_urdf(robot))
    for joint in robot.joint_names:
        limit = root.find(f"joint[@name='{joint}']/limit")
        assert limit is not None
        assert float(limit.attrib["effort"]) == robot.actuator.torque_limit
        assert float(limit.attrib["velocity"]) == robot.actuator.speed_limit


@given(links=st.integers(2, 20), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_forward_kinematics_agree(links: int, seed: int) -> None:
    robot = load_robot("boa13", links=links)
    q = np.random.default_rng(seed).uniform(-1.5, 1.5, links + 2)
    poses = []
    for model in both(robot):
        data = mujoco.MjData(model)
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        positions = [data.body(name).xpos.copy() for name in robot.link_names]
        turns = [data.body(name).xmat.copy() for name in robot.link_names]
        poses.append((np.array(positions), np.array(turns)))
    np.testing.assert_allclose(poses[0][0], poses[1][0], atol=1e-12)
    np.testing.assert_allclose(poses[0][1], poses[1][1], atol=1e-12)


@pytest.mark.parametrize("name", ROBOTS)
def test_sensor_frames_agree(name: str, planar_chain: Callable[..., Any]) -> None:
    """Head, IMU and force sensor frames: sites of the model, links of the URDF, and the closed
    form.
    """
    robot = load_robot(name)
    mjcf, urdf = (mujoco.MjData(model) for model in both(robot))
    q = np.random.default_rng(9).uniform(-1, 1, robot.links + 2)
    for data in (mjcf, urdf):
        data.qpos[:] = q
        mujoco.mj_forward(data.model, data)
    chain = planar_chain(robot)
    joints, centres, headings = chain.joints(q), chain.centres(q), chain.headings(q)
    expected = {frames.HEAD: (joints[-1], headings[-1])}
    expected |= {
        frames.imu_frame(link): (centres[i], headings[i]) for i, link in enumerate(robot.link_names)
    }
    expected |= {
        frames.force_frame(joint): (joints[i + 1], headings[i + 1])
        for i, joint in enumerate(robot.joint_names)
    }
    for frame, (position, heading) in expected.items():
        for pose in (mjcf.site(frame), urdf.body(frame)):
            np.testing.assert_allclose(pose.xpos, [*position, robot.link.radius], atol=1e-12)
            np.testing.assert_allclose(
                pose.xmat[:4:3], [np.cos(heading), np.sin(heading)], atol=1e-12
            )


def test_visual_and_collision_shapes_fill_the_capsule() -> None:
    robot = load_robot("boa13")
    root = ElementTree.fromstring(build_urdf(robot))
    for purpose in ("visual", "collision"):
        parts = root.findall(f"link[@name='link_05']/{purpose}")
        shapes = [part.findall("geometry/*")[0] for part in parts]
        assert [shape.tag for shape in shapes] == ["cylinder", "sphere", "sphere"]
        assert {float(shape.attrib["radius"]) for shape in shapes} == {robot.link.radius}
        assert float(shapes[0].attrib["length"]) == robot.link.pitch


def test_every_link_hangs_on_exactly_one_joint() -> None:
    """Demands of robot_state_publisher: one root, one parent per link."""
    root = ElementTree.fromstring(build_urdf(load_robot("boa20")))
    links = {link.attrib["name"] for link in root.findall("link")}
    children = [child.attrib["link"] for child in root.findall("joint/child")]
    assert len(children) == len(set(children))
    assert links - set(children) == {frames.WORLD}
    assert {parent.attrib["link"] for parent in root.findall("joint/parent")} <= links


@pytest.mark.parametrize("name", robot_names())
def test_every_joint_of_the_robot_is_offered_to_ros2_control(name: str) -> None:
    robot = load_robot(name)
    (system,) = ElementTree.fromstring(build_urdf(robot)).findall("ros2_control")
    joints = system.findall("joint")
    assert [joint.attrib["name"] for joint in joints] == list(robot.joint_names)
    for joint in joints:
        (command,) = joint.findall("command_interface")
        numbers = {param.attrib["name"]: float(param.text) for param in command.findall("param")}
        assert command.attrib["name"] == "effort"
        most = robot.limits.torque
        assert numbers == {"min": -most, "max": most, "initial_value": 0.0}
        states = [state.attrib["name"] for state in joint.findall("state_interface")]
        assert states == ["position", "velocity", "effort"]


@pytest.mark.parametrize("name", robot_names())
def test_the_installed_files_are_those_of_the_description(name: str) -> None:
    """`make urdf` writes them again."""
    robot = load_robot(name)
    assert (INSTALLED / f"{name}.urdf").read_text(encoding="utf-8") == build_urdf(robot)
    assert (INSTALLED / f"{name}.urdf.xacro").read_text(encoding="utf-8") == build_xacro(robot)


def test_the_prefix_stands_before_every_name_but_the_world() -> None:
    """Put in by plain replacement, as xacro does, it gives two robots without a common name."""
    robot = load_robot("boa13")

    def expanded(prefix: str) -> ElementTree.Element:
        text = build_xacro(robot).replace("$(arg prefix)", prefix)
        root = ElementTree.fromstring(text.replace("$(arg plugin)", HARDWARE))
        for part in [part for part in root if part.tag.endswith("arg")]:
            root.remove(part)
        return root

    def names(prefix: str) -> set[str]:
        root = expanded(prefix)
        used = [part.attrib["link"] for part in root.iter() if part.tag in ("parent", "child")]
        given = [part.attrib["name"] for kind in ("link", "joint") for part in root.iter(kind)]
        systems = [part.attrib["name"] for part in root.iter("ros2_control")]
        return {*used, *given, *systems}

    plain, left, right = names(""), names("left_"), names("right_")
    assert left == {f"left_{name}" for name in plain - {frames.WORLD}} | {frames.WORLD}
    assert left & right == {frames.WORLD}
    expected, found = ElementTree.fromstring(build_urdf(robot)), expanded("")
    assert ElementTree.canonicalize(
        ElementTree.tostring(found, encoding="unicode"), strip_text=True
    ) == ElementTree.canonicalize(
        ElementTree.tostring(expected, encoding="unicode"), strip_text=True
    )
