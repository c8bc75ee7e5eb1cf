# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arguments of hoal.launch.py. Launch arguments that are numbers, or a word that stands for
one.
"""

import math
from collections.abc import Mapping

from boa_description.errors import BoaError
from boa_tools.bringup.description import NAMESPACE, YES_NO, Arg

OF_THE_SCENARIO = "scenario"
FASTEST = "max"
LIMITS = "limits"
WORDS = {"speed": FASTEST, "torque_cap": LIMITS}  # of other arguments: OF_THE_SCENARIO
NO_CONTROLLER = "none"

ARGS = (
    Arg("sim", "true", "true: MuJoCo simulation, false: the robot", YES_NO),
    Arg(
        "scenario",
        "boa_circle",
        "name of a shipped scenario (boa scenarios lists them), or a YAML file",
    ),
    Arg(
        "duration",
        OF_THE_SCENARIO,
        "end after this many seconds; scenario: what the scenario says, 0: never",
    ),
    Arg(
        "control_rate",
        OF_THE_SCENARIO,
        "of plant and controller, Hz; a robot on RS-485 manages 200",
    ),
    Arg(
        "arm",
        "auto",
        "arm when the first command arrives; auto: in simulation only",
        ("auto", *YES_NO),
    ),
    Arg("seed", "0", "simulation: seed of everything random"),
    Arg(
        "speed",
        "1.0",
        "simulation: simulated seconds per second; max: as fast as it goes (needs lockstep)",
    ),
    Arg(
        "lockstep",
        "true",
        "simulation: wait for the answer to every tick; runs repeat bit for bit",
        YES_NO,
    ),
    Arg(
        "use_composition",
        "auto",
        "simulation: plant and controller in one process, which is faster and keeps the time "
        "better (needs lockstep); auto: in lockstep",
        ("auto", *YES_NO),
    ),
    Arg("serial_port", "/dev/ttyUSB0", "robot: port of the servo bus (RS-485)"),
    Arg(
        "can_channel",
        "socketcan:can0",
        "robot: CAN channel of the spine, e.g. socketcan:can0, slcan:/dev/ttyACM0",
    ),
    Arg(
        "hardware",
        "",
        "robot: YAML file with its wiring, like config/robot.yaml; default: servos 1 to n, nominal",
    ),
    Arg(
        "calibration",
        "",
        "robot: calibration record of `boa commission`, without which it is not armed",
    ),
    Arg(
        "allow_uncalibrated",
        "false",
        "robot: arm without a complete calibration record of it; every bag says so",
        YES_NO,
    ),
    Arg(
        "torque_cap",
        LIMITS,
        "largest torque of any joint, N m; limits: as the robot's description says",
    ),
    Arg(
        "controller",
        "scenario",
        "scenario: what the scenario says; none: leave it out, for a controller of your own",
        ("scenario", NO_CONTROLLER),
    ),
    Arg(
        "identified",
        "",
        "identified.yaml of another run, with whose gearboxes the controller begins",
    ),
    Arg(
        "planner",
        "false",
        "true: hold until a goal comes on goal_pose, and plan a path to it",
        YES_NO,
    ),
    Arg("map", "", "planner: YAML or CSV file of posts; default: the topic obstacles"),
    Arg("follow", "false", "planner: follow every path that is found, at once", YES_NO),
    Arg(
        "namespace",
        NAMESPACE[1:],
        "of nodes and topics, one per robot in a ROS domain; below that of PushRosNamespace, "
        "unless it begins with a slash",
    ),
    Arg(
        "frame_prefix",
        "",
        "before the robot's frames, e.g. left/; robots with prefixes share /tf and its world",
    ),
    Arg(
        "use_sim_time",
        "false",
        "controller and recorder take the time from the clock topic",
        YES_NO,
    ),
    Arg("record", "true", "record a bag and write metrics, plots and a picture", YES_NO),
    Arg("out", "", "results folder; default: results/<scenario>-<date>-<time>"),
    Arg("video", "false", "render a video, too", YES_NO),
    Arg(
        "viewer",
        "none",
        "web: live view and steering in the browser, needs boa_control[view]; mujoco: MuJoCo's own "
        "viewer on this machine's screen",
        ("none", "web", "mujoco"),
    ),
    Arg("listen", "localhost:8800", "HOST:PORT of viewer:=web; other machines need a token"),
    Arg("rviz", "false", "start RViz with rviz/boa.rviz of this package", YES_NO),
    Arg(
        "publish_tf",
        "all",
        "frames on /tf: all; base: link 1 in the world, for robot_state_publisher to add the "
        "rest; none",
        ("all", "base", "none"),
    ),
    Arg(
        "on_exit",
        "auto",
        "the end of the run ends the launch (shutdown), or the nodes of this file only (ignore); "
        "auto: ignore where another launch file includes this one",
        ("auto", "shutdown", "ignore"),
    ),
    Arg("respawn", "false", "planner and web view start again when they end", YES_NO),
    Arg(
        "params_file",
        "",
        "YAML file with node parameters; default: config/hoal.yaml of this package",
    ),
)


def number(values: Mapping[str, str], name: str) -> float:
    """An argument as a number from 0 up. Raises BoaError."""
    try:
        value = float(values[name])
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        word = WORDS.get(name, OF_THE_SCENARIO)
        raise BoaError(
            f"launch argument {name} is '{values[name]}'; expected a number from 0 up, or '{word}'"
        )
    return value


def whole_number(values: Mapping[str, str], name: str) -> int:
    """An argument as a whole number from 0 up. Raises BoaError."""
    if not values[name].isdecimal():
        raise BoaError(
            f"launch argument {name} is '{values[name]}'; expected a whole number from 0 up"
        )
    return int(values[name])
