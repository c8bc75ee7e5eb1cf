"""A `Bringup` as a ROS 2 launch description."""

from __future__ import annotations

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from boa_tools.bringup.description import PACKAGE, Bringup, NodeSpec

KILL_SECONDS = 5.0  # between SIGTERM and SIGKILL


def launch_description(bringup: Bringup) -> LaunchDescription:
    """Declare the arguments; when they are known, start the nodes. The end of one node ends the
    launch.
    """
    arguments = [
        DeclareLaunchArgument(
            arg.name,
            default_value=arg.default,
            description=arg.help,
            choices=list(arg.choices) or None,
        )
        for arg in bringup.args
    ]

    def start(context: LaunchContext) -> list[Action]:
        given = {arg.name: LaunchConfiguration(arg.name).perform(context) for arg in bringup.args}
        return [_action(spec) for spec in bringup.nodes(bringup.resolve(given))]

    return LaunchDescription([*arguments, OpaqueFunction(function=start)])


def _action(spec: NodeSpec) -> Action:
    return Node(
        package=PACKAGE,
        executable=spec.executable,
        name=spec.name,
        # with it the parameters below are written for this very node and win over the files
        namespace=spec.namespace,
        parameters=[*map(str, spec.parameter_files), dict(spec.parameters)],
        output="screen",
        emulate_tty=True,
        sigterm_timeout=str(spec.stop_seconds),
        sigkill_timeout=str(KILL_SECONDS),
        on_exit=[Shutdown(reason=f"{spec.name} has ended")],
    )
