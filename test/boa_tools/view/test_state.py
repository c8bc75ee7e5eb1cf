# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The state of a robot as its viewer gets it."""

from __future__ import annotations

import numpy as np
from run_fakes import free_experiment

from boa_control.controller import ControlOutput
from boa_control.plant import ForceSample, SensorFrame
from boa_control.safety.supervisor import Status
from boa_description.arrays import Array
from boa_tools.runs.loop import Tick
from boa_tools.view.state import snapshot_of
from boa_tools.view.travel import travel_of


def test_joint_forces_are_shown_though_none_is_measured_along_z() -> None:
    experiment = free_experiment(links=3)
    zero = np.zeros(experiment.robot.joints)
    force = ForceSample(0, np.array([[1.0, -4.0, np.nan], [np.nan, np.nan, np.nan]]))
    frame = SensorFrame(0, zero, zero, zero, force, None, zero, zero)
    tick = Tick(frame, ControlOutput(zero), zero)
    status = Status(armed=True, faults=(), warnings=(), ticks=1, trips={})
    shown = snapshot_of(tick, 0, status, travel_of(experiment))
    np.testing.assert_array_equal(shown.joint_force, [4.0, np.nan])


def test_a_robot_is_shown_where_its_controller_believes_it() -> None:
    """Nobody knows the true place: three straight links of 0.13 m, centre of mass in the middle;
    without a belief the robot stays at its start.
    """
    experiment = free_experiment(links=3)
    zero = np.zeros(experiment.robot.joints)
    frame = SensorFrame(0, zero, zero, zero, None, None, zero, zero)
    status = Status(armed=True, faults=(), warnings=(), ticks=1, trips={})
    travel = travel_of(experiment)

    def shown(**debug: Array) -> Array:
        tick = Tick(frame, ControlOutput(zero, debug=debug), zero)
        return snapshot_of(tick, 0, status, travel).pose[:2]

    x, y, heading = experiment.start_base
    np.testing.assert_array_equal(shown(), [x, y])
    half = 1.5 * experiment.robot.link.pitch * np.array([np.cos(heading), np.sin(heading)])
    np.testing.assert_allclose(shown(position_m=np.array([2.0, 1.0])), [2.0, 1.0] - half)
