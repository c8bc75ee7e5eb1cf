# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every frame of a robot and the joint it hangs on: the one source of the URDF and of /tf."""

from dataclasses import dataclass
from typing import Literal

from boa_description import frames
from boa_description.robot import Robot

Kind = Literal["fixed", "prismatic", "continuous", "revolute", "floating"]
Vector = tuple[float, float, float]

HERE: Vector = (0.0, 0.0, 0.0)
X_AXIS: Vector = (1.0, 0.0, 0.0)
Y_AXIS: Vector = (0.0, 1.0, 0.0)
Z_AXIS: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TreeJoint:
    """One joint of the tree.

    Attributes:
        name: of the joint, as in the URDF and the MuJoCo model.
        kind: as URDF calls it; prismatic joints slide along `axis`, a floating one is free, the
            others turn about it.
        parent, child: frames.
        offset: of the child's origin in the parent, m, at joint value 0.
        axis: unit vector in the parent; without meaning for a fixed joint.
    """

    name: str
    kind: Kind
    parent: str
    child: str
    offset: Vector = HERE
    axis: Vector = Z_AXIS


def joint_tree(robot: Robot) -> tuple[TreeJoint, ...]:
    """All joints, parents before children: the base in the world, the links from tail to head, then
    the frames of the sensors and of the head.
    """
    return (*moving_base(robot), *_mount(robot), *_spine(robot), *_sensor_frames(robot))


def moving_joints(robot: Robot) -> tuple[TreeJoint, ...]:
    """The joints with a value, in the order of base (x, y, heading; none for a fixed mount; a pose
    in space) and joint angles.
    """
    return tuple(joint for joint in joint_tree(robot) if joint.kind != "fixed")


def fixed_joints(robot: Robot) -> tuple[TreeJoint, ...]:
    """The joints without a value."""
    return tuple(joint for joint in joint_tree(robot) if joint.kind == "fixed")


def moving_base(robot: Robot) -> tuple[TreeJoint, ...]:
    """Slide in x, slide in y, turn: the tail-side end of link 1, at the height of the link axes.

    None for a fixed mount; one free joint for a robot that leaves the plane.
    """
    if robot.mount == "fixed":
        return ()
    if not robot.planar:
        return (TreeJoint(frames.FREE_JOINT, "floating", frames.WORLD, robot.link_names[0]),)
    along_x, along_y, heading = frames.BASE_JOINTS
    slid_x, slid_y = f"{along_x}_link", f"{along_y}_link"
    height = (0.0, 0.0, robot.link.radius)
    return (
        TreeJoint(along_x, "prismatic", frames.WORLD, slid_x, height, X_AXIS),
        TreeJoint(along_y, "prismatic", slid_x, slid_y, HERE, Y_AXIS),
        TreeJoint(heading, "continuous", slid_y, robot.link_names[0]),
    )


def _mount(robot: Robot) -> tuple[TreeJoint, ...]:
    if robot.mount != "fixed":
        return ()
    height = (0.0, 0.0, robot.link.radius)
    return (TreeJoint(frames.MOUNT, "fixed", frames.WORLD, robot.link_names[0], height),)


def _spine(robot: Robot) -> tuple[TreeJoint, ...]:
    links, pitch = robot.link_names, (robot.link.pitch, 0.0, 0.0)
    return tuple(
        TreeJoint(joint, "revolute", links[index], links[index + 1], pitch, axis)
        for index, (joint, axis) in enumerate(zip(robot.joint_names, robot.joint_axes, strict=True))
    )


def _sensor_frames(robot: Robot) -> tuple[TreeJoint, ...]:
    """IMUs in the middle of their links, force sensors at their joints on the child link, and the
    head.
    """
    pitch = robot.link.pitch
    imus = [_fixed(frames.imu_frame(link), link, pitch / 2) for link in robot.link_names]
    forces = [
        _fixed(frames.force_frame(joint), child, 0.0)
        for joint, child in zip(robot.joint_names, robot.link_names[1:], strict=True)
    ]
    return (*imus, *forces, _fixed(frames.HEAD, robot.link_names[-1], pitch))


def _fixed(name: str, parent: str, x: float) -> TreeJoint:
    return TreeJoint(f"{name}_fixed", "fixed", parent, name, (x, 0.0, 0.0))
