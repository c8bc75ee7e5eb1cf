# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Boa in simulation (sim:=true) or on the robot (sim:=false). `ros2 launch boa_control
hoal.launch.py --show-args`.
"""

from launch import LaunchDescription

from boa_tools.bringup.hoal import HOAL
from boa_tools.bringup.launch_description import launch_description


def generate_launch_description() -> LaunchDescription:
    """Called by `ros2 launch`."""
    return launch_description(HOAL)
