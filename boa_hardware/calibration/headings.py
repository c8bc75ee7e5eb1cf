# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Encoders against headings: which servo moves which joint, which IMU sits in which link, and the
signs of both, from one recording in which all joints move.

The heading of link l is that of the body plus the angles of all joints behind it,

    yaw_l = base + sum_k d_k [l > j_k] angle_k,

with j_k the joint that servo k moves and d_k its direction. So the response of all headings to one
servo is a step: one value for the links behind its joint, another for those ahead, 1 apart. Where
the step is tells the joint, its sign the direction. An IMU whose row contradicts the steps of most
others belongs to another link, or is upside down.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from boa_description.arrays import Array, Flags, Indices

SLIGHT = 0.01  # rad; smaller motions are compared with this one
MOVED = 0.05  # rad from the smallest to the largest angle, from which a servo counts as moved
ROUNDS = 10  # of assigning servos and IMUs in turn; two or three are usual
# what a row or column must gain by another place or sign: sensors are believed to be right at first
DOUBT = 0.5
MISFIT = (
    0.3  # share of a joint's motion that its servo and IMUs disagree about, from which one is bad
)
SMALLEST = 1e-3  # singular values of the recording below this share are noise


class Layout(NamedTuple):
    """Where servos and IMUs are, as the recording shows it.

    Attributes:
        joint: shape (n_joints,), joint that each servo moves, from 0.
        direction: shape (n_joints,), 1 or -1, of each servo's angle.
        link: shape (n_links,), link in which each IMU sits, from 0.
        sign: shape (n_links,), 1 or -1, of each IMU's heading.
        servo_misfit, imu_misfit: shapes (n_joints,), (n_links,): what a sensor disagrees about with
            those beside it in this layout, as a share of the motion, standard deviations. Where the
            joints on both sides of a link disagree, it is its IMU's; else the servo's.
        moved: shape (n_joints,), whether the servo has moved enough to tell.
    """

    joint: Indices
    direction: Array
    link: Indices
    sign: Array
    servo_misfit: Array
    imu_misfit: Array
    moved: Flags


def layout(angle: Array, yaw: Array) -> Layout:
    """Work out the layout from a recording.

    Args:
        angle: shape (m, n_joints), rad, of each servo.
        yaw: shape (m, n_links), rad, not wrapped, of each IMU; as many samples as `angle`.

    Returns:
        The layout. All signs reversed would explain the recording as well: the one with more IMUs
        the right way up is chosen. Servos and IMUs are believed to be in place as far as the
        recording allows it: exchanged at the same joint at once they may hide each other.
    """
    moved = np.ptp(angle, axis=0) > MOVED
    response = responses(angle, yaw)
    links = len(response)
    link, sign = np.arange(links), np.ones(links)
    for _ in range(ROUNDS):
        corrected = np.empty_like(response)
        corrected[link] = sign[:, None] * response
        joint, direction, rest = _servos(corrected, moved)
        expected = direction * (np.arange(links)[:, None] > joint) + rest
        places, signs = _imus(response, expected, moved)
        if (places == link).all() and (signs == sign).all():
            break
        link, sign = places, signs
    if sign.sum() < 0:
        sign, direction = -sign, -direction
    heading, turned = np.empty_like(yaw), np.empty_like(angle)
    heading[:, link], turned[:, joint] = sign * yaw, direction * angle
    at_joint, of_imu = _misfits(turned, heading)
    return Layout(joint, direction, link, sign, at_joint[joint], of_imu[link], moved)


def responses(angle: Array, yaw: Array) -> Array:
    """Least squares of each heading on all angles, shape (n_links, n_joints). What turns the whole
    body adds the same to all headings, and so to all responses.
    """
    solution, *_ = np.linalg.lstsq(
        angle - angle.mean(axis=0), yaw - yaw.mean(axis=0), rcond=SMALLEST
    )
    return np.asarray(solution.T, dtype=float)


def _misfits(angle: Array, heading: Array) -> tuple[Array, Array]:
    """Misfits by joint and by link, of angles and headings in their order."""
    disagreement = np.diff(heading, axis=1) - angle
    joint = disagreement.std(axis=0) / np.maximum(angle.std(axis=0), SLIGHT)
    link = np.zeros(heading.shape[1])
    link[1:-1] = np.minimum(joint[:-1], joint[1:])
    blamed = link > MISFIT
    return np.where(blamed[:-1] | blamed[1:], 0.0, joint), link


def _servos(response: Array, moved: Flags) -> tuple[Indices, Array, Array]:
    """Joint and direction of every servo, and the response of the links behind it."""
    links, servos = response.shape
    ahead = (np.arange(links) > np.arange(servos)[:, None]).astype(float)  # joint x link
    columns = response.T
    costs = np.empty((2, servos, servos))
    for row, sign in enumerate((1.0, -1.0)):
        left = columns[:, None, :] - sign * ahead  # servo x joint x link
        level = np.median(left, axis=-1, keepdims=True)
        costs[row] = np.abs(left - level).sum(axis=-1)
    doubtful = costs + DOUBT * (1.0 - np.eye(servos)) + DOUBT * np.array([0.0, 1.0])[:, None, None]
    doubtful[:, ~moved] = 1.0 - np.eye(servos)[~moved]  # those that tell nothing stay
    servo, joint = linear_sum_assignment(doubtful.min(axis=0))
    reverse = doubtful[:, servo, joint].argmin(axis=0)
    direction = np.where(reverse == 1, -1.0, 1.0)
    left = columns - direction[:, None] * ahead[joint]
    return joint, direction, np.median(left, axis=1)


def _imus(response: Array, expected: Array, tells: Flags) -> tuple[Indices, Array]:
    """Link and sign of every IMU."""
    links = len(response)
    known = np.where(tells, 1.0, 0.0)
    costs = np.array(
        [
            (np.abs(response[:, None, :] - sign * expected[None]) * known).sum(axis=-1)
            for sign in (1.0, -1.0)
        ]
    )
    doubtful = costs + DOUBT * (1.0 - np.eye(links)) + DOUBT * np.array([0.0, 1.0])[:, None, None]
    imu, link = linear_sum_assignment(doubtful.min(axis=0))
    reverse = doubtful[:, imu, link].argmin(axis=0)
    return link, np.where(reverse == 1, -1.0, 1.0)
