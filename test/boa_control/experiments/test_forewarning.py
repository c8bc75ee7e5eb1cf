# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is said before a run of set-points and a start that the servos do not carry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from boa_control.experiments.experiment import prepare
from boa_control.experiments.forewarning import forewarnings
from boa_control.experiments.library import load_scenario
from boa_control.planning.checks.along_path import PathScan
from boa_control.planning.checks.limits import preload_limit
from boa_tools.cli import main


def warned(name: str, **parameters: Any) -> tuple[str, ...]:
    scenario = load_scenario(name)
    changed = {**scenario.controller.parameters, **parameters}
    choice = scenario.controller.model_copy(update={"parameters": changed})
    return forewarnings(prepare(scenario.model_copy(update={"controller": choice})))


def test_a_force_that_no_place_of_the_path_can_carry_is_warned_of() -> None:
    """The force that is named is the largest that all contacts can carry at once anywhere."""
    (told,) = warned("boa_circle", force=5000.0)
    experiment = prepare(load_scenario("boa_circle"))
    assert experiment.path is not None
    scan = PathScan(experiment.path, experiment.robot, spacing=0.5 * experiment.robot.link.pitch)
    most = max(preload_limit(scan, sample) for sample in scan.samples)
    assert (
        f"force of 5000 N is more than all contacts can carry at once anywhere: {most:.1f} N"
        in (told)
    )


def test_a_speed_that_the_servos_do_not_manage_is_warned_of() -> None:
    (told,) = warned("boa_circle", speed=1.5, profile=0.0)
    assert "desired speed of 1.5 m/s is more than the servos manage" in told


def test_contacts_that_cannot_balance_the_robot_are_warned_of_also_at_its_start() -> None:
    """The rig of the thesis's fifth test has three posts within a body, four are needed."""
    start, path = warned("hoal_test_5")
    assert start.startswith("at its start, s = 0.000 m, no contact forces balance")
    assert "no contact forces balance the robot on 92% of the path" in path


@pytest.mark.parametrize("name", ["boa_circle", "boa_missing_post", "boa_duct"])
def test_sound_scenarios_and_those_without_a_path_are_not(name: str) -> None:
    assert warned(name) == ()


def test_boa_run_says_it_before_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "hard.yaml"
    file.write_text(
        "name: hard\nsummary: pressed hard\npath: {kind: circle, radius: 1.15, segments: 24, "
        "attack_angle: 0.5236, half_line: 0.13}\ncontroller: {name: hoal, parameters: {force: "
        "5000}}\nduration: 0.1\nevaluation: {settle: 0.0}\n"
    )
    main(["run", str(file), "--no-bag", "--no-report", "--out", str(tmp_path / "out")])
    assert "warning: the desired contact force of 5000 N" in capsys.readouterr().err
