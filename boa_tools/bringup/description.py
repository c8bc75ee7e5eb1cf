# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A launch file as data: arguments, and the nodes that they lead to. Knows neither ROS nor
processes.

`runner.py` starts the nodes as plain processes, `launch_description.py` turns the same data into a
ROS 2 launch description; so both start the same nodes with the same parameters. `ros2 launch` runs
under the system's Python, which need not have the robot's packages: what a launch file imports is
the standard library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from boa_description.errors import BoaError, unknown_name

PACKAGE = "boa_control"
NAMESPACE = "/boa"
YES_NO = ("true", "false")
RESPAWN_SECONDS = 2.0  # s before a node starts again that ends at once
Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Arg:
    """A launch argument: its default (as text), what it is for, and the valid values if they are
    few.
    """

    name: str
    default: str
    help: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One node.

    Attributes:
        name: node name in the namespace.
        executable: what `ros2 run boa_control` calls it.
        module: the same program for `python -m`; None for a program of another package.
        parameters: name -> value; they win over the parameter files.
        parameter_files: YAML files.
        namespace: of the node and its topics.
        remappings: (name of a topic, name to use instead).
        stop_seconds: how long it may take to end when told to.
        package: where `ros2 run` finds the executable.
        arguments: of the executable, before those of ROS.
        required: its end is the end of the run.
        respawn: it starts again when it ends; only where it is not required.
        beside: further nodes in the same process, which `executable` has all of; of them name and
            parameters count.
    """

    name: str
    executable: str
    module: str | None
    parameters: Mapping[str, Value] = field(default_factory=dict)
    parameter_files: tuple[Path, ...] = ()
    namespace: str = NAMESPACE
    remappings: tuple[tuple[str, str], ...] = ()
    stop_seconds: float = 5.0
    package: str = PACKAGE
    arguments: tuple[str, ...] = ()
    required: bool = True
    respawn: bool = False
    beside: tuple[NodeSpec, ...] = ()

    @property
    def nodes(self) -> tuple[NodeSpec, ...]:
        """All nodes of the process."""
        return self, *self.beside

    @property
    def title(self) -> str:
        """The names of all nodes of the process."""
        return "+".join(node.name for node in self.nodes)

    def parameter_blocks(self) -> dict[str, dict[str, dict[str, Value]]]:
        """Content of a parameter file with the own parameters of every node of the process."""
        return {
            f"{self.namespace}/{node.name}": {"ros__parameters": dict(node.parameters)}
            for node in self.nodes
        }


def _nothing_to_check(values: Mapping[str, str]) -> None:
    """A launch file whose arguments need no more than a look at each of them."""


@dataclass(frozen=True, slots=True)
class Bringup:
    """A launch file.

    Attributes:
        name: of the file, e.g. "hoal.launch.py".
        summary: what it starts.
        args: its arguments.
        nodes: from complete, checked argument values to nodes, in the order in which they are
            stopped. When a required one ends, the others are stopped. Raises BoaError for values
            that do not fit. Needs the standard library only.
        check: raises BoaError for what the nodes would refuse, before any of them is started. Needs
            the robot's packages; `ros2 launch`, which may lack them, leaves it to the nodes.
    """

    name: str
    summary: str
    args: tuple[Arg, ...]
    nodes: Callable[[Mapping[str, str]], tuple[NodeSpec, ...]]
    check: Callable[[Mapping[str, str]], None] = _nothing_to_check

    def resolve(self, given: Mapping[str, str]) -> dict[str, str]:
        """Complete the given values with defaults; True and TRUE count as true.

        Raises:
            BoaError: an unknown argument, or a value that is not among the choices.
        """
        self.refuse_unknown(given)
        values = {arg.name: given.get(arg.name, arg.default) for arg in self.args}
        for arg in self.args:
            if values[arg.name].lower() in YES_NO:
                values[arg.name] = values[arg.name].lower()
            if arg.choices and values[arg.name] not in arg.choices:
                raise BoaError(
                    f"launch argument {arg.name} is '{values[arg.name]}'; expected one of: "
                    f"{', '.join(arg.choices)}"
                )
        return values

    def refuse_unknown(self, names: Iterable[str]) -> None:
        """Raise BoaError, with the nearest name, for the first that is no argument."""
        valid = [arg.name for arg in self.args]
        for name in names:
            if name not in valid:
                raise unknown_name("launch argument", name, valid)

    def described(self) -> str:
        """Summary and arguments, for people; one line each: name, default, meaning,
        valid values.
        """
        width = max(len(f"{arg.name}:={arg.default}") for arg in self.args)
        lines = [self.summary, "arguments with their defaults:"]
        for arg in self.args:
            choices = f" [{', '.join(arg.choices)}]" if arg.choices else ""
            lines.append(f"  {f'{arg.name}:={arg.default}':<{width}}  {arg.help}{choices}")
        return "\n".join(lines)


def share() -> Path:
    """Folder of the installed launch and config files; in a checkout or an editable install, the
    source tree.
    """
    try:
        from ament_index_python.packages import get_package_share_directory

        return Path(get_package_share_directory(PACKAGE))
    except Exception:  # no ROS, or not installed the ROS way
        installed = Path(sys.prefix) / "share" / PACKAGE
        return installed if (installed / "launch").is_dir() else Path(__file__).resolve().parents[2]
