# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that a controller damps, behind the delays of the robot's buses and current loops."""

from __future__ import annotations

import numpy as np

from boa_control.experiments.build import build_controller
from boa_control.experiments.change import changed
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.safety.command import Command
from boa_control.safety.supervisor import Supervisor
from boa_hardware.emulator.boa import EmulatedBoa
from test.boa_hardware.virtual import VirtualRobot


def test_feeling_moves_the_robot_without_swinging_its_torques() -> None:
    """1.5 s from rest, 200 Hz, no post: a damping of 3 N m s/rad or more swings from stop to stop
    within half a second; ideal simulation bears 4.
    """
    far = {"kind": "circle", "x": 3.0, "y": 1.5, "radius": 0.05}
    scenario = load_scenario("boa_blind_field")
    experiment = prepare(changed(scenario, {"disturbance.unmapped.posts": [far]}))
    robot, controller = (
        VirtualRobot(EmulatedBoa(experiment=experiment)),
        build_controller(experiment),
    )
    torques = []
    with robot.plant as plant:
        supervisor = Supervisor(plant)
        for tick in range(320):
            frame = supervisor.read()
            torque = controller.step(frame).torque
            if tick == 20:
                supervisor.arm()
            supervisor.apply(Command(torque, frame.stamp_ns))
            torques.append(torque)
    assert np.abs(torques).max() < 3.0
    assert np.abs(np.diff(torques, axis=0)[200:]).max() < 0.5
