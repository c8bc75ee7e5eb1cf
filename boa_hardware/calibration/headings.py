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

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from boa_description.arrays import Array, Indices

MOVED = 0.05  # rad from the smallest to the largest angle, from which a servo counts as moved
ROUNDS = 10  # of assigning servos and IMUs in turn; two or three are usual
# what a row or column must gain by another place or sign: sensors are believed to be right at first
DOUBT = 0.5
MISFIT = 0.2  # mean deviation of a sensor's responses, from which it fits nowhere
SMALLEST = 1e-3  # singular values of the recording below this share are noise


class Layout(NamedTuple):
    """Where servos and IMUs are, as the recording shows it.

    Attributes:
        joint: shape (n_joints,), joint that each servo moves, from 0.
        direction: shape (n_joints,), 1 or -1, of each servo's angle.
        link: shape (n_links,), link in which each IMU sits, from 0.
        sign: shape (n_links,), 1 or -1, of each IMU's heading.
        servo_misfit, imu_misfit: shapes (n_joints,), (n_links,): mean deviation of the responses
            from those of this layout; 0 is perfect, 1 as large as the responses.
        moved: shape (n_joints,), whether the servo has moved enough to tell.
    """

    joint: Indices
    direction: Array
    link: Indices
    sign: Array
    servo_misfit: Array
    imu_misfit: Array
    moved: Array


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
        joint, direction, rest, servo_misfit = _servos(corrected, moved)
        expected = direction * (np.arange(links)[:, None] > joint) + rest
        places, signs, imu_misfit = _imus(response, expected, moved)
        if (places == link).all() and (signs == sign).all():
            break
        link, sign = places, signs
    if sign.sum() < 0:
        sign, direction = -sign, -direction
    return Layout(joint, direction, link, sign, servo_misfit, imu_misfit, moved)


def responses(angle: Array, yaw: Array) -> Array:
    """Least squares of each heading on all angles, shape (n_links, n_joints). What turns the whole
    body adds the same to all headings, and so to all responses.
    """
    solution, *_ = np.linalg.lstsq(
        angle - angle.mean(axis=0), yaw - yaw.mean(axis=0), rcond=SMALLEST
    )
    return np.asarray(solution.T, dtype=float)


def _servos(response: Array, moved: Array) -> tuple[Indices, Array, Array, Array]:
    """Joint and direction of every servo, the response of the links behind it, misfit."""
    links, servos = response.shape
    ahead = (np.arange(links) > np.arange(servos)[:, None]).astype(float)  # joint x link
    columns = response.T
    costs = np.empty((2, servos, servos))
    for row, direction in enumerate((1.0, -1.0)):
        left = columns[:, None, :] - direction * ahead  # servo x joint x link
        level = np.median(left, axis=-1, keepdims=True)
        costs[row] = np.abs(left - level).sum(axis=-1)
    doubtful = costs + DOUBT * (1.0 - np.eye(servos)) + DOUBT * np.array([0.0, 1.0])[:, None, None]
    doubtful[:, ~moved] = 1.0 - np.eye(servos)[~moved]  # those that tell nothing stay
    servo, joint = linear_sum_assignment(doubtful.min(axis=0))
    reverse = doubtful[:, servo, joint].argmin(axis=0)
    direction = np.where(reverse == 1, -1.0, 1.0)
    left = columns - direction[:, None] * ahead[joint]
    misfit = costs[reverse, servo, joint] / links
    return joint, direction, np.median(left, axis=1), np.where(moved, misfit, 0.0)


def _imus(response: Array, expected: Array, tells: Array) -> tuple[Indices, Array, Array]:
    """Link and sign of every IMU, and its misfit."""
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
    misfit = costs[reverse, imu, link] / max(float(known.sum()), 1.0)
    return link, np.where(reverse == 1, -1.0, 1.0), misfit
