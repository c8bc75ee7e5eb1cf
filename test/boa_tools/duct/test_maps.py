# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Maps of gaits in a duct: every run judged by each criterion, the best gait searched on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from boa_tools.cli import main
from boa_tools.duct.atlas import sheet, table
from boa_tools.duct.chart import Chart, around_best, charts
from boa_tools.duct.pictures import draw_sheets
from boa_tools.duct.search import NEIGHBOURS
from boa_tools.duct.task import CRITERIA
from test.boa_tools.duct.narrow import BRIEF


def quiet(number: int) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def charted() -> dict[str, Chart]:
    """Nine gaits."""
    return charts(BRIEF, 3, quiet)


def test_a_chart_is_a_grid_over_both_variables(charted: dict[str, Chart]) -> None:
    far = charted["distance"]
    np.testing.assert_allclose(far.first, [0, 1.5, 3])
    assert far.scores.shape == (3, 3)
    assert far.evaluations[1][2].values == {"amplitude": 3.0, "delay": pytest.approx(np.pi / 2)}
    assert far.best.score == np.nanmax(far.scores)


def test_both_criteria_judge_the_same_runs(charted: dict[str, Chart]) -> None:
    far, thrifty = charted["distance"].all, charted["thrift"].all
    assert [each.energy for each in far] == [each.energy for each in thrifty]
    ran = [(a, b) for a, b in zip(far, thrifty, strict=True) if not a.stopped and a.energy > 0.01]
    assert ran
    for a, b in ran:
        assert b.score == pytest.approx(a.distance / a.energy)


def test_around_the_best_gait_lie_its_neighbours(charted: dict[str, Chart]) -> None:
    far = charted["distance"]
    for variable_, values in zip(around_best(far).variables, (far.first, far.second), strict=True):
        assert variable_.low in values
        assert variable_.high in values
        assert variable_.low <= far.best.values[variable_.name] <= variable_.high


def test_a_sheet_has_one_of_the_best_of_its_map_or_better(
    charted: dict[str, Chart],
) -> None:
    found = [sheet(each, fine=3) for each in charted.values()]
    for each in found:
        third = sorted(one.score for one in each.chart.all)[-3]
        assert each.best.evaluation.score >= third
        assert len(each.best.beside) == NEIGHBOURS
        stopped = sum(one.stopped for one in each.chart.all)
        assert each.whole == pytest.approx(1 - stopped / 9)
    lines = table(found).splitlines()
    assert len(lines) == 2 + len(CRITERIA)
    assert lines[2].startswith("| narrow | resolved | distance |")
    assert len(draw_sheets(found).axes) == 2 * len(found)  # each with its scale of colours


def test_one_gait_is_no_map(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["duct", "maps", "--points", "1", "--out", str(tmp_path / "no")]) == 2
    assert "at least 2 gaits" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()
