# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A start where contacts can hardly push along the path: the robot takes its time."""

from __future__ import annotations

import numpy as np

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.scenario import Scenario
from boa_control.plant import truth_of
from boa_control.safety.command import Command
from boa_control.safety.supervisor import Supervisor
from boa_sim.factory import plant_from_experiment
from test.boa_control.controllers.hoal.robot_rate import at_robot_rate

# the first two metres of a planned path (field of 0.28 m, seed 708), where 1 m/s2 along the path
# costs contact forces of 160 to 240 N
START, HEADING = (0.42581, 1.425468), -0.24867
SEGMENTS = (
    (0.568798, 0.0),
    (0.02822, 2.62708),
    (0.222884, 0.0),
    (0.101167, -11.11111),
    (0.040513, 0.0),
    (0.101167, 11.11111),
    (0.376909, 0.0),
    (0.014457, -12.0723),
    (0.2, 0.0),
    (0.029563, 11.11111),
    (0.132508, 0.0),
    (0.076687, -11.11111),
    (0.20052, 0.0),
    (0.120367, 10.15003),
    (0.2, 0.0),
)
CONTACTS = (  # x, y, m; side; s, m
    (0.5588, 1.2991, "R", 0.16),
    (0.8581, 1.2231, "R", 0.468798),
    (1.1413, 1.3466, "L", 0.719903),
    (1.4601, 0.9672, "R", 1.162751),
    (1.887, 1.0539, "L", 1.554118),
    (2.1743, 0.7608, "R", 1.992877),
    (2.5415, 0.6621, "R", 2.313764),
)
TAIL_LEAVES = 0.95  # m, path coordinate at which the force of the first contact has gone to zero


def scenario() -> Scenario:
    return Scenario.model_validate(
        {
            "name": "hard_start",
            "summary": "contacts can hardly push along the path",
            "path": {
                "kind": "segments",
                "start": START,
                "heading": HEADING,
                "segments": SEGMENTS,
                "posts": [
                    {"kind": "circle", "x": x, "y": y, "radius": 0.05} for x, y, _, _ in CONTACTS
                ],
                "contacts": [
                    {"post": k, "side": side, "s": s} for k, (_, _, side, s) in enumerate(CONTACTS)
                ],
            },
            "controller": {
                "name": "hoal",
                "parameters": {
                    "speed": 0.094,
                    "force": 5.0,
                    "force_floor": 1.65,
                    "floor_share": 0.25,
                },
            },
            "duration": 4.0,
        }
    )


def test_no_contact_lets_go_where_they_can_hardly_push_along_the_path() -> None:
    """Asked for more than they can give, the one at the nose let go 1.1 s after the start; the
    robot was pushed back and ended by 61 N.
    """
    experiment = prepare(at_robot_rate(scenario()))
    controller, plant = build_controller(experiment), plant_from_experiment(experiment, 0)
    supervisor = Supervisor(plant)
    touched, joint_force = [], 0.0  # posts, until the tail leaves the first of them as planned
    for tick in range(round(4.0 / experiment.control_period)):
        frame = supervisor.read()
        if tick == 0:
            supervisor.arm()
        posts = {contact.obstacle for contact in truth_of(plant).contacts}
        output = controller.step(frame)
        if output.debug["progress_m"] < TAIL_LEAVES:
            touched.append(posts)
        assert not supervisor.apply(Command(output.torque, frame.stamp_ns)).faults
        joint_force = max(joint_force, float(np.abs(frame.joint_force.force).max()))
    held = touched[round(1.7 / experiment.control_period) :]
    assert all(posts == {0, 1, 2, 3, 4} for posts in held)
    assert joint_force < 8.0
    assert output.debug["progress_m"] > 0.93  # from 0.91
