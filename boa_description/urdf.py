# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The URDF of a robot, for robot_state_publisher, RViz, ros2_control and other tools that read no
MJCF.
"""

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from boa_description import frames
from boa_description.joint_tree import TreeJoint, joint_tree
from boa_description.robot import Robot

FAR = 1e3  # m; URDF wants limits for sliding joints, and the base has none
COLOURS = ("0.20 0.45 0.40 1", "0.85 0.75 0.30 1")  # red, green, blue, alpha; links and head
XACRO = "http://www.ros.org/wiki/xacro"
# ros2_control's plugin for a robot behind topics, and its parameters. Topics are relative to the
# namespace of the controller manager. Below 0: every command is sent, even one that equals the
# measured effort; the plant takes torque away where none comes
HARDWARE = "joint_state_topic_hardware_interface/JointStateTopicSystem"
HARDWARE_PARAMETERS = {
    "joint_states_topic": "joint_states",
    "joint_commands_topic": "torque_command",
    "trigger_joint_command_threshold": "-1",
}


def build_urdf(robot: Robot) -> str:
    """Return the URDF: world, the base (base_x, base_y, base_yaw; one floating joint in space), the
    links, the sensor frames, and the interfaces of the joints for ros2_control.

    Same names, frames, masses, inertias and limits as the MuJoCo model. URDF knows no capsules: a
    link is a cylinder between two spheres. It knows no rotor inertia either, so `actuator.armature`
    is not in it.
    """
    return _text(_build(robot))


def build_xacro(robot: Robot) -> str:
    """Return the URDF as a xacro file with two arguments: `prefix`, which is put before the names
    of all links and joints but the world, and `plugin`, the hardware for ros2_control.
    """
    root = _build(robot)
    root.set("xmlns:xacro", XACRO)
    for element in root.iter():
        _put_prefix(element, "$(arg prefix)")
        if element.tag == "plugin":
            element.text = "$(arg plugin)"
    root.insert(0, Element("xacro:arg", name="plugin", default=HARDWARE))
    root.insert(0, Element("xacro:arg", name="prefix", default=""))
    return _text(root)


def _build(robot: Robot) -> Element:
    root = Element("robot", name=robot.name)
    _add_materials(root)
    SubElement(root, "link", name=frames.WORLD)
    for joint in joint_tree(robot):
        _add_link(root, robot, joint.child)
        _add_joint(root, robot, joint)
    _add_ros2_control(root, robot)
    return root


def _add_materials(root: Element) -> None:
    for name, colour in zip(("link", "head"), COLOURS, strict=True):
        SubElement(SubElement(root, "material", name=name), "color", rgba=colour)


def _add_link(root: Element, robot: Robot, name: str) -> None:
    """A link of the robot with its mass and shape, or a frame without either."""
    element = SubElement(root, "link", name=name)
    if name not in robot.link_names:
        return
    link, spine = robot.link, robot.spine(robot.link_names.index(name))
    inertial = SubElement(element, "inertial")
    SubElement(inertial, "origin", xyz=_numbers(link.pitch / 2, 0, 0), rpy="0 0 0")
    SubElement(inertial, "mass", value=repr(link.mass))
    roll, pitch, yaw = (repr(moment) for moment in link.principal_inertia)
    SubElement(inertial, "inertia", ixx=roll, ixy="0", ixz="0", iyy=pitch, iyz="0", izz=yaw)
    material = "head" if name == robot.link_names[-1] else "link"
    for purpose in ("visual", "collision"):
        sides = (link.track, -link.track) if link.track else (0.0,)
        parts = [
            part for y in sides for part in _add_capsule(element, purpose, spine, link.radius, y)
        ]
        if purpose == "visual":
            for part in parts:
                SubElement(part, "material", name=material)


def _add_capsule(
    link: Element, purpose: str, spine: tuple[float, float], radius: float, y: float
) -> list[Element]:
    middle, (start, stop) = SubElement(link, purpose), spine
    SubElement(
        middle, "origin", xyz=_numbers((start + stop) / 2, y, 0), rpy=_numbers(0, math.pi / 2, 0)
    )
    shape = SubElement(middle, "geometry")
    SubElement(shape, "cylinder", radius=repr(radius), length=repr(stop - start))
    parts = [middle]
    for end in spine:
        cap = SubElement(link, purpose)
        SubElement(cap, "origin", xyz=_numbers(end, y, 0), rpy="0 0 0")
        SubElement(SubElement(cap, "geometry"), "sphere", radius=repr(radius))
        parts.append(cap)
    return parts


def _add_joint(root: Element, robot: Robot, joint: TreeJoint) -> None:
    element = SubElement(root, "joint", name=joint.name, type=joint.kind)
    SubElement(element, "parent", link=joint.parent)
    SubElement(element, "child", link=joint.child)
    SubElement(element, "origin", xyz=_numbers(*joint.offset), rpy="0 0 0")
    if joint.kind in ("fixed", "floating"):
        return
    SubElement(element, "axis", xyz=_numbers(*joint.axis))
    if joint.kind == "prismatic":
        far = f"{FAR}"
        SubElement(element, "limit", lower=f"{-FAR}", upper=far, effort="0", velocity=far)
    elif joint.kind == "revolute":
        _add_servo(element, robot)


def _add_servo(joint: Element, robot: Robot) -> None:
    """Limits and friction of a joint of the robot."""
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


def _add_ros2_control(root: Element, robot: Robot) -> None:
    """One system: every joint takes an effort within the torque limit, none before a controller
    commands one, and reports position, velocity and effort.
    """
    system = SubElement(root, "ros2_control", name=robot.name, type="system")
    hardware = SubElement(system, "hardware")
    SubElement(hardware, "plugin").text = HARDWARE
    for name, value in HARDWARE_PARAMETERS.items():
        SubElement(hardware, "param", name=name).text = value
    for name in robot.joint_names:
        joint = SubElement(system, "joint", name=name)
        command = SubElement(joint, "command_interface", name="effort")
        SubElement(command, "param", name="min").text = repr(-robot.limits.torque)
        SubElement(command, "param", name="max").text = repr(robot.limits.torque)
        SubElement(command, "param", name="initial_value").text = "0.0"
        for state in ("position", "velocity", "effort"):
            SubElement(joint, "state_interface", name=state)


def _put_prefix(element: Element, prefix: str) -> None:
    """Put the prefix before the names that the element gives or uses."""
    key = {"link": "name", "joint": "name", "parent": "link", "child": "link"}.get(element.tag)
    if element.tag == "ros2_control":
        key = "name"
    if key is not None and element.attrib[key] != frames.WORLD:
        element.set(key, prefix + element.attrib[key])


def _text(root: Element) -> str:
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _numbers(*values: float) -> str:
    """Numbers as URDF wants them, exact to the last bit."""
    return " ".join(repr(float(value)) for value in values)
