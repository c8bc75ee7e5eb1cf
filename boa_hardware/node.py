# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Node /boa/plant with the robot: `ros2 run boa_control hardware`, or `python -m
boa_hardware.node`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from rclpy.node import Node

from boa_control.interface import ROBOT_PARAMETERS
from boa_control.messages.cdr import MessageError
from boa_control.messages.topics import TRACKER_POSE
from boa_control.messages.tracker import TrackerCodec
from boa_control.ros.chosen import chosen_experiment
from boa_control.ros.endpoints import subscribe
from boa_control.ros.parameters import make_node
from boa_control.ros.plant.node import PlantNode
from boa_control.ros.plant.options import plant_options
from boa_control.ros.runtime import QUIET, main
from boa_description.robot import Robot
from boa_hardware.arming import ALWAYS, CALIBRATED
from boa_hardware.assembly import robot_plant
from boa_hardware.calibration.record import REQUIRED_STEPS, load_record
from boa_hardware.config import RobotSettings, load_robot_settings
from boa_hardware.realtime import OWN_PRIORITY_BELOW, hints, make_punctual
from boa_hardware.robot_plant import RobotPlant


def chosen_settings(values: dict[str, Any]) -> RobotSettings:
    """The settings file with ports from the parameters. Raises BoaError."""
    settings = load_robot_settings(values["hardware"])
    spine = settings.spine.model_copy(update={"channel": values["can"]})
    changes: dict[str, object] = {"serial_port": values["serial_port"], "spine": spine}
    if values["calibration"]:
        changes["calibration"] = values["calibration"]
    return settings.model_copy(update=changes)


def how_calibrated(settings: RobotSettings, robot: Robot) -> str:
    """What is told whenever the robot is armed. Raises BoaError for a wrong record."""
    if not settings.calibration:
        return "allow_uncalibrated: no calibration record"
    record = load_record(settings.calibration, robot)
    missing = record.missing(REQUIRED_STEPS)
    told = f"calibration record {Path(settings.calibration).name}, hash {record.hash[:12]}"
    return f"{told}; allow_uncalibrated: {', '.join(missing)} missing" if missing else told


def make() -> PlantNode:
    """Build the node from its parameters.

    Raises:
        BoaError: wrong scenario, settings or value.
        PlantError: a port is missing, or servos are missing or wrong.
    """
    node, values = make_node("plant", ROBOT_PARAMETERS)
    experiment = chosen_experiment(
        values["scenario"], values["duration"], values["control_rate"], values["frame_prefix"]
    )
    options = plant_options(values, experiment)
    settings = chosen_settings(values)
    options = replace(options, calibration=how_calibrated(settings, experiment.robot))
    on_rs485 = settings.topology == "rs485"
    for hint in hints(
        settings.serial_port if on_rs485 else None,
        settings.spine.channel,
        settings.realtime_priority,
    ):
        # on lines of their own: rclpy does not let one line of code log with two severities
        if hint.good:
            node.get_logger().info(hint.text)
        else:
            node.get_logger().warning(hint.text)
    questions = ALWAYS if values["allow_uncalibrated"] else (*CALIBRATED, *ALWAYS)
    rate = experiment.scenario.plant.control_rate
    plant = robot_plant(experiment.robot, settings, rate, questions=questions)
    # first: making it would hold up the bus threads
    program = PlantNode(node, plant, experiment, options)
    make_punctual(settings.realtime_priority - OWN_PRIORITY_BELOW)
    plant.open()
    listen_to_tracker(node, plant)
    return program


def listen_to_tracker(node: Node, plant: RobotPlant) -> None:
    """Hand the plant what a camera or motion-capture node publishes."""
    codec = TrackerCodec(TRACKER_POSE)

    def received(raw: bytes) -> None:
        try:
            plant.receive("tracker", codec.decode(raw))
        except MessageError as error:
            node.get_logger().warning(f"refused: {error}", throttle_duration_sec=QUIET)

    subscribe(node, TRACKER_POSE, received)


if __name__ == "__main__":
    main(make)
