"""The URDF of a robot, for robot_state_publisher, RViz and other tools that read no MJCF."""

from __future__ import annotations

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from boa_description import frames
from boa_description.robot import Robot

FAR = 1e3  # m; URDF wants limits for sliding joints, and the base has none


def build_urdf(robot: Robot) -> str:
    """Return the URDF: world, the planar base chain base_x, base_y, base_yaw, the links, and the
    sensor frames.

    Same names, frames, masses, inertias and limits as the MuJoCo model. URDF knows no capsules: a
    link is a cylinder between two spheres. It knows no rotor inertia either, so `actuator.armature`
    is not in it.
    """
    root = Element("robot", name=robot.name)
    SubElement(root, "link", name=frames.WORLD)
    _add_base(root, robot)
    for index, link in enumerate(robot.link_names):
        _add_link(root, robot, link)
        if index > 0:
            _add_joint(root, robot, index)
        _add_frame(root, frames.imu_frame(link), link, robot.link.pitch / 2)
    _add_frame(root, frames.HEAD, robot.link_names[-1], robot.link.pitch)
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_base(root: Element, robot: Robot) -> None:
    """Slide in x, slide in y, turn: the pose of the tail-side end of link 1, at the height of the
    link axes.

    A fixed mount is one fixed joint.
    """
    if robot.mount == "fixed":
        joint = _joint_element(root, frames.MOUNT, "fixed", frames.WORLD, robot.link_names[0])
        SubElement(joint, "origin", xyz=_numbers(0, 0, robot.link.radius), rpy="0 0 0")
        return
    parents = (frames.WORLD, *(f"{name}_link" for name in frames.BASE_JOINTS[:-1]))
    children = (*parents[1:], robot.link_names[0])
    kinds = (("prismatic", "1 0 0"), ("prismatic", "0 1 0"), ("continuous", "0 0 1"))
    for index, name in enumerate(frames.BASE_JOINTS):
        kind, axis = kinds[index]
        if children[index] != robot.link_names[0]:
            SubElement(root, "link", name=children[index])
        joint = _joint_element(root, name, kind, parents[index], children[index])
        SubElement(
            joint, "origin", xyz=_numbers(0, 0, robot.link.radius if index == 0 else 0), rpy="0 0 0"
        )
        SubElement(joint, "axis", xyz=axis)
        if kind == "prismatic":
            SubElement(
                joint, "limit", lower=f"{-FAR}", upper=f"{FAR}", effort="0", velocity=f"{FAR}"
            )


def _add_link(root: Element, robot: Robot, name: str) -> None:
    link = robot.link
    element = SubElement(root, "link", name=name)
    inertial = SubElement(element, "inertial")
    SubElement(inertial, "origin", xyz=_numbers(link.pitch / 2, 0, 0), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(link.mass))
    roll, pitch, yaw = (repr(moment) for moment in link.principal_inertia)
    SubElement(inertial, "inertia", ixx=roll, ixy="0", ixz="0", iyy=pitch, iyz="0", izz=yaw)
    for purpose in ("visual", "collision"):
        _add_capsule(element, purpose, link.pitch, link.radius)


def _add_capsule(link: Element, purpose: str, pitch: float, radius: float) -> None:
    middle = SubElement(link, purpose)
    SubElement(middle, "origin", xyz=_numbers(pitch / 2, 0, 0), rpy=_numbers(0, math.pi / 2, 0))
    SubElement(SubElement(middle, "geometry"), "cylinder", radius=repr(radius), length=repr(pitch))
    for end in (0.0, pitch):
        cap = SubElement(link, purpose)
        SubElement(cap, "origin", xyz=_numbers(end, 0, 0), rpy="0 0 0")
        SubElement(SubElement(cap, "geometry"), "sphere", radius=repr(radius))


def _add_joint(root: Element, robot: Robot, index: int) -> None:
    """Joint between link `index` and the next (counted from 1), with its force sensor frame on the
    child.
    """
    name, parent, child = (
        robot.joint_names[index - 1],
        robot.link_names[index - 1],
        robot.link_names[index],
    )
    joint = _joint_element(root, name, "revolute", parent, child)
    SubElement(joint, "origin", xyz=_numbers(robot.link.pitch, 0, 0), rpy="0 0 0")
    SubElement(joint, "axis", xyz="0 0 1")
    SubElement(
        joint,
        "limit",
        lower=repr(robot.joint.lower),
        upper=repr(robot.joint.upper),
        effort=repr(robot.actuator.torque_limit),
        velocity=repr(robot.actuator.speed_limit),
    )
    SubElement(
        joint,
        "dynamics",
        damping=repr(robot.actuator.damping),
        friction=repr(robot.actuator.coulomb),
    )
    _add_frame(root, frames.force_frame(name), child, 0.0)


def _add_frame(root: Element, name: str, parent: str, x: float) -> None:
    """A frame without mass, fixed to `parent` at distance x along the link."""
    SubElement(root, "link", name=name)
    joint = _joint_element(root, f"{name}_fixed", "fixed", parent, name)
    SubElement(joint, "origin", xyz=_numbers(x, 0, 0), rpy="0 0 0")


def _joint_element(root: Element, name: str, kind: str, parent: str, child: str) -> Element:
    joint = SubElement(root, "joint", name=name, type=kind)
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)
    return joint


def _numbers(*values: float) -> str:
    """Numbers as URDF wants them, exact to the last bit."""
    return " ".join(repr(float(value)) for value in values)
