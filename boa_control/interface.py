# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters and services of the nodes as data; topics are in `boa_control.messages.topics`. Needs
no ROS.

Nodes declare exactly these, bring-up sets no others, and the manual (docs/interface.md) is checked
against them.
"""

from dataclasses import dataclass
from typing import NamedTuple

Value = bool | int | float | str

# special durations; the first one also stands for the scenario's control rate
OF_THE_SCENARIO, ENDLESS = (
    -1.0,
    0.0,
)
OF_THE_CONTROLLER = float("nan")  # set-points that are the scenario's

# what the plant publishes of /tf: every frame; link 1 in the world, the rest being
# robot_state_publisher's; nothing
PUBLISH_TF = (TF_ALL, TF_BASE, TF_NONE) = ("all", "base", "none")


class Limits(NamedTuple):
    """Least and largest value of a number, and its unit; for sliders and `ros2 param describe`."""

    least: float
    most: float
    unit: str

    def __str__(self) -> str:
        return f"{self.least:.10g} to {self.most:.10g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A node parameter. Its type is that of the default; whole numbers are numbers, too.

    Attributes:
        limits: of a number; special values as -1 are among them, but not nan.
        running: may change while the node runs; otherwise it is read once, at start.
    """

    name: str
    default: Value
    description: str
    limits: Limits | None = None
    running: bool = False


@dataclass(frozen=True, slots=True)
class Service:
    """A service of a node: name below the node's, type, and what it does."""

    name: str
    srvtype: str
    description: str


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a node: its name in the namespace, type, and what it does."""

    name: str
    actiontype: str
    description: str


SCENARIO = Parameter("scenario", "boa_circle", "name of a shipped scenario, or a YAML file")
DURATION = Parameter(
    "duration",
    OF_THE_SCENARIO,
    "end after this time, s, whatever the distance; -1: as the scenario says, 0: never",
    Limits(-1.0, 1e6, "s"),
)
CONTROL_RATE = Parameter(
    "control_rate",
    OF_THE_SCENARIO,
    "of plant and controller, Hz; -1: as the scenario says",
    Limits(-1.0, 1e4, "Hz"),
)
FRAME_PREFIX = Parameter(
    "frame_prefix",
    "",
    "before the robot's frames in messages, e.g. left/; empty: as the scenario's robot says",
)
IDENTIFIED = Parameter(
    "identified",
    "",
    "identified.yaml of another run, with whose gearboxes the controller begins; empty: as briefed",
)
VIEW_LIMITS = Limits(0.01, 1000.0, "Hz")
DIAGNOSTICS_RATE = Parameter(
    "diagnostics_rate",
    2.0,
    "of /diagnostics, Hz; changes of state are reported at once",
    VIEW_LIMITS,
)

VIEW_RATE = Parameter("view_rate", 30.0, "of link_poses, /tf and force arrows, Hz", VIEW_LIMITS)

PLANT_PARAMETERS = (
    SCENARIO,
    DURATION,
    CONTROL_RATE,
    FRAME_PREFIX,
    Parameter(
        "arm",
        False,
        "arm when the first command arrives; a fault then ends the run, unless it was disarmed",
    ),
    Parameter(
        "torque_cap",
        -1.0,
        "largest torque of any joint, N m; only lower while armed; -1: as the robot's limits say",
        Limits(-1.0, 100.0, "N m"),
        running=True,
    ),
    VIEW_RATE,
    Parameter(
        "publish_tf",
        TF_ALL,
        "all: every frame of the robot; base: link 1 in the world, robot_state_publisher does the "
        "rest; none",
    ),
    Parameter(
        "base_link",
        0,
        "number of the link that frame base_link is, from the tail; 0: the middle one",
        Limits(0, 1000, ""),
    ),
    DIAGNOSTICS_RATE,
)
SEEDS = Limits(0, 2**31 - 1, "")
SIMULATION_PARAMETERS = (
    *PLANT_PARAMETERS,
    Parameter("seed", 0, "of everything random in the plant", SEEDS),
    Parameter(
        "speed",
        1.0,
        "simulated time per wall-clock time; 0: as fast as it goes (needs lockstep)",
        Limits(0.0, 1000.0, ""),
    ),
    Parameter(
        "lockstep", True, "wait for the command that answers each tick; runs repeat bit for bit"
    ),
    Parameter(
        "wait_for_recorder",
        False,
        "start when the recorder listens, and in lockstep never run ahead of it",
    ),
    Parameter(
        "wrench_duration",
        0.1,
        "how long a push by sim/apply_wrench lasts, s",
        Limits(0.001, 60.0, "s"),
        running=True,
    ),
    Parameter("step_count", 1, "ticks of one ~/step", Limits(1, 1_000_000, "ticks"), running=True),
)
ROBOT_PARAMETERS = (
    *PLANT_PARAMETERS,
    Parameter("serial_port", "/dev/ttyUSB0", "port of the servo bus (RS-485)"),
    Parameter("can", "socketcan:can0", "CAN channel of the spine: back-end:channel[@bit rate]"),
    Parameter(
        "hardware",
        "",
        "YAML file with the robot's wiring (config/robot.yaml); empty: servos 1 to n, nominal",
    ),
    Parameter(
        "calibration", "", "calibration record of `boa commission`; empty: as the wiring says"
    ),
    Parameter(
        "allow_uncalibrated",
        False,
        "arm without a complete calibration record of this robot; every bag says so",
    ),
)
SET_POINT_PARAMETERS = (
    Parameter(
        "speed",
        OF_THE_CONTROLLER,
        "along the path, m/s; negative: back, 0: stop and hold; nan: as the scenario says",
        Limits(-2.0, 2.0, "m/s"),
        running=True,
    ),
    Parameter(
        "force",
        OF_THE_CONTROLLER,
        "desired on every contact, N; nan: as the scenario says",
        Limits(0.0, 1000.0, "N"),
        running=True,
    ),
    Parameter(
        "force_floor",
        OF_THE_CONTROLLER,
        "kept on every contact, N; nan: as the scenario says",
        Limits(0.0, 1000.0, "N"),
        running=True,
    ),
)
CONTROLLER_PARAMETERS = (
    SCENARIO,
    CONTROL_RATE,
    FRAME_PREFIX,
    IDENTIFIED,
    VIEW_RATE,
    DIAGNOSTICS_RATE,
    *SET_POINT_PARAMETERS,
    Parameter(
        "speed_timeout",
        0.0,
        "stop this long after the last ~/speed, s of plant time; 0: the last one stays",
        Limits(0.0, 3600.0, "s"),
    ),
)
RECORDER_PARAMETERS = (
    SCENARIO,
    DURATION,
    CONTROL_RATE,
    FRAME_PREFIX,
    IDENTIFIED,
    Parameter("out", "", "results folder; default results/<scenario>-<date>-<time>"),
    Parameter("seed", 0, "kept with the results", SEEDS),
    Parameter("simulated", True, "whether the plant is a simulation"),
    Parameter(
        "wait_for_controller", True, "let the plant begin when somebody publishes torque_command"
    ),
    Parameter("report", True, "write plots, picture and page beside bag and metrics"),
    Parameter("video", False, "write a video as well"),
)
SHOWN = Parameter("scenario", "", "that is shown, name or YAML file; empty: what the plant says")
PLANNER_PARAMETERS = (
    SCENARIO,
    CONTROL_RATE,
    FRAME_PREFIX,
    Parameter("map", "", "YAML or CSV file of posts; empty: the topic obstacles"),
    Parameter("follow", False, "follow every path that is found, without ~/follow", running=True),
    Parameter(
        "replan",
        True,
        "plan again with the corrected map where the robot stops at posts that stand elsewhere",
    ),
    Parameter("seconds", 20.0, "that a search may take", Limits(0.001, 3600.0, "s"), running=True),
    Parameter(
        "refine",
        -1.0,
        "s for better paths than the first; 0: the same path every time, -1: seconds / 20",
        Limits(-1.0, 3600.0, "s"),
        running=True,
    ),
    Parameter(
        "radius",
        0.3,
        "of a goal: the head comes at least as near, m",
        Limits(0.001, 10.0, "m"),
        running=True,
    ),
    Parameter(
        "back",
        0.8,
        "m that the robot may go back before a new path begins",
        Limits(0.0, 100.0, "m"),
        running=True,
    ),
)
MUJOCO_VIEW_PARAMETERS = (SHOWN,)
VIEW_PARAMETERS = (
    SHOWN,
    Parameter(
        "listen", "localhost:8800", "HOST:PORT of the page; other machines than this need a token"
    ),
    Parameter("token", "", "of the page; empty: a new one where one is needed"),
)

# executable (`ros2 run boa_control <executable>`) -> its parameters
NODE_PARAMETERS: dict[str, tuple[Parameter, ...]] = {
    "sim": SIMULATION_PARAMETERS,
    "hardware": ROBOT_PARAMETERS,
    "controller": CONTROLLER_PARAMETERS,
    "recorder": RECORDER_PARAMETERS,
    "view": VIEW_PARAMETERS,
    "planner": PLANNER_PARAMETERS,
    "mujoco_view": MUJOCO_VIEW_PARAMETERS,
}

# executable of several nodes -> name of each -> the executable that has it alone
COMPOSED_NODES: dict[str, dict[str, str]] = {
    "sim_with_controller": {"plant": "sim", "controller": "controller"},
}

TRIGGER, SET_BOOL = "std_srvs/srv/Trigger", "std_srvs/srv/SetBool"
PLANT_SERVICES = (
    Service("arm", TRIGGER, "let torques act; refused, with the reason, while a fault is latched"),
    Service("disarm", TRIGGER, "remove torque from every joint at once"),
    Service("reset_fault", TRIGGER, "clear latched faults; ends disarmed"),
    Service(
        "tare", TRIGGER, "set the zero of the force sensors; only disarmed, still and unloaded"
    ),
)
TRANSITIONS = "lifecycle_msgs/srv/GetAvailableTransitions"
LIFECYCLE_SERVICES = (
    Service(
        "change_state",
        "lifecycle_msgs/srv/ChangeState",
        "configure, activate, deactivate, cleanup, shutdown; a refusal is a warning in the log",
    ),
    Service("get_state", "lifecycle_msgs/srv/GetState", "the present state"),
    Service("get_available_states", "lifecycle_msgs/srv/GetAvailableStates", "all states"),
    Service("get_available_transitions", TRANSITIONS, "what can be requested now"),
    Service("get_transition_graph", TRANSITIONS, "the whole state machine"),
)
STEERING_SERVICES = (
    Service("start", TRIGGER, "go on after ~/stop with the speed of before"),
    Service("stop", TRIGGER, "stop and hold; speeds and new paths are refused until ~/start"),
)
FOLLOWING_SERVICES = (
    Service("hold", TRIGGER, "stop for a new path, with which ~/follow goes on; for planners"),
    Service("follow", TRIGGER, "go over to the path that came last on new_path; only at rest"),
)
CONTROLLER_SERVICES = (*STEERING_SERVICES, *FOLLOWING_SERVICES)
PLANNER_SERVICES = (
    Service("follow", TRIGGER, "follow the path that was found; the robot sets out"),
    Service("cancel", TRIGGER, "stop and hold, instead of going to the goal"),
)
NAVIGATE_TO_POSE = Action(
    "navigate_to_pose",
    "nav2_msgs/action/NavigateToPose",
    "plan a path for the head to a goal in any known frame, and follow it at once",
)
FOLLOW_PATH = Action(
    "follow_path",
    "nav2_msgs/action/FollowPath",
    "follow planned_path, or on along the path on which the robot lies; others are refused",
)
PLANNER_ACTIONS = (NAVIGATE_TO_POSE, FOLLOW_PATH)
SIMULATION_SERVICES = (
    Service("pause", SET_BOOL, "stop time (true) or let it go on (false)"),
    Service("step", TRIGGER, "while paused: advance by step_count control ticks"),
    Service("reset", TRIGGER, "back to the initial state and the first tick; ends disarmed"),
)
