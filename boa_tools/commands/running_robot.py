# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A running robot as its topics tell of it: a table for `boa sensors monitor`, checks for `boa
doctor`. Needs ROS; the robot does not notice it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from boa_control.plant import PlantError, SensorFrame
from boa_description.arrays import Flags
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_hardware.spine.channel import parse_channel
from boa_hardware.tty_lock import in_use
from boa_tools.doctor.check import Check, no, note, yes

if TYPE_CHECKING:
    from boa_tools.nodes.watch import Seen

FAILED = 1
SHOW_EVERY = 0.5  # s
ENOUGH = 20  # frames of a running robot before it is judged
COMPLETE = 1.5  # s by which every plant has published its diagnostics


def used_by_others(port: str | None, channel: str | None) -> tuple[str, ...]:
    """Who has the serial port or the slcan adapter, a line each; empty where both are free."""
    lines = [] if port is None else [port]
    if channel is not None and parse_channel(channel).backend == "slcan":
        lines.append(parse_channel(channel).name)
    users = {line: in_use(line) for line in lines}
    return tuple(f"{line} is used by {user}" for line, user in users.items() if user is not None)


def monitor(robot: Robot, seconds: float | None) -> int | None:
    """Show what a running robot measures until Ctrl-C; status 1 where it has a fault.

    Raises:
        BoaError: ROS is not installed.
        PlantError: no robot is running in this ROS domain, or another one than expected.
    """
    clear = "\x1b[H\x1b[J" if sys.stdout.isatty() else ""
    newest: list[Seen] = []
    shown = -1e9

    def each(seen: Seen) -> bool:
        nonlocal shown
        newest[:] = [seen]
        if time.monotonic() - shown > SHOW_EVERY and seen.frame is not None:
            shown = time.monotonic()
            print(f"{clear}{table(seen.frame, seen, robot)}", flush=True)
        return bool(seen.wrong)

    if not _watch(robot, each, seconds):
        raise PlantError(_nobody())
    if newest and newest[0].wrong:
        raise PlantError(newest[0].wrong)
    return FAILED if not newest or newest[0].faults else None


def checks(robot: Robot, users: tuple[str, ...]) -> Iterator[Check]:
    """The running robot that `users` belong to; where none is found, who has the lines."""
    if find_spec("rclpy") is None:
        yield from (no("buses", user, "stop that program") for user in users)
        return
    seen = _some_frames(robot)
    if seen is None or seen.frame is None or seen.wrong:
        reason = seen.wrong if seen is not None and seen.wrong else _nobody()
        yield from (no("buses", f"{user}; {reason}", "stop that program") for user in users)
        return
    yield from (note("buses", f"{user}; asking the running robot instead") for user in users)
    for name, line in sorted(seen.diagnoses.items()):
        problem, _, remedy = line.text.partition("; ")
        yield yes(name, line.text) if line.level == 0 else no(name, problem, remedy)
    for what, silent, names in (
        ("joints", ~np.isfinite(seen.frame.position), robot.joint_names),
        ("IMUs", _unknown_links(seen.frame, robot), robot.link_names),
    ):
        missing = [name for name, gone in zip(names, silent, strict=True) if gone]
        if missing:
            yield no(what, f"no reading of {', '.join(missing)}", "check cable and power")
        else:
            yield yes(what, f"all {len(names)} measure")


def table(frame: SensorFrame, seen: Seen, robot: Robot) -> str:
    """One frame as text: a line per link with its joint to the head, then the plant's state."""
    nothing = np.full((robot.links, 3), np.nan)
    force = nothing if frame.joint_force is None else frame.joint_force.force
    imu = frame.imu
    push = nothing if imu is None else imu.acceleration
    yaw = nothing[:, 0] if imu is None else np.degrees(imu.yaw)
    rate = nothing[:, 0] if imu is None else np.degrees(imu.yaw_rate)
    lines = [
        "link   ax m/s2   ay m/s2   yaw deg  rate deg/s      joint     Fx N     Fy N  angle deg  "
        "effort N m"
    ]
    for link in range(robot.links):
        joint = ""
        if link < robot.joints:
            joint = (
                f"{robot.joint_names[link]:>10} {force[link][0]:8.2f} {force[link][1]:8.2f} "
                f"{np.degrees(frame.position[link]):10.2f} {frame.effort[link]:11.2f}"
            )
        lines.append(
            f"{link + 1:4d} {push[link][0]:9.2f} {push[link][1]:9.2f} {yaw[link]:9.2f} "
            f"{rate[link]:11.2f} {joint}".rstrip()
        )
    lines.append(f"stamp {frame.stamp_ns * 1e-9:.3f} s")
    lines += [f"{name}: {line.text}" for name, line in sorted(seen.diagnoses.items())]
    return "\n".join(lines)


def _unknown_links(frame: SensorFrame, robot: Robot) -> Flags:
    if frame.imu is None:
        return np.ones(robot.links, bool)
    return ~np.isfinite(frame.imu.yaw_rate)


def _some_frames(robot: Robot) -> Seen | None:
    """A running robot after some frames and its diagnostics; None where there is none."""
    newest: list[Seen] = []
    times: list[float] = []

    def each(seen: Seen) -> bool:
        newest[:] = [seen]
        times.append(time.monotonic())
        late = times[-1] - times[0] > COMPLETE
        return bool(seen.wrong) or (len(times) > ENOUGH and (late or "gate" in seen.diagnoses))

    return newest[0] if _watch(robot, each, None) and newest else None


def _watch(robot: Robot, each: Callable[[Seen], bool], seconds: float | None) -> bool:
    if find_spec("rclpy") is None:
        raise BoaError(
            "reading a running robot needs ROS 2, which is not installed (`make setup`); give "
            "--can CHANNEL to read the link boards themselves"
        )
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    from boa_tools.nodes.watch import watch

    return watch(robot, each, seconds)


def _nobody() -> str:
    domain = os.environ.get("ROS_DOMAIN_ID", "0")
    return (
        f"no robot publishes joint_states in ROS domain {domain} (`boa launch` prints its "
        "domain; set ROS_DOMAIN_ID)"
    )
