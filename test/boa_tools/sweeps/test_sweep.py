# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sweep from the command line to its table: resumed after any end, refused where it is wrong."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure
from sweep_fakes import BUGGY, HALTING, FakeWorkers, finished, measured, short, with_controller

from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.evaluation.metric_table import FURTHER, METRICS
from boa_tools.runs.results import scenario_text
from boa_tools.sweeps import folder, sweep
from boa_tools.sweeps.journal import JOURNAL, Journal, read_journal
from boa_tools.sweeps.plan import Axis, Plan
from boa_tools.sweeps.remaining import resumed_by
from boa_tools.sweeps.rows import NEEDED
from boa_tools.sweeps.sweep import prepare_sweep, report_sweep, run_sweep
from boa_tools.sweeps.task import Failed

pytestmark = pytest.mark.closed_loop

parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'sweeps' is not installed")

STIFFNESS = "controller.parameters.stiffness"
OFFSET = "disturbance.obstacle_offset"
PLAN = Plan(
    short(0.1, "boa_circle"),
    (Axis(STIFFNESS, (100.0, 400.0)), Axis(OFFSET, (0.0, 0.001, 0.002))),
    (0, 1),
)


def result(task):
    """Some metrics that tell the runs apart."""
    more = measured()["extra"] | {"contact_force_peak_n": task.seed + 10.0}
    peak = task.scenario.controller.parameters["stiffness"]
    return finished(**measured() | {"torque_peak_nm": peak, "extra": more})


def read(directory):
    return parquet.read_table(directory / folder.TABLE).to_pylist()


@pytest.fixture(autouse=True)
def few_plots(monkeypatch):
    """Tests of the plots are elsewhere; they take seconds."""
    monkeypatch.setattr(sweep, "sweep_figures", lambda *_: {"over_duration": Figure()})


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """The folder of a sweep that has not run yet."""
    out = tmp_path_factory.mktemp("sweep") / "out"
    prepare_sweep(PLAN, out)
    return out


@pytest.fixture
def begun(checked, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(checked, tmp_path / "out"))


def test_the_table_has_a_row_for_each_run(begun, capsys):
    assert run_sweep(begun, FakeWorkers(2, result)) == 0
    rows = read(begun)
    assert [row["run"] for row in rows] == list(range(12))
    assert [(row[STIFFNESS], row[OFFSET], row["seed"]) for row in rows] == [
        (*point.values(), seed) for _, point, seed in PLAN.runs()
    ]
    assert all(row["torque_peak_nm"] == row[STIFFNESS] for row in rows)
    assert all(row["contact_force_peak_n"] == row["seed"] + 10 for row in rows)
    assert rows[0].keys() >= {*METRICS, *FURTHER, *NEEDED}
    assert {row["ended"] for row in rows} == {"duration"} and {row["error"] for row in rows} == {
        None
    }
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in printed[1:3]] == [
        ["100.0", "0.0", "2/2"],
        ["100.0", "0.001", "2/2"],
    ]
    assert printed[-2:] == [str(begun / "runs.parquet"), str(begun / "report.html")]


def test_the_file_says_what_its_columns_are(begun):
    run_sweep(begun, FakeWorkers(2, result))
    schema = parquet.read_schema(begun / folder.TABLE)
    about = json.loads(schema.metadata[b"boa"])
    assert about["seeds"] == [0, 1] and about["scenario"]["name"] == "boa_circle"
    meaning = schema.field("torque_peak_nm").metadata[b"meaning"].decode()
    assert meaning == METRICS["torque_peak_nm"].meaning
    kinds = {name: str(schema.field(name).type) for name in ("run", "success", "fault", OFFSET)}
    assert kinds == {"run": "int64", "success": "bool", "fault": "string", OFFSET: "double"}


def test_the_command_that_goes_on_can_be_pasted_where_the_folder_has_a_space():
    assert resumed_by("sweep", Path("a b")).startswith("Go on: boa sweep resume 'a b'; see")


def test_a_sweep_that_was_broken_off_goes_on_where_it_was(begun, capsys):
    def interrupt(task):
        if (task.seed, task.key) == (0, "stiffness 400.0, obstacle_offset 0.001, seed 0"):
            os.kill(os.getpid(), signal.SIGINT)
        return result(task)

    assert run_sweep(begun, FakeWorkers(1, interrupt)) == 1
    assert f"Go on: boa sweep resume {begun}" in capsys.readouterr().err
    before = read_journal(begun / JOURNAL, NEEDED)
    assert [row["run"] for row in before] == [0, 1, 2, 3, 4]
    assert report_sweep(begun) == 1
    assert "7 runs are missing" in capsys.readouterr().err and len(read(begun)) == 5
    workers = FakeWorkers(2, result)
    assert run_sweep(begun, workers) == 0
    assert len(workers.started) == 7
    rows = read_journal(begun / JOURNAL, NEEDED)
    assert rows[:5] == before
    assert sorted(row["run"] for row in rows) == list(range(12))
    assert run_sweep(begun, FakeWorkers(2, None)) == 0  # nothing is left to do


def test_a_run_without_result_is_named_and_tried_again_later(begun, capsys):
    def fail(task):
        return Failed("its worker died") if task.seed == 1 else result(task)

    assert run_sweep(begun, FakeWorkers(1, fail)) == 1
    assert "6 runs left no result, e.g. run 6: its worker died" in capsys.readouterr().err
    rows = read(begun)
    assert [row["error"] for row in rows[5:7]] == [None, "its worker died"]
    assert rows[6]["torque_peak_nm"] is None and rows[6]["success"] is False
    workers = FakeWorkers(1, result)
    assert run_sweep(begun, workers) == 0
    assert len(workers.started) == 6
    assert [row["error"] for row in read(begun)] == [None] * 12


def test_the_same_sweep_may_be_given_again_and_no_other(begun):
    prepare_sweep(PLAN, begun)
    base = PLAN.base.model_copy(update={"duration": 0.2})
    others = {
        "whose scenario differs in its duration": Plan(base, PLAN.axes, PLAN.seeds),
        "whose variation differs": Plan(PLAN.base, PLAN.axes[:1], PLAN.seeds),
        "whose seeds differs ([0, 1]; here [0, 1, 2])": Plan(PLAN.base, PLAN.axes, (0, 1, 2)),
    }
    for complaint, other in others.items():
        with pytest.raises(BoaError, match="holds another sweep") as error:
            prepare_sweep(other, begun)
        assert complaint in str(error.value) and "resume" in str(error.value)


def test_the_file_of_a_controller_belongs_to_the_sweep(tmp_path):
    base = with_controller(
        tmp_path, BUGGY.replace("raise", "return super().step(frame) #"), "Buggy"
    )
    plan = Plan(base, (Axis("duration", (0.1, 0.2)),), (0,))
    out = tmp_path / "out"
    prepare_sweep(plan, out)
    assert (out / "buggy.py").is_file()
    (tmp_path / "buggy.py").write_text(BUGGY)
    with pytest.raises(BoaError, match="is not what it was"):
        prepare_sweep(plan, out)
    assert folder.load(out).base.controller.name == f"{out / 'buggy.py'}:Buggy"


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BoaError, match="not empty"):
        prepare_sweep(PLAN, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        (folder.DEFINITION, "{", "sweep.json is damaged"),
        (folder.DEFINITION, '{"format": 9}', "has format 9"),
        (folder.DEFINITION, '{"format": 1, "seeds": [], "vary": []}', "is damaged"),
        (JOURNAL, "{\n", "line 1 is damaged; remove this line"),
        (JOURNAL, '{"run": 3}\n', "line 1 is damaged"),
    ],
)
def test_damaged_files_are_named(file, text, complaint, begun):
    (begun / file).write_text(text)
    for command in (report_sweep, lambda directory: run_sweep(directory, FakeWorkers(1, result))):
        with pytest.raises(BoaError, match=complaint):
            command(begun)


def test_a_damaged_table_is_written_anew(begun):
    run_sweep(begun, FakeWorkers(2, result))
    (begun / folder.TABLE).write_bytes(b"PAR1 damaged")
    assert report_sweep(begun) == 0
    assert len(read(begun)) == 12


def test_a_disk_without_room_is_refused_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(folder.shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with pytest.raises(BoaError, match="has 1 MB left, 12 runs need about 20 MB"):
        prepare_sweep(PLAN, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_disk_that_fills_up_loses_nothing_that_had_ended(begun, monkeypatch, capsys):
    append = Journal.append

    def fills_up(self, row):
        if row["run"] == 4:
            self._file.write(b'{"run": 4, "half')
            self._file.flush()
            raise OSError(28, "No space left on device")
        append(self, row)

    monkeypatch.setattr(Journal, "append", fills_up)
    with pytest.raises(OSError, match="No space left"):
        run_sweep(begun, FakeWorkers(1, result))
    assert "boa sweep resume" in capsys.readouterr().err
    monkeypatch.setattr(Journal, "append", append)
    workers = FakeWorkers(1, result)
    assert run_sweep(begun, workers) == 0 and len(workers.started) == 8


def test_without_pyarrow_the_extra_is_named_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("boa_tools.sweeps.rows.find_spec", lambda name: None)
    with pytest.raises(BoaError, match=r"pip install pyarrow .*extra 'sweeps'"):
        prepare_sweep(PLAN, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_earlier_runs_of_another_version_are_mentioned(begun, capsys):
    run_sweep(begun, FakeWorkers(2, result))
    assert "earlier runs" not in capsys.readouterr().err
    run_sweep(begun, FakeWorkers(2, result))
    assert "earlier runs are of version 1.0" in capsys.readouterr().err


WORDS = ["--vary", "duration=0.1,0.12,0.14", "--seeds", "6"]


def rows_in(out):
    return read_journal(out / JOURNAL, NEEDED)


def test_an_interrupted_sweep_is_resumed_by_the_command(tmp_path, capsys):
    """No finished run is lost or repeated; in the end every run is there once. However busy the
    computer is, the sweep does not end before the signal comes. A kill is tried with an ensemble,
    which the same engine runs.
    """
    out, file = tmp_path / "out", tmp_path / "halting.yaml"
    halt = tmp_path / "halt"
    halt.touch()
    file.write_text(scenario_text(with_controller(tmp_path, HALTING, "Halting")))
    command = [sys.executable, "-m", "boa_tools.cli", "sweep", str(file), *WORDS]
    command += ["--out", str(out)]
    with subprocess.Popen(
        [*command, "--jobs", "2"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 600.0
        while len(rows_in(out)) < 5:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read().decode()
    halt.unlink()
    before = rows_in(out)
    assert 5 <= len(before) < 18
    assert process.returncode == 1
    assert f"boa sweep resume {out}" in said and "Traceback" not in said
    assert main(["sweep", "resume", str(out), "--jobs", "1"]) == 0
    rows = rows_in(out)
    assert rows[: len(before)] == before
    assert sorted(row["run"] for row in rows) == list(range(18))
    assert len(read(out)) == 18
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["boa_circle"], "nothing is varied; say --vary"),
        (["boa_circle", "--vary", "duration=1:2"], "a range is first:last:count"),
        (["boa_circle", "--vary", "speed=0.1"], "did you mean 'controller.parameters.speed'"),
        (["boa_cirle", "--vary", "duration=1"], "did you mean 'boa_circle'"),
        (["compare_controllers", "--vary", "duration=1"], "is a set of scenarios"),
        (["boa_circle", "DIR", "--vary", "duration=1"], "named with --out"),
        (["boa_circle", "--vary", "duration=1", "--show", "energy_j"], "--show is for"),
        (["boa_circle", "--jobs", "2", "--scheduler", "x"], "not allowed with argument"),
        (["resume"], "needs the folder of what was begun"),
        (["report", "nowhere"], "is not the folder of a sweep"),
        (["resume", "nowhere"], "is not the folder of a sweep"),
        (["resume", "nowhere", "--seeds", "3"], "--seeds means nothing for boa sweep resume"),
        (["report", "nowhere", "--jobs", "3"], "--jobs means nothing for boa sweep report"),
        (["report", "nowhere", "--show", "enrgy_j"], "unknown metric 'enrgy_j'"),
    ],
)
def test_wrong_input_gets_one_line(words, complaint, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["sweep", *words])
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr().err
    assert status == 2 and complaint in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_runs_that_end_within_their_start_up_are_named(begun, capsys):
    run_sweep(begun, FakeWorkers(2, result))
    said = "12 of 12 runs ended within their start-up (evaluation.settle, 4 s)"
    assert said in capsys.readouterr().err
    assert said in (begun / "report.html").read_text()
    rows = [{"success": True, "duration_s": 4.1}, {"success": False, "duration_s": 0.1}]
    assert sweep._unjudged(rows, PLAN) == ""


def test_other_metrics_can_be_shown(begun, capsys):
    run_sweep(begun, FakeWorkers(2, result))
    capsys.readouterr()
    assert main(["sweep", "report", str(begun), "--show", "torque_peak_nm,extra.energy_j"]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert "torque, largest" in head and "force error" not in head
