# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa run` end to end: what it writes, the same metrics from the bag, the same torques from the
same seed.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario, parse_scenario
from boa_control.messages.topics import JOINT_STATES
from boa_description.errors import BoaError
from boa_description.version import software_version
from boa_tools.bags.recorded import find_run
from boa_tools.bags.rosbag import BagWriter, bag_summary
from boa_tools.bags.ticks import read_run
from boa_tools.cli import main
from boa_tools.report.finish import finish_run
from boa_tools.runs.drive import run_experiment

pytestmark = pytest.mark.closed_loop

SHIPPED = load_scenario("boa_circle")
DURATION = SHIPPED.evaluation.settle + 0.4  # a little more than the start-up


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "results"
    assert (
        main(["run", "boa_circle", "--duration", str(DURATION), "--out", str(out), "--no-report"])
        == 0
    )
    return out


def test_what_a_run_writes(folder):
    assert {path.name for path in folder.iterdir()} == {
        "scenario.yaml",
        "run.json",
        "bag",
        "identified.yaml",
        "metrics.json",
    }
    assert {path.name for path in (folder / "bag").iterdir()} == {"metadata.yaml", "bag.mcap"}
    record = json.loads((folder / "run.json").read_text())
    assert (record["scenario"], record["seed"], record["ended"]) == ("boa_circle", 0, "duration")
    assert record["versions"]["boa_control"] == software_version()
    assert bag_summary(folder / "bag").version == software_version()


def test_the_scenario_is_kept_as_it_was_run(folder):
    kept = load_scenario(str(folder / "scenario.yaml"))
    assert kept == SHIPPED.model_copy(update={"duration": DURATION, "distance": None})
    # the bag has it, too
    assert parse_scenario(bag_summary(folder / "bag").scenario, "bag") == kept


def test_folder_bag_and_file_are_the_same_run(folder, tmp_path):
    alone = shutil.copy(folder / "bag" / "bag.mcap", tmp_path / "mailed.mcap")
    beside = folder / "bag-report"
    reports = {
        folder: folder,
        folder / "bag": beside,
        folder / "bag" / "bag.mcap": beside,
        alone: tmp_path / "mailed-report",
    }
    for given, report in reports.items():
        run = find_run(given)
        assert run.experiment.scenario == load_scenario(str(folder / "scenario.yaml")), given
        assert run.directory == report, given


def test_a_saved_file_without_its_scenario_takes_that_of_its_results_folder(
    folder, tmp_path, monkeypatch
):
    (tmp_path / "bag").mkdir()
    with BagWriter(tmp_path / "saved", [JOINT_STATES]) as bag:
        bag.write(JOINT_STATES, 0, b"")
    shutil.move(tmp_path / "saved" / "saved.mcap", tmp_path / "bag" / "saved.mcap")
    shutil.copy(folder / "scenario.yaml", tmp_path)
    monkeypatch.chdir(tmp_path / "bag")
    run = find_run(Path("saved.mcap"))
    assert run.experiment.scenario == load_scenario(str(folder / "scenario.yaml"))
    assert run.directory == Path("saved-report")


def test_metrics_from_the_bag_are_those_of_the_run(folder, capsys):
    before = json.loads((folder / "metrics.json").read_text())
    after = finish_run(folder, report=False)
    assert list(after) == list(before)
    for name, value in (before | before["extra"]).items():
        other = (after | after["extra"])[name]
        if isinstance(value, float):
            assert other == pytest.approx(value, rel=1e-6, abs=1e-9), name
        elif name != "extra":
            assert other == value, name
    assert str(folder / "metrics.json") in capsys.readouterr().out


def test_the_run_is_a_good_one(folder):
    values = json.loads((folder / "metrics.json").read_text())
    assert values["completed"] is True and values["gate_trips"] == 0
    assert values["contacts_min"] >= 4 and values["form_closure_fraction"] == 1.0


def test_the_bag_gives_back_the_torques_of_the_run(folder):
    run = find_run(folder)
    start = run.experiment.scenario.model_copy(update={"duration": 0.5})
    again = run_experiment(prepare(start)).log
    back = read_run(run.bag, run.experiment)
    assert back.ticks > again.ticks == 250
    assert np.array_equal(back.commanded[:250], again.commanded)
    assert np.array_equal(back.applied[:250], again.applied)


@pytest.fixture(scope="module")
def noisy():
    scenario = load_scenario("boa_noise").model_copy(update={"duration": 0.3, "distance": None})
    return [run_experiment(prepare(scenario), seed).log.applied for seed in (1, 1, 2)]


def test_the_same_seed_gives_the_same_torques_bit_for_bit(noisy):
    assert noisy[0].tobytes() == noisy[1].tobytes()


def test_another_seed_gives_another_run(noisy):
    assert not np.array_equal(noisy[0], noisy[2])


def test_seeds_are_spread_over_processes(tmp_path, capsys):
    out = tmp_path / "spread"
    words = [
        "run",
        "boa_noise",
        "--duration",
        "0.1",
        "--seeds",
        "2",
        "--jobs",
        "2",
        "--out",
        str(out),
    ]
    assert main(words) == 0
    record = json.loads((out / "seeds.json").read_text())
    assert sorted(entry["seed"] for entry in record["seeds"]) == [0, 1]
    assert "worst" in capsys.readouterr().out


def test_a_run_within_its_start_up_says_that_nothing_was_judged(tmp_path, capsys):
    out = tmp_path / "short"
    arguments = [
        "run",
        "boa_circle",
        "--duration",
        "0.1",
        "--out",
        str(out),
        "--no-report",
        "--no-bag",
    ]
    assert main(arguments) == 0
    assert "the run ended within its start-up of 4 s" in capsys.readouterr().out
    with pytest.raises(BoaError, match="has no bag"):
        find_run(out)
