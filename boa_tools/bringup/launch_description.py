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
from launch.actions import DeclareLaunchArgument, EmitEvent, OpaqueFunction, Shutdown
from launch.events import matches_action
from launch.events.process import ProcessExited, ShutdownProcess
from launch.logging import get_logger
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from boa_tools.bringup.description import RESPAWN_SECONDS, YES_NO, Arg, Bringup, NodeSpec

KILL_SECONDS = 5.0  # between SIGTERM and SIGKILL
# A node told to stop may end itself so (boa_control.ros.runtime: hanging tear-down).
STOPPED = (0, -signal.SIGALRM, -signal.SIGINT, -signal.SIGTERM)


class NodeError(Exception):
    """A node has failed; it makes `ros2 launch` end with a status that is not 0."""


def launch_description(bringup: Bringup) -> LaunchDescription:
    """Declare the arguments; when they are known, start the nodes. The end of a required one is the
    end of the run, which ends the launch, with status 1 if a node failed, or the nodes of this file
    only (argument on_exit).
    """

    def start(context: LaunchContext) -> list[Action]:
        alone = _started_itself(bringup)
        if alone:
            bringup.refuse_unknown(word.partition(":=")[0] for word in context.argv)
        given = {arg.name: LaunchConfiguration(arg.name).perform(context) for arg in bringup.args}
        if not given["namespace"].startswith("/"):
            pushed = context.launch_configurations.get("ros_namespace", "")
            given["namespace"] = f"{pushed}/{given['namespace']}"
        values = bringup.resolve(given)
        ends_launch = values["on_exit"] == "shutdown" or (values["on_exit"] == "auto" and alone)
        run = _Run(ends_launch)
        first, *others = bringup.nodes(values)
        run.actions = [
            _action(first, run, may_end=True),
            *(_action(spec, run, may_end=False) for spec in others),
        ]
        return run.actions

    return LaunchDescription([*map(_declaration, bringup.args), OpaqueFunction(function=start)])


class _Run:
    """The nodes of one launch file, and what the end of one of them leads to.

    Attributes:
        actions: its processes.
    """

    def __init__(self, ends_launch: bool) -> None:
        self._ends_launch = ends_launch
        self._over = False
        self.actions: list[Action] = []

    def ended(self, spec: NodeSpec, how: str, context: LaunchContext) -> list[Action]:
        """A required node has ended; `how` it failed, empty where it did not."""
        line = f"node {spec.title} {how}; its last lines are above"
        if self._ends_launch and how:
            return [OpaqueFunction(function=_fail, args=[line])]
        if self._ends_launch:
            return [Shutdown(reason=f"{spec.title} has ended")]
        if self._over or context.is_shutdown:
            return []
        self._over = True
        if how:
            get_logger("launch").error(line)
        stop = [ShutdownProcess(process_matcher=matches_action(it)) for it in self.actions]
        return [EmitEvent(event=event) for event in stop]


def _fail(_: LaunchContext, line: str) -> None:
    raise NodeError(line)


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


def _action(spec: NodeSpec, run: _Run, may_end: bool) -> Action:
    """A process.

    Args:
        spec: what to start.
        run: that its end ends.
        may_end: its end is the end of a run, not a failure.
    """

    def ended(event: ProcessExited, context: LaunchContext) -> list[Action]:
        status = event.returncode
        if (status == 0 and may_end) or (context.is_shutdown and status in STOPPED):
            return run.ended(spec, "", context)
        how = f"failed, status {status}" if status else "ended before the run was over"
        return run.ended(spec, how, context)

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
        respawn=spec.respawn,
        respawn_delay=RESPAWN_SECONDS,
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
