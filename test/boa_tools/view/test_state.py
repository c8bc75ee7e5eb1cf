# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The state of a robot as its viewer gets it."""

from __future__ import annotations

import numpy as np
from run_fakes import free_experiment

from boa_control.controller import ControlOutput
from boa_control.plant import ForceSample, SensorFrame
from boa_control.safety.supervisor import Status
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
