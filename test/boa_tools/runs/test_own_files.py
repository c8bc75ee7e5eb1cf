# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Engines, controllers, robots and gearboxes in files beside the scenario: found from anywhere, and
kept with the run.
"""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copyfile

import pytest

from boa_control.experiments.experiment import chosen_robot
from boa_control.experiments.library import load_members, load_scenario
from boa_description.errors import BoaError
from boa_tools.cli import main

DATA = Path(__file__).parents[3] / "boa_description" / "data"
CHAIN = Path(__file__).parents[2] / "engines" / "planar_chain.py"
SCENARIO = """
name: free
summary: test
robot: {name: boa13, links: 3}
initial: {base: [0.0, 0.0, 0.0]}
plant: {engine: "./chain.py:ChainWorld"}
controller: {name: constant}
evaluation: {settle: 0.0}
duration: 0.1
"""
SET = """
name: frees
summary: test
set:
  base: ./free.yaml
  vary:
    engine:
      chain: {}
      soft: {plant: {engine: mujoco}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    mine = tmp_path / "mine"
    mine.mkdir()
    copyfile(CHAIN, mine / "chain.py")
    (mine / "free.yaml").write_text(SCENARIO)
    (mine / "set.yaml").write_text(SET)
    return mine


def test_an_engine_beside_the_scenario_is_found_from_anywhere(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir("/")
    there = f"{folder / 'chain.py'}:ChainWorld"
    assert load_scenario(str(folder / "free.yaml")).plant.engine == there
    _, members = load_members(str(folder / "set.yaml"))
    assert [member.scenario.plant.engine for member in members] == [there, "mujoco"]


def test_a_results_folder_keeps_the_engine_of_its_run(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir("/")
    first = folder.parent / "first"
    assert main(["run", f"{folder}/free.yaml", "--out", str(first), "--no-report"]) == 0
    (folder / "chain.py").unlink()
    assert (first / "chain.py").read_bytes() == CHAIN.read_bytes()
    assert main(["run", f"{first}/scenario.yaml", "--out", f"{first}/again", "--no-report"]) == 0


def test_a_robot_and_gearboxes_beside_the_scenario_are_found_and_kept_likewise(
    folder: Path, monkeypatch
) -> None:
    copyfile(DATA / "boa13.yaml", folder / "mine.yaml")
    copyfile(DATA / "gearboxes" / "g20.yaml", folder / "lossy.yaml")
    own = SCENARIO.replace("name: boa13", "name: mine.yaml").replace(
        'engine: "./chain.py:ChainWorld"', "effects: {gearbox: {model: ./lossy.yaml}}"
    )
    (folder / "own.yaml").write_text(own)
    monkeypatch.chdir("/")
    first = folder.parent / "first"
    assert main(["run", f"{folder}/own.yaml", "--out", str(first), "--no-report"]) == 0
    for name in ("mine.yaml", "lossy.yaml"):
        (folder / name).unlink()
        assert (first / name).is_file()
    assert main(["run", f"{first}/scenario.yaml", "--out", f"{first}/again", "--no-report"]) == 0


def test_gearboxes_beside_a_robot_are_found_and_kept_with_it(folder: Path, monkeypatch) -> None:
    """The robot's file names them; they once were sought where the command was typed."""
    text = (DATA / "boa13.yaml").read_text("utf-8")
    (folder / "mine.yaml").write_text(text.replace("model: g20", "model: ./lossy.yaml"))
    copyfile(DATA / "gearboxes" / "g20.yaml", folder / "lossy.yaml")
    own = SCENARIO.replace("name: boa13", "name: mine.yaml")
    (folder / "free.yaml").write_text(own.replace('engine: "./chain.py:ChainWorld"', "effects: {}"))
    monkeypatch.chdir("/")
    assert main(["run", f"{folder}/free.yaml", "--out", f"{folder}/first", "--no-report"]) == 0
    moved = (folder / "first").rename(folder.parent / "moved")
    (folder / "lossy.yaml").unlink()
    robot = chosen_robot(load_scenario(str(moved / "scenario.yaml")))
    assert Path(robot.actuator.gearbox.model) == moved / "lossy.yaml"


@pytest.mark.parametrize("block", ['engine: "./gone.py:World"', "effects: {gearbox: gone.yaml}"])
def test_a_file_that_is_not_there_is_named(folder: Path, capsys, block: str) -> None:
    """As the reason, not as a full disk; nothing remains of the run."""
    scenario = SCENARIO.replace('engine: "./chain.py:ChainWorld"', block)
    (folder / "free.yaml").write_text(scenario)
    assert main(["run", f"{folder}/free.yaml", "--out", f"{folder}/out"]) == 2
    assert re.search(r"names '.*gone\.(py|yaml)', which is no file", capsys.readouterr().err)
    assert not list(folder.glob("out*"))


def test_two_files_of_one_name_are_refused(folder: Path) -> None:
    other = SCENARIO.replace("name: constant", 'name: "./other/chain.py:Limp"')
    (folder / "two.yaml").write_text(other)
    with pytest.raises(BoaError, match=r"two files 'chain\.py' in different folders"):
        load_scenario(str(folder / "two.yaml"))


def test_a_file_without_a_class_is_refused(folder: Path) -> None:
    (folder / "no.yaml").write_text(SCENARIO.replace(":ChainWorld", ""))
    with pytest.raises(BoaError, match=r"'\./chain\.py' does not say which class"):
        load_scenario(str(folder / "no.yaml"))
