# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An optimisation from the command line to its best scenario."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import replace

import pytest
import yaml
from matplotlib.figure import Figure
from sweep_fakes import FakeWorkers, finished, measured, short

from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.optimisers.space import Space, Variable
from boa_tools.runs import results
from boa_tools.sweeps import optimise
from boa_tools.sweeps.goal import Goal, Limit
from boa_tools.sweeps.journal import JOURNAL, read_journal
from boa_tools.sweeps.optimise import (
    BEST,
    DEFINITION,
    NEEDS,
    prepare_optimisation,
    report_optimisation,
    run_optimisation,
)
from boa_tools.sweeps.rows import newest
from boa_tools.sweeps.study import FINALISTS, Optimisation, Study
from boa_tools.sweeps.task import Failed

pytestmark = pytest.mark.closed_loop

SPEED, FORCE = "controller.parameters.speed", "controller.parameters.force"
BASE = short(0.1, "boa_circle")


def optimisation(evaluations=14, seeds=1, sampler="radial"):
    return Optimisation(
        base=BASE,
        space=Space((Variable(SPEED, 0.05, 0.4), Variable(FORCE, 2.0, 12.0))),
        goal=Goal("mean_speed_mps", True, (Limit("joint_force_peak_n", 10.0),)),
        evaluations=evaluations,
        seeds=seeds,
        checks=3,
        sampler=sampler,
        seed=0,
    )


def result(task):
    """The faster, the better; joint forces grow with speed and force; fast and soft ends by a
    fault.
    """
    speed, force = (task.scenario.controller.parameters[key] for key in ("speed", "force"))
    if speed > 0.3 and force < 4.0:
        return Failed("its worker died")
    values = measured() | {"mean_speed_mps": speed + 1e-3 * task.seed}
    return finished(**values | {"joint_force_peak_n": force + 30.0 * speed})


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """The folder of an optimisation that has not run yet."""
    out = tmp_path_factory.mktemp("optimisation") / "out"
    prepare_optimisation(optimisation(), out)
    return out


@pytest.fixture(autouse=True)
def no_plots(monkeypatch):
    """One test is of the plots; they take seconds."""
    monkeypatch.setattr(optimise, "optimisation_figures", lambda *_: {"course": Figure()})


@pytest.fixture
def begun(prepared, tmp_path):
    shutil.copytree(prepared, tmp_path / "out")
    return tmp_path / "out"


def rows(directory):
    return read_journal(directory / JOURNAL, NEEDS)


def without_times(table):
    return [{key: value for key, value in row.items() if key != "written"} for row in table]


def test_the_best_is_found_run_again_and_written(begun, capsys):
    """With the least force of 2 N, 10 N of joint force allow 0.267 m/s."""
    assert run_optimisation(begun, FakeWorkers(1, result)) == 0
    printed = capsys.readouterr().out
    assert "largest mean_speed_mps, joint_force_peak_n at most 10: 14 evaluations" in printed
    table = rows(begun)
    assert [row["phase"] for row in table] == ["search"] * 14 + ["check"] * 3 * FINALISTS
    assert sorted(row["run"] for row in table) == list(range(14 + 3 * FINALISTS))
    assert {row["seed"] for row in table[14:]} == {1, 2, 3}  # not used before
    best = yaml.safe_load((begun / BEST).read_text())["controller"]["parameters"]
    assert best["force"] + 30 * best["speed"] <= 10.0 and best["speed"] > 0.2
    study = Study(optimisation(), table)
    assert study.values(study.judged()[0])[SPEED] == best["speed"]
    assert "0.4" not in printed.splitlines()[1] and "3 of 3" in (begun / results.REPORT).read_text()


def test_the_search_begins_at_the_values_of_the_scenario_where_they_are_in_range():
    study = Study(optimisation())
    job = next(study.jobs())
    own = BASE.controller.parameters
    assert job.values == {SPEED: pytest.approx(own["speed"]), FORCE: pytest.approx(own["force"])}
    out_of_range = replace(
        optimisation(),
        space=Space((Variable(SPEED, 2 * own["speed"], 0.4), Variable(FORCE, 2.0, 12.0))),
    )
    assert next(Study(out_of_range).jobs()).values[SPEED] > 2 * own["speed"]


@pytest.mark.parametrize("stop", [1, 5, 13, 14, 17])
def test_one_that_was_broken_off_goes_on_to_the_same_rows(stop, begun, tmp_path, capsys):
    """Bit for bit, wherever it was interrupted; runs that left no result are tried again."""
    whole = tmp_path / "whole"
    shutil.copytree(begun, whole)
    run_optimisation(whole, FakeWorkers(1, result))
    ended = []

    def interrupt(task):
        ended.append(task)
        if len(ended) == stop:
            os.kill(os.getpid(), signal.SIGINT)
        return result(task)

    assert run_optimisation(begun, FakeWorkers(1, interrupt)) == 1
    assert f"boa optimise resume {begun}" in capsys.readouterr().err
    assert len(rows(begun)) == stop
    assert run_optimisation(begun, FakeWorkers(1, result)) == 0
    again = [row["error"] for row in rows(begun)[:stop] if row["error"] is not None]
    assert len(rows(begun)) == len(rows(whole)) + len(again)
    assert without_times(newest(rows(begun))) == without_times(newest(rows(whole)))


def test_a_run_whose_worker_was_killed_is_repeated_by_resume(begun):
    """With its values and seed; the report then has its result and no failure."""
    killed = []

    def kill_the_fourth(task):
        killed.append(task)
        if len(killed) == 4:
            return Failed("its worker was killed")
        if len(killed) == 9:
            os.kill(os.getpid(), signal.SIGINT)
        return finished(**measured() | {"mean_speed_mps": 0.1, "joint_force_peak_n": 5.0})

    assert run_optimisation(begun, FakeWorkers(1, kill_the_fourth)) == 1
    assert [row["error"] is not None for row in rows(begun)] == [k == 3 for k in range(9)]
    tasks = []

    def well(task):
        tasks.append(task)
        return finished(**measured() | {"mean_speed_mps": 0.1, "joint_force_peak_n": 5.0})

    assert run_optimisation(begun, FakeWorkers(1, well)) == 0
    assert tasks[0].scenario == killed[3].scenario and tasks[0].seed == killed[3].seed
    last = newest(rows(begun))
    assert all(row["error"] is None for row in last)
    assert sorted(row["run"] for row in last) == list(range(14 + 3 * FINALISTS))


def test_several_runs_at_a_time_and_several_seeds(tmp_path):
    """Every evaluation has its seeds, whatever ends first; checks begin when all have ended."""
    out = tmp_path / "out"
    prepare_optimisation(optimisation(evaluations=8, seeds=2), out)
    assert run_optimisation(out, FakeWorkers(3, result)) == 0
    table = rows(out)
    search = [row for row in table if row["phase"] == "search"]
    assert sorted((row["evaluation"], row["seed"]) for row in search) == [
        (number, seed) for number in range(8) for seed in (0, 1)
    ]
    assert all(row["phase"] == "search" for row in table[:16])
    study = Study(optimisation(evaluations=8, seeds=2), table)
    first = study.samples[0]
    assert -first.objective == pytest.approx(study.values(study.numbers[0])[SPEED] + 5e-4)


def test_values_that_the_scenario_refuses_are_failed_evaluations(begun, monkeypatch):
    refuse = Optimisation.scenario

    def scenario(self, values):
        if values[SPEED] > 0.2:
            raise BoaError("too fast for this scenario")
        return refuse(self, values)

    monkeypatch.setattr(Optimisation, "scenario", scenario)
    assert run_optimisation(begun, FakeWorkers(2, result)) == 0
    errors = [row["error"] for row in rows(begun) if row[SPEED] > 0.2]
    assert errors and set(errors) == {"too fast for this scenario"}


def test_status_1_where_nothing_keeps_the_limits(begun, capsys):
    def strong(task):
        ended = result(task)
        if isinstance(ended, Failed):
            return ended
        return finished(**ended.values | {"joint_force_peak_n": 99.0})

    assert run_optimisation(begun, FakeWorkers(1, strong)) == 1
    assert "no evaluation keeps all limits" in capsys.readouterr().err
    assert not (begun / BEST).exists() and len(rows(begun)) == 14


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (Failed("its worker died"), "the first: its worker died"),
        (
            {"mean_speed_mps": None},
            "no mean_speed_mps and no joint_force_peak_n; the first 4 s",
        ),
    ],
)
def test_the_reason_is_given_where_all_fail(ended, said, begun, capsys):
    found = finished(**measured() | ended) if isinstance(ended, dict) else ended
    assert run_optimisation(begun, FakeWorkers(1, lambda task: found)) == 1
    assert said in capsys.readouterr().err
    assert said in (begun / results.REPORT).read_text()


def test_the_same_may_be_given_again_and_no_other(begun):
    prepare_optimisation(optimisation(), begun)
    with pytest.raises(BoaError, match="holds another optimisation"):
        prepare_optimisation(optimisation(evaluations=15), begun)


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        (DEFINITION, "{", "optimisation.json is damaged"),
        (DEFINITION, '{"format": 9}', "has format 9"),
        (DEFINITION, '{"format": 1}', "is damaged"),
        (JOURNAL, "{\n", "line 1 is damaged; remove this line"),
        (JOURNAL, "", "has no evaluation yet"),
    ],
)
def test_damaged_files_are_named(file, text, complaint, begun):
    (begun / file).write_text(text)
    with pytest.raises(BoaError, match=complaint):
        report_optimisation(begun)


GIVEN = ["boa_circle", "--over", f"{SPEED}=0.05:0.4", "--objective", "mean_speed_mps"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["boa_circle"], "nothing may change; say --over"),
        (["boa_circle", "--over", f"{SPEED}=0.05:0.4"], "nothing is sought; say --objective"),
        (GIVEN, "say --minimise or --maximise"),
        ([*GIVEN, "--minimise", "--maximise"], "not allowed with argument"),
        ([*GIVEN, "--maximise", "--limit", "joint_force_peak_n"], "write METRIC=number"),
        ([*GIVEN, "--maximise", "--limit", "joint_force=3"], "unknown metric 'joint_force'"),
        (
            [*GIVEN, "--maximise", "--over", "speed=0:1"],
            "did you mean 'controller.parameters.speed'",
        ),
        ([*GIVEN, "--maximise", "--over", f"{FORCE}=3:3"], "is empty; give two different ends"),
        ([*GIVEN, "--maximise", "--over", f"{FORCE}=0:3:log"], "must lie above 0"),
        ([*GIVEN, "--maximise", "--over", f"{FORCE}=3"], "write KEY=low:high"),
        ([*GIVEN, "--maximise", "--over", f"{FORCE}=-3:3"], "force"),
        ([*GIVEN, "--maximise", "--over", f"{SPEED}=0.1:0.2"], "is given twice"),
        ([*GIVEN, "--maximise", "--sampler", "annealing"], "invalid choice"),
        ([*GIVEN, "--maximise", "--duration", "0.5"], "s of each are not judged"),
        (["resume", "nowhere"], "is not the folder of an optimisation"),
        (["report"], "needs the folder of what was begun"),
        (["report", "nowhere", "--seeds", "3"], "--seeds means nothing for boa optimise report"),
    ],
)
def test_wrong_input_gets_one_line(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["optimise", *words])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2 and complaint in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_real_scenario_by_the_command(tmp_path, monkeypatch, capsys):
    """Three links press against posts as firmly as `motion_limit` lets them; 9 N m are allowed."""
    monkeypatch.undo()  # with plots
    out = tmp_path / "out"
    limit = "controller.parameters.phase_a.motion_limit"
    words = ["optimise", "thesis_5_1_1", "--over", f"{limit}=2:16"]
    words += ["--over", "controller.parameters.phase_a.kp=30:90", "--duration", "0.8"]
    words += ["--objective", "torque_rms_nm", "--maximise", "--limit", "torque_peak_nm=9"]
    words += ["--evaluations", "10", "--checks", "1", "--jobs", "1", "--out", str(out)]
    assert main(words) == 0
    plots = {"course.png", "maps.png", "variables.png"}
    assert {path.name for path in (out / "plots").iterdir()} == plots
    phase = yaml.safe_load((out / BEST).read_text())["controller"]["parameters"]["phase_a"]
    assert 6.0 < phase["motion_limit"] <= 9.0
    assert json.loads((out / DEFINITION).read_text())["objective"] == "torque_rms_nm"
    assert main(["optimise", "report", str(out), "--format", "pdf"]) == 0
    papers = {path.name for path in (out / "plots").iterdir()} - plots
    assert papers == {"course.pdf", "maps.pdf", "variables.pdf"}
    again = ["run", str(out / BEST), "--no-bag", "--no-report", "--out", str(tmp_path / "run")]
    assert main(again) == 0
    assert json.loads((tmp_path / "run" / "metrics.json").read_text())["torque_peak_nm"] <= 9.0
    capsys.readouterr()
