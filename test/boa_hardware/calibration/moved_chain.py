# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angles and headings of a chain of 13 links that is moved by hand, computed from kinematics."""

from __future__ import annotations

import numpy as np

from boa_description.arrays import Array

LINKS, JOINTS = 13, 12
COUNT, STEP = 2 * np.pi / 4096, np.radians(1 / 16)  # of encoders and headings


def bent_in_turn() -> tuple[Array, Array]:
    """Joint angles, (m, 12), and link headings, (m, 13), rad: every joint in turn to both sides,
    while the body turns as it likes.
    """
    swing = 0.6 * np.sin(np.linspace(0.0, 2 * np.pi, 60))
    angle = np.zeros((JOINTS * swing.size, JOINTS))
    for joint in range(JOINTS):
        angle[joint * swing.size : (joint + 1) * swing.size, joint] = swing
    time = np.linspace(0.0, 10.0, len(angle))
    base = 0.4 * np.sin(0.7 * time) - angle @ np.linspace(0.9, 0.1, JOINTS)
    heading = base[:, None] + np.cumsum(np.pad(angle, ((0, 0), (1, 0))), axis=1)
    return angle, heading


def measured(values: Array, step: float, seed: int) -> Array:
    """With noise of one step, in whole steps."""
    noise = np.random.default_rng(seed).normal(0.0, step, values.shape)
    return np.round((values + noise) / step) * step
