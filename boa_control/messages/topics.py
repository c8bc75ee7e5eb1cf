# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every topic of the stack: name, type, quality of service and content. Nodes, bags and the manual
use this table.
"""

from dataclasses import dataclass
from typing import Literal

NAMESPACE = "/boa"
Source = Literal["plant", "controller", "planner", "recorder", "operator"]

TICK_DEPTH = 200  # messages kept for a reader that lags
IMU_DEPTH = 4000  # one message per link

# where the stamp is in a serialised message: behind the encapsulation header of 4 bytes, or
# behind the length of a list, in its first element
STAMP_FIRST, STAMP_IN_LIST = 4, 8


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic.

    Attributes:
        name: absolute, for a robot in the default namespace.
        msgtype: e.g. "sensor_msgs/msg/JointState".
        source: node that publishes it; operator: whoever uses the robot.
        content: what it says, with units.
        latched: late subscribers get the last message (transient local).
        depth: messages kept per reader and writer.
        stamp_at: where the first stamp is in the bytes (`cdr.stamp_of`); None: there is none.
        simulation_only: does not exist on the robot.
    """

    name: str
    msgtype: str
    source: Source
    content: str
    latched: bool = False
    depth: int = TICK_DEPTH
    stamp_at: int | None = STAMP_FIRST
    simulation_only: bool = False

    def __hash__(self) -> int:
        return hash(self.name)  # topics are looked up thousands of times per second

    @property
    def relative(self) -> str:
        """The name that a node requests: below its own namespace, unless it is a global one."""
        return self.name.removeprefix(f"{NAMESPACE}/")

    def below(self, namespace: str) -> str:
        """The name for a robot in that namespace. Another one than the default shares nothing: what
        is global otherwise (/clock, /diagnostics, /tf) is below it, too.
        """
        if namespace == NAMESPACE:
            return self.name
        return f"{namespace.rstrip('/')}/{self.relative.lstrip('/')}"


Outgoing = list[tuple[Topic, bytes]]  # messages to be sent or written, in order

JOINT_STATES = Topic(
    "/boa/joint_states",
    "sensor_msgs/msg/JointState",
    "plant",
    "position rad, velocity rad/s and measured effort N m of every joint, every control tick",
)
JOINT_FORCES = Topic(
    "/boa/joint_forces",
    "sensor_msgs/msg/MultiDOFJointState",
    "plant",
    "wrench[i].force: force N that link i+1 exerts on link i at joint i, in the sensor frame; "
    "stamped when the sample was taken; NaN where missing",
)
IMUS = Topic(
    "/boa/imus",
    "trajectory_msgs/msg/MultiDOFJointTrajectory",
    "plant",
    "all IMUs in one point, joint_names are their frames (link_05_imu): orientation (transforms), "
    "angular velocity rad/s (velocities), acceleration without gravity m/s2 (accelerations); "
    "stamped when the sample was taken; NaN where missing",
)
IMU = Topic(
    "/boa/imu",
    "sensor_msgs/msg/Imu",
    "plant",
    "the same samples, one message per link, frame_id names the IMU's frame; missing values are "
    "NaN with covariance -1; published while somebody listens, not recorded; "
    "older bags have it instead of imus",
    depth=IMU_DEPTH,
)
TRACKER = Topic(
    "/boa/tracker",
    "geometry_msgs/msg/PoseStamped",
    "plant",
    "pose of the tracked link's frame in the world, where there is a camera or a motion-capture "
    "system; stamped when it was taken; NaN while the link is not seen",
)
TRACKER_POSE = Topic(
    "/boa/tracker/pose",
    "geometry_msgs/msg/PoseStamped",
    "operator",
    "the same from the node of the camera or motion-capture system, for the plant of the robot, "
    "which passes the newest one on with every tick",
    depth=10,
)
TORQUE_COMMAND = Topic(
    "/boa/torque_command",
    "sensor_msgs/msg/JointState",
    "controller",
    "effort N m per named joint; the stamp is that of the joint_states it answers",
)
TORQUE_APPLIED = Topic(
    "/boa/torque_applied",
    "sensor_msgs/msg/JointState",
    "plant",
    "effort N m that the torque gate let through, every control tick; the stamp is that of the "
    "joint_states",
)
CONTACTS = Topic(
    "/boa/contacts",
    "sensor_msgs/msg/MultiDOFJointState",
    "controller",
    "estimated contacts, named link_05 or link_05/obstacle_07: contact point m and normal "
    "(transform) and force N (wrench) in the frame of the link",
)
EVENTS = Topic(
    "/boa/events",
    "std_msgs/msg/String",
    "controller",
    "hybrid transitions and gate trips as 'seconds source text', e.g. '12.346000000 controller "
    "gain post 7 link 13'; published by controller and plant",
    stamp_at=None,
)
EVENT_STATUS = Topic(
    "/boa/event_status",
    "diagnostic_msgs/msg/DiagnosticArray",
    "controller",
    "the same events for programs: kind (name), fields (values), sentence (message), source "
    "(hardware_id); published by controller and plant",
)
DEBUG = Topic(
    "/boa/controller/debug",
    "sensor_msgs/msg/JointState",
    "controller",
    "named numbers of the controller: name[i] = position[i]; the name says the unit, arrays "
    "count in brackets",
)
PATH = Topic(
    "/boa/path",
    "nav_msgs/msg/Path",
    "controller",
    "planned path, world frame, a pose every 20 mm",
    latched=True,
    depth=1,
)
OBSTACLES = Topic(
    "/boa/obstacles",
    "visualization_msgs/msg/MarkerArray",
    "plant",
    "map of the obstacles, world frame, m",
    latched=True,
    depth=1,
    stamp_at=None,
)
CORRECTED_MAP = Topic(
    "/boa/corrected_map",
    "visualization_msgs/msg/MarkerArray",
    "controller",
    "posts as the robot has found them, world frame, m, with discs two standard deviations wider; "
    "1 Hz, from a controller that corrects its map",
    latched=True,
    depth=1,
    stamp_at=STAMP_IN_LIST,
)
LINK_POSES = Topic(
    "/boa/link_poses",
    "geometry_msgs/msg/PoseArray",
    "plant",
    "poses of all link frames from tail to head, for views, 30 Hz; in simulation the true ones, on "
    "the robot the start position with the measured heading and joint angles",
)
SIM_CONTACTS = Topic(
    "/boa/sim/contacts",
    "sensor_msgs/msg/MultiDOFJointState",
    "plant",
    "true contacts, named link_05/obstacle_07: point m and normal (transform) and force N "
    "(wrench) in the world frame",
    simulation_only=True,
)
SIM_ODOMETRY = Topic(
    "/boa/sim/odometry",
    "nav_msgs/msg/Odometry",
    "plant",
    "true pose and velocity of link_01 (tail) in the world frame",
    simulation_only=True,
)
SIM_JOINT_STATES = Topic(
    "/boa/sim/joint_states",
    "sensor_msgs/msg/JointState",
    "plant",
    "true joint positions rad and velocities rad/s, without sensor effects, and as effort N m what "
    "the gearboxes pass on to the links",
    simulation_only=True,
)
ROBOT_DESCRIPTION = Topic(
    "/boa/robot_description",
    "std_msgs/msg/String",
    "plant",
    "URDF of the robot",
    latched=True,
    depth=1,
    stamp_at=None,
)
CLOCK = Topic(
    "/clock",
    "rosgraph_msgs/msg/Clock",
    "plant",
    "simulation time, published after the state of that time",
    simulation_only=True,
)
DIAGNOSTICS = Topic(
    "/diagnostics",
    "diagnostic_msgs/msg/DiagnosticArray",
    "plant",
    "state, faults, trips, temperatures, ages of readings, real-time factor, loop times; 2 Hz and "
    "on every change; published by plant and controller",
)
RECORDED = Topic(
    "/boa/recorder/recorded",
    "builtin_interfaces/msg/Time",
    "recorder",
    "stamp of the newest joint_states in the bag; in lockstep the plant waits when it is too "
    "far ahead of it",
)
CONTACT_FORCE_MARKERS = Topic(
    "/boa/contact_force_markers",
    "visualization_msgs/msg/MarkerArray",
    "controller",
    "estimated contact forces as green arrows in the frames of the links, 10 mm per N, 30 Hz",
    stamp_at=STAMP_IN_LIST,
)
JOINT_FORCE_MARKERS = Topic(
    "/boa/joint_force_markers",
    "visualization_msgs/msg/MarkerArray",
    "plant",
    "measured joint forces as pink arrows in the frames of the sensors, 10 mm per N, 30 Hz",
    stamp_at=STAMP_IN_LIST,
)
SIM_CONTACT_FORCE_MARKERS = Topic(
    "/boa/sim/contact_force_markers",
    "visualization_msgs/msg/MarkerArray",
    "plant",
    "true contact forces as orange arrows in the world frame, 10 mm per N, 30 Hz",
    stamp_at=STAMP_IN_LIST,
    simulation_only=True,
)
TF = Topic(
    "/tf",
    "tf2_msgs/msg/TFMessage",
    "plant",
    "frames behind the moving joints of the URDF, 30 Hz; published where tf2_msgs is installed "
    "(parameter publish_tf), always in the bag",
    stamp_at=STAMP_IN_LIST,
)
TF_STATIC = Topic(
    "/tf_static",
    "tf2_msgs/msg/TFMessage",
    "plant",
    "frames of the head, the IMUs and the force sensors in their links; map, odom and base_link; "
    "as /tf",
    latched=True,
    depth=1,
    stamp_at=STAMP_IN_LIST,
)

SPEED = Topic(
    "/boa/controller/speed",
    "std_msgs/msg/Float64",
    "operator",
    "speed along the path, m/s, from the next tick on; negative: back, 0: stop and hold",
    depth=1,
    stamp_at=None,
)
GOAL_POSE = Topic(
    "/boa/goal_pose",
    "geometry_msgs/msg/PoseStamped",
    "operator",
    "where the head shall come, in any frame that tf knows, m; RViz's goal tool sends it",
    depth=1,
)
NEW_PATH = Topic(
    "/boa/new_path",
    "std_msgs/msg/String",
    "planner",
    "path on from where the robot lies, with its posts, contacts and set-points, as JSON: "
    "the fields of path_changes",
    latched=True,
    depth=1,
    stamp_at=None,
)
PLANNED_PATH = Topic(
    "/boa/planned_path",
    "nav_msgs/msg/Path",
    "planner",
    "the same path for views, world frame, a pose every 20 mm",
    latched=True,
    depth=1,
)
PLANNER_STATUS = Topic(
    "/boa/planner/status",
    "std_msgs/msg/String",
    "planner",
    "what the planner does, and why not, one line",
    latched=True,
    depth=1,
    stamp_at=None,
)
TRANSITION_EVENT = Topic(
    "/boa/plant/transition_event",
    "lifecycle_msgs/msg/TransitionEvent",
    "plant",
    "changes of the life cycle, as ROS's managed nodes tell them",
    depth=10,
    stamp_at=None,
)
APPLY_WRENCH = Topic(
    "/boa/sim/apply_wrench",
    "geometry_msgs/msg/WrenchStamped",
    "operator",
    "push the link that frame_id names: force along its x and y axis at its centre, N, torque "
    "about the vertical, N m, for the parameter wrench_duration",
    depth=10,
    simulation_only=True,
)
SET_STATE = Topic(
    "/boa/sim/set_state",
    "sensor_msgs/msg/JointState",
    "operator",
    "put the robot at rest at a pose: joints, rad, and base_x, base_y, m, base_yaw, rad, of "
    "link 1; what is not named stays",
    depth=1,
    simulation_only=True,
)

TOPICS: tuple[Topic, ...] = tuple(one for one in list(vars().values()) if isinstance(one, Topic))
TRANSFORMS = (TF, TF_STATIC)  # a bag's own follow from its link_poses, whoever publishes them live
# what an operator asks for and the life cycle are in the bag as the events of what was done
RECORDED_TOPICS: tuple[Topic, ...] = tuple(
    topic
    for topic in TOPICS
    if topic not in (IMU, RECORDED, TRANSITION_EVENT, *TRANSFORMS) and topic.source != "operator"
)
