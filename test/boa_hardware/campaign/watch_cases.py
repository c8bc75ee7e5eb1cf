# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensors that contradict each other, servos that do not do what they are told, other masters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boa_hardware.servo import protocol
from boa_hardware.servo.protocol import BROADCAST
from test.boa_hardware.campaign.inject import (
    answers_when,
    goals_of_another,
    imus_swapped,
    line,
    on_the_line,
    replay,
    seat,
    servo,
    servo_registers,
    stalls,
    turned_imu,
)
from test.boa_hardware.campaign.trial import Case

CYCLES = 0.02  # s: three cycles and the tick in which torque ends

WATCH_CASES: tuple[Case, ...] = (
    # joints against IMUs
    Case(
        "encoder jumps",
        "encoder of joint 5 jumps by 0.3 rad",
        act=seat(5, lambda state: replace(state, position=state.position + 0.3)),
        fault="joint_05: encoder and IMUs",
        within=0.1,
    ),
    Case(
        "encoder turns the other way",
        "direction of encoder and motor of joint 6 flipped",
        act=seat(
            6,
            lambda state: replace(
                state,
                position=2 * np.pi - state.position,
                velocity=-state.velocity,
                current=-state.current,
            ),
            motor=-1.0,
        ),
        fault="joint_06: encoder and IMUs",
        within=0.1,
    ),
    Case(
        "frozen readings of a servo",
        "servo 8 repeats its position and velocity, its clock goes on",
        act=seat(8, lambda state: state, frozen=True),
        fault="joint_08: encoder and IMUs",
        within=0.1,
    ),
    Case(
        "IMUs swapped",
        "IMUs of links 5 and 6 swapped",
        act=imus_swapped(5, 6),
        fault="encoder and IMUs",
        within=0.1,
    ),
    Case(
        "IMU turns the other way",
        "IMU of link 7 turns the other way",
        act=turned_imu(7),
        fault="IMU of link 7",
        within=0.1,
    ),
    # servos that ignore commands
    Case(
        "torque enable of one servo cleared",
        "torque enable of servo 3 cleared",
        servo("torque_off", 3),
        fault="servo 3 (joint_03): torque is off though armed",
        within=CYCLES,
    ),
    Case(
        "torque enable of all cleared",
        "torque enable of all servos cleared by broadcast",
        act=on_the_line(protocol.write(BROADCAST, 64, b"\0"), again=False),
        fault="all servos: torque is off though armed",
        within=CYCLES,
    ),
    Case(
        "watchdog disabled",
        "Bus Watchdog of servo 9 disabled",
        servo("watchdog_off", 9),
        fault="servo 9 (joint_09): Bus Watchdog is not as armed (reads 0)",
        within=CYCLES,
    ),
    Case(
        "watchdog rewritten",
        "Bus Watchdog of all servos set to 2.5 s by broadcast",
        act=on_the_line(protocol.write(BROADCAST, 98, bytes([125])), again=False),
        fault="all servos: Bus Watchdog is not as armed (reads 125)",
        within=CYCLES,
    ),
    Case(
        "watchdog tripped",
        "Bus Watchdog of servo 2 trips by itself",
        act=servo_registers(2, bus_watchdog=-1),
        fault="servo 2 (joint_02): Bus Watchdog has tripped",
        within=CYCLES,
    ),
    Case(
        "goal PWM zero",
        "Goal PWM of servo 5 written to 0",
        act=on_the_line(protocol.write(5, 100, b"\0\0"), again=False),
        fault="servo 5 (joint_05): Goal PWM is 0 of 885",
        within=CYCLES,
    ),
    Case(
        "answers replayed",
        "servo 4 repeats its last answer, clock included",
        act=replay(4),
        fault="servo 4 (joint_04): answers are old ones",
        within=0.03,
    ),
    # buses that are not as they should be
    Case(
        "answers every third tick",
        "servo 6 answers in every third tick only",
        act=answers_when(6, lambda tick: tick % 3 == 0),
        fault="servo 6 (joint_06): no fresh answer for",
        warning="servo 6 (joint_06): no fresh answer for",
        within=0.6,
        duration=0.8,
    ),
    Case(
        "regular stalls",
        "no answers for 20 ms in every 50 ms",
        stalls(every=0.05, lasts=0.02),
        fault="all servos: no fresh answer for",
        warning="all servos: no fresh answer for",
        within=1.5,
        duration=1.8,
    ),
    Case(
        "seldom stalls",
        "no answers for 15 ms in every 0.5 s",
        stalls(every=0.5, lasts=0.015),
        warning="all servos: no fresh answer for",
        stops=False,
        duration=1.5,
    ),
    Case(
        "some answers missing in a row",
        "servo 7 does not answer in 5 ticks in a row",
        act=answers_when(7, lambda tick: tick >= 5),
        warning="servo 7 (joint_07): no fresh answer for",
        stops=False,
    ),
    Case(
        "some answers missing, others late",
        "the same after answers that were 6 ms late",
        line("delay", delay=0.006, lasts=0.05),
        act=answers_when(7, lambda tick: not 8 <= tick < 13),
        warning="servo 7 (joint_07): no fresh answer for",
        stops=False,
    ),
    Case(
        "all answers late from now on",
        "every reply 7.5 ms late",
        line("delay", delay=0.0075),
        warning="no fresh answer for",
        stops=False,
    ),
    Case(
        "supply sags",
        "supply at 11.5 V",
        servo("brown_out", amount=11.5),
        warning="all servos: supply 11.5 V, warning below 20 V",
        stops=False,
    ),
    # somebody else writes
    Case(
        "goals of another master",
        "another program's goal currents, every tick",
        act=goals_of_another(37, every=1),
        fault="another master on the bus",
        within=0.04,
    ),
    Case(
        "goals of another master, seldom",
        "another program's goal currents, each 7th tick",
        act=goals_of_another(37, every=7),
        fault="another master on the bus",
        within=0.25,
        duration=0.5,
    ),
)
