# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole robot moves by itself for the first time: a small slow wave under a low torque cap, in
the air or on the floor, away from everything.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from boa_control.plant import PlantError
from boa_hardware.calibration.record import CalibrationRecord
from boa_tools.commission.bench import Bench
from boa_tools.commission.operator import Operator, StandClear
from boa_tools.commission.step import Finding, Outcome, note, wrong

CAP = 2.0  # N m
AMPLITUDE, PERIOD, SECONDS = 0.1, 6.0, 9.0  # rad, s, s
STIFFNESS, DAMPING = 15.0, 1.5  # N m/rad, N m s/rad
FOLLOWS = 0.6  # rms of a joint's way behind its wave, as a share of it; one that is held has 1
GENTLE = 20.0  # N


class DryRun:
    """A wave of all joints."""

    name = "dry_run"
    summary = "the whole robot moves in a small wave, torque cap 2 N m"

    def run(self, bench: Bench, operator: Operator, record: CalibrationRecord) -> Outcome:
        """See Step."""
        clear = StandClear(f"all joints move by {math.degrees(AMPLITUDE):.0f} deg for {SECONDS} s")
        operator.perform(clear, bench.sample)
        behind, torque, force = bench.again(partial(_wave, bench))
        findings: list[Finding] = [
            wrong(
                f"joint {joint}",
                f"makes only {1 - share:.0%} of its wave with {CAP:g} N m",
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


def _wave(bench: Bench) -> tuple[np.ndarray, float, np.ndarray]:
    """Of each joint, how far it stays behind its wave (share of its rms) and its largest force, N;
    largest torque, N m, in between.
    """
    plant, joints = bench.plant, bench.robot.joints
    phase = 2 * math.pi * np.arange(joints) / joints
    if plant.read().faults:
        plant.reset_fault()
    frame = plant.read()
    begin, start = frame.stamp_ns, frame.position.copy()
    way, force, torque = np.zeros((2, joints)), np.zeros(joints), 0.0
    plant.arm()
    try:
        while (time := (frame.stamp_ns - begin) * 1e-9) < SECONDS:
            if frame.faults:
                raise PlantError(frame.faults[0])
            fade = math.sin(math.pi * min(time / SECONDS, 1.0)) ** 2
            goal = start + AMPLITUDE * fade * np.sin(2 * math.pi * time / PERIOD + phase)
            wish = STIFFNESS * (goal - frame.position) - DAMPING * frame.velocity
            plant.write(np.clip(wish, -CAP, CAP))
            way += np.square([goal - frame.position, goal - start])
            torque = max(torque, float(np.abs(frame.effort).max()))
            if frame.joint_force is not None:
                shown = np.nan_to_num(np.abs(frame.joint_force.force[:, :2])).max(axis=1)
                force = np.maximum(force, shown)
            frame = plant.read()
    finally:
        plant.disarm()
    return np.sqrt(way[0] / way[1]), torque, force
