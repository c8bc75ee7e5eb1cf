# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The thesis's law: each of its terms by hand, on frames in which the sensors say that one post is
pressed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from boa_control.controller import Briefing
from boa_control.controllers import make_controller
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.load import load_robot
from boa_description.scene import Circle, GroundFriction

pytestmark = pytest.mark.closed_loop

ROBOT = load_robot("boa3")
HALF = ROBOT.link.pitch / 2
PERIOD = 0.002

# straight chain at rest along x: 3 N down on the middle of links 1 and 3, 6 N up on the middle of
# link 2
POSTS = tuple(
    Circle(x=(2 * i + 1) * HALF, y=(-1 if i == 1 else 1) * (ROBOT.link.radius + 0.02), radius=0.02)
    for i in range(3)
)
PINCH = np.array([3.0, 6.0, 3.0])
# rows of J_phi for (0, -1), (0, 1), (0, -1) at the link centres, by hand
J_PHI = np.array([[0.0, 0.0], [HALF, 0.0], [-3 * HALF, -HALF]])


def controller(phase: dict[str, Any], **shared: Any) -> Any:
    parameters = {
        "phase_a": phase,
        "phase_b": {},
        "switch_time": 10.0,
        "observer": {"sensor_noise": 0.01},
        **shared,
    }
    told = Briefing(ROBOT, POSTS, None, PERIOD, np.zeros(3), np.zeros(2), None, GroundFriction())
    return make_controller("two_phase", parameters, told)


def pinched(tick: int, pressed: bool = True) -> SensorFrame:
    share = 1.0 if pressed else 0.0
    force = share * np.array([[0.0, 3.0, 0.0], [0.0, -3.0, 0.0]])
    stamp = round(tick * PERIOD * 1e9)
    return SensorFrame(
        stamp,
        np.zeros(2),
        np.zeros(2),
        share * np.array([3 * HALF, 3 * HALF]),
        ForceSample(stamp, force),
        ImuSample.planar(stamp, np.zeros(3), np.zeros(3), np.zeros((3, 2))),
        np.zeros(2),
        np.zeros(2),
    )


def test_force_loop_presses_through_the_transposed_jacobian() -> None:
    """Proportional only, reference 10 N: u = 0.5 (10 - F), tau = -J_phi' u, nothing else."""
    law = controller({"force": {"reference": 10.0, "kp": 0.5}}, contact_fade=0.0, force_filter=0.0)
    output = law.step(pinched(0))
    np.testing.assert_allclose([contact.force for contact in output.contacts], PINCH, atol=1e-3)
    np.testing.assert_allclose(output.torque, -J_PHI.T @ (0.5 * (10.0 - PINCH)), atol=1e-3)


def test_pressing_raises_the_measured_force_and_not_lowers_it() -> None:
    """Sign: the law's torque, held statically, pushes the head link's post harder (its row of J_phi
    is negative).
    """
    law = controller({"force": {"reference": 10.0, "kp": 1.0}}, contact_fade=0.0, force_filter=0.0)
    torque = law.step(pinched(0)).torque
    assert torque[1] > 0  # link 3 turns left, into the post on its left


def test_no_contact_no_force_torque() -> None:
    law = controller({"force": {"reference": 10.0, "kp": 0.5}}, contact_fade=0.0)
    np.testing.assert_allclose(law.step(pinched(0, pressed=False)).torque, 0.0, atol=1e-9)


def test_integral_stops_at_its_limit_and_leaves_with_the_contact() -> None:
    force = {"reference": 10.0, "kp": 0.0, "ki": 100.0, "integral_limit": 0.4}
    law = controller({"force": force}, contact_fade=0.0, force_filter=0.0)
    for tick in range(20):
        torque = law.step(pinched(tick)).torque
    np.testing.assert_allclose(torque, -J_PHI.T @ np.full(3, 0.4), atol=1e-6)
    law.step(pinched(20, pressed=False))
    again = law.step(pinched(21)).torque  # starts from zero: one tick of integration only
    np.testing.assert_allclose(
        again, -J_PHI.T @ np.minimum(100.0 * PERIOD * (10.0 - PINCH), 0.4), atol=1e-3
    )


def test_fade_brings_a_contact_in_gradually() -> None:
    law = controller({"force": {"reference": 10.0, "kp": 0.5}}, contact_fade=0.02, force_filter=0.0)
    sizes = [float(np.abs(law.step(pinched(tick)).torque).max()) for tick in range(15)]
    assert sizes[0] == pytest.approx(sizes[-1] / 10, rel=1e-2)
    assert np.all(np.diff(sizes) >= -1e-9)


def test_projection_uses_the_actuated_columns_and_r() -> None:
    gait = {"kind": "hold", "target": [0.1, -0.1]}
    law = controller(
        {"gait": gait, "kp": 10.0, "project": True}, contact_fade=0.0, regularisation=0.01
    )
    projector = np.eye(2) - J_PHI.T @ np.linalg.inv(J_PHI @ J_PHI.T + 0.01 * np.eye(3)) @ J_PHI
    np.testing.assert_allclose(law.step(pinched(0)).torque, projector @ [1.0, -1.0], atol=1e-6)


def test_phases_switch_and_levels_scale_the_contact_torque() -> None:
    steps = {"kind": "stepped", "levels": [1.0, 2.0], "each": 0.01}
    law = controller(
        {"contact_torque": [1.0, 2.0]},
        phase_b={"contact_torque": 0.5, "activation": steps},
        switch_time=0.01,
    )
    outputs = [law.step(pinched(tick)) for tick in range(14)]
    np.testing.assert_allclose(outputs[4].torque, [1.0, 2.0])
    np.testing.assert_allclose(outputs[5].torque, [0.5, 0.5])
    np.testing.assert_allclose(outputs[11].torque, [1.0, 1.0])
    assert [bool(output.events) for output in outputs].index(True) == 5


def test_motion_part_is_cut_at_its_limit() -> None:
    law = controller({"gait": {"kind": "hold", "target": 1.0}, "kp": 60.0, "motion_limit": 12.0})
    np.testing.assert_allclose(law.step(pinched(0, pressed=False)).torque, [12.0, 12.0])
