# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A moving chain whose loads are worked out link by link in the world frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array

LINKS, PITCH, MASS, INERTIA = 9, 0.13, 1.7, 0.005


@dataclass(frozen=True)
class Chain:
    """A moving chain, pushed at one place of every link, with what its sensors measure.

    Attributes:
        angles: of the joints. push: force of a post on each link, across it. arm: where, from the
            link centre.
        drag: force of the floor on each centre along it. acceleration: of the centres, in link
            frames.
        alpha: angular accelerations. joint_force: as the sensors measure it. torque: that the
            joints pass on.
    """

    angles: Array
    push: Array
    arm: Array
    drag: Array
    acceleration: Array
    alpha: Array
    joint_force: Array
    torque: Array


def cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def moving_chain(seed: int) -> Chain:
    """Newton and Euler from the tail on, forces in the world and moments about its origin."""
    rng = np.random.default_rng(seed)
    angles, heading = rng.uniform(-1, 1, LINKS - 1), rng.uniform(-3, 3)
    theta = heading + np.concatenate([[0.0], np.cumsum(angles)])
    along = np.stack([np.cos(theta), np.sin(theta)], 1)
    across = np.stack([-np.sin(theta), np.cos(theta)], 1)
    axes = rng.normal(size=2) + PITCH * np.vstack([np.zeros(2), np.cumsum(along, axis=0)])
    centres = 0.5 * (axes[1:] + axes[:-1])
    push, drag = rng.normal(0, 5, LINKS), rng.normal(0, 1, LINKS)
    arm = rng.uniform(-PITCH / 2, PITCH / 2, LINKS)
    acceleration, alpha = rng.normal(0, 1, (LINKS, 2)), rng.normal(0, 3, LINKS)
    world = np.zeros((LINKS, 2))
    torque, joint_force = np.zeros(LINKS - 1), np.zeros((LINKS - 1, 2))
    # of the links behind on this one; moment about the origin
    behind_force = np.zeros(2)
    behind_moment = 0.0
    for i in range(LINKS):
        place = centres[i] + arm[i] * along[i]
        force = push[i] * across[i] + drag[i] * along[i] + behind_force
        moment = (
            cross(place, push[i] * across[i])
            + cross(centres[i], drag[i] * along[i])
            + behind_moment
        )
        if i == LINKS - 1:  # nothing ahead of the head: it moves as the forces say
            world[i] = force / MASS
            alpha[i] = (moment - cross(centres[i], force)) / INERTIA
            break
        world[i] = acceleration[i, 0] * along[i] + acceleration[i, 1] * across[i]
        ahead = MASS * world[i] - force  # force of the next link on this one
        needed = INERTIA * alpha[i] + cross(centres[i], MASS * world[i]) - moment
        torque[i] = -(needed - cross(axes[i + 1], ahead))  # of this link on the next one
        joint_force[i] = ahead @ along[i + 1], ahead @ across[i + 1]
        behind_force, behind_moment = -ahead, -needed
    local = np.stack([np.sum(world * along, axis=1), np.sum(world * across, axis=1)], 1)
    return Chain(angles, push, arm, drag, local, alpha, joint_force, torque)
