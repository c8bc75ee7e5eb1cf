# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot without a plant: its URDF in RViz, joints moved with sliders. `ros2 launch boa_control
view_robot.launch.py robot:=boa13`.

Needs the ROS packages robot_state_publisher, joint_state_publisher (or joint_state_publisher_gui)
and rviz2, and nothing of this package's Python.
"""

from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

SHARE = Path(__file__).resolve().parents[1]
ROBOTS = sorted(path.stem for path in (SHARE / "urdf").glob("*.urdf"))


def generate_launch_description() -> LaunchDescription:
    """Called by `ros2 launch`."""
    yes_no = ["true", "false"]
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "robot", default_value="boa13", choices=ROBOTS, description="which robot"
            ),
            DeclareLaunchArgument(
                "gui", default_value="true", choices=yes_no, description="sliders for the joints"
            ),
            DeclareLaunchArgument(
                "rviz", default_value="true", choices=yes_no, description="start RViz"
            ),
            DeclareLaunchArgument("namespace", default_value="boa", description="of the nodes"),
            OpaqueFunction(function=_nodes),
        ]
    )


def _nodes(context: LaunchContext) -> list[Action]:
    robot = LaunchConfiguration("robot").perform(context)
    namespace = LaunchConfiguration("namespace").perform(context)
    gui = LaunchConfiguration("gui").perform(context) == "true"
    urdf = (SHARE / "urdf" / f"{robot}.urdf").read_text(encoding="utf-8")
    sliders = "joint_state_publisher_gui" if gui else "joint_state_publisher"
    return [
        Node(
            package="robot_state_publisher",
            executable="robot_state_publisher",
            namespace=namespace,
            parameters=[{"robot_description": urdf}],
            output="screen",
        ),
        Node(package=sliders, executable=sliders, namespace=namespace, output="screen"),
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=namespace,
            arguments=["-d", str(SHARE / "rviz" / "boa.rviz")],
            output="screen",
            condition=IfCondition(LaunchConfiguration("rviz")),
        ),
    ]
