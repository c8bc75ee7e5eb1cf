# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa plan path`: from a file of posts to a scenario that runs, and what is said without one."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.model.reference import ReferenceTable
from boa_control.planning.post_map import load_map
from boa_description.load import load_robot
from boa_description.scene import Wall
from boa_tools.cli import Parser, main
from boa_tools.commands import plan_bench, plan_field, plan_path
from test.boa_control.planning.hexagonal import hexagonal

MANUAL = Path(__file__).parents[3] / "docs" / "commands.md"


SMOOTH = ["--post-friction", "0", "--floor", "0"]  # room for friction takes 20 s to search


@pytest.fixture
def first_path(monkeypatch):
    """No better path than the first one is searched, which test_route has, and no post that would
    help, which test_helpful has.
    """
    settings_of = plan_path.settings_of
    first = {"refine": 0.0, "friction_seconds": 0.0, "helping": 0.0}
    monkeypatch.setattr(
        plan_path, "settings_of", lambda words: replace(settings_of(words), **first)
    )


def field(file: Path) -> Path:
    """A hexagonal grid of posts."""
    rows = [f"{x:.4f},{y:.4f},0.05" for x, y in hexagonal(0.32, 3.2, 1.3, 0.26)]
    file.write_text("\n".join(["x,y,radius", *rows]), encoding="utf-8")
    return file


@pytest.mark.usefixtures("first_path")
def test_a_field_becomes_a_scenario_and_a_picture(tmp_path, capsys):
    map_file = field(tmp_path / "field.csv")
    words = ["plan", "path", str(map_file), "--from", "0.3,0.5", "--to", "3.0,0.6"]
    assert main([*words, "--seconds", "600"]) == 0
    told = capsys.readouterr().out
    assert "form closure    first order 100.0%" in told and "posts carry" in told
    assert (tmp_path / "field_path.png").read_bytes().startswith(b"\x89PNG")
    scenario = str(tmp_path / "field_path.yaml")
    experiment = prepare(load_scenario(scenario))
    assert experiment.path is not None
    main(["plan", "check", scenario])
    checked = capsys.readouterr().out
    speed = next(line for line in told.splitlines() if line.startswith("speed "))
    assert speed in checked, "the same numbers as from the file"
    lay = next(line for line in checked.splitlines() if line.startswith("lay down "))
    assert lay.split(", the joints at ")[0] in told
    joints = lay.split(", the joints at ")[1].removesuffix(" deg, as it begins").split(", ")
    assert np.allclose(np.radians([*map(float, joints)]), experiment.start_joints, atol=0.01)
    posts = len(map_file.read_text(encoding="utf-8").splitlines()) - 1
    assert len(experiment.obstacles) == posts
    assert experiment.scenario.controller.name == "hoal"
    reference = ReferenceTable(experiment.path.curve, 13, 0.13)
    assert experiment.start_progress + experiment.scenario.distance < reference.extent[1]
    assert experiment.scenario.distance > 0.5


@pytest.mark.usefixtures("first_path")
def test_without_a_way_one_line_says_why(tmp_path, capsys):
    map_file = tmp_path / "few.yaml"
    map_file.write_text(
        "posts: [{x: 0.5, y: 0, radius: 0.05}, {x: 1, y: 0, radius: 0.05}]", encoding="utf-8"
    )
    out = tmp_path / "way.yaml"
    words = ["plan", "path", str(map_file), "--from", "0.3,0.2", "--to", "1.2,0.2"]
    assert main([*words, "--seconds", "5", "--out", str(out)]) == plan_path.NOT_FOUND
    told = capsys.readouterr().out
    assert told.startswith("no path: ") and told.count("\n") == 1
    assert not out.exists() and out.with_suffix(".png").exists()


def test_the_map_is_not_overwritten(tmp_path, capsys):
    map_file = field(tmp_path / "field.yaml")
    map_file.write_text("posts: [{x: 0, y: 0, radius: 0.05}]", encoding="utf-8")
    words = ["plan", "path", str(map_file), "--from", "0.3,0", "--to", "0.4,0"]
    assert main([*words, "--out", str(map_file)]) == 2
    assert "three files" in capsys.readouterr().err
    assert map_file.read_text(encoding="utf-8").startswith("posts:")


@pytest.mark.usefixtures("first_path")
def test_walls_and_a_robot_from_a_file_come_into_the_scenario(tmp_path, monkeypatch):
    shipped = files("boa_description") / "data" / "boa13.yaml"
    robot = tmp_path / "mine.yaml"
    robot.write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")
    rows = field(tmp_path / "field.csv").read_text(encoding="utf-8").splitlines()[1:]
    posts = [
        dict(zip(("x", "y", "radius"), map(float, row.split(",")), strict=True)) for row in rows
    ]
    wall = {"x1": -1.0, "y1": -1.0, "x2": 4.0, "y2": -1.0}
    map_file = tmp_path / "walled.yaml"
    map_file.write_text(yaml.safe_dump({"posts": posts, "walls": [wall]}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    words = ["plan", "path", "walled.yaml", "--from", "0.3,0.5", "--to", "3.0,0.6"]
    assert main([*words, *SMOOTH, "--seconds", "600", "--robot", "./mine.yaml"]) == 0
    monkeypatch.chdir("/")
    experiment = prepare(load_scenario(str(tmp_path / "walled_path.yaml")))
    assert experiment.scenario.robot.name == str(robot)
    assert len(experiment.obstacles) == len(posts) + 1
    assert isinstance(experiment.obstacles[-1], Wall)


def test_the_manual_has_every_option():
    parser = Parser()
    plan_path.configure(parser)
    text = MANUAL.read_text(encoding="utf-8")
    options = [name for action in parser._actions for name in action.option_strings]
    for option in options:
        assert option in ("-h", "--help") or f"`{option}" in text, option


@pytest.mark.parametrize("text", ["1", "1,2,3,4", "a,b", "nan,0", "1,inf"])
def test_a_place_is_two_or_three_numbers(text):
    import argparse

    with pytest.raises(argparse.ArgumentTypeError, match="X,Y"):
        plan_path.place(text)


def test_a_place_may_begin_with_a_minus():
    parser = Parser()
    plan_path.configure(parser)
    read = parser.parse_args(["map.yaml", "--from", "-0.3,1.2", "--to", "-.5,-1,0.1"])
    assert read.start == (-0.3, 1.2, None)
    assert read.goals == [(-0.5, -1.0, 0.1)]


def test_a_field_is_made_and_crossed(tmp_path, capsys):
    map_file = tmp_path / "grid.yaml"
    size = ["--kind", "hexagonal", "--least-distance", "0.32", "--turn", "15", "--height", "1.6"]
    assert main(["plan", "field", *size, "--width", "3.6", "--out", str(map_file)]) == 0
    posts = load_map(map_file)
    assert f"{len(posts.posts)} posts" in capsys.readouterr().out
    words = [*size, "--width", "3.6", "--seeds", "1-1", "--seconds", "600", *SMOOTH]
    assert main(["plan", "bench", *words]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith(f"seed 1: {len(posts.posts)} posts") and "closure 100.0%" in told[0]
    assert told[-1].startswith("1 of 1 found")


@pytest.mark.parametrize("command", [plan_field, plan_bench])
def test_the_manual_has_the_options_of_fields(command):
    parser = Parser()
    command.configure(parser)
    text = MANUAL.read_text(encoding="utf-8")
    for option in (name for action in parser._actions for name in action.option_strings):
        assert option in ("-h", "--help") or f"`{option}" in text, option


def test_friction_is_known_or_lies_between_two_coefficients():
    assert plan_path.friction("0.2") == (0.2, 0.2)
    assert plan_path.friction("0,0.3") == (0.0, 0.3)


@pytest.mark.parametrize("text", ["-0.1", "2.5", "nan", "much", "0.3,0.1", "0,0.1,0.2", "0,2.5"])
def test_what_is_no_friction_is_refused(text):
    import argparse

    with pytest.raises(
        argparse.ArgumentTypeError, match=r"from 0 to 2|is not a number|no friction"
    ):
        plan_path.friction(text)


def test_a_path_as_short_as_the_body_is_said_to_lead_nowhere():
    robot = load_robot("boa13")
    found = SimpleNamespace(
        length=robot.links * robot.link.pitch + 0.06,
        closed=False,
        contacts=(),
        effective_mass=10.0,
    )
    experiment = SimpleNamespace(robot=robot, start_base=np.zeros(3))
    report = SimpleNamespace(
        closure=SimpleNamespace(margin=np.array([0.3])), lines=lambda **_: ("path",)
    )
    route = SimpleNamespace(found=found, seconds=1.0)
    told = plan_path._told(route, report, 0.5, SimpleNamespace(name=str), experiment)
    assert any("nothing to travel" in line for line in told)
    assert told[0].startswith("found           after 0.5 s, better ones until 1.0 s; 0 posts")
    found.length += 1.0
    told = plan_path._told(route, report, 1.0, None, experiment)
    assert any("up to 1.01 m further on" in line for line in told)
