# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make a robot plant from settings: drivers, loops, threads."""

from collections.abc import Callable, Sequence

from boa_description.robot import Robot
from boa_hardware.arming import Question
from boa_hardware.calibration.record import load_record
from boa_hardware.config import RobotSettings
from boa_hardware.robot_plant import RobotPlant
from boa_hardware.runner import ThreadRunner
from boa_hardware.sensors.force import ForceSensors, load_calibrations
from boa_hardware.servo.bus import ServoBus
from boa_hardware.servo.sdk import ServoPort
from boa_hardware.servo.torque import TorqueMap
from boa_hardware.servo.transport import Rs485Servos, ServoTransport
from boa_hardware.spine.bus import SpineBus
from boa_hardware.spine.servos import SpineServos


def robot_plant(
    robot: Robot,
    settings: RobotSettings,
    control_rate: float = 200.0,
    questions: Sequence[Question] = (),
) -> RobotPlant:
    """The robot behind the buses that `settings` name; open it with `with` or `open`.

    Args:
        robot: description.
        settings: wiring.
        control_rate: Hz.
        questions: that arming asks.

    Raises:
        BoaError: settings that do not fit the robot, a calibration file that is missing or wrong.
    """
    spine_settings = settings.spine_settings()
    folder = settings.force_calibrations
    calibrations = load_calibrations(folder, robot) if folder else None
    record = load_record(settings.calibration, robot) if settings.calibration else None
    if record is not None:
        servos = record.bus(settings.servo_settings(robot))
        settings = settings.model_copy(update={"servos": servos})
        calibrations = record.forces or calibrations
    spine = SpineBus(
        spine_settings, robot, force=ForceSensors(robot, spine_settings.force, calibrations)
    )
    transport = servo_transport(robot, settings, spine)
    rate = settings.control_rate(control_rate)
    return RobotPlant(
        robot,
        settings,
        transport,
        spine,
        ThreadRunner(settings.realtime_priority),
        rate,
        record=record,
        questions=questions,
    )


def servo_transport(
    robot: Robot,
    settings: RobotSettings,
    spine: SpineBus,
    make_port: Callable[[str, int], ServoPort] = ServoPort,
) -> ServoTransport:
    """The way to the servos.

    Args:
        robot, settings, spine: as in `robot_plant`.
        make_port: makes the serial port; another one than the default lives in simulated time.

    Raises:
        BoaError: the settings do not fit the robot.
    """
    servos = settings.servo_settings(robot)
    if settings.topology == "rs485":
        return Rs485Servos(ServoBus(settings.serial_port, servos, make_port))
    constant = TorqueMap.of([joint.torque for joint in servos.joints]).constant
    return SpineServos(spine, constant * servos.current_limit)
