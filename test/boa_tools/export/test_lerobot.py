# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs as a data set of LeRobot: what its reader (`lerobot.datasets`) asks of the files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import boa_tools
from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.export.lerobot import FEATURES, episode, write_lerobot
from boa_tools.export.table import Table

SHARD = "chunk-000/file-000.parquet"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two short runs of different length."""
    folders = []
    for seconds in ("0.2", "0.1"):
        folders.append(tmp_path_factory.mktemp("run") / "out")
        words = ["--duration", seconds, "--no-report", "--out", str(folders[-1])]
        main(["run", "boa_circle", *words])
    return folders


@pytest.fixture(scope="module")
def made(runs: list[Path]) -> Path:
    out = runs[0].with_name("lerobot")
    main(["export", *map(str, runs), "--lerobot", "--out", str(out)])
    return out


def test_frames_have_the_numbers_of_the_runs(runs: list[Path], made: Path) -> None:
    info = json.loads((made / "meta/info.json").read_text())
    data = pyarrow.parquet.read_table(made / "data" / SHARD)
    assert info["codebase_version"] == "v3.0" and info["fps"] == 500
    sizes = {"chunks_size", "data_files_size_in_mb", "video_files_size_in_mb"}
    assert sizes <= set(info), "asked by split_dataset of lerobot 0.4.4"
    assert set(info["features"]) == set(data.column_names)
    assert data.num_rows == info["total_frames"]
    assert data["index"].to_pylist() == list(range(data.num_rows))
    episodes = [episode(boa_tools.load(folder)) for folder in runs]
    action = np.array(data["action"].to_pylist(), np.float32)
    whole = np.concatenate([made.columns["action"] for made in episodes])
    np.testing.assert_array_equal(action, whole)
    for name in FEATURES:
        feature = info["features"][name]
        assert (
            data.schema.field(name).type.list_size == feature["shape"][0] == len(feature["names"])
        )
    assert info["features"]["observation.state"]["names"][0] == "position_rad.joint_01"
    assert np.diff(data["timestamp"].to_numpy()[:50]) == pytest.approx(0.002, abs=1e-6)


def test_episodes_say_which_frames_are_theirs(made: Path) -> None:
    rows = pyarrow.parquet.read_table(made / "meta/episodes" / SHARD).to_pylist()
    numbers = pyarrow.parquet.read_table(made / "data" / SHARD)["episode_index"].to_numpy()
    for row in rows:
        begin, end = row["dataset_from_index"], row["dataset_to_index"]
        assert end - begin == row["length"] > 0
        assert set(numbers[begin:end]) == {row["episode_index"]}
        assert row["stats/action/count"] == [row["length"]]
    assert rows[-1]["dataset_to_index"] == len(numbers)
    groups = pyarrow.parquet.ParquetFile(made / "data" / SHARD).num_row_groups
    assert groups == len(rows) == 2


def test_statistics_are_those_of_the_frames(made: Path) -> None:
    found = json.loads((made / "meta/stats.json").read_text())["observation.state"]
    data = pyarrow.parquet.read_table(made / "data" / SHARD)
    values = np.array(data["observation.state"].to_pylist())
    assert found["mean"] == pytest.approx(values.mean(axis=0).tolist())
    assert found["q50"] == pytest.approx(np.median(values, axis=0).tolist())
    assert np.all(np.array(found["q01"]) <= found["q99"])


def test_what_is_not_known_is_refused(runs: list[Path]) -> None:
    run = boa_tools.load(runs[0])
    lost = run["effort_nm"].copy()
    lost[-1, 3] = np.nan
    broken = Table(dict(run.ticks) | {"effort_nm": lost}, [f"j{k}" for k in range(lost.shape[1])])
    with pytest.raises(BoaError, match=r"observation\.effort of this run of 'boa_circle'"):
        episode(replace(run, ticks=broken))


def test_a_run_of_the_robot_has_the_columns_of_one_in_simulation(runs: list[Path]) -> None:
    """Its boards send no forces along z."""
    run = boa_tools.load(runs[0])
    force = run["joint_force_n"].copy()
    force[..., 2] = np.nan
    joints = [f"joint_{k:02d}" for k in range(1, force.shape[1] + 1)]
    robots = episode(replace(run, ticks=Table(dict(run.ticks) | {"joint_force_n": force}, joints)))
    assert robots.names == episode(run).names
    assert robots.columns["observation.joint_force"].shape == (robots.frames, 2 * len(joints))


def test_runs_of_different_rates_are_no_data_set(runs: list[Path], tmp_path: Path) -> None:
    first = episode(boa_tools.load(runs[0]))
    plant = first.scenario.plant.model_copy(update={"control_rate": 250.0})
    other = replace(first, scenario=first.scenario.model_copy(update={"plant": plant}))
    with pytest.raises(BoaError, match=r"different control rates \(500.0, 250.0\)"):
        write_lerobot(tmp_path / "set", [first, other])
    assert not (tmp_path / "set").exists()


def test_several_runs_want_lerobot_and_a_folder(runs: list[Path]) -> None:
    assert main(["export", *map(str, runs), "--csv"]) == 2
    assert main(["export", *map(str, runs), "--lerobot"]) == 2
    assert not runs[0].joinpath("export").exists()
