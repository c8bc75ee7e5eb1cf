# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A set with many seeds: from the command line to its page; going on; what controllers refuse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from boa_control.experiments.library import load_members
from boa_description.errors import BoaError
from boa_tools.cli import main
from boa_tools.report.set_spread import Spread, bars, lines, spread_markdown, spread_page
from boa_tools.sweeps.goal import columns_of
from boa_tools.sweeps.set_seeds import refused

SET = """
name: two
summary: "Two forces and no path"
set:
  base: boa_circle
  change: {duration: 0.1, distance: null, evaluation: {settle: 0.0, heading: 0.0}}
  vary:
    force:
      weak: {controller: {parameters: {force: 3.0}}}
      strong: {}
      none: {path: null, initial: {base: [0.0, 0.0, 0.0]}}
  refused: [none]
  about: {force: {weak: hardly pressing}}
  show: [advance_m, torque_peak_nm]
"""


def ran(folder: Path) -> list[tuple[str, int]]:
    text = (folder / "runs.jsonl").read_text()
    return [(row["force"], row["seed"]) for row in map(json.loads, text.splitlines())]


@pytest.mark.closed_loop
def test_a_set_goes_on_with_more_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "two.yaml", tmp_path / "out"
    file.write_text(SET)
    command = ["run", str(file), "--jobs", "1", "--out", str(out), "--seeds"]
    assert main([*command, "1"]) == 0
    assert ran(out) == [("weak", 0), ("strong", 0)]
    capsys.readouterr()
    assert main([*command, "2"]) == 0
    assert ran(out) == [("weak", 0), ("strong", 0), ("weak", 1), ("strong", 1)]
    said = capsys.readouterr()
    assert "2 of 4 runs have ended before" in said.err
    assert "2 of 2" in said.out and "none: controller hoal: the scenario has no path" in said.out
    page = (out / "report.html").read_text()
    assert "the scenario has no path" in page and "hardly pressing" in page
    heads, _, *rows = (out / "table.md").read_text().splitlines()
    assert heads.startswith("| force | ran its time |") and "displacement" not in heads
    assert [row.split("|")[1:3] for row in rows] == [
        [" weak ", " 2 of 2 "],
        [" strong ", " 2 of 2 "],
        [" none ", " refused "],
    ]
    file.write_text(SET.replace("force: 3.0", "force: 2.0"))
    assert main([*command, "2"]) == 2
    assert "holds another set" in capsys.readouterr().err and len(ran(out)) == 4


def test_what_is_refused_must_be_known_and_what_is_known_must_be_refused(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(SET)
    chosen, members = load_members(str(file))
    assert refused(chosen, members) == {
        "none": "controller hoal: the scenario has no path; add a path block"
    }
    file.write_text(SET.replace("refused: [none]", "refused: []"))
    with pytest.raises(BoaError, match="two-none: controller hoal: the scenario has no path"):
        refused(*load_members(str(file)))
    file.write_text(SET.replace("refused: [none]", "refused: [none, weak]"))
    with pytest.raises(BoaError, match="its controller does not refuse weak"):
        refused(*load_members(str(file)))


def test_the_controllers_that_compare_locomotion_calls_refused_do_refuse() -> None:
    chosen, members = load_members("compare_locomotion")
    assert set(refused(chosen, members)) == set(chosen.set.refused)


def test_table_and_bars_have_medians_and_ranges(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(SET)
    chosen, members = load_members(str(file))

    def row(force: str, seed: int, advance: float, fault: str | None = None) -> dict[str, object]:
        known = {
            "force": force,
            "seed": seed,
            "advance_m": advance,
            "fault": fault,
            "completed": not fault,
        }
        return known | {"error": None, "torque_peak_nm": 2.0, "outcome": "completed"}

    rows = [row("weak", seed, advance) for seed, advance in enumerate((0.1, 0.4, 0.2))]
    rows.append(row("strong", 0, 0.3, "joint_force: too much"))
    spread = Spread(chosen, members, rows, {"none": "no path"}, columns_of(chosen.set.show))
    weak, strong, none = lines(spread)
    assert (weak.completed, weak.cells) == ("3 of 3", ("0.2 (0.1 to 0.4)", "2"))
    assert (strong.completed, strong.cells, strong.good) == ("0 of 1", ("0.3", "2"), False)
    assert (none.completed, none.cells) == ("refused", ("", ""))
    assert "| weak | 3 of 3 | 0.2 (0.1 to 0.4) | 2 |" in spread_markdown(spread)
    advance, torque = (axes for axes in bars(spread).axes if axes.get_visible())
    assert [bar.get_height() for bar in advance.patches] == pytest.approx([0.2, 0.3])
    assert [bar.get_hatch() for bar in advance.patches] == [None, "///"]
    assert [text.get_text() for text in torque.texts] == ["refused"]


def test_a_run_that_its_time_ended_has_not_reached_its_goal(tmp_path: Path) -> None:
    """Whoever counts runs must not count those that stood in front of it, without a fault."""
    file = tmp_path / "two.yaml"
    file.write_text(SET.replace("distance: null", "distance: 1.0"))
    chosen, members = load_members(str(file))
    stood = {"force": "weak", "seed": 7, "advance_m": 0.4, "fault": None, "error": None}
    stood |= {"completed": False, "outcome": "ended by its time after 0.40 m", "seconds": 1.0}
    stood |= {"torque_peak_nm": 2.0, "version": "1"}
    rows = [stood, stood | {"seed": 8, "completed": True, "outcome": "completed"}]
    spread = Spread(chosen, members, rows, {"none": "no path"}, columns_of(chosen.set.show))
    assert (lines(spread)[0].completed, lines(spread)[0].good) == ("1 of 2", False)
    assert spread_markdown(spread).startswith("| force | goal reached |")
    advance, _ = (axes for axes in bars(spread).axes if axes.get_visible())
    assert [bar.get_hatch() for bar in advance.patches] == ["///"]
    assert "ended by its time after 0.40 m" in spread_page(spread, b"png")


def test_a_chart_with_negative_values_is_not_logarithmic(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(SET)
    chosen, members = load_members(str(file))

    def scale(advances: list[float]) -> str:
        rows = [
            {"force": "weak", "seed": seed, "advance_m": advance, "completed": True, "error": None}
            for seed, advance in enumerate(advances)
        ]
        figure = bars(Spread(chosen, members, rows, {}, columns_of(chosen.set.show)[:1]))
        return next(axes for axes in figure.axes if axes.get_visible()).get_yscale()

    assert scale([0.01, 0.01, 0.01, 6.0]) == "log"
    assert scale([0.01, 0.01, -0.01, 6.0]) == "linear"
