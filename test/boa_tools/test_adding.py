# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/adding.md and of the tutorials run, and pass the linter."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
import yaml

from boa_control.controllers import checked_parameters, controller_class
from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_members, load_scenario
from boa_control.experiments.scenario import Scenario
from boa_control.experiments.scenario_set import merged
from boa_control.optimisation.compiled_solver import solver
from boa_control.optimisation.contact_qp import Weights
from boa_description.load import load_robot
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import METRICS, value_of
from boa_tools.report.style import png, styled
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog
from test.boa_control.optimisation.zigzag import problem
from test.script import loaded

ROOT = Path(__file__).parents[2]
TABLES = loaded(ROOT / "docs" / "tables.py")
PAGES = ("adding", "tutorial_controller", "tutorial_comparing", "tutorial_bags")
PAGE = "\n".join((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in PAGES)
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
FILES = {
    head.removeprefix("# "): body
    for language, text in BLOCKS
    for head, _, body in (text.partition("\n"),)
    if language in ("python", "yaml") and re.fullmatch(r"# [\w/]+\.(py|yaml)", head)
}
PYTHON = sorted(name for name in FILES if name.endswith(".py"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """All files of the page, as a reader would write them."""
    for name, body in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(body, encoding="utf-8")
    return tmp_path


def test_every_python_and_yaml_example_has_a_file_name() -> None:
    named = [language for language, _ in BLOCKS if language in ("python", "yaml")]
    assert len(named) == len(FILES) and PYTHON


@pytest.mark.parametrize("name", PYTHON)
def test_examples_pass_the_linter(name: str, folder: Path) -> None:
    for words in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        command = [sys.executable, "-m", "ruff", *words, "--config", ROOT / "pyproject.toml"]
        done = subprocess.run(
            [*command, folder / name], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def swum(experiment: Experiment) -> RunLog:
    result = run_experiment(experiment)
    assert result.log.ticks == round(experiment.scenario.duration / experiment.control_period)
    return result.log


def distance(log: RunLog) -> float:
    assert log.truth is not None
    travelled: float = np.hypot(*(log.truth.base[-1] - log.truth.base[0])[:2])
    return travelled


def test_the_controller_makes_the_robot_travel(folder: Path) -> None:
    log = swum(prepare(load_scenario(str(folder / "swim.yaml"))))
    assert distance(log) > 0.3
    assert np.ptp(log.position, axis=0).min() > 0.3  # every joint swings


def test_the_robot_is_another_one_and_travels(folder: Path) -> None:
    shipped = ROOT / "boa_description" / "data" / "boa13.yaml"
    changes = yaml.safe_load(FILES["short_boa.yaml"])
    whole = merged(yaml.safe_load(shipped.read_text(encoding="utf-8")), changes)
    (folder / "short_boa.yaml").write_text(yaml.safe_dump(whole), encoding="utf-8")
    data = yaml.safe_load(FILES["swim.yaml"]) | {"robot": {"name": "./short_boa.yaml"}}
    (folder / "swim.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    experiment = prepare(load_scenario(str(folder / "swim.yaml")))
    assert experiment.robot.links == 9
    assert experiment.robot.mass == pytest.approx(9 * 1.2)
    assert experiment.robot.mass < load_robot("boa13", links=9).mass
    assert distance(swum(experiment)) > 0.3


def test_the_engine_moves_the_joints_as_it_says(folder: Path) -> None:
    data = yaml.safe_load(FILES["swim.yaml"]) | {"plant": {"engine": "./honey.py:Honey"}}
    del data["scene"]
    (folder / "swim.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    log = swum(prepare(load_scenario(str(folder / "swim.yaml"))))
    assert log.truth is not None and distance(log) == 0.0
    moved = np.diff(log.truth.joint_position, axis=0)
    np.testing.assert_allclose(moved, log.truth.joint_velocity[1:] * 0.002, atol=1e-12)
    assert np.ptp(log.truth.joint_position, axis=0).min() > 0.3


def test_the_set_has_four_members_that_can_be_run(folder: Path) -> None:
    _, members = load_members(str(folder / "floors_and_speeds.yaml"))
    assert [member.folder for member in members] == [
        "slow-smooth",
        "slow-rough",
        "fast-smooth",
        "fast-rough",
    ]
    for member in members:
        prepare(member.scenario)
        checked_parameters(member.scenario.controller.name, member.scenario.controller.parameters)


def test_the_controller_of_an_installed_package_has_a_plain_name(folder: Path, monkeypatch) -> None:
    (toml,) = [text for language, text in BLOCKS if language == "toml"]
    ((group, offers),) = tomllib.loads(toml)["project"]["entry-points"].items()
    package = folder / "my_snake"
    package.mkdir()
    (package / "__init__.py").touch()
    (folder / "swim.py").rename(package / "swim.py")
    info = folder / "my_snake-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-snake\nVersion: 1.2\n")
    lines = [f"{name} = {target}" for name, target in offers.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))
    monkeypatch.syspath_prepend(folder)
    assert controller_class("swim").__module__ == "my_snake.swim"


@pytest.fixture(scope="module")
def short_run() -> Analysis:
    scenario = yaml.safe_load(FILES["swim.yaml"]) | {"duration": 1.0}
    scenario["controller"] = {"name": "joint_pd", "parameters": {"gait": {"kind": "wave"}}}
    experiment = prepare(Scenario.model_validate(scenario))
    return Analysis(run_experiment(experiment).log, experiment)


def test_the_metric_is_computed_and_documented(folder: Path, short_run: Analysis) -> None:
    metric = runpy.run_path(str(folder / "measured_peak.py"))["largest_angle"]
    largest = np.abs(short_run.log.truth.joint_position[short_run.window]).max()
    assert value_of(metric, short_run) == pytest.approx(largest) and largest > 0.1
    assert TABLES.metric_row(metric) == (
        "| `extra.joint_angle_peak_rad` | deg | the largest angle of any joint |"
    )
    assert metric.key not in METRICS


def test_the_plot_shows_every_joint(folder: Path, short_run: Analysis) -> None:
    plot = runpy.run_path(str(folder / "angles.py"))["PLOT"]
    with styled():
        figure = plot.draw(short_run)
        assert png(figure).startswith(b"\x89PNG")
    assert len(figure.axes[0].lines) == short_run.log.joints


def test_the_limit_of_the_qp_holds(folder: Path) -> None:
    """Forces of 5 N are desired."""
    gentle = runpy.run_path(str(folder / "gentle.py"))["Gentle"](4.0)
    free, limited = (solver(Weights(), limits=own).solve(problem(0)) for own in ((), (gentle,)))
    assert free.lam.max() > 4.5
    assert limited.solved and limited.lam.max() < 4.01
