# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Interventions in a simulation as messages: a push, a pose."""

from collections.abc import Mapping

import numpy as np

from boa_control.messages.cdr import MessageError, deserialize
from boa_control.messages.topics import APPLY_WRENCH, SET_STATE
from boa_control.plant import GroundTruth
from boa_description.arrays import Array
from boa_description.frames import BASE_JOINTS
from boa_description.robot import Robot

STRONGEST = 1000.0  # N and N m
FARTHEST = 1000.0  # m and rad; physics engines become unstable far beyond


def decode_wrench(raw: bytes, robot: Robot) -> tuple[int, Array]:
    """Link index and wrench (3,): force along its x and y axis, N, torque about the vertical, N m.

    Raises:
        MessageError: no such link, a value that is not finite or above STRONGEST, or a part that
            would lift or tilt the robot.
    """
    message = deserialize(raw, APPLY_WRENCH.msgtype)
    name = message.header.frame_id
    if name not in robot.link_names:
        raise MessageError(
            f"{APPLY_WRENCH.name}: frame_id '{name}' is no link; expected {robot.link_names[0]} "
            f"to {robot.link_names[-1]}"
        )
    force, torque = message.wrench.force, message.wrench.torque
    wrench = np.array([force.x, force.y, torque.z])
    if not (np.abs(wrench) <= STRONGEST).all():
        raise MessageError(
            f"{APPLY_WRENCH.name}: {wrench} N, N, N m; expected at most {STRONGEST:g} of each"
        )
    if any((force.z, torque.x, torque.y)):
        raise MessageError(
            f"{APPLY_WRENCH.name}: force z and torques x and y must be 0; the robot is planar"
        )
    return robot.link_names.index(name), wrench


def decode_state(raw: bytes, robot: Robot, present: GroundTruth) -> tuple[Array, Array]:
    """Base (3,) x, y, heading, m and rad, and joints (n_joints,), rad; what the message does not
    name is as at present.

    Raises:
        MessageError: unknown or repeated names, positions missing or beyond FARTHEST, a velocity.
    """
    message = deserialize(raw, SET_STATE.msgtype)
    names = list(message.name)
    if not names or len(set(names)) != len(names) or len(message.position) != len(names):
        raise MessageError(
            f"{SET_STATE.name}: {len(names)} names and {len(message.position)} positions; expected "
            f"one position for each of at least one name, no name twice"
        )
    given = dict(zip(names, map(float, message.position), strict=True))
    known = (*BASE_JOINTS, *robot.joint_names)
    for name, value in given.items():
        if name not in known:
            raise MessageError(
                f"{SET_STATE.name}: '{name}' is no joint; expected {', '.join(BASE_JOINTS)}, "
                f"{robot.joint_names[0]} to {robot.joint_names[-1]}"
            )
        if not abs(value) <= FARTHEST:
            raise MessageError(
                f"{SET_STATE.name}: position of {name} is {value}; expected at most {FARTHEST:g}"
            )
    if np.any(message.velocity):
        raise MessageError(f"{SET_STATE.name}: velocities cannot be set; the robot is put at rest")
    return (
        _chosen(BASE_JOINTS, given, present.base),
        _chosen(robot.joint_names, given, present.joint_position),
    )


def _chosen(names: tuple[str, ...], given: Mapping[str, float], present: Array) -> Array:
    return np.array([given.get(name, value) for name, value in zip(names, present, strict=True)])
