# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Claims are measured again by their own commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from boa_description.errors import BoaError
from boa_tools.sweeps.rows import NEEDED
from evidence import __main__ as program
from evidence.again import Measured, differences, measure, measured
from evidence.claims import Book

SHORT = "boa run boa_circle --duration 4.5 --no-bag --no-report"


def book(command: str, figures: dict[str, str]) -> Book:
    columns = {
        "joint": {"heading": "joint (N)", "metric": "joint_force_peak_n"},
        "head": {"heading": "head (mm)", "metric": "head_path_error_rms_m"},
        "force": {"heading": "force (%)", "metric": "force_error_relative"},
        "reached": {"heading": "at the goal", "metric": "completed"},
        "note": {"heading": "note"},
    }
    claim = {
        "claim": "it runs",
        "command": command,
        "seeds": "0",
        "tuned": "none",
        "goal": "the end",
        "commit": "0123abc",
        "date": "2026-11-26",
        "load": "quiet",
        "depends": ["boa_sim"],
        "figures": figures,
    }
    return Book.model_validate({"about": "x", "columns": columns, "claims": {"one": claim}})


def told(figures: dict[str, str], now: Measured) -> list[str]:
    then = book("-", figures)
    return differences(then, then.claims["one"], now)


def seeds_file(folder: Path) -> None:
    rows = [
        {"completed": True, "joint_force_peak_n": 4.0, "extra": {"force_error_relative": 0.01}},
        {"completed": False, "joint_force_peak_n": 6.0, "extra": {"force_error_relative": 0.03}},
    ]
    (folder / "seeds.json").write_text(json.dumps({"seeds": rows}), encoding="utf-8")


def test_several_seeds_are_a_count_and_a_spread(tmp_path):
    seeds_file(tmp_path)
    now = measured(tmp_path)
    same = {"reached": "1 of 2", "joint": "4 to 6", "force": "1.0 to 3.0, median 2.0", "note": "n"}
    assert told(same, now) == []
    other = {"reached": "2 of 2", "joint": "at most 5.0", "head": "0.1"}
    assert told(other, now) == [
        "at the goal: 2 of 2, now 1 of 2",
        "joint (N): at most 5.0, now 4 to 6, median 5",
        "head (mm): 0.1, now not recorded",
    ]


def test_a_member_of_a_set_is_read_alone(tmp_path):
    (tmp_path / "hoal-exact").mkdir()
    row = {"completed": True, "joint_force_peak_n": 5.0}
    (tmp_path / "hoal-exact" / "metrics.json").write_text(json.dumps(row), encoding="utf-8")
    assert told({"joint": "5.0", "reached": "1 of 1"}, measured(tmp_path, "hoal-exact")) == []
    (tmp_path / "comparison.json").write_text("{}", encoding="utf-8")
    assert told({"joint": "5.0", "reached": "1 of 1"}, measured(tmp_path)) == []
    with pytest.raises(BoaError, match="hoal-off has no results"):
        measured(tmp_path, "hoal-off")


def test_rows_of_a_journal_are_all_runs_or_those_of_a_member(tmp_path):
    late = dict.fromkeys(NEEDED[1:], None)
    rows = [
        {"run": 0, "law": "hoal", "gearbox": "g20", **late, "seed": 1},
        {"run": 1, "law": "pd", "gearbox": "g20", **late, "seed": 1},
    ]
    values = ({"completed": True, "joint_force_peak_n": 5.0}, {"completed": False})
    lines = [json.dumps(row | more) for row, more in zip(rows, values, strict=True)]
    (tmp_path / "runs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert told({"joint": "5.0", "reached": "1 of 2"}, measured(tmp_path)) == []
    assert told({"joint": "5.0", "reached": "1 of 1"}, measured(tmp_path, "hoal-g20")) == []
    arm = {"success": {"count": 0, "total": 2}, "metrics": {}}
    record = {"results": {"arms": [arm]}}
    (tmp_path / "ensemble.json").write_text(json.dumps(record), encoding="utf-8")
    assert told({"joint": "5.0", "reached": "0 of 2"}, measured(tmp_path)) == []


def test_what_left_no_results_is_an_error(tmp_path):
    with pytest.raises(BoaError, match="has no results"):
        measured(tmp_path)


def test_a_command_that_people_must_read_is_said_and_not_run(tmp_path):
    claim = book("boa bench robot_busy", {}).claims["one"]
    with pytest.raises(BoaError, match="read by people; run: boa bench robot_busy"):
        measure(claim, tmp_path)


def test_a_claim_without_a_figure_to_compare_is_not_said_to_hold(monkeypatch, capsys):
    monkeypatch.setattr(program, "load_books", lambda root: {"text": book(SHORT, {"note": "far"})})
    assert program.main(["text.one"]) == 2
    assert "text.one has no figure that a program compares" in capsys.readouterr().err


@pytest.mark.closed_loop
def test_a_run_is_done_again_and_says_what_differs(monkeypatch, capsys):
    short = book(SHORT, {"joint": "at most 0.1", "force": "at most 50", "reached": "1 of 1"})
    monkeypatch.setattr(program, "load_books", lambda root: {"short": short})
    assert program.main(["short.one"]) == 1
    out = capsys.readouterr().out
    assert "short.one differs:\njoint (N): at most 0.1, now" in out
    assert "force (%)" not in out
    assert "at the goal" not in out


def test_an_unknown_claim_is_refused_with_the_nearest(capsys):
    assert program.main(["quick.boa_cirle"]) == 2
    assert "did you mean 'quick.boa_circle'" in capsys.readouterr().err
