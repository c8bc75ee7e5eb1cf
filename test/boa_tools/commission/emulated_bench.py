# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bench with an emulated robot on it, wired as a test says, in simulated time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.scenario import (
    ControllerChoice,
    Effects,
    GearboxEffect,
    InitialState,
    PlantSettings,
    RobotChoice,
    Scenario,
)
from boa_hardware.assembly import servo_transport
from boa_hardware.calibration.record import CalibrationRecord, begun
from boa_hardware.config import RobotSettings
from boa_hardware.emulator.boa import OWN_GEARBOX, EmulatedBoa
from boa_hardware.emulator.script import FaultScript
from boa_hardware.emulator.wiring import Wiring
from boa_hardware.robot_plant import RobotPlant
from boa_hardware.servo.link import ServoLink
from boa_hardware.servo.settings import ServoBusSettings
from boa_hardware.spine.bus import SpineBus
from boa_tools.commission.bench import RATE, Bench
from boa_tools.commission.operator import ScriptedOperator
from test.boa_hardware.virtual import VirtualRobot, VirtualRunner

SETTINGS = RobotSettings(panic_on_fault=False)
LOSSLESS = GearboxEffect(model="none")


def chain_of(links: int, gearbox: GearboxEffect = OWN_GEARBOX) -> Experiment:
    """A shorter robot, straight on a free floor."""
    return prepare(
        Scenario(
            name="short",
            summary="a straight chain on a free floor",
            robot=RobotChoice(links=links),
            initial=InitialState(base=(0.0, 0.0, 0.0)),
            controller=ControllerChoice(name="constant"),
            plant=PlantSettings(effects=Effects(gearbox=gearbox)),
            duration=1.0,
        )
    )


@contextmanager
def emulated_bench(
    wiring: Mapping[str, Any],
    experiment: Experiment | None = None,
    faults: Mapping[str, Any] | None = None,
) -> Iterator[tuple[Bench, ScriptedOperator]]:
    """The bench, and the hands at its robot; boa13 without losses unless another one is given;
    `faults` come as a fault script has them.
    """
    script = FaultScript.model_validate(faults or {})
    boa = EmulatedBoa(SETTINGS, experiment, script, Wiring.model_validate(wiring))
    robot = VirtualRobot(boa)

    def make_plant(settings: RobotSettings) -> RobotPlant:
        spine = SpineBus(
            settings.spine_settings(),
            boa.robot,
            opener=robot._open_can,
            clock_ns=robot.can_clock,
        )
        wired = settings.model_copy(update={"serial_port": "virtual"})
        return RobotPlant(
            boa.robot,
            settings,
            servo_transport(boa.robot, wired, spine, robot.line.host),
            spine,
            VirtualRunner(robot.line, boa.spine, robot.clock, robot.can_clock),
            RATE,
            robot.wall,
        )

    def make_link(servos: ServoBusSettings) -> ServoLink:
        return ServoLink("virtual", servos.baud, robot.line.host)

    with Bench(boa.robot, SETTINGS, make_plant, make_link) as bench:
        yield bench, ScriptedOperator(boa.body.hands, boa.robot.joints)


def nominal(bench: Bench) -> CalibrationRecord:
    """The record that a robot has before it is commissioned."""
    return begun(bench.robot, bench.settings.servo_settings(bench.robot))
