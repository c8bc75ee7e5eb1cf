# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Beginning of a node's program, before the seconds in which Python imports the rest: its help, its
arguments, and how it is stopped.

    python -m boa_control.ros.start sim boa_sim.node --ros-args -p scenario:=boa_circle
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
from collections.abc import Sequence

from boa_control.interface import COMPOSED_NODES, NODE_PARAMETERS, Parameter, Value
from boa_control.ros.launcher import end_with_launcher

WRONG_INPUT = 2
ROS_ARGUMENTS = "--ros-args"
# Small matrices gain nothing from threads, and waiting threads of two controllers that run with
# real-time priority leave nothing of two cores to the plants.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def main(executable: str, module: str, words: Sequence[str]) -> int:
    """Run a node; returns the exit status where it does not start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Python that imports answers with a traceback
    own = [*words[: words.index(ROS_ARGUMENTS)]] if ROS_ARGUMENTS in words else [*words]
    if "-h" in own or "--help" in own:
        print(usage(executable))
        return 0
    if own:
        print(
            f"error: unknown argument '{own[0]}'; parameters are given as "
            f"{ROS_ARGUMENTS} -p name:=value, --help lists them",
            file=sys.stderr,
        )
        return WRONG_INPUT
    if not end_with_launcher():
        print("error: the launch that started this node has ended", file=sys.stderr)
        return WRONG_INPUT
    for name, number in ONE_THREAD.items():
        os.environ.setdefault(name, number)
    sys.argv = [executable, *words]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except ModuleNotFoundError as error:
        print(
            f"error: {sys.executable} has no package '{error.name}'; before the launch, activate "
            f"the virtual environment with the robot's packages (requirements/run.in)",
            file=sys.stderr,
        )
        return WRONG_INPUT
    return 0


def usage(executable: str) -> str:
    """How the program is started, and the parameters of its nodes with their defaults."""
    # a word on the command line reaches all nodes of a process, and no other than those of a file
    one = executable in NODE_PARAMETERS
    given = "-p name:=value ..." if one else "--params-file FILE"
    blocks = (
        [("parameters with their defaults:", executable)]
        if one
        else [
            (f"parameters of /**/{node} with their defaults:", part)
            for node, part in COMPOSED_NODES[executable].items()
        ]
    )
    lines = [f"usage: ros2 run boa_control {executable} [{ROS_ARGUMENTS} {given}]"]
    for heading, part in blocks:
        lines += [heading, *_table(NODE_PARAMETERS[part])]
    return "\n".join([*lines, "hoal.launch.py starts it with the other nodes of a run."])


def _table(parameters: Sequence[Parameter]) -> list[str]:
    names = [f"{item.name}:={_shown(item.default)}" for item in parameters]
    width = max(map(len, names))
    return [
        f"  {name:<{width}}  {item.description}"
        for name, item in zip(names, parameters, strict=True)
    ]


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, str) else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
