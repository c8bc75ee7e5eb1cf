# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""ros2_control's controllers drive Boa.

    ros2 launch boa_control hoal.launch.py controller:=none lockstep:=false scenario:=boa_datasheet
    ros2 launch examples/ros2_control/boa.launch.py

On the robot, hoal.launch.py with sim:=false control_rate:=200, and sim:=false here.
"""

import sys
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

HERE = Path(__file__).resolve().parent
CONTROLLERS = ["joint_trajectory_controller", "effort_controller"]


def generate_launch_description() -> LaunchDescription:
    """Called by `ros2 launch`."""
    return LaunchDescription(
        [
            DeclareLaunchArgument("namespace", default_value="/boa", description="of the robot"),
            DeclareLaunchArgument("sim", default_value="true", choices=["true", "false"]),
            DeclareLaunchArgument("controller", default_value=CONTROLLERS[0], choices=CONTROLLERS),
            OpaqueFunction(function=_nodes),
        ]
    )


def _nodes(context: LaunchContext) -> list[Action]:
    namespace = LaunchConfiguration("namespace").perform(context)
    simulated = LaunchConfiguration("sim").perform(context) == "true"
    # the plant publishes the robot_description that binds joint_states and torque_command
    manager = Node(
        package="controller_manager",
        executable="ros2_control_node",
        namespace=namespace,
        parameters=[str(HERE / "controllers.yaml"), {"use_sim_time": simulated}],
        remappings=[] if simulated else [("torque_command", "effort_command")],
        output="screen",
    )
    spawner = Node(
        package="controller_manager",
        executable="spawner",
        namespace=namespace,
        arguments=[
            LaunchConfiguration("controller"),
            "--param-file",
            str(HERE / "controllers.yaml"),
        ],
        output="screen",
    )
    if simulated:
        return [manager, spawner]
    relay = [sys.executable, str(HERE / "answer.py"), "--ros-args", "-r", f"__ns:={namespace}"]
    return [ExecuteProcess(cmd=relay, output="screen"), manager, spawner]
