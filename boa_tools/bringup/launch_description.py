# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A `Bringup` as a ROS 2 launch description. Imports launch and launch_ros only: `ros2 launch` runs
under the system's Python.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, OpaqueFunction, Shutdown
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from boa_tools.bringup.description import YES_NO, Arg, Bringup, NodeSpec

KILL_SECONDS = 5.0  # between SIGTERM and SIGKILL
# A node told to stop may end itself so (boa_control.ros.runtime: hanging tear-down).
STOPPED = (0, -signal.SIGALRM, -signal.SIGINT, -signal.SIGTERM)


class NodeError(Exception):
    """A node has failed; it makes `ros2 launch` end with a status that is not 0."""


def launch_description(bringup: Bringup) -> LaunchDescription:
    """Declare the arguments; when they are known, start the nodes. The end of one node ends the
    launch, with status 1 if the node failed.
    """

    def start(context: LaunchContext) -> list[Action]:
        if _started_itself(bringup):
            bringup.refuse_unknown(word.partition(":=")[0] for word in context.argv)
        given = {arg.name: LaunchConfiguration(arg.name).perform(context) for arg in bringup.args}
        first, *others = bringup.nodes(bringup.resolve(given))
        return [_action(first, may_end=True), *(_action(spec, may_end=False) for spec in others)]

    return LaunchDescription([*map(_declaration, bringup.args), OpaqueFunction(function=start)])


def _started_itself(bringup: Bringup) -> bool:
    """Whether the arguments on the command line are for this launch file, not for one that includes
    it.
    """
    return bringup.name in [Path(word).name for word in sys.argv]


def _declaration(arg: Arg) -> DeclareLaunchArgument:
    capitals = [word.capitalize() for word in YES_NO if word in arg.choices]
    return DeclareLaunchArgument(
        arg.name,
        default_value=arg.default,
        description=arg.help,
        choices=[*arg.choices, *capitals] or None,
    )


def _action(spec: NodeSpec, may_end: bool) -> Action:
    """A process whose end is the end of the launch.

    Args:
        spec: what to start.
        may_end: its end is the end of a run, not a failure.
    """

    def ended(event: ProcessExited, context: LaunchContext) -> list[Action]:
        status = event.returncode
        if (status == 0 and may_end) or (context.is_shutdown and status in STOPPED):
            return [Shutdown(reason=f"{spec.title} has ended")]

        def fail(_: LaunchContext) -> None:
            how = f"failed, status {status}" if status else "ended before the run was over"
            raise NodeError(f"node {spec.title} {how}; its last lines are above")

        return [OpaqueFunction(function=fail)]

    return Node(
        package=spec.package,
        executable=spec.executable,
        arguments=list(spec.arguments),
        name=None if spec.beside else spec.name,
        namespace=spec.namespace,
        remappings=[*spec.remappings],
        parameters=[*map(str, spec.parameter_files), _own_parameters(spec)],
        output="screen",
        emulate_tty=True,
        additional_env={"BOA_LAUNCHED_BY": str(os.getpid())},
        sigterm_timeout=str(spec.stop_seconds),
        sigkill_timeout=str(KILL_SECONDS),
        on_exit=ended if spec.required else None,
    )


def _own_parameters(spec: NodeSpec) -> Any:
    """The nodes' own parameters, written for these very nodes, so that they win over the files."""
    if not spec.beside:
        return dict(spec.parameters)
    # launch_ros would write them for all nodes of the process; like its files, this one stays.
    # JSON is YAML, and in the standard library
    with NamedTemporaryFile("w", prefix="launch_params_", suffix=".yaml", delete=False) as file:
        json.dump(spec.parameter_blocks(), file)
    return file.name
