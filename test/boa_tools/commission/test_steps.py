# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every wrong wiring is named by the step that meets it first, and none by a force fault."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boa_control.experiments.scenario import GearboxEffect
from boa_description.arrays import Array
from boa_hardware.emulator.boa import OWN_GEARBOX
from boa_hardware.sensors.k3d40 import nominal_calibration
from boa_tools.commission import bench as benches
from boa_tools.commission.operator import Hang, ScriptedOperator, Task, Watch
from boa_tools.commission.step import Finding, Step, Verdict
from boa_tools.commission.steps.forces import Forces, _weight
from boa_tools.commission.steps.friction import Friction
from boa_tools.commission.steps.rest import Rest
from boa_tools.commission.steps.torques import Torques
from test.boa_tools.commission.emulated_bench import (
    LOSSLESS,
    SETTINGS,
    chain_of,
    emulated_bench,
    nominal,
)
from test.boa_tools.commission.wirings import (
    AT_ONE_ROBOT,
    EXCHANGED_BOARDS,
    EXCHANGED_LEADS,
    EXCHANGED_SERVOS,
    LINKS,
    WIRINGS,
    Wired,
    force,
    imu,
    servo,
    table,
    together,
)
from test.script import loaded

ROOT = Path(__file__).parents[3]
MANUAL = ROOT / "docs" / "bringup.md"


@pytest.fixture(scope="module")
def told(request: pytest.FixtureRequest) -> Iterator[list[tuple[Wired, Finding]]]:
    """What was found; `--write-table` writes it into the manual, where every wiring was tried."""
    found: list[tuple[Wired, Finding]] = []
    yield found
    if request.config.getoption("--write-table") and len(found) == len(WIRINGS):
        filled = loaded(ROOT / "docs" / "tables.py").filled
        page = MANUAL.read_text(encoding="utf-8")
        MANUAL.write_text(filled(page, {"wirings": table(found)}), encoding="utf-8")


def found(
    wirings: Sequence[Mapping[str, Any]], step: Step, gearbox: GearboxEffect = LOSSLESS
) -> list[Finding]:
    """What a step says of a robot that is wired so, not commissioned before; the same may be said
    after several motions.
    """
    with emulated_bench(together(wirings), chain_of(LINKS, gearbox)) as (bench, operator):
        return [*dict.fromkeys(step.run(bench, operator, nominal(bench)).findings)]


@pytest.mark.parametrize("wirings", AT_ONE_ROBOT, ids=[row[0].words for row in AT_ONE_ROBOT])
def test_a_wrong_wiring_is_named(
    wirings: tuple[Wired, ...], told: list[tuple[Wired, Finding]]
) -> None:
    findings = found([wired.wiring for wired in wirings], wirings[0].step)
    for wired in wirings:
        alike = [one for one in findings if one.verdict is wired.verdict]
        named = [one for one in alike if one.subject == wired.subject and wired.text in one.text]
        assert len(named) == 1, alike
        # nobody else is blamed
        assert len(alike) <= 1 + sum(other.verdict is wired.verdict for other in wirings)
        told.extend((wired, one) for one in named)


def test_the_table_in_the_manual_has_every_wiring() -> None:
    page = MANUAL.read_text(encoding="utf-8")
    assert all(f"| {wired.words} | `{wired.step.name}` |" in page for wired in WIRINGS)


# wirings of one robot, and what is told of each; force sensors are judged where the rest is right
UNSEEN_BY_HANDS = [
    [
        (servo(joint=5, reversed=True), "servo 5", "counts down"),
        (EXCHANGED_SERVOS, "servo 1", "moves joint 2"),
        (imu(link=7, upside_down=True), "link 7", "upside down"),
        (EXCHANGED_BOARDS, "link 3", "sits in link 4"),
    ],
    [
        (EXCHANGED_LEADS, "joint 3", "is read as that of joint 4"),
        (force(joint=6, scale=-0.1), "joint 6", "no force sensor answers"),
    ],
]


@pytest.mark.parametrize(
    ("faults", "gearbox"),
    [*zip(UNSEEN_BY_HANDS, (LOSSLESS, OWN_GEARBOX), strict=True)],
    ids=["motion", "forces"],
)
def test_small_torques_show_it_without_hands(
    faults: list[tuple[dict[str, Any], str, str]],
    gearbox: GearboxEffect,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """IMUs that contradict joints are faults, which would be there again at a second try."""
    monkeypatch.setattr(benches, "TRIES", 1)
    findings = found([fault for fault, _, _ in faults], Torques(), gearbox)
    for _, subject, text in faults:
        assert any(one.subject == subject and text in one.text for one in findings), findings
    assert all(one.verdict is Verdict.WRONG for one in findings)
    assert len(findings) <= 2 * len(faults)  # nobody else is blamed


WITH_MOVED_ZERO = force(joint=3, zero=(8.0, -6.0))


def test_a_zero_that_has_moved_since_the_tare_is_seen_at_rest() -> None:
    """By 8 N along and 6 N across: the larger one is told."""
    with emulated_bench(WITH_MOVED_ZERO, chain_of(4)) as (bench, operator):
        forces = (nominal_calibration(50.0),) * 3
        record = nominal(bench).model_copy(update={"forces": forces})
        (finding,) = Rest().run(bench, operator, record).findings
    assert finding.subject == "joint 3"
    assert "has moved by 8.0 N" in finding.text


class Hasty(ScriptedOperator):
    """Hands that let the weight of joint 2 go too soon, the first time."""

    asked = ()

    def perform(self, task: Task, watch: Watch) -> None:
        super().perform(task, watch)
        if isinstance(task, Hang) and task.joint == 2:
            self.asked += (task,)
            if not task.again:
                for _ in range(20):
                    watch()


class Uncertain(ScriptedOperator):
    """Tells the weight in some wrong ways first."""

    def __init__(self) -> None:
        self.answers = iter(("10,5", "", "nan", "inf", "0", "-5", "51", "12.5"))
        self.questions: list[str] = []

    def answer(self, question: str, usual: str) -> str:
        self.questions.append(question)
        return next(self.answers)


def test_a_weight_that_is_none_is_asked_for_again() -> None:
    operator = Uncertain()
    assert _weight(operator, 50.0) == 12.5
    assert operator.questions[1] == "'10,5' is no weight; write newtons, 1 to 50, with a point"
    assert len(operator.questions) == 8


def test_a_weight_that_was_let_go_too_soon_is_asked_for_again() -> None:
    with emulated_bench({}, chain_of(4)) as (bench, operator):
        hasty = Hasty(operator._hands, bench.robot.joints)
        outcome = Forces().run(bench, hasty, nominal(bench))
    assert [(task.across, task.again) for task in hasty.asked] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]
    assert outcome.findings == []


def test_friction_is_found_on_a_computer_whose_torques_come_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By five ticks, the most that the plant bears without a fault (`miss_limit`). Joints that were
    led stiffly shook then, against each other, up to the range of their force sensors.
    """
    with emulated_bench({}, chain_of(4)) as (bench, operator):
        late = deque(
            [np.zeros(bench.robot.joints)] * (SETTINGS.servo_settings(bench.robot).miss_limit - 1)
        )
        write, forces = bench._write, list[float]()

        def write_late(torque: Array) -> None:
            late.append(torque)
            write(late.popleft())
            assert bench.latest is not None and bench.latest.joint_force is not None
            forces.append(float(np.nanmax(np.abs(bench.latest.joint_force.force))))

        monkeypatch.setattr(bench, "_write", write_late)
        outcome = Friction().run(bench, operator, nominal(bench))
    assert outcome.right, outcome.findings
    assert len(outcome.record.friction) == 3
    assert max(forces) < 1.0
