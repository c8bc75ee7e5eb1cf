# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why a steered wave is high for slight bends only: how far the centre of mass of a resting shape
must rise until it tips to a side, from its geometry alone.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from boa_control.controllers.gaits import joint_reference
from boa_control.controllers.vertical_undulation import Bend, VerticalUndulation
from boa_control.experiments.build import briefing
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.arrays import Array
from boa_description.link_frames import link_centres, link_frames, points_on_links
from boa_description.quaternion import rotated

EXPERIMENT = prepare(load_scenario("cobra_targets"))
ROBOT = EXPERIMENT.robot
PARAMETERS = VerticalUndulation.Parameters.model_validate(EXPERIMENT.scenario.controller.parameters)
CONTROLLER = VerticalUndulation(briefing(EXPERIMENT), PARAMETERS)
WAVE = PARAMETERS.gait.motion(ROBOT.joints, ROBOT.pitch_joints)
AT_REST = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
ROLLS, PITCHES = np.radians(np.arange(-70, 71, 2.0)), np.radians(np.arange(-14, 15, 1.0))
UPRIGHT = ROLLS.size // 2
INSTANTS = 16  # of a period
STEPS = 5  # in which a bend grows from nothing


class Rest(NamedTuple):
    """A resting pose: index of its roll, and by how much the centre of mass must rise until it
    tips to either side, m.
    """

    roll: int
    rise: float


def heights(joints: Array) -> Array:
    """Height of the centre of mass above a floor that the shape touches, without the radius, for
    every roll with the pitch that makes it least, shape (rolls,), m.
    """
    frames = link_frames(ROBOT, AT_REST, joints)
    spines = np.array([ROBOT.spine(link) for link in range(ROBOT.links)])
    ends = np.concatenate(
        [
            points_on_links(frames, np.column_stack((x, np.full_like(x, y), 0.0 * x)))
            for x, y in product(spines.T, (ROBOT.link.track, -ROBOT.link.track))
        ]
    )
    centres = link_centres(ROBOT, frames)
    half = ROBOT.links // 2
    ahead = centres[half:].mean(axis=0) - centres[:half].mean(axis=0)
    ahead /= np.linalg.norm(ahead)
    left = rotated(frames[:, 3:], np.array([0.0, 1.0, 0.0])).mean(axis=0)
    left -= ahead * (left @ ahead)
    left /= np.linalg.norm(left)
    body = (ends - centres.mean(axis=0)) @ np.array([ahead, left, np.cross(ahead, left)]).T
    roll, pitch = np.meshgrid(ROLLS, PITCHES, indexing="ij")
    down = np.stack(
        (np.sin(pitch), -np.sin(roll) * np.cos(pitch), -np.cos(roll) * np.cos(pitch)), axis=-1
    )
    lowest: Array = (down @ body.T).max(axis=-1).min(axis=1)
    return lowest


def settled(height: Array, roll: int) -> Rest:
    """Downhill from a roll to the next rest."""
    while True:
        near = [index for index in (roll - 1, roll, roll + 1) if 0 <= index < height.size]
        lower = min(near, key=lambda index: height[index])
        if height[lower] >= height[roll]:
            break
        roll = lower
    right, left = height[roll:].max() - height[roll], height[: roll + 1].max() - height[roll]
    return Rest(roll, float(min(right, left)))


def least_rise(height: float, bend: float) -> float:
    """The least of a period, m; 0 where the shape leaves its upright rest as the bend grows."""
    found = []
    for phase in np.linspace(0.0, 1.0, INSTANTS, endpoint=False):
        time = 10.0 + phase / PARAMETERS.gait.frequency
        wave = joint_reference(WAVE, time, np.zeros(ROBOT.joints))
        rest = Rest(UPRIGHT, 0.0)
        for share in np.linspace(0.0, 1.0, STEPS):
            joints, _ = CONTROLLER._bent(wave, Bend(height, 0.0, share * bend, 0.0), time)
            rest = settled(heights(joints), rest.roll)
        found.append(rest.rise if abs(ROLLS[rest.roll]) < np.radians(35) else 0.0)
    return min(found)


def test_a_straight_robot_rises_by_its_half_track_times_the_sine_of_its_roll() -> None:
    flat = heights(np.zeros(ROBOT.joints))
    np.testing.assert_allclose(flat, ROBOT.link.track * np.abs(np.sin(ROLLS)), atol=1e-12)


def test_a_straight_high_wave_tips_over_a_low_threshold() -> None:
    """2 to 3 mm in the worst instant of the period. About the line of a rail at b beside the
    centre of mass, which is h above it, the rise would be sqrt(h^2 + b^2) - h; that the body may
    pitch while it tips can only lower it.
    """
    assert 0.002 < least_rise(1.0, 0.0) < 0.003
    wave = joint_reference(WAVE, 10.0, np.zeros(ROBOT.joints)).position
    height = heights(wave)
    most = np.hypot(height[UPRIGHT], ROBOT.link.track) - height[UPRIGHT]
    assert 0.5 * most < settled(height, UPRIGHT).rise < most


def test_a_bent_high_wave_has_no_rest_and_the_low_wave_stands_in_every_curve() -> None:
    """Nothing is left of the threshold of a high wave that is bent by 0.1 rad, or by the bend at
    which the wave gets low. While it is low, the threshold is never less than that of a straight
    high wave.
    """
    curve = PARAMETERS.curve
    high, low = least_rise(1.0, 0.0), curve.amplitude
    assert least_rise(1.0, 0.1) == least_rise(1.0, curve.begin) == 0.0
    for bend in (curve.slight, curve.begin, PARAMETERS.steering.limit):
        assert least_rise(low, bend) > high
