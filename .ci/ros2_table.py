#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The list of commands in docs/ros2.md, from real runs of the real tools:
`.ci/ros2_table.py [FOLDER] [--write]`.

FOLDER is that of `.ci/ros2_tools`; without it, what the shell has sourced is used. A row is a
command and the part of its output to show; a command that prints no such thing fails, and the
list is not written.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "ros2.md"
BEGIN, END = "<!-- commands: begin -->", "<!-- commands: end -->"
LAUNCH = "ros2 launch boa_control hoal.launch.py"
RUNNING = f"{LAUNCH} scenario:=thesis_5_2_3 duration:=3600 use_composition:=false record:=false"
SHARE = "$(ros2 pkg prefix --share boa_control)"
OTHER = (
    '<robot name="mine" xmlns:xacro="http://ros.org/wiki/xacro">'
    '<xacro:include filename="$(find boa_control)/urdf/boa3.urdf.xacro"/></robot>'
)
PATIENCE = 120.0  # s


@dataclass(frozen=True, slots=True)
class Row:
    """A command, and what of its output is shown: all matches of `shown`, at most `most`."""

    command: str
    shown: str = r".+"
    most: int = 3
    status: int = 0


ALONE = (
    Row("ros2 pkg executables boa_control", r"boa_control \w+", 9),
    Row("ros2 pkg prefix --share boa_control", r"share/boa_control"),
    Row(f"xacro {SHARE}/urdf/boa13.urdf.xacro prefix:=left_", r'<joint name="left_joint_\d+"', 2),
    Row(f"echo '{OTHER}' > mine.xacro && xacro mine.xacro", r"<robot name=\"\w+\"|link_03\"", 2),
    Row(f"check_urdf {SHARE}/urdf/boa13.urdf", r"robot name is: \w+|Successfully Parsed XML"),
    Row(f"{LAUNCH} --show-args", r"'(?:sim|seed)':\s+.+"),
    Row(f"{LAUNCH} durations:=5", r"unknown launch argument[^?]+\?", 1, 1),
    Row(f"{LAUNCH} scenario:=boa_cirle", r"unknown scenario 'boa_cirle'; did you mean '\w+'", 1, 1),
    Row(
        f"{LAUNCH} sim:=false control_rate:=200",
        r"serial port /dev/ttyUSB0 cannot be opened: [\w ]+",
        1,
        1,
    ),
    Row(f"{LAUNCH} sim:=True duration:=3 speed:=max out:=$OUT", r"run ended: \w+; disarmed"),
    Row("launch_test $BOA/test/launch/hoal_launch_test.py", r"^Ran \d tests|^OK", 4),
    Row("ros2 run boa_control sim --help", r"usage: .+", 1),
    Row(
        "ros2 run boa_control sim duration:=5",
        r"unknown argument 'duration:=5'; [^,]+",
        1,
        2,
    ),
)
BESIDE = (
    Row("ros2 node list", r"/boa/\w+"),
    Row("ros2 topic list", r"/boa/(?:joint_states|torque_command|robot_description)$"),
    Row("ros2 topic echo --once /boa/robot_description --field data", r'<robot name="\w+">', 1),
    Row("ros2 topic echo --once /boa/joint_states --field name", r"\w+", 2),
    Row("ros2 topic info /boa/torque_command", r"\w+ count: \d"),
    Row("ros2 topic echo --once /tf_static", r"child_frame_id: \w+", 2),
    Row("ros2 node info /boa/controller", r"/boa/(?:imus|joint_forces|joint_states): \S+"),
    Row("ros2 param get /boa/plant scenario"),
    Row("ros2 param set /boa/plant seed 3", r"Setting parameter failed: .+", 1),
    Row("ros2 param describe /boa/plant view_rate", r"Type: .+|Description: .+"),
    Row("ros2 lifecycle nodes", r"/boa/plant"),
    Row("ros2 lifecycle get /boa/plant"),
    Row("ros2 service call /boa/plant/disarm std_srvs/srv/Trigger", r"success=.+'"),
    Row("ros2 lifecycle set /boa/plant cleanup"),
    Row("ros2 service call /boa/plant/arm std_srvs/srv/Trigger", r"success=.+'"),
    Row("ros2 lifecycle set /boa/plant configure"),
    Row("ros2 lifecycle set /boa/plant activate"),
    Row(
        "ros2 service call /boa/plant/pause std_srvs/srv/SetBool '{data: true}'",
        r"success=.+'",
    ),
    Row("ros2 service call /boa/plant/step std_srvs/srv/Trigger", r"success=.+'"),
    Row("ros2 lifecycle set /boa/plant shutdown"),
)


def main() -> int:
    """Print the list, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--write", action="store_true", help="put the list into docs/ros2.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        environment = surroundings(arguments.folder, Path(scratch))
        os.chdir(scratch)
        try:
            lines = [*items(ALONE, environment), *beside_a_run(environment)]
        finally:
            run("ros2 daemon stop", environment)
    text = "\n".join(lines)
    print(text)
    if failed := [line for line in lines if isinstance(line, Failed)]:
        print(f"{len(failed)} commands printed something else", file=sys.stderr)
        return 1
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0


def surroundings(folder: Path | None, scratch: Path) -> dict[str, str]:
    """Environment of the commands, on this machine and in a domain of their own."""
    environment = {
        **os.environ,
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_DOMAIN_ID": os.environ.get("ROS_DOMAIN_ID", str(random.randint(1, 90))),
        "ROS_LOG_DIR": str(scratch / "log"),
        "OUT": str(scratch / "run"),
        "BOA": str(ROOT),
    }
    if folder is not None:
        python = folder.resolve() / "python"
        environment["PATH"] = f"{python / 'bin'}:{environment['PATH']}"
        environment["AMENT_PREFIX_PATH"] = str(python)
        # of another environment, whose Python may run this
        for name in ("PYTHONPATH", "LD_LIBRARY_PATH", "_ROS_WHEELS_BOOTSTRAP_COMPLETE"):
            environment.pop(name, None)
    return environment


def run(command: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a line of the shell; stdout and stderr together."""
    return subprocess.run(
        f"timeout {PATIENCE} bash -c {shlex.quote(command)}",
        shell=True,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


class Failed(str):
    """In place of a line: a command that has printed something else than expected."""


def items(rows: Sequence[Row], environment: Mapping[str, str]) -> list[str]:
    """One item of a list per command."""
    return [in_markdown(row, run(row.command, environment)) for row in rows]


def in_markdown(row: Row, done: subprocess.CompletedProcess[str]) -> str:
    """The command, and the part of its output that is shown."""
    found = re.finditer(row.shown, done.stdout, re.MULTILINE)
    shown = [*dict.fromkeys(" ".join(match[0].split()) for match in found)][: row.most]
    if not shown or done.returncode != row.status:
        print(f"{row.command}: {done.returncode}, printed:\n{done.stdout}", file=sys.stderr)
        return Failed(f"{row.command}: status {done.returncode}")
    parts = [f"`{text}`" for text in shown]
    parts += [f"status {row.status}"] * (row.status > 0)
    return item(f"`{row.command}`: {'; '.join(parts)}")


def item(text: str) -> str:
    """An item of a list, wrapped."""
    lines = textwrap.wrap(
        f"- {text}", 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def beside_a_run(environment: Mapping[str, str]) -> list[str]:
    """The commands beside a run, which ends with the last of them."""
    with subprocess.Popen(
        shlex.split(RUNNING),
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as launch:
        assert launch.stdout is not None
        try:
            told = []
            for line in launch.stdout:
                told.append(line)
                if "armed" in line:
                    break
            else:
                print(f"{RUNNING}: ended, printed:\n{''.join(told)}", file=sys.stderr)
                return [Failed(f"{RUNNING}: ended")]
            lines = items(BESIDE, environment)
            rest = launch.stdout.read()
            status = launch.wait(PATIENCE)
        finally:
            if launch.poll() is None:
                os.killpg(launch.pid, signal.SIGTERM)
    if status:
        print(f"{RUNNING}: status {status}, printed:\n{rest}", file=sys.stderr)
        return [Failed(f"{RUNNING}: status {status}"), *lines]
    return [item(f"`{RUNNING}`, and beside it the following: status 0 after the last"), *lines]


if __name__ == "__main__":
    sys.exit(main())
