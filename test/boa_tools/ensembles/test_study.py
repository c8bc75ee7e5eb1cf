# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""An ensemble from the command line to its table: resumed after any end, compared, refused where it
is wrong.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sweep_fakes import HALTING, FakeWorkers, finished, measured, short, with_controller

from boa_control.experiments.change import changed
from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.ensembles import folder
from boa_tools.ensembles.ensemble import ARM, COMPLETED, MEMBER, Ensemble
from boa_tools.ensembles.perturbation import Perturbation
from boa_tools.ensembles.study import (
    compare_ensembles,
    prepare_ensemble,
    report_ensemble,
    run_ensemble,
)
from boa_tools.runs.results import scenario_text
from boa_tools.sweeps.goal import Limit
from boa_tools.sweeps.journal import JOURNAL, read_journal
from boa_tools.sweeps.rows import NEEDED
from boa_tools.sweeps.task import Failed

pytestmark = pytest.mark.closed_loop

FORCE, SPEED = "controller.parameters.force", "controller.parameters.speed"
BASE = changed(short(0.1, "boa_circle"), {FORCE: 8.0, SPEED: 0.1})
ENSEMBLE = Ensemble(
    "boa_circle",
    "runs",
    "judging",
    dict.fromkeys((500, 501), BASE),
    2,
    (Perturbation(FORCE, 0.01),),
    {SPEED: 0.05},
    COMPLETED,
    "boa ensemble boa_circle --seeds judging:2",
)


def result(task):
    """Seed 501 does not succeed at the lower speed."""
    parameters = task.scenario.controller.parameters
    good = task.seed == 500 or parameters["speed"] == 0.1
    more = {"completed": good, "joint_force_peak_n": parameters["force"]}
    return finished(**measured() | more)


@pytest.fixture
def begun(tmp_path):
    """The folder of an ensemble that has not run yet."""
    out = tmp_path / "out"
    prepare_ensemble(ENSEMBLE, out)
    return out


def rows_in(out):
    return read_journal(out / JOURNAL, (*NEEDED, ARM, MEMBER))


def test_both_arms_are_reported_side_by_side(begun, capsys):
    assert run_ensemble(begun, FakeWorkers(2, result)) == 0
    said = capsys.readouterr().out
    assert "2 judging seeds of runs, 500 to 501, 2 members each" in said
    line = next(line for line in said.splitlines() if line.startswith("success  "))
    assert re.findall(r"\d/\d \(.*?\)", line) == ["4/4 (51 to 100 %)", "2/4 (15 to 85 %)"]
    assert "success to failure 2, failure to success 0 members; 1 seeds worse, 0 better" in said
    assert "nothing may be chosen with them" in said
    known = folder.read(begun)
    assert known["command"] == ENSEMBLE.command
    as_given, slower = known["results"]["arms"]
    assert as_given["success"]["count"] == 4 and slower["success"]["count"] == 2
    assert as_given["versions"] == ["1.0"]
    assert slower["runs"][2] == {
        "seed": 501,
        "member": 0,
        "success": False,
        "why": "ended by duration",
    }
    (step,) = known["results"]["changes"]
    assert (step["lost"], step["gained"], step["p"]) == (2, 0, 1.0)
    forces = sorted(row[FORCE] for row in rows_in(begun) if row[ARM] == "as given")
    assert as_given["metrics"]["joint_force_peak_n"]["least"] == forces[0]
    assert as_given["metrics"]["joint_force_peak_n"]["most"] == forces[-1]


def test_what_is_loaded_is_what_was_given(begun):
    assert folder.load(begun) == ENSEMBLE
    assert list(folder.load(begun).runs()) == list(ENSEMBLE.runs())


def test_an_ensemble_that_was_broken_off_goes_on_where_it_was(begun, capsys):
    def interrupt(task):
        if len(rows_in(begun)) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return result(task)

    assert run_ensemble(begun, FakeWorkers(1, interrupt)) == 1
    assert f"Go on: boa ensemble resume {begun}" in capsys.readouterr().err
    before = rows_in(begun)
    assert 3 <= len(before) < 8
    assert report_ensemble(begun) == 1
    assert f"{8 - len(before)} runs are missing" in capsys.readouterr().err
    workers = FakeWorkers(2, result)
    assert run_ensemble(begun, workers) == 0
    assert len(workers.started) == 8 - len(before)
    assert rows_in(begun)[: len(before)] == before
    assert sorted(row["run"] for row in rows_in(begun)) == list(range(8))


def test_a_run_without_result_is_no_success_until_it_is_repeated(begun, capsys):
    def fail(task):
        return Failed("its worker died") if task.seed == 500 else result(task)

    assert run_ensemble(begun, FakeWorkers(1, fail)) == 1
    said = capsys.readouterr()
    assert "4 runs left no result" in said.err and "failed, no result" in said.out
    assert run_ensemble(begun, FakeWorkers(1, result)) == 0
    assert folder.read(begun)["results"]["arms"][0]["success"]["count"] == 4


def test_only_the_same_ensemble_may_be_given_again(begun):
    prepare_ensemble(ENSEMBLE, begun)
    faster = dict.fromkeys(ENSEMBLE.seeds, changed(BASE, {SPEED: 0.2}))
    for key, other in {
        "scenario's content": replace(ENSEMBLE, scenarios=faster),
        "seeds": replace(ENSEMBLE, scenarios=dict.fromkeys((500, 502), BASE)),
        "repeats": replace(ENSEMBLE, repeats=3),
        "perturb": replace(ENSEMBLE, perturbations=()),
        "against": replace(ENSEMBLE, against={}),
        "goal": replace(ENSEMBLE, reached=Limit("path_progress_m", 1.0, least=True)),
    }.items():
        with pytest.raises(BoaError, match=f"holds another ensemble, whose {key} differs"):
            prepare_ensemble(other, begun)


def test_two_folders_are_compared_over_their_common_seeds(begun, tmp_path, capsys):
    one, other = tmp_path / "one", tmp_path / "other"
    single = replace(ENSEMBLE, against={})
    prepare_ensemble(single, one)
    slower = dict.fromkeys((501, 502), changed(BASE, {SPEED: 0.05}))
    prepare_ensemble(replace(single, scenarios=slower), other)
    for directory in (one, other):
        run_ensemble(directory, FakeWorkers(1, result))
    capsys.readouterr()
    assert compare_ensembles(one, other) == 0
    said = capsys.readouterr().out
    assert "the two scenarios differ" in said and "version 1.0" in said
    assert "2 members of 1 seeds in common" in said
    assert "success to failure 2, failure to success 0 members" in said
    goal = replace(single, reached=Limit("path_progress_m", 1.0, least=True))
    for wrong, complaint in (
        (replace(single, scenarios=dict.fromkeys((510,), BASE)), "have no seed in common"),
        (goal, "differ in their goal"),
        (replace(single, perturbations=()), "differ in their perturbations"),
    ):
        third = tmp_path / complaint
        prepare_ensemble(wrong, third)
        with pytest.raises(BoaError, match=complaint):
            compare_ensembles(one, third)
    with pytest.raises(BoaError, match="has no run yet"):
        compare_ensembles(one, begun)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "ensemble.json is damaged"),
        ('{"format": 9}', "has format 9"),
        ('{"format": 1, "seeds": []}', "is damaged"),
    ],
)
def test_damaged_files_are_named(text, complaint, begun):
    (begun / folder.FILE).write_text(text)
    with pytest.raises(BoaError, match=complaint):
        report_ensemble(begun)


def test_a_killed_ensemble_is_resumed_by_the_command(tmp_path, capsys):
    """However busy the computer is, the ensemble does not end before the signal comes. Ctrl-C is
    tried with a sweep, which the same engine runs.
    """
    out, file, halt = tmp_path / "out", tmp_path / "halting.yaml", tmp_path / "halt"
    halt.touch()
    file.write_text(scenario_text(with_controller(tmp_path, HALTING, "Halting")))
    command = [sys.executable, "-m", "boa_tools.cli", "ensemble", str(file), "--seeds", "tuning:6"]
    command += ["--perturb", "duration=0.3", "--out", str(out), "--jobs", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 600.0
        while len(rows_in(out)) < 5:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
        process.stderr.read()
    halt.unlink()
    before = rows_in(out)
    assert 5 <= len(before) < 18
    shutil.move(file, tmp_path / "away.yaml")  # the folder has all that is needed
    assert main(["ensemble", "resume", str(out), "--jobs", "1"]) == 0
    rows = rows_in(out)
    assert rows[: len(before)] == before
    assert sorted(row["run"] for row in rows) == list(range(18))
    assert {row["seed"] for row in rows} == set(range(400, 406))
    assert len({row["duration"] for row in rows}) == 18
    assert "of 18" not in capsys.readouterr().out


def planned_set(tmp_path: Path) -> Path:
    """A set as boa plan bench writes it."""
    (tmp_path / "fields_base.yaml").write_text(scenario_text(BASE))
    out = tmp_path / "fields.yaml"
    fields = {f"seed_{seed}": {"duration": 0.02 * (seed - 800)} for seed in (801, 803)}
    change = {"base": "./fields_base.yaml", "vary": {"field": fields}}
    out.write_text(json.dumps({"name": "fields", "summary": "fields", "set": change}))
    return out


def test_every_planned_field_is_travelled_with_its_own_seed(tmp_path, capsys):
    out = tmp_path / "out"
    words = ["ensemble", str(planned_set(tmp_path)), "--repeats", "2", "--jobs", "1"]
    words += ["--set", f"{FORCE}=6"]
    assert main([*words, "--out", str(out)]) == 0
    assert "fields: 2 tuning seeds of fields, 801 to 803" in capsys.readouterr().out
    assert [
        (row["seed"], row["duration_s"]) for row in sorted(rows_in(out), key=lambda r: r["run"])
    ] == [(801, 0.02), (803, 0.06), (801, 0.02), (803, 0.06)]
    known = folder.load(out)
    assert {one.controller.parameters["force"] for one in known.scenarios.values()} == {6}
    some = tmp_path / "some"
    assert main([*words, "--seeds", "tuning:2", "--out", str(some)]) == 0
    assert {row["seed"] for row in rows_in(some)} == {801}
    assert main([*words, "--seeds", "judging", "--out", str(tmp_path / "none")]) == 2
    assert "has no field of --seeds judging; it has 801, 803" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["boa_circle"], "an ensemble needs seeds"),
        (["boa_circle", "--seeds", "490-510"], "give seeds of one kind"),
        (["boa_circle", "--seeds", "tuned"], "write FIRST-LAST, or KIND"),
        (["boa_circle", "--seeds", "0-1", "--perturb", "speed=0.1"], "did you mean"),
        (["boa_circle", "--seeds", "0-1", "--perturb", "a=7"], "write KEY=SHARE"),
        (["boa_circle", "--seeds", "0-1", "--set", "speed"], "--set speed: write KEY=VALUE"),
        (["boa_circle", "--seeds", "0-1", "--against", "speed"], "--against speed: write"),
        (["boa_circle", "--seeds", "0-1", "--against", f"{SPEED}=0.1"], "does not change"),
        (["boa_circle", "--seeds", "0-1", "--goal", "path_progress_m=2"], "write METRIC>="),
        (["boa_circle", "--seeds", "0-1", "--goal", "progress>=2"], "unknown metric 'progress'"),
        (["boa_circle", "--seeds", "0-1", "--repeats", "0"], "not a whole number above zero"),
        (["boa_circle", "DIR", "--seeds", "0-1"], "named with --out"),
        (["boa_cirle", "--seeds", "0-1"], "did you mean 'boa_circle'"),
        (["wrong_maps"], "is no set of planned fields"),
        (["resume"], "needs the folder of what was begun: boa ensemble resume DIR"),
        (["compare", "nowhere"], "needs 2 folders"),
        (["report", "nowhere"], "is not the folder of an ensemble"),
        (["resume", "nowhere", "--seeds", "3"], "--seeds means nothing for boa ensemble resume"),
        (["report", "nowhere", "--jobs", "3"], "--jobs means nothing for boa ensemble report"),
    ],
)
def test_wrong_input_gets_one_line(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["ensemble", *words])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2 and complaint in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
