# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A lever on a simulated servo: which model of the gearbox is right, and its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from boa_description.errors import BoaError
from boa_description.gearbox import load_gearbox
from boa_hardware.servo.identify import Sweep
from boa_hardware.servo.registers import CURRENT, POSITION, VELOCITY
from boa_hardware.servo.sweep import DAMPING, PERIOD, STIFFNESS, SweepPlan
from boa_hardware.servo.torque import STALL_CONSTANT
from boa_tools.identification.files import gearbox_text
from boa_tools.identification.rig import Lever, identify_servo

LEVER = Lever(1.0, 0.2, hanging=0.3)
ARMATURE, VISCOUS, STALL, STEPS = 0.01, 0.1, 6.4, 5


def swept(gearbox: str) -> tuple[Sweep, float]:
    """A recording in counts of the servo, and k: explicit Euler in steps of 1 ms, friction by the
    law with the load of the step before.
    """
    law = load_gearbox(gearbox).friction
    k, step = law.calibration(STALL), PERIOD / STEPS
    inertia = ARMATURE + LEVER.mass * LEVER.length**2
    angle, rate, load, current, rows = LEVER.hanging, 0.0, 0.0, 0.0, []
    plan = SweepPlan(1.5, speeds=(0.5, 1.0, 2.0))
    for desired, speed in plan.reference():
        seen = round(angle / POSITION) * POSITION, round(rate / VELOCITY) * VELOCITY
        rows.append((*seen, current))
        desired += LEVER.hanging
        current = STIFFNESS * (desired - seen[0]) + DAMPING * (speed - seen[1])
        current += float(LEVER.load(np.array(desired))) / STALL_CONSTANT
        current = round(current / CURRENT) * CURRENT
        for _ in range(STEPS):
            motor = k * STALL_CONSTANT * current
            weight = float(LEVER.load(np.array(angle)))
            most = float(law.limit(np.array(motor), np.array(load), np.array(rate)))
            push = motor - weight - VISCOUS * rate
            free = rate + push * step / inertia
            after = np.sign(free) * max(abs(free) - most * step / inertia, 0.0)
            load = weight + LEVER.mass * LEVER.length**2 * (after - rate) / step
            angle, rate = angle + after * step, after
    position, velocity, currents = np.array(rows).T
    time = PERIOD * np.arange(len(rows))
    return Sweep(time, position, velocity, currents, np.zeros(len(rows))), k


@pytest.fixture(scope="module")
def loaded():
    sweep, k = swept("g20")
    return identify_servo(sweep, LEVER), k


def test_a_gearbox_that_loses_with_its_load_is_recognised(loaded):
    found, _ = loaded
    assert found.model == "load_stribeck"
    assert found.judged["load_stribeck"] < 0.5 * found.judged["coulomb"]


def test_what_it_passes_on_either_way_is_told_within_two_per_cent(loaded):
    found, k = loaded
    here = load_gearbox("g20").friction.at(found.rate)
    drives, holds = k * (1 - here.motor) / (1 + here.load), k * (1 + here.motor) / (1 - here.load)
    assert found.of("passed on, driving")[0] == pytest.approx(drives, rel=0.02)
    assert found.of("passed on, driven back")[0] == pytest.approx(holds, rel=0.02)


def test_its_file_is_one_for_any_robot(loaded, tmp_path):
    found, k = loaded
    file = tmp_path / "mine.yaml"
    file.write_text(gearbox_text(found, "mine", "a test"))
    friction, each = load_gearbox(str(file)).of_each(12, STALL)
    here, true = friction.at(found.rate), load_gearbox("g20").friction.at(found.rate)
    drives = k * (1 - true.motor) / (1 + true.load)
    assert each * (1 - here.motor) == pytest.approx([drives] * 12, rel=0.02)


def test_a_gearbox_without_losses_of_the_load_is_not_given_any():
    found = identify_servo(swept("mx106_m1")[0], LEVER)
    assert found.model in ("coulomb", "stribeck")
    assert found.of("passed on, driving")[0] == pytest.approx(
        found.of("passed on, driven back")[0], rel=0.01
    )


def test_what_is_not_determined_gives_no_file(loaded):
    """As of a servo without its lever: every interval is too wide."""
    found, _ = loaded
    doubtful = tuple(one._replace(half=2 * one.needed) for one in found.parameters)
    with pytest.raises(BoaError, match="no joint tells what its gearbox passes on"):
        gearbox_text(found._replace(parameters=doubtful), "mine", "a test")
