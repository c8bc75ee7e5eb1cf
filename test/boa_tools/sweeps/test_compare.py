# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A set from the command line to its page; how members are said to have ended."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sweep_fakes import finished

from boa_control.experiments.library import load_members
from boa_tools.cli import main
from boa_tools.evaluation.columns import COLUMNS
from boa_tools.evaluation.definitions.travel import left_path_after
from boa_tools.evaluation.path_projection import Projection
from boa_tools.evaluation.verdict import outcome, verdict
from boa_tools.report.comparison import spread_of
from boa_tools.report.set_spread import bars
from boa_tools.sweeps import compare
from boa_tools.sweeps.compare import table, write_comparison

pytestmark = pytest.mark.closed_loop

CHOSEN, MEMBERS = load_members("compare_controllers")


def values(**changes):
    found = {"completed": True, "ended": "distance", "path_progress_m": 1.4, "contacts_mean": 5.2}
    found["extra"] = {"left_path_after_m": None}
    found["extra"] |= {column.key: 0.05 for column in COLUMNS if column.key != "path_progress_m"}
    found["extra"]["contact_lost_fraction"] = changes.pop("lost", 0.0)
    found |= {key: value for key, value in changes.items() if key != "left"}
    if "left" in changes:
        found["extra"]["left_path_after_m"] = changes["left"]
    return found


FAULT = "fault: joint_force: joint_07: joint force 79.7 N, limit 50.0 N; unload the joint"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (values(), "completed"),
        (values(lost=0.59), "completed, but contacts lost 59 % of the time"),
        (
            values(completed=False, ended="duration", path_progress_m=0.314),
            "ended by its time after 0.31 m",
        ),
        (values(completed=True, ended="duration"), "ran its time"),
        (values(completed=False, ended="stalled"), "not completed: stalled after 1.40 m"),
        (values(completed=False, ended="duration", left=0.8), "left the path after 0.80 m"),
        (values(completed=True, left=0.8), "left the path after 0.80 m"),
        (
            values(completed=False, ended=FAULT, path_progress_m=1.29),
            "stopped by a fault (joint_force: joint_07: joint force 79.7 N, limit 50.0 N) "
            "after 1.29 m",
        ),
        (
            values(completed=False, ended=FAULT, path_progress_m=1.29, left=0.8),
            "stopped by a fault (joint_force: joint_07: joint force 79.7 N, limit 50.0 N) "
            "after 1.29 m; left the path after 0.80 m",
        ),
    ],
)
def test_outcomes(found, said):
    assert outcome(found) == said


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (values(), "completed"),
        (values(lost=0.004), "completed"),
        (values(lost=None), "completed"),
        (values(lost=None, contacts_mean=0.0), "completed, but no post was touched"),
        (values(lost=None, contacts_mean=0.0, path_progress_m=None), "completed"),  # without a path
        (
            values(left=0.314, lost=1.0),
            "completed, but left the path after 0.31 m; contacts lost 100 % of the time",
        ),
        (values(completed=False), "not completed"),
        (values(completed=False, left=0.314), "not completed: left the path after 0.31 m"),
    ],
)
def test_a_run_that_lost_its_path_or_its_posts_is_not_just_completed(found, said):
    assert verdict(found) == said


def test_every_number_has_a_chart_and_what_has_no_bar_has_a_word():
    """A missing number is a dash, a bar too low to be seen says its number, all others are bars of
    the right height.
    """
    found = {member.folder: values() for member in MEMBERS}
    found["pd-exact"]["extra"]["form_closure_fraction"] = 0.0
    found["thesis-exact"]["extra"]["form_closure_fraction"] = None
    found["hoal-exact"]["extra"]["form_closure_fraction"] = 1.0
    found["hoal-5mm_off"]["extra"]["form_closure_fraction"] = 0.002
    shown = [axes for axes in bars(spread_of(CHOSEN, MEMBERS, found)).axes if axes.get_visible()]
    charts = {axes.get_title(): axes for axes in shown}
    assert list(charts) == [column.title for column in COLUMNS]
    closure = charts["closure (%)"]
    assert sorted(text.get_text() for text in closure.texts) == ["0", "0.2", "–"]
    assert sorted(bar.get_height() for bar in closure.patches) == pytest.approx([5.0] * 6 + [100.0])


def test_table_and_page_have_every_member(tmp_path: Path):
    found = {member.folder: values() for member in MEMBERS}
    found["thesis-exact"] = values(
        completed=False, ended="duration", left=0.8, force_error_relative=None
    )
    found["thesis-exact"]["extra"]["force_error_relative"] = None
    lines = table(MEMBERS, found).splitlines()
    assert [line.split()[0] for line in lines[1:]] == [member.folder for member in MEMBERS]
    assert all(column.heading in lines[0] for column in COLUMNS)
    write_comparison(tmp_path, CHOSEN, MEMBERS, found, ("svg",))
    assert {path.name for path in (tmp_path / "plots").iterdir()} == {"bars.png", "bars.svg"}
    page = (tmp_path / "report.html").read_text()
    assert page.count("<tr>") == 1 + len(MEMBERS) and "left the path after 0.80 m" in page
    # what matters most comes first
    assert page.index(">outcome</th>") < page.index(">progress<small>m</small>")
    assert "data:image/png;base64," in page
    record = json.loads((tmp_path / "comparison.json").read_text())
    assert [row["folder"] for row in record["members"]] == [member.folder for member in MEMBERS]
    thesis = record["members"][6]
    assert thesis["labels"] == ["thesis", "exact"] and thesis["force_error_relative"] is None


SET = """
name: two
summary: "Two forces"
set:
  base: boa_circle
  change: {duration: 0.2, distance: null, evaluation: {settle: 0.0}}
  vary: {force: {weak: {controller: {parameters: {force: 3.0}}}, strong: {}}}
"""


def test_a_set_is_run_by_boa_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, out = tmp_path / "two.yaml", tmp_path / "out"
    file.write_text(SET)
    assert main(["run", str(file), "--jobs", "1", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "weak" in printed and "strong" in printed and str(out / "comparison.json") in printed
    for folder in ("weak", "strong"):
        assert json.loads((out / folder / "metrics.json").read_text())[
            "duration_s"
        ] == pytest.approx(0.2)
        assert (out / folder / "scenario.yaml").is_file()
    assert sorted(path.name for path in out.iterdir()) == [
        "comparison.json",
        "plots",
        "report.html",
        "strong",
        "weak",
    ]


def test_members_that_had_ended_are_compared_when_the_rest_is_broken_off(
    tmp_path, monkeypatch, capsys
):
    def one(tasks, *_):
        weak, strong = (task.folder for task in tasks)
        weak.mkdir()
        strong.mkdir()
        (strong / "scenario.yaml").write_text("of a run that was killed")
        return {"weak": finished(**values())}, False

    monkeypatch.setattr(compare, "gather", one)
    file, out = tmp_path / "two.yaml", tmp_path / "out"
    file.write_text(SET)
    assert main(["run", str(file), "--out", str(out)]) == 1
    assert "weak" in capsys.readouterr().out
    assert sorted(path.name for path in out.iterdir()) == [
        "comparison.json",
        "plots",
        "report.html",
        "weak",
    ]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--seeds", "3", "--seed", "1"], "--seed means nothing"),
        (["--video"], "--video means nothing"),
    ],
)
def test_options_that_make_no_sense_for_a_set(words, complaint, tmp_path, capsys):
    assert main(["run", "compare_controllers", *words, "--out", str(tmp_path / "out")]) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_wrong_parameters_of_a_member_are_found_before_anything_runs(tmp_path, capsys):
    file = tmp_path / "two.yaml"
    file.write_text(SET.replace("force: 3.0", "forse: 3.0"))
    assert main(["run", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "did you mean 'force'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [["launch", "hoal.launch.py", "scenario:=compare_controllers"]])
def test_a_set_cannot_be_launched(command, capsys):
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "is a set of scenarios" in said and said.count("\n") == 1


def test_sets_are_listed(capsys):
    assert main(["scenarios"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert any(line.startswith("compare_controllers ") for line in listed)


@pytest.mark.parametrize(
    ("offset", "after"),
    [
        ([0.0, 0.05, -0.09, 0.02], None),
        ([0.0, 0.05, -0.11, 0.02], 0.4),
        ([0.0, 0.2, 0.3, 0.4], 0.2),
        ([0.0, np.nan, 0.3, 0.4], 0.4),
        ([0.2, 0.11, 0.09, 0.0], None),  # begins beside it
        ([0.2, 0.09, 0.09, 0.11], 0.6),
        ([0.2, 0.3, 0.3, 0.4], 0.0),
    ],
)
def test_the_place_where_the_head_left_the_path_is_measured(offset, after):
    s = np.array([2.0, 2.2, 2.4, 2.6])
    motion = SimpleNamespace(
        head=Projection(s, np.array(offset)), middle=Projection(s, np.zeros(4))
    )
    assert left_path_after(SimpleNamespace(motion=motion)) == (
        None if after is None else pytest.approx(after)
    )
    assert left_path_after(SimpleNamespace(motion=None)) is None
