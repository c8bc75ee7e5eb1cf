# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One run of a robot whose gearboxes nobody was told: identified, and simulated again; by `boa
identify` and `boa compare`, too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boa_control.experiments.change import changed
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.identified import load_identified
from boa_description.chain import joint_axes
from boa_description.errors import BoaError
from boa_description.gearbox import load_gearbox
from boa_description.load import load_robot
from boa_sim.factory import plant_from_experiment
from boa_sim.gearboxes import loaded_gears
from boa_tools.bags import ticks
from boa_tools.bags.recorded import find_run
from boa_tools.bags.ticks import read_run
from boa_tools.cli import main
from boa_tools.identification import files
from boa_tools.identification.estimate import OF_JOINTS, RobotEstimate, identify
from boa_tools.identification.gaps import page, summary, table
from boa_tools.identification.record import FORCES, IMUS, record_of
from boa_tools.identification.replay import Recorded, laid_on, replay, window_starts
from boa_tools.identification.windows import joined, parted, windows_of
from boa_tools.runs.runlog import RunLog

SEED = 401
MARKS = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])  # joints between two others, which are loaded
PASSED_ON = ("passed on, driving", "passed on, driven back")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "one"
    given = ["--duration", "30", "--seed", str(SEED), "--no-report", "--out", str(folder)]
    assert main(["run", "boa_gearbox", *given]) == 0
    return folder


@pytest.fixture(scope="module")
def run(recorded) -> tuple[RunLog, Experiment]:
    there = find_run(recorded)
    return read_run(there.bag, there.experiment), there.experiment


@pytest.fixture(scope="module")
def found(run) -> RobotEstimate:
    return identify([run])


def true_values(experiment: Experiment, rate: float) -> np.ndarray:
    """Shares that are passed on either way at a rate, (2, n - 1)."""
    friction, k = loaded_gears(experiment.robot, experiment.scenario.plant.effects.gears, SEED)
    here = friction.at(rate)
    return k * np.array([(1 - here.motor) / (1 + here.load), (1 + here.motor) / (1 - here.load)])


def test_what_joints_pass_on_is_measured_within_a_few_hundredths_of_a_newton_metre(run):
    """Force sensors with 0.2 N of noise and 1 % of crosstalk, at arms of 0.13 m."""
    log, experiment = run
    record, _ = record_of(log, experiment)
    truth = np.cumsum(log.truth.delivered, axis=0) * experiment.control_period
    ticks = np.searchsorted(log.time, record.time - 1e-9)
    tenths = slice(400, None, 10)
    measured = np.diff(record.passed_on[tenths], axis=0) / 0.1
    true = np.diff(truth[ticks[tenths]], axis=0) / 0.1
    assert np.sqrt(np.mean((measured - true) ** 2)) < 0.03


def test_a_sample_that_is_lost_takes_nothing_else_with_it(run):
    """One force, one link's IMU, and one joint at some ticks."""
    log, experiment = run
    whole, _ = record_of(log, experiment)
    sensors = dict(log.sensors)
    for name, column in ((FORCES, "force"), (IMUS, "angular_velocity")):
        values = sensors[name][column].copy()
        values[100, 3] = np.nan
        columns = {**sensors[name].columns, column: values}
        sensors[name] = replace(sensors[name], columns=columns)
    position = log.position.copy()
    position[600, 2] = np.nan
    lacking, _ = record_of(replace(log, sensors=sensors, position=position), experiment)
    assert lacking.time.size == whole.time.size - 1
    np.testing.assert_allclose(lacking.passed_on[-1], whole.passed_on[-1], atol=0.05)


def test_intervals_hold_the_true_gearboxes(run, found):
    """20 values, of joints that are loaded. Of one run; `docs/identification.md` has ten."""
    assert found.model in ("load", "load_stribeck")
    true = true_values(run[1], found.rate)
    inside = [
        abs(one.value - value) <= one.half
        for name, values in zip(PASSED_ON, true, strict=True)
        for one in found.parameters
        if one.name == name and one.joint - 1 in MARKS
        for value in (values[one.joint - 1],)
    ]
    assert len(inside) == 20
    assert sum(inside) >= 17


def test_mass_and_armature_are_told_and_what_is_not_is_said(found):
    by_name = {one.name: one for one in found.parameters if one.joint == 0}
    assert by_name["link mass"].determined
    assert by_name["link mass"].value == pytest.approx(1.747, rel=0.05)
    assert by_name["armature"].value == pytest.approx(0.01, rel=0.1)
    assert not next(
        one for one in found.parameters if (one.name, one.joint) == ("passed on, driven back", 12)
    ).determined


@pytest.fixture(scope="module")
def folder(run, found, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("identified")
    gearbox = path / files.GEARBOX
    robot = run[1].robot
    gearbox.write_text(files.gearbox_text(found, robot.name, "a test"))
    (path / files.ROBOT).write_text(files.robot_text(robot, found, "a test"))
    text = files.identified_text(found, robot, {"run": "a test"})
    (path / files.IDENTIFIED).write_text(text)
    plain = identify([run], "coulomb")
    (path / "coulomb.yaml").write_text(files.gearbox_text(plain, robot.name, "a test"))
    return path


def test_its_files_are_read_by_those_who_need_them(run, found, folder):
    experiment = run[1]
    robot = load_robot(str(folder / files.ROBOT))
    assert robot.link.mass == pytest.approx(found.of("link mass")[0][0], rel=1e-4)
    assert "a test" in robot.sources["link.mass"]
    for block in ("limits", "encoder", "imu"):
        as_before = getattr(experiment.robot, block).model_dump()
        assert getattr(robot, block).model_dump() == pytest.approx(as_before, rel=1e-5)
    known = load_identified(folder / files.IDENTIFIED)
    vague = {one.joint - 1 for one in found.parameters if not one.determined}
    sure = [joint for joint in MARKS if joint not in vague]
    assert len(sure) >= 8  # the others get the mean
    drives, holds = (found.of(name)[0][sure] for name in PASSED_ON)
    assert np.array(known.drive.value)[sure] == pytest.approx(1 / drives, rel=1e-4)
    assert np.array(known.back.value)[sure] == pytest.approx(1 / holds, rel=1e-4)
    gears = load_gearbox(robot.actuator.gearbox.model)
    friction, k = gears.of_each(robot.joints, robot.actuator.torque_limit)
    here = friction.at(found.rate)
    assert (k * (1 - here.motor))[sure] == pytest.approx(drives, rel=1e-3)
    assert (k * (1 + here.motor))[sure] == pytest.approx(holds, rel=1e-3)


def test_a_simulation_with_them_is_twice_as_near_as_with_coulomb_friction(run, folder):
    log, experiment = run
    known = Recorded(log, experiment)
    starts = window_starts(log, 0.2, 2.0, 24.0)  # what was not fitted
    gaps = {}
    for name in ("coulomb.yaml", files.GEARBOX):
        effect = {"model": str(folder / name), "backlash": 0.00436}
        scenario = changed(experiment.scenario, {"plant.effects.gearbox": effect})
        gaps[name] = replay(log, known, plant_from_experiment(prepare(scenario)), starts, 40)
    plain, own = (summary(one).rms for one in gaps.values())
    assert (own < 0.5 * plain).all()
    shown = table({name: summary(one) for name, one in gaps.items()})
    assert shown.count("\n") == 2
    html = page("a test", gaps, experiment.control_period, b"png")
    assert f"{starts.size} windows" in html
    assert html.count("<tr>") == 1 + 2 * (1 + log.joints)


def test_a_recorded_run_becomes_files_that_simulate_it(
    recorded, run, tmp_path, capsys, monkeypatch
):
    """The bag, which each command reads, has been read once."""
    known = {find_run(recorded).bag: run[0]}
    monkeypatch.setattr(ticks, "read_run", lambda bag, _: known[bag])
    monkeypatch.chdir(tmp_path)
    assert main(["identify", str(recorded), "--out", "identified"]) == 0
    said, folder = capsys.readouterr().out, (tmp_path / "identified").rename(tmp_path / "moved")
    lines = said.splitlines()[1:14]
    names = (*(name for name, _, _ in OF_JOINTS), "force scale")
    starts = [lines[0].index(name) for name in names]
    assert all(line[start - 2 : start] == "  " for line in lines for start in starts)
    assert load_robot(str(folder / files.ROBOT)).actuator.gearbox.model == str(
        folder / files.GEARBOX
    )
    assert "<- chosen" in said
    assert "not to be known from such runs" in said
    gearbox, shown = folder / files.GEARBOX, tmp_path / "page.html"
    assert len(load_gearbox(str(gearbox)).losses) == 12
    given = ["--gearbox", "g20", "--gearbox", str(gearbox), "--every", "10", "--out", str(shown)]
    assert main(["compare", str(recorded), str(recorded), *given]) == 0
    assert "gap, rms" in capsys.readouterr().out
    assert "<html" in shown.read_text("utf-8")
    robot = ["--robot", str(folder / files.ROBOT), "--every", "20", "--out", str(shown)]
    assert main(["compare", "boa_gearbox", str(recorded), *robot]) == 0
    assert main(["identify", str(recorded), "--out", str(folder)]) == 2  # nothing is overwritten


def test_what_cannot_be_compared_is_refused(recorded, tmp_path, capsys):
    assert main(["compare", "boa20_circle", str(recorded)]) == 2
    with pytest.raises(SystemExit, match="2"):
        main(["compare", "boa_gearbox", str(recorded), "--out", str(recorded)])
    assert "compare runs of one robot at one rate" in capsys.readouterr().err
    assert main(["identify", str(tmp_path / "none")]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_the_measured_shape_lies_on_the_path_where_the_body_was(run):
    log, experiment = run
    known, pitch = Recorded(log, experiment), experiment.robot.link.pitch
    for tick in (1500, 3100, 4700, 5800):  # in the last one link 1 turns beyond pi
        state = known.at(tick)
        truth = log.truth.base[tick], log.truth.joint_position[tick]
        apart = joint_axes(pitch, *state[:2]) - joint_axes(pitch, *truth)
        assert np.abs(apart).max() < 0.003
        assert state.joint_velocity == pytest.approx(log.truth.joint_velocity[tick], abs=0.08)
        assert state.base_velocity == pytest.approx(log.truth.base_velocity[tick], abs=0.05)


def test_a_shape_is_laid_back_on_its_own_points():
    robot = load_robot("boa3")
    base, joints = np.array([0.3, -0.2, 2.9]), np.array([0.4, -0.7])
    points = joint_axes(robot.link.pitch, base, joints)
    assert laid_on(points, joints, robot) == pytest.approx(base, abs=1e-12)


def test_runs_that_tell_too_little_are_refused_with_what_is_missing(run):
    log, experiment = run
    with pytest.raises(BoaError, match="no window of 50 s"):
        window_starts(log, 50.0, 1.0)
    silent = replace(log, commanded=np.full_like(log.commanded, np.nan))
    with pytest.raises(
        BoaError, match=r"no torque was commanded at any of the \d+ windows from 4 s"
    ):
        window_starts(silent, 0.2, 1.0)
    with pytest.raises(BoaError, match="no samples of joint_force"):
        record_of(replace(log, sensors={}), experiment)
    with pytest.raises(BoaError, match="no progress along a path"):
        Recorded(replace(log, debug={}), experiment)


def test_a_run_that_ended_within_its_start_up_tells_nothing_of_gearboxes(run):
    windows = windows_of(record_of(*run)[0])
    none = windows.select(np.zeros(windows.block.size, dtype=bool))
    with pytest.raises(BoaError, match="stretches of 2 s to fit: 0, at least 8 are needed"):
        parted([none], 0.5)
    long = joined([windows] * 12)
    assert [part.time.size for part in parted([long, none], 0.5)] == [
        part.time.size for part in parted([long], 0.5)
    ]
