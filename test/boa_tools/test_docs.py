# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The manual mentions every command, every option of a run and every metric."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from boa_control.controllers import CONTROLLERS
from boa_control.controllers.hoal.parameters import Parameters, StartSettings
from boa_control.controllers.set_points import SetPointChange
from boa_control.experiments.scenario import Evaluation, InitialState, PlantSettings, Scenario
from boa_control.paths.settings import CirclePath, StraightPath, WaypointPath
from boa_description.scene import GroundFriction, Scene
from boa_tools.cli import COMMANDS, Parser, build_parser
from boa_tools.commands import ensemble, optimise, run, sweep
from boa_tools.ensembles.division import FIELDS, RUNS, division
from boa_tools.evaluation.columns import COLUMNS
from boa_tools.evaluation.metric_table import FURTHER, METRICS, SUMMARY
from boa_tools.sweeps.rows import NEEDED
from test.script import loaded

DOCS = Path(__file__).parents[2] / "docs"
TABLES = loaded(DOCS / "tables.py")


@pytest.mark.parametrize("name", TABLES.PAGES)
def test_the_tables_are_as_declared(name):
    """If not: python docs/tables.py."""
    page = (DOCS / name).read_text(encoding="utf-8")
    assert TABLES.filled(page, TABLES.PAGES[name]()) == page


def test_every_metric_is_defined_once():
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    for key in (*METRICS, *(f"extra.{key}" for key in FURTHER)):
        assert page.count(f"\n| `{key}` |") == 1, key


def test_the_columns_of_tables_of_runs_are_explained():
    rows = (DOCS / "metrics.md").read_text(encoding="utf-8").split("| column | metric |")[1]
    for column in COLUMNS:
        assert f"{column.name} ({column.unit})" in rows, column
        assert f"`{column.key}`" in rows or f"`extra.{column.key}`" in rows, column


@pytest.mark.parametrize("mark", ["<!-- travel: begin -->", "<!-- course: end -->"])
def test_a_page_without_marks_is_refused(mark):
    page = (DOCS / "metrics.md").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="must be in the page"):
        TABLES.filled(page.replace(mark, ""), TABLES.PAGES["metrics.md"]())


BLOCKS = (Scenario, InitialState, PlantSettings, Evaluation, CirclePath, StraightPath, WaypointPath)
KEYS = [
    name
    for block in (*BLOCKS, Scene, GroundFriction, Parameters, StartSettings, SetPointChange)
    for name in block.model_fields
]


@pytest.mark.parametrize("name", sorted(set(KEYS)))
def test_every_key_of_a_scenario_is_explained(name):
    """In a line of the list with its default, and words of its own or of its block."""
    assert f"\n- `{name}` (" in (DOCS / "scenario_keys.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CONTROLLERS)
def test_every_controller_is_explained(name):
    assert f"`{name}`" in (DOCS / "scenarios.md").read_text(encoding="utf-8")
    assert f"\n### Controller {name}\n" in (DOCS / "scenario_keys.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section(command):
    assert f"\n## boa {command}\n" in (DOCS / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [run, sweep, optimise, ensemble])
def test_every_option_of_a_run_and_of_many_is_explained(command):
    parser = Parser()
    command.configure(parser)
    name = command.__name__.rpartition(".")[2]
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    page = page.partition(f"\n## boa {name}\n")[2].partition("\n## ")[0]
    for action in parser._actions:
        for option in action.option_strings:
            assert option in ("-h", "--help") or f"`{option}" in page, option


def test_a_command_speaks_of_options_that_it_has():
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    for section in re.split(r"\n#{2,4} ", page)[1:]:
        has, named = (re.findall(rf"{mark}(--[a-z][\w-]*)", section) for mark in ("`", ""))
        assert {*named} <= {*has}, section.partition("\n")[0]


def test_every_column_of_a_sweep_is_explained():
    page = (DOCS / "sweeps.md").read_text(encoding="utf-8")
    for column in NEEDED:
        assert f"`{column}`" in page, column


@pytest.mark.parametrize("of", [RUNS, FIELDS])
def test_the_division_of_seeds_is_that_of_the_page(of):
    page = (DOCS / "ensembles.md").read_text(encoding="utf-8")
    spans = [f"{seeds[0]}-{seeds[-1]}" for seeds in division(of).kinds.values()]
    assert f"| {' | '.join(spans)} |" in page


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_be_configured(command):
    with pytest.raises(SystemExit) as end:
        build_parser(command).parse_args([command, "--help"])
    assert end.value.code == 0


def test_every_command_and_action_says_what_it_does():
    """`boa sensors monitor --help` did not."""
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"^#+ (boa .*)\n\n\n", page, re.MULTILINE) == []


def test_the_summary_shows_metrics_that_exist():
    assert set(SUMMARY) <= {*METRICS, *FURTHER}


@pytest.mark.parametrize("page", ["mathematics", "mathematics_thesis"])
def test_files_that_the_mathematics_names_exist(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)`", text)
    assert named
    assert [name for name in named if not (DOCS.parent / "boa_control" / name).is_file()] == []
