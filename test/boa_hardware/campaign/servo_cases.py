# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the servo line, its port and the servos."""

from __future__ import annotations

from test.boa_hardware.campaign.inject import line, servo
from test.boa_hardware.campaign.trial import Case

SERVO_CASES: tuple[Case, ...] = (
    # packets on the servo line
    Case("reply lost once", "one reply lost", line("lose", lasts=0.004), stops=False),
    Case(
        "replies lost 1 %", "1 % of the replies lost", line("lose", 0.01), stops=False, duration=1.0
    ),
    Case(
        "replies lost 5 %", "5 % of the replies lost", line("lose", 0.05), stops=False, duration=1.5
    ),
    Case(
        "replies corrupted 1 %",
        "1 % of the replies damaged",
        line("corrupt", 0.01),
        stops=False,
        duration=0.8,
    ),
    Case(
        "replies corrupted 5 %",
        "5 % of the replies damaged",
        line("corrupt", 0.05),
        stops=False,
        duration=1.0,
    ),
    Case(
        "requests lost 1 %",
        "1 % of the requests lost",
        line("lose", 0.01, "request"),
        stops=False,
        duration=0.8,
    ),
    Case(
        "requests lost 5 %",
        "5 % of the requests lost",
        line("lose", 0.05, "request"),
        stops=False,
        duration=1.0,
    ),
    Case(
        "requests corrupted 5 %",
        "5 % of the requests damaged",
        line("corrupt", 0.05, "request"),
        stops=False,
        duration=1.0,
    ),
    Case(
        "replies doubled",
        "10 % of the replies twice",
        line("duplicate", 0.1, delay=0.0),
        stops=False,
    ),
    Case(
        "replies late",
        "5 % of the replies 6 ms late",
        line("delay", 0.05, delay=0.006),
        stops=False,
        duration=0.8,
    ),
    # servos
    Case(
        "silent servo, first",
        "servo 1 silent",
        servo("silent", 1),
        fault="servo 1 (joint_01): no reply",
        within=0.07,
    ),
    Case(
        "silent servo, middle",
        "servo 7 silent",
        servo("silent", 7),
        fault="servo 7 (joint_07): no reply",
        within=0.07,
    ),
    Case(
        "silent servo, last",
        "servo 12 silent",
        servo("silent", 12),
        fault="servo 12 (joint_12): no reply",
        within=0.07,
    ),
    Case(
        "all servos silent",
        "line cut behind the adapter",
        line("lose"),
        fault="no servo has answered",
        within=0.15,
    ),
    Case(
        "deaf servos",
        "no request arrives",
        line("lose", where="request"),
        fault="no servo has answered",
        within=0.15,
    ),
    Case(
        "overload",
        "servo 4 shuts down by overload",
        servo("overload", 4),
        fault="servo 4 (joint_04): hardware error: overload",
    ),
    Case(
        "encoder error",
        "servo 9 reports an encoder error",
        servo("encoder", 9),
        fault="servo 9 (joint_09): hardware error",
    ),
    Case(
        "hot motor",
        "motor of joint 5 at 76 degC",
        servo("overheat", 5, amount=76.0),
        fault="joint_05: temperature",
    ),
    Case(
        "overheated servo",
        "motor of joint 5 at 85 degC",
        servo("overheat", 5, amount=85.0),
        fault="joint_05",
    ),
    Case(
        "brown-out of one servo",
        "servo 3 at 5 V for 20 ms",
        servo("brown_out", 3, 0.02),
        fault="servo 3 (joint_03)",
    ),
    Case(
        "brown-out of all",
        "all servos at 5 V for 20 ms",
        servo("brown_out", lasts=0.02),
        fault="no servo has answered",
    ),
    Case(
        "low voltage",
        "servo 6 at 10 V",
        servo("brown_out", 6, amount=10.0),
        fault="servo 6 (joint_06): hardware error",
    ),
    Case(
        "servo restarts",
        "servo 2 restarts and loses its RAM",
        servo("restart", 2),
        fault="servo 2 (joint_02)",
    ),
    # serial port
    Case(
        "serial unplugged",
        "adapter out for good",
        line("unplug"),
        fault="servo bus: serial port",
        within=0.15,
        heals=False,
    ),
    Case(
        "serial replugged",
        "adapter out for 0.3 s",
        line("unplug", lasts=0.3),
        fault="servo bus: serial port",
        within=0.15,
        duration=0.8,
    ),
)
