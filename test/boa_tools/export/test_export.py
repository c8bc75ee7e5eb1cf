# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded run as tables: the same numbers in Python, CSV and Parquet."""

from __future__ import annotations

import csv
import shutil
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

import boa_tools
from boa_description.errors import BoaError
from boa_tools.bags.recorded import find_run
from boa_tools.bags.ticks import read_run
from boa_tools.cli import main
from boa_tools.export.recorded import Run
from boa_tools.export.table import Table


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fifth of a second of a run among posts."""
    out = tmp_path_factory.mktemp("run") / "out"
    main(["run", "boa_circle", "--duration", "0.2", "--no-report", "--out", str(out)])
    return out


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    return boa_tools.load(folder)


def test_arrays_have_names_units_and_the_numbers_of_the_bag(folder: Path, run: Run) -> None:
    found = find_run(folder)
    log = read_run(found.bag, found.experiment)
    np.testing.assert_array_equal(run["position_rad"], log.position)
    np.testing.assert_array_equal(run["progress_m"], log.debug["progress_m"])
    assert run.ticks.units["applied_nm"] == "N m" and run.ticks.units["velocity_radps"] == "rad/s"
    assert run.contacts.rows == log.contacts.tick.size > 0 and run.true_contacts.rows > 0
    assert run.metrics["completed"] is True and run.record is not None
    assert run.record["ended"] == "duration" and run.scenario.name == "boa_circle"
    with pytest.raises(BoaError, match="there is no 'angle' here; there are time_s"):
        run["angle"]


def test_csv_and_parquet_have_the_same_numbers_digit_by_digit(folder: Path, run: Run) -> None:
    for form in ("csv", "parquet"):
        main(["export", str(folder), f"--{form}", "--out", str(folder.with_name(form))])
    with (folder.with_name("csv") / "ticks.csv").open() as file:
        rows = list(csv.DictReader(file))
    parquet = pyarrow.parquet.read_table(folder.with_name("parquet") / "ticks.parquet")
    expected = run["position_rad"][:, 4]
    assert [float(row["position_rad.joint_05"]) for row in rows] == expected.tolist()
    assert parquet["position_rad.joint_05"].to_pylist() == expected.tolist()
    assert parquet.schema.field("effort_nm.joint_01").metadata == {b"unit": b"N m"}
    events = (folder.with_name("csv") / "events.csv").read_text().splitlines()
    assert events[0] == "time_s,kind,text" and len(events) == 1 + run.events.rows


def test_what_is_unknown_is_empty(tmp_path: Path) -> None:
    from boa_tools.export.table import write_csv

    write_csv(tmp_path / "x.csv", Table({"force_n": np.array([[1.5, np.nan], [np.nan, 2.0]])}))
    assert (tmp_path / "x.csv").read_text().splitlines() == ["force_n.0,force_n.1", "1.5,", ",2.0"]


@pytest.mark.parametrize("name", ["metrics.json", "run.json"])
def test_a_damaged_file_of_a_run_is_named(folder: Path, tmp_path: Path, name: str) -> None:
    damaged = tmp_path / "run"
    shutil.copytree(folder, damaged)
    (damaged / name).write_text('{"completed": tr')
    with pytest.raises(BoaError, match=f"{name}' is damaged; remove it"):
        boa_tools.load(damaged)
    (damaged / name).unlink()
    assert boa_tools.load(damaged).metrics["completed"] is True


def test_a_frame_is_one_of_pandas_where_that_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Table({"time_s": np.arange(2.0), "position_rad": np.zeros((2, 2))}, ("a", "b"))

    class DataFrame:
        def __init__(self, columns: dict[str, Any]) -> None:
            self.columns = list(columns)
            self.attrs: dict[str, Any] = {}

    pandas = ModuleType("pandas")
    pandas.DataFrame = DataFrame  # type: ignore[attr-defined]
    pandas.__spec__ = ModuleSpec("pandas", None)
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = table.frame()
    assert frame.columns == ["time_s", "position_rad.a", "position_rad.b"]
    assert frame.attrs["units"] == {"time_s": "s", "position_rad": "rad"}
    monkeypatch.setattr("boa_tools.export.table.find_spec", lambda _: None)
    with pytest.raises(BoaError, match="needs pandas"):
        table.frame()


def test_the_mujoco_model_of_a_robot_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    import mujoco

    main(["robots", "--mjcf", "boa13"])
    model = mujoco.MjModel.from_xml_string(capsys.readouterr().out)
    assert model.nu == 12 and model.jnt(0).type == mujoco.mjtJoint.mjJNT_FREE
