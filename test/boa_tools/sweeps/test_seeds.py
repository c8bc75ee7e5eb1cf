# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The spread over seeds: ranking, worst values, table."""

from __future__ import annotations

import json

import pytest
from sweep_fakes import finished

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_tools.evaluation.columns import COLUMNS
from boa_tools.runs.results import SEEDS
from boa_tools.sweeps import seeds
from boa_tools.sweeps.seeds import badness, run_seeds, table, worst_of
from boa_tools.sweeps.task import Failed

pytestmark = pytest.mark.closed_loop


def run(completed=True, progress=1.0, lost=0.0, closure=1.0, force=0.03, peak=5.0):
    return {
        "completed": completed,
        "path_progress_m": progress,
        "head_path_error_rms_m": None,
        "config_error_rms_rad": None,
        "form_closure_fraction": closure,
        "torque_peak_nm": 2.0,
        "extra": {
            "force_error_relative": force,
            "contact_lost_fraction": lost,
            "contact_chatter_per_contact_s": 0.0,
            "contact_force_peak_n": peak,
        },
    }


RUNS = {
    0: run(),
    1: run(completed=False, progress=0.4),
    2: run(force=0.2),
    3: run(lost=0.01),
    4: run(completed=False, progress=0.1),
    5: run(closure=None, lost=None, force=None),
}


def test_stuck_early_is_worst_then_lost_contacts_then_force_errors():
    ranking = sorted(RUNS, key=lambda seed: badness(RUNS[seed]), reverse=True)
    assert ranking[:5] == [4, 1, 3, 2, 0]


def test_the_worst_of_each_column_may_come_from_any_seed():
    worst = worst_of(RUNS)
    assert worst["completed"] is False
    assert (worst["path_progress_m"], worst["form_closure_fraction"]) == (0.1, 1.0)
    assert (worst["force_error_relative"], worst["contact_lost_fraction"]) == (0.2, 0.01)
    assert worst["head_path_error_rms_m"] is None


def test_the_table_has_a_line_per_seed_and_one_for_the_worst():
    lines = table(RUNS, [4, 1, 3, 2, 0, 5]).splitlines()
    assert [line.split()[0] for line in lines] == ["seed", "4", "1", "3", "2", "0", "5", "worst"]
    assert lines[1].split()[1] == "NO" and lines[3].split()[1] == "yes"
    unknown = [column.name for column in COLUMNS if column.heading not in lines[0]]
    assert unknown == ["displacement", "head", "shape"]  # no run has these
    assert "contact peak N " in lines[0] and lines[0].endswith("torque peak N m")
    assert len({len(line) for line in lines}) == 1
    assert lines[-1].split()[3] == "20"  # per cent of the reference


def gathered(results, whole):
    return lambda *_: ({f"seed {seed}": result for seed, result in results.items()}, whole)


@pytest.mark.parametrize("whole", [True, False], ids=["one crashed", "interrupted"])
def test_seeds_that_had_ended_are_kept(whole, tmp_path, monkeypatch, capsys):
    """A run that crashed, or Ctrl-C, costs no other run."""
    results = {seed: finished(**RUNS[seed]) for seed in (2, 3)}
    if whole:
        results[4] = Failed("ZeroDivisionError: x", "Traceback")
    monkeypatch.setattr(seeds, "gather", gathered(results, whole))
    experiment = prepare(load_scenario("boa_circle"))
    assert run_seeds(experiment, range(5), 1, tmp_path / "out") == 1
    record = json.loads((tmp_path / "out" / SEEDS).read_text())
    assert [run["seed"] for run in record["seeds"]] == [3, 2]
    assert ("seed 4: ZeroDivisionError" in capsys.readouterr().err) == whole


def test_status_0_where_all_seeds_were_completed(tmp_path, monkeypatch, capsys):
    results = {seed: finished(**RUNS[seed]) for seed in (2, 3)}
    monkeypatch.setattr(seeds, "gather", gathered(results, True))
    experiment = prepare(load_scenario("boa_circle"))
    assert run_seeds(experiment, (2, 3), 1, tmp_path / "out") == 0
    scenario = tmp_path / "out/scenario.yaml"  # with the duration that was asked for
    assert f"boa run {scenario} --seed 3\n" in capsys.readouterr().out and scenario.is_file()


@pytest.mark.parametrize("cause", [KeyboardInterrupt(), None])
def test_nothing_is_written_when_no_seed_ended(cause, tmp_path, monkeypatch):
    def none(*_):
        if cause is not None:
            raise cause
        return {"seed 0": Failed("ZeroDivisionError: x")}, True

    monkeypatch.setattr(seeds, "gather", none)
    with pytest.raises((KeyboardInterrupt, RuntimeError)):
        run_seeds(prepare(load_scenario("boa_circle")), range(5), 1, tmp_path / "out")
    assert not (tmp_path / "out").exists()
