# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every wrong wiring is named by the step that meets it first, and none by a force fault."""

from __future__ import annotations

import math
from typing import Any

import pytest

from boa_control.estimation.gearbox_losses import nominal_losses
from boa_hardware.emulator.boa import OWN_GEARBOX
from boa_hardware.sensors.k3d40 import nominal_calibration
from boa_tools.commission.step import Step, Verdict
from boa_tools.commission.steps.buses import Buses
from boa_tools.commission.steps.forces import Forces
from boa_tools.commission.steps.friction import Friction
from boa_tools.commission.steps.imus import Imus
from boa_tools.commission.steps.joints import Joints
from boa_tools.commission.steps.rest import Rest
from boa_tools.commission.steps.straight import Straight
from boa_tools.commission.steps.torques import Torques
from test.boa_tools.commission.emulated_bench import emulated_bench, found, nominal

EXCHANGED = {"boards": [{"link": 3, "id": 4}, {"link": 4, "id": 3}]}
LEADS = {"forces": [{"joint": 3, "read_at": 4}, {"joint": 4, "read_at": 3}]}
ALL_DOWN = {"imus": [{"link": link, "upside_down": True} for link in range(1, 14)]}

REPAIR = [
    (Buses(), {"servos": [{"joint": 5, "id": 6}]}, "servo 6", "several servos share this ID"),
    (Buses(), {"servos": [{"joint": 5, "id": 40}]}, "servo 5", "no reply"),
    (Imus(), {"imus": [{"link": 4, "upside_down": True}]}, "link 4", "upside down"),
    (Imus(), ALL_DOWN, "all IMUs", "clockwise"),
    (Imus(), {"imus": [{"link": 9, "mounted": math.pi / 2}]}, "link 9", "turned by 90 deg"),
    (Joints(), EXCHANGED, "link 3", "sits in link 4"),
    (Straight(), {"servos": [{"joint": 8, "turned": 2.0}]}, "joint 8", "wraps"),
    (Forces(), LEADS, "joint 3", "is read as that of joint 4"),
    (Torques(), {"servos": [{"joint": 7, "motor_reversed": True}]}, "servo 7", "against"),
]


@pytest.mark.parametrize(("step", "wiring", "subject", "text"), REPAIR)
def test_what_must_be_repaired_is_named(
    step: Step, wiring: dict[str, Any], subject: str, text: str
) -> None:
    wrong = [one for one in found(wiring, [step]) if one.verdict is Verdict.WRONG]
    assert any(one.subject == subject and text in one.text for one in wrong), wrong
    assert len(wrong) <= 2  # nobody else is blamed


# wirings of one robot, and what is told of each; force sensors are judged where the rest is right
UNSEEN_BY_HANDS = [
    [
        ({"servos": [{"joint": 5, "reversed": True}]}, "servo 5", "counts down"),
        ({"servos": [{"joint": 9, "id": 10}, {"joint": 10, "id": 9}]}, "servo 9", "moves joint 10"),
        ({"imus": [{"link": 7, "upside_down": True}]}, "link 7", "upside down"),
        (EXCHANGED, "link 3", "sits in link 4"),
    ],
    [
        (LEADS, "joint 3", "is read as that of joint 4"),
        ({"forces": [{"joint": 6, "scale": -0.1}]}, "joint 6", "no force sensor answers"),
    ],
]


@pytest.mark.parametrize("faults", UNSEEN_BY_HANDS, ids=["motion", "forces"])
def test_small_torques_show_it_without_hands(
    faults: list[tuple[dict[str, Any], str, str]],
) -> None:
    wiring: dict[str, Any] = {}
    for fault, _, _ in faults:
        for part, wrong in fault.items():
            wiring[part] = wiring.get(part, []) + wrong
    findings = found(wiring, [Torques()])
    for _, subject, text in faults:
        assert any(one.subject == subject and text in one.text for one in findings), findings
    assert all(one.verdict is Verdict.WRONG for one in findings)
    assert len(findings) <= 2 * len(faults)  # nobody else is blamed


def test_a_zero_that_has_moved_since_the_tare_is_seen_at_rest() -> None:
    """By 8 N along and 6 N across: the larger one is told."""
    with emulated_bench({"forces": [{"joint": 3, "zero": [8.0, -6.0]}]}) as (bench, operator):
        forces = (nominal_calibration(50.0),) * 12
        record = nominal(bench).model_copy(update={"forces": forces})
        (finding,) = Rest().run(bench, operator, record).findings
    assert finding.subject == "joint 3"
    assert "has moved by 8.0 N" in finding.text


def test_friction_is_that_of_the_gearboxes() -> None:
    """Of the shipped gearbox without load, at the rates of the swings (docs/gearboxes.md): its
    Stribeck part declines from 0.06 to 0.05 N m, to which the shares of small loads come.
    """
    with emulated_bench({}, OWN_GEARBOX) as (bench, operator):
        outcome = Friction().run(bench, operator, nominal(bench))
        expected = nominal_losses(bench.robot)[2]
    assert outcome.right, outcome.findings
    assert [one.coulomb for one in outcome.record.friction] == pytest.approx(
        [expected] * bench.robot.joints, abs=0.02
    )
    assert all(one.std < 0.02 for one in outcome.record.friction)
