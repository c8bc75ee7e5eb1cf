# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa controllers`, and runs with a controller from a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from boa_control.controllers import CONTROLLERS
from boa_control.experiments.library import load_members, load_scenario
from boa_tools.cli import main

LIMP = '''
from boa_control.controller import ControlOutput
from boa_description.robot import Block


class Limp:
    """Damps the joints."""

    class Parameters(Block):
        kd: float = 0.5

    def __init__(self, briefing, parameters):
        self.kd = parameters.kd

    def reset(self):
        pass

    def step(self, frame):
        return ControlOutput(-self.kd * (frame.velocity + 1.0))
'''
SCENARIO = """
name: limp
summary: test
robot: {name: boa13, links: 3}
initial: {base: [0.0, 0.0, 0.0]}
controller: {name: "./limp.py:Limp", parameters: {kd: 0.25}}
evaluation: {settle: 0.0}
duration: 0.1
"""
SET = """
name: limps
summary: test
set:
  base: ./limp.yaml
  vary:
    damping:
      low: {}
      high: {controller: {name: "limp.py:Limp", parameters: {kd: 1.0}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "limp.py").write_text(LIMP)
    (mine / "limp.yaml").write_text(SCENARIO)
    (mine / "set.yaml").write_text(SET)
    return mine


def test_all_controllers_are_listed_with_origin_summary_and_parameters(capsys) -> None:
    assert main(["controllers"]) == 0
    out = capsys.readouterr().out
    for name in CONTROLLERS:
        assert f"\n{name} " in f"\n{out}"
    assert re.search(r"^joint_pd +boa  tau_i = K_P", out, re.MULTILINE)
    assert "parameters: kp, kd, torque_limit, gait" in out


def test_one_controller_is_shown_with_its_parameters(folder: Path, capsys) -> None:
    assert main(["controllers", "joint_pd"]) == 0
    assert "kd            1.0    N m s" in capsys.readouterr().out
    assert main(["controllers", f"{folder}/limp.py:Limp"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Damps the joints.\n") and str(folder / "limp.py") in out


def test_a_file_beside_the_scenario_is_found_from_anywhere(folder: Path, monkeypatch) -> None:
    monkeypatch.chdir("/")
    there = f"{folder / 'limp.py'}:Limp"
    assert load_scenario(str(folder / "limp.yaml")).controller.name == there
    _, members = load_members(str(folder / "set.yaml"))
    assert [member.scenario.controller.name for member in members] == [there, there]


def test_a_results_folder_repeats_the_run_after_the_file_has_changed(
    folder: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "mine/limp.yaml", "--out", "first", "--no-report"]) == 0
    (folder / "limp.py").write_text(LIMP.replace("1.0", "2.0"))
    (tmp_path / "first").rename(tmp_path / "moved")
    monkeypatch.chdir("/")
    moved = str(tmp_path / "moved")
    assert main(["bag", "replay", moved]) == 2
    assert "names the code" in (said := capsys.readouterr().err) and "say --trust" in said
    assert main(["bag", "replay", moved, "--trust"]) == 0
    assert "largest difference 0 N m" in capsys.readouterr().out
    assert main(["run", f"{moved}/scenario.yaml", "--out", f"{moved}/again", "--no-report"]) == 0
    assert json.loads((tmp_path / "moved" / "again" / "metrics.json").read_text())["completed"]
    # a bag taken out of its folder names the file where it was run from: other torques by now
    (tmp_path / "moved" / "bag").rename(tmp_path / "alone")
    assert main(["bag", "replay", str(tmp_path / "alone")]) == 2
    assert main(["bag", "replay", str(tmp_path / "alone"), "--trust"]) == 1


def test_code_outside_of_the_scenarios_folder_is_run_only_when_the_user_says_so(
    folder: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    """The file leaves a trace when it is run."""
    monkeypatch.chdir(tmp_path)
    trace = tmp_path / "trace"
    (tmp_path / "limp.py").write_text(LIMP + f"\nopen({str(trace)!r}, 'w').close()\n")
    (folder / "limp.yaml").write_text(SCENARIO.replace("./limp.py", "../limp.py"))
    command = ["run", "mine/limp.yaml", "--out", "first", "--no-report", "--no-bag"]
    assert main(command) == 2 and not trace.exists()
    assert "names code outside of its folder" in capsys.readouterr().err
    assert main([*command, "--trust"]) == 0 and trace.exists()


def test_who_only_reads_a_recording_runs_no_code_of_it(
    folder: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trace = tmp_path / "trace"
    (folder / "limp.py").write_text(LIMP + f"\nopen({str(trace)!r}, 'w').close()\n")
    assert main(["run", "mine/limp.yaml", "--out", "first", "--no-report"]) == 0
    trace.unlink()
    for command in (["report", "first"], ["export", "first", "--csv"], ["bag", "info", "first"]):
        assert main(command) == 0
    assert not trace.exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("./gone.py:Limp", "controller file '{}/gone.py' does not exist"),
        ("./limp.py", "'./limp.py' does not say which class"),
        ("./limp.py:Lamp", "unknown class 'Lamp'; did you mean 'Limp'?"),
        ("./limp.py:Block", "class Block in '{}/limp.py' has no step"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(
    name: str, said: str, folder: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    (folder / "limp.yaml").write_text(SCENARIO.replace("./limp.py:Limp", name))
    assert main(["run", "mine/limp.yaml", "--out", "first"]) == 2
    error = capsys.readouterr().err
    assert said.format(folder) in error and error.count("\n") == 1
    assert not (tmp_path / "first").exists()


def test_parameters_that_are_no_model_are_refused(folder: Path, monkeypatch, capsys) -> None:
    (folder / "limp.py").write_text(LIMP.replace("(Block)", ""))
    assert main(["controllers", f"{folder}/limp.py:Limp"]) == 2
    assert "Parameters are no pydantic model" in capsys.readouterr().err


def test_parameters_of_a_block_are_listed_by_their_place_in_the_scenario(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["controllers", "hoal"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]]
    assert {"speed", "start.tolerance", "start.heading_std"} <= set(listed)
    assert "start" not in listed
