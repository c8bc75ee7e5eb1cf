# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tiny plant on rails and log makers for the tests of boa_tools."""

from __future__ import annotations

import numpy as np

from boa_control.controller import ContactEstimate, ControlOutput
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.scenario import Scenario
from boa_control.model.reference import ReferenceTable
from boa_control.plant import (
    ContactTruth,
    ForceSample,
    GroundTruth,
    ImuSample,
    PlanarTruth,
    SensorFrame,
    Simulation,
)

PERIOD_NS = 2_000_000


def path_experiment(**changes) -> Experiment:
    """boa13 on the circle that the feasibility study used, 2 s."""
    data = {
        "name": "rails",
        "summary": "test",
        "path": {
            "kind": "circle",
            "radius": 1.15,
            "segments": 24,
            "attack_angle": 0.5235987755982988,
            "half_line": 0.13,
        },
        "controller": {"name": "none"},
        "duration": 2.0,
        "evaluation": {"settle": 0.0},
    }
    return prepare(Scenario.model_validate(data | changes))


def free_experiment(links: int = 3, **changes) -> Experiment:
    """A chain in the open."""
    data = {
        "name": "free",
        "summary": "test",
        "robot": {"name": "boa13", "links": links},
        "initial": {"base": [0.0, 0.0, 0.0]},
        "controller": {"name": "none"},
        "duration": 0.1,
        "evaluation": {"settle": 0.0},
    }
    return prepare(Scenario.model_validate(data | changes))


class RailPlant:
    """Moves along the path at constant speed, exactly on it, whatever the torque; obeys the plant
    contract.
    """

    control_period_ns = PERIOD_NS
    armed = False

    @property
    def simulation(self) -> Simulation:
        return self

    def now_ns(self) -> int:
        return self.stamp

    def __init__(self, experiment: Experiment, speed: float = 0.1) -> None:
        self.experiment, self.robot, self.speed = experiment, experiment.robot, speed
        self.tick = 0
        self.written: list[np.ndarray] = []
        self.faults: tuple[str, ...] = ()
        self.table = None
        if experiment.path is not None:
            self.table = ReferenceTable(
                experiment.path.curve, self.robot.links, self.robot.link.pitch
            )

    def truth(self) -> GroundTruth:
        n = self.robot.joints
        if self.table is None:
            zero = np.zeros(n)
            return PlanarTruth(
                self.stamp, self.experiment.start_base, np.zeros(3), zero, zero, self.contacts()
            )
        s = self.experiment.start_progress + self.speed * self.stamp * 1e-9
        point = self.table.at(s)
        base, phi = self.table.world_base(point), point.phi.copy()
        return PlanarTruth(
            self.stamp, base, np.zeros(3), phi, point.dphi * self.speed, self.contacts()
        )

    def contacts(self) -> tuple[ContactTruth, ...]:
        return ()

    @property
    def stamp(self) -> int:
        return self.tick * PERIOD_NS

    def read(self) -> SensorFrame:
        truth, n = self.truth(), self.robot.joints
        fifth = self.tick // 5 * 5 * PERIOD_NS
        force = ForceSample(fifth, np.full((n, 3), 1.0 + fifth * 1e-9))
        yaw = np.linspace(0, 1, n + 1)
        imu = ImuSample.planar(fifth, yaw, 2 * yaw, np.stack((yaw, -yaw), axis=1))
        return SensorFrame(
            self.stamp,
            truth.joint_position,
            truth.joint_velocity,
            np.zeros(n),
            force,
            imu,
            np.full(n, np.nan),
            np.zeros(n),
            self.faults,
        )

    def write(self, torque: np.ndarray) -> None:
        self.written.append(torque.copy())
        self.tick += 1

    def arm(self) -> None:
        self.armed = True

    def disarm(self) -> None:
        self.armed = False

    def reset_fault(self) -> None:
        self.armed = False

    def reset(self) -> None:
        self.armed, self.tick = False, 0

    def counters(self) -> dict[str, float]:
        return {}

    def warnings(self) -> tuple[str, ...]:
        return ()

    def tare(self) -> None: ...
    def fault_latched(self, reason: str) -> None: ...

    def close(self) -> None: ...


class Steady:
    """A controller that asks for the same torque every tick and reports one contact."""

    def __init__(self, torque: np.ndarray) -> None:
        self.torque = torque

    def reset(self) -> None: ...

    def step(self, frame: SensorFrame) -> ControlOutput:
        contact = ContactEstimate(
            obstacle=2, link=1, offset=0.05, side=-1, force=4.0, force_std=0.5, reference=5.0
        )
        return ControlOutput(
            self.torque,
            contacts=(contact,),
            events=(Event(kind=EventKind.CONTACT_GAINED, post=2, link=2),)
            if frame.stamp_ns == 0
            else (),
            debug={"progress_m": frame.stamp_ns * 1e-10, "friction_nm": np.array([0.1, 0.2])},
        )


class Held(RailPlant):
    """Posts hold the robot from both sides; one lets go for a moment."""

    def contacts(self):
        forces = {k: 4.0 + k + np.sin(0.05 * self.tick) for k in range(1, 8)}
        if 100 < self.tick < 105:
            del forces[2]
        posts = self.experiment.path.contacts
        return tuple(
            ContactTruth.planar(
                k,
                k,
                np.array([posts[k].x, posts[k].y]),
                np.array([0.0, float(posts[k].side)]),
                force,
            )
            for k, force in forces.items()
        )
