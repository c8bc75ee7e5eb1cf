# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole robot moves by itself for the first time: a small slow wave under a low torque cap, off
the floor or on rollers, away from everything. A floor that grips holds its middle.

A joint that stays behind is not free, one with more than 20 N needs a tare. At the end the page
lists what differs from the record of last time (`--again` begins a new one).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from boa_description.arrays import Array
from boa_hardware.calibration.record import CalibrationRecord
from boa_tools.commission.bench import Bench, Motion
from boa_tools.commission.operator import Operator, StandClear
from boa_tools.commission.step import Finding, Outcome, note, wrong

AMPLITUDE, PERIOD, SECONDS = 0.1, 6.0, 9.0  # rad, s, s
FOLLOWS = 0.6  # rms of a joint's way behind its wave, as a share of it; one that is held has 1
GENTLE = 20.0  # N


class DryRun:
    """A wave of all joints."""

    name = "dry_run"
    summary = "the whole robot moves in a small wave, torque cap 2 N m"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        clear = StandClear(
            f"off the floor or on rollers, all joints move by {math.degrees(AMPLITUDE):.0f} deg "
            f"for {SECONDS:g} s"
        )
        operator.perform(clear, bench.sample)
        behind, torque, force = bench.again(partial(_wave, bench))
        findings: list[Finding] = [
            wrong(
                f"joint {joint}",
                f"makes only {1 - share:.0%} of its wave",
                "free the joint; does it rub, or does the floor hold the robot?",
            )
            for joint, share in enumerate(behind, start=1)
            if share > FOLLOWS
        ]
        findings += [
            wrong(
                f"joint {joint}", f"force of {most:.0f} N in a free wave", "tare; check its sensor"
            )
            for joint, most in enumerate(force, start=1)
            if most > GENTLE
        ]
        told = f"at most {torque:.2f} N m, {force.max():.1f} N, {behind.max():.0%} behind"
        return Outcome(record, [*findings, note("dry run", told)])


def _wave(bench: Bench) -> tuple[Array, float, Array]:
    """Of each joint, how far it stays behind its wave (share of its rms) and its largest force, N;
    largest torque, N m, in between.
    """
    phase = 2 * math.pi * np.arange(bench.robot.joints) / bench.robot.joints

    def offset(time: float) -> Array:
        fade = math.sin(math.pi * min(time / SECONDS, 1.0)) ** 2
        wave: Array = AMPLITUDE * fade * np.sin(2 * math.pi * time / PERIOD + phase)
        return wave

    frames, goal = bench.follow(offset, SECONDS)
    position = np.array([frame.position for frame in frames])
    way = np.square([goal - position, goal - position[0]]).sum(axis=1)
    torque = max(float(np.abs(frame.effort).max()) for frame in frames)
    force = np.nan_to_num(np.abs(Motion.of(frames).force)).max(axis=(0, 2))
    return np.sqrt(way[0] / way[1]), torque, force
