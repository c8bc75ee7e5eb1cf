# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa plan bench`: fields, counts, and the set that travels the paths."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from boa_control.experiments.library import load_members
from boa_control.experiments.planned import TravelSettings
from boa_control.experiments.scenario_set import Member, ScenarioSet, members
from boa_control.planning.post_map import PostMap
from boa_control.planning.route import RouteSettings
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_tools.bench import planning
from boa_tools.bench.planning import Crossing, cross, travel_set
from boa_tools.cli import main
from boa_tools.commands import plan_bench, plan_field
from boa_tools.sweeps import compare

GRID = ["--kind", "hexagonal", "--least-distance", "0.32", "--turn", "15"]
SMOOTH = ["--post-friction", "0", "--floor", "0"]  # room for friction takes 20 s to search
CROSSINGS: dict[str, Crossing] = {}
SMALL = ["--width", "3.6", "--height", "1.6", "--seconds", "600", *SMOOTH]


@pytest.fixture(autouse=True)
def crossed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same field is searched once, with the same settings."""
    monkeypatch.setattr(planning, "cross", crossing_of)


def crossing_of(posts: PostMap, robot: Robot, settings: RouteSettings) -> Crossing:
    key = repr((posts.posts, robot.name, settings))
    if key not in CROSSINGS:
        CROSSINGS[key] = cross(posts, robot, settings)
    return CROSSINGS[key]


def test_found_paths_become_a_set_that_keeps_what_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "travel.yaml"
    words = ["plan", "bench", *GRID, *SMALL, "--post-friction", "0.02", "--out", str(out)]
    assert main(words) == 0
    assert "1 of 1 found" in capsys.readouterr().out
    _, (member,) = load_members(str(out))
    assert member.labels == ("seed_0",)
    scenario = member.scenario
    assert scenario.scene.contact.friction == 0.02
    assert scenario.path is not None
    assert scenario.path.kind == "segments"
    assert scenario.controller.parameters["floor_share"] == 0.25
    assert scenario.controller.parameters["error_filter"] == 0.005

    chosen = yaml.safe_load(out.read_text())
    chosen["set"]["change"] = {
        "plant": {"control_rate": 200},
        "controller": {"parameters": {"speed_gain": 4.0, "floor_share": 0.5}},
    }
    out.write_text(yaml.safe_dump(chosen))
    _, (changed,) = load_members(str(out))
    assert changed.scenario.plant.control_rate == 200
    assert changed.scenario.controller.parameters == scenario.controller.parameters | {
        "speed_gain": 4.0,
        "floor_share": 0.5,
    }
    assert changed.scenario.path == scenario.path


def test_posts_off_their_places_are_planned_for_and_simulated(tmp_path: Path) -> None:
    out = tmp_path / "off.yaml"
    assert main(["plan", "bench", *GRID, *SMALL, "--posts-off", "0.005", "--out", str(out)]) == 0
    _, (member,) = load_members(str(out))
    scenario = member.scenario
    assert scenario.disturbance.obstacle_offset == 0.005
    assert scenario.disturbance.initial_head_error == 0.005
    parameters = scenario.controller.parameters
    assert parameters["map_error"] == pytest.approx(0.005 / 2**0.5, rel=0.02)
    assert parameters["joint_force"] == pytest.approx(35.0)
    assert parameters["speed"] == pytest.approx(0.06)


def test_fields_are_named_by_their_kind() -> None:
    assert list(plan_bench.field_seeds("judging:3")) == [900, 901, 902]
    assert list(plan_bench.field_seeds("200-202")) == [200, 201, 202]
    with pytest.raises(argparse.ArgumentTypeError, match="KIND is tuning or judging"):
        plan_bench.field_seeds("judgin")


def test_found_paths_are_travelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    travelled: list[Sequence[Member]] = []

    def record(chosen: ScenarioSet, members: Sequence[Member], *_: object) -> int:
        travelled.append(members)
        return 3

    monkeypatch.setattr(compare, "run_set", record)
    out = tmp_path / "travel.yaml"
    words = ["plan", "bench", *GRID, *SMALL, "--post-friction", "0.02", "--datasheet"]
    words += ["--out", str(out), "--travel"]
    assert main(words) == 3
    assert "travel them" not in capsys.readouterr().out  # it is done
    ((member,),) = travelled
    assert member.scenario.plant.control_rate == 200
    assert member.scenario.controller.parameters["stiffness"] == 50
    assert member.scenario.evaluation.settle == 4.0


def test_posts_that_could_change_places_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "bench", *GRID, *SMALL, "--map-error", "0.001", "--posts-off", "5"]) == 2
    assert "give less than half of --least-distance, 0.32 m" in capsys.readouterr().err


def test_what_is_travelled_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "bench", *GRID, *SMALL, "--travel"]) != 0
    assert "--out" in capsys.readouterr().err


def test_without_a_path_no_set_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "travel.yaml"
    sparse = ["--least-distance", "1.5", "--seconds", "5"]
    assert main(["plan", "bench", *sparse, "--out", str(out)]) == 0
    assert "0 of 1 found" in capsys.readouterr().out
    assert not out.exists()


def test_ctrl_c_keeps_the_fields_until_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[PostMap] = []

    def stopped(posts: PostMap, robot: Robot, settings: RouteSettings) -> Crossing:
        seen.append(posts)
        crossing = crossing_of(posts, robot, settings)
        search = replace(crossing.search, interrupted=len(seen) > 1)
        return replace(crossing, search=search)

    monkeypatch.setattr(planning, "cross", stopped)
    out = tmp_path / "travel.yaml"
    words = ["plan", "bench", *GRID, *SMALL, "--post-friction", "0.02", "--seeds", "3"]
    assert main([*words, "--out", str(out), "--travel"]) == 130
    assert "has the fields until then" in capsys.readouterr().err
    assert len(seen) == 2
    _, (member,) = load_members(str(out))
    assert member.labels == ("seed_0",)


def test_members_keep_what_only_their_own_path_lowers() -> None:
    robot = load_robot("boa13")
    words = argparse.ArgumentParser()
    plan_field.describe(words)
    field = plan_field.field_of(words.parse_args([*GRID, *SMALL[:4]]), 0)
    crossing = cross(field, robot, RouteSettings(seconds=600.0))
    route = crossing.search.route
    assert route is not None
    limits = route.report.limits
    weak = replace(limits, speed=0.05 + 0.0 * limits.speed, preload=1.0 + 0.0 * limits.preload)
    slower = replace(route, report=replace(route.report, limits=weak))
    crossings: dict[int, Crossing] = {
        3: replace(crossing, search=replace(crossing.search, route=slower)),
        4: crossing,
    }
    base, chosen = travel_set("grids", crossings, robot, TravelSettings())
    chosen["set"]["change"] = {"controller": {"parameters": {"force": 6.0, "speed": 0.08}}}
    slow, quick = (
        one.scenario.controller.parameters
        for one in members(ScenarioSet.model_validate(chosen), base)
    )
    assert (slow["speed"], slow["force_floor"], slow["force"]) == (0.045, 0.9, 6.0)
    assert (quick["speed"], quick["force"]) == (0.08, 6.0)
    assert quick["force_floor"] == base.controller.parameters["force_floor"] > 0.9
