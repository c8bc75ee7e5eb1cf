# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole commissioning of an emulated robot in simulated time, resumed; the check after it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NoReturn

import pytest

from boa_control.estimation.gearbox_losses import nominal_losses
from boa_control.experiments.identified import with_identified
from boa_control.experiments.library import load_scenario
from boa_control.plant import PlantError
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_hardware.assembly import robot_plant
from boa_hardware.calibration.record import (
    REQUIRED_STEPS,
    JointFriction,
    load_record,
    save_record,
)
from boa_hardware.config import RobotSettings
from boa_tools.commission.session import RecordFile, check, commission
from boa_tools.commission.steps import dry_run
from boa_tools.commission.steps.straight import Straight
from boa_tools.commission.table import CHECKS, STEPS
from test.boa_tools.commission.emulated_bench import chain_of, emulated_bench, nominal

WIRING = {
    "servos": [
        {"joint": 1, "turned": math.radians(10), "reversed": True},
        {"joint": 2, "id": 3},
        {"joint": 3, "id": 2},
    ],
    "forces": [{"joint": 1, "scale": -1.0}, {"joint": 3, "scale": 0.5, "zero": [4.0, -3.0]}],
}


# every joint has just been pushed by the step of that name, with the same record
WITHOUT_TORQUES = [step for step in CHECKS if step.name != "torques"]


def test_the_steps_are_those_that_arming_asks_for() -> None:
    assert tuple(step.name for step in STEPS) == REQUIRED_STEPS


def test_a_robot_that_is_wired_otherwise_gets_its_record_and_passes_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In two sittings, with three joints. A count is 0.0015 rad, the sensors' noise 2 counts of
    some mN. Friction is that of the shipped gearbox without load, at the rates of the swings
    (docs/gearboxes.md): its Stribeck part declines from 0.06 to 0.05 N m, to which the shares of
    small loads come. Half a period of the wave moves every joint.
    """
    monkeypatch.setattr(dry_run, "SECONDS", dry_run.PERIOD / 2)
    file, said = RecordFile(tmp_path / "calibration.yaml"), []
    with emulated_bench(WIRING, chain_of(4)) as (bench, operator):
        assert commission(bench, operator, STEPS[:4], file, said.append)
        assert "still to be done: forces, torques, friction, dry_run" in said[-1]
        assert commission(bench, operator, STEPS[3:4], file, said.append, repeat=True)
        assert commission(bench, operator, STEPS, file, said.append)
        record = load_record(file.path, bench.robot)
        before = file.path.read_bytes()
        assert check(bench, record, WITHOUT_TORQUES, said.append), said
        assert file.path.read_bytes() == before
    assert record.missing(REQUIRED_STEPS) == ()
    assert [line for line in said if "[1/" in line] == [  # what is done is done again if asked to
        f"[1/4] buses: {STEPS[0].summary}",
        f"[1/1] straight: {STEPS[3].summary}",
    ]
    ids = [joint.id for joint in record.joints]
    assert ids == [1, 3, 2]
    assert [joint.direction for joint in record.joints] == [-1, 1, 1]
    assert record.joints[0].zero == pytest.approx(math.pi + math.radians(10), abs=0.003)
    for joint, scale in ((0, -1.0), (1, 1.0), (2, 0.5)):
        assert record.forces[joint].matrix[0][0] == pytest.approx(100 / scale, rel=0.02)
    assert record.forces[2].offset[:2] == pytest.approx((0.04, -0.03), abs=0.001)
    expected = nominal_losses(load_robot("boa13"))[2]
    assert [one.coulomb for one in record.friction] == pytest.approx([expected] * 3, abs=0.02)
    assert all(one.std < 0.02 for one in record.friction)


def test_an_encoder_that_is_off_by_less_than_a_laid_robot_shows_is_right_in_a_run(
    tmp_path: Path,
) -> None:
    """By 3.5 degrees. A count is 0.0015 rad, and hands lay the robot as straight as that."""
    path, off = tmp_path / "calibration.yaml", {"joint": 2, "turned": math.radians(3.5)}
    with emulated_bench({"servos": [off]}, chain_of(4)) as (bench, operator):
        assert bench.read().position[1] == pytest.approx(math.radians(3.5), abs=0.002)
        outcome = Straight().run(bench, operator, nominal(bench))
        assert [str(finding).split()[1:3] for finding in outcome.findings] == [["joint", "2"]]
        record = save_record(outcome.record, path)
        bench.use(record)
        assert bench.read().position == pytest.approx(0.0, abs=0.003)
        run = robot_plant(bench.robot, RobotSettings(calibration=str(path)))
    assert run.loop._servos.joints == record.joints


def test_the_check_says_what_is_not_as_in_the_record(tmp_path: Path) -> None:
    file, said = RecordFile(tmp_path / "calibration.yaml"), []
    with emulated_bench({"servos": [{"joint": 4, "turned": math.pi}]}) as (bench, _):
        record = save_record(
            file.load(bench.robot, bench.settings.servo_settings(bench.robot)), file.path
        )
        assert not check(bench, record, CHECKS, said.append)
    assert any("joint 4" in line and "outside its range" in line for line in said)


def test_friction_of_the_record_is_what_a_controller_begins_with(tmp_path: Path) -> None:
    file, robot = RecordFile(tmp_path / "calibration.yaml"), load_robot("boa13")
    record = file.load(robot, RobotSettings().servo_settings(robot))
    assert file.save(record, robot) == load_record(file.path, robot)
    assert not file.prior.exists()
    dry = [0.05 + 0.01 * joint for joint in range(robot.joints)]
    friction = tuple(JointFriction(coulomb=one, viscous=0.1, std=0.001) for one in dry)
    file.save(record.model_copy(update={"friction": friction}), robot)
    begins = with_identified(load_scenario("boa_gearbox"), file.prior)
    assert begins.controller.parameters["transmission"]["prior"][2] == pytest.approx(dry)


def test_a_record_that_was_only_begun_does_not_take_the_place_of_a_complete_one(
    tmp_path: Path,
) -> None:
    """As when `--again` is given twice."""
    file, robot = RecordFile(tmp_path / "calibration.yaml"), load_robot("boa13")
    begun = file.load(robot, RobotSettings().servo_settings(robot))
    complete = begun
    for step in REQUIRED_STEPS:
        complete = complete.with_step(step, "me", ())
    file.save(complete, robot)
    file.renew(robot)
    for version in ("version: 1", "version: 2"):  # another one cannot be read
        file.save(begun, robot)
        file.path.write_text(file.path.read_text().replace("version: 1", version))
        file.renew(robot)
        assert not file.path.exists()
        before = file.before(robot)
        assert before is not None and before.missing(REQUIRED_STEPS) == ()
    assert file.unfinished.exists()


class Broken:
    """A step that a fault ends."""

    name, summary = "broken", "test"

    def run(self, *_: object) -> NoReturn:
        raise PlantError("servo 3: no reply")


def test_a_step_that_a_fault_has_ended_says_how_to_go_on(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "calibration.yaml")
    told = pytest.raises(PlantError, match="no reply; `boa commission` again goes on with broken")
    with emulated_bench({}, chain_of(2)) as (bench, operator), told:
        commission(bench, operator, [Broken()], file, lambda _: None)


def test_a_record_that_cannot_be_written_is_refused_before_the_first_step() -> None:
    file, said = RecordFile(Path("/proc/calibration.yaml")), []
    told = pytest.raises(BoaError, match=r"cannot be written .*; give --record FILE")
    with emulated_bench({}, chain_of(2)) as (bench, operator), told:
        commission(bench, operator, STEPS, file, said.append)
    assert said == []
