# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures, page and table of a sweep."""

from __future__ import annotations

import numpy as np
import pytest

from boa_tools.evaluation.columns import COLUMNS
from boa_tools.report.sweep import sweep_page, sweep_table
from boa_tools.report.sweep_figures import maps_figure, spread_figure, sweep_figures
from boa_tools.report.sweep_overview import importance
from boa_tools.report.varied import MOST_LINES, Runs, VariedKey

OFFSET = VariedKey("disturbance.obstacle_offset", (0.0, 0.01, 0.02), "m")
SPEED = VariedKey("controller.parameters.speed", (0.05, 0.1, 0.2), "m/s")
LAW = VariedKey("controller.name", ("hoal", "path_pd"))


def rows(*keys):
    """Three seeds each; the peak torque is 1 N m per metre of offset plus speed and seed, and seed
    2 fails at the largest offset.
    """
    number, table = 0, []
    for offset in OFFSET.values:
        for speed in SPEED.values if SPEED in keys else (0.1,):
            for seed in range(3):
                failed = offset == 0.02 and seed == 2
                table.append(
                    {
                        "run": number,
                        OFFSET.key: offset,
                        SPEED.key: speed,
                        "seed": seed,
                        "success": not failed,
                        "outcome": "left the path after 0.80 m" if failed else "completed",
                        "error": "its worker died <twice>" if number == 26 else None,
                        "torque_peak_nm": offset + 10 * speed + seed,
                        "seconds": 36.0,
                        "version": "1.0",
                        "host": "a",
                    }
                )
                number += 1
    return table


RUNS = Runs(rows(SPEED), (OFFSET, SPEED))


def charts(figure):
    return {axes.get_title(): axes for axes in figure.axes if axes.get_visible()}


def test_rows_are_chosen_by_some_or_all_of_their_values():
    assert len(RUNS.at({})) == 27
    assert len(RUNS.at({OFFSET.key: 0.01})) == 9
    here = RUNS.at({OFFSET.key: 0.01, SPEED.key: 0.2})
    assert [row["torque_peak_nm"] for row in here] == [2.01, 3.01, 4.01]


def test_lines_are_medians_and_success_rates_for_each_other_value():
    found = charts(spread_figure(RUNS, OFFSET, COLUMNS))
    assert list(found) == ["success (%)", "torque peak (N m)"]  # no run has the other columns
    lines = [line for line in found["torque peak (N m)"].lines if line.get_marker() == "o"]
    medians = [line.get_ydata() for line in lines]
    assert medians == [
        pytest.approx(np.array(OFFSET.values) + 10 * speed + 1) for speed in SPEED.values
    ]
    rates = found["success (%)"].lines[0].get_ydata()
    assert rates == pytest.approx([100, 100, 200 / 3])
    assert found["success (%)"].get_xlabel() == "obstacle offset (m)"
    assert found["success (%)"].get_ylim() == (0.0, 100.0)


def test_many_other_combinations_are_taken_together():
    speeds = VariedKey(SPEED.key, tuple(0.1 * (k + 1) for k in range(MOST_LINES + 1)))
    figure = spread_figure(Runs(rows(), (OFFSET, speeds)), OFFSET, COLUMNS)
    lines = [line for line in charts(figure)["success (%)"].lines if line.get_marker() == "o"]
    assert len(lines) == 1 and not figure.legends


def test_maps_have_the_medians_at_their_places():
    figure = maps_figure(RUNS, OFFSET, SPEED, COLUMNS)
    mesh = charts(figure)["torque peak (N m)"].collections[0]
    expected = [[x + 10 * y + 1 for x in OFFSET.values] for y in SPEED.values]
    assert np.ravel(mesh.get_array()).tolist() == pytest.approx(np.ravel(expected).tolist())


def test_words_stand_side_by_side_and_wide_ranges_on_a_logarithmic_axis():
    assert not LAW.numeric and list(LAW.places) == [0.0, 1.0]
    assert VariedKey("x", (0.01, 0.1, 1.0)).logarithmic
    assert not VariedKey("x", (0.0, 0.1, 1.0)).logarithmic
    assert not VariedKey("x", (True, False)).numeric
    few = [row | {LAW.key: law} for row in rows() for law in LAW.values]
    axes = charts(spread_figure(Runs(few, (LAW,)), LAW, COLUMNS))["success (%)"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["hoal", "path_pd"]


def test_there_is_a_plot_for_each_key_and_a_map_for_each_pair():
    assert list(sweep_figures(RUNS)) == [
        f"over_{OFFSET.key}",
        f"over_{SPEED.key}",
        "importance",
        "parallel",
        f"map_{OFFSET.key}_and_{SPEED.key}",
    ]


def test_importance_is_the_share_of_the_variance_that_a_key_explains():
    """The torque is offset + 10 speed + seed, in a complete design: shares of variance add up."""
    torque = np.array([row["torque_peak_nm"] for row in RUNS.rows])
    expected = {
        key.key: np.var(factor * np.array(key.values)) / np.var(torque)
        for key, factor in ((OFFSET, 1.0), (SPEED, 10.0))
    }
    for key in (OFFSET, SPEED):
        assert importance(RUNS, key, torque) == pytest.approx(expected[key.key])
    assert np.isnan(importance(RUNS, SPEED, np.ones(27)))


def test_controllers_with_parameters_of_their_own_are_shown_by_their_names():
    hoal = {"name": "hoal", "parameters": {"speed": 0.1}}
    pd = {"name": "path_pd", "parameters": {"kp": 20.0}}
    law = VariedKey("controller", (hoal, pd))
    few = [row | {law.key: choice} for row in rows() for choice in law.values]
    axes = charts(spread_figure(Runs(few, (law,)), law, COLUMNS))["success (%)"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["hoal", "path_pd"]
    alike = VariedKey("controller", (hoal, hoal | {"parameters": {"speed": 0.2}}))
    assert len(set(alike.labels)) == 2


def test_page_and_table_have_every_combination():
    lines = sweep_table(RUNS).splitlines()
    assert lines[0].split()[:4] == ["obstacle_offset", "speed", "success", "progress"]
    assert [line.split()[:3] for line in lines[1:]][-1] == ["0.02", "0.2", "2/3"]
    assert lines[1].split()[-1] == "1.5" and len({len(line) for line in lines}) == 1
    page = sweep_page(
        "boa_circle", "Posts off.", RUNS, {"over_x": b"png"}, {"total": 30, "yaml": "a: <b>"}
    )
    assert "27 of 30 runs; the others have not ended yet" in page
    assert page.count("left the path after 0.80 m") == 2
    assert page.count("its worker died &lt;twice&gt;") == 1
    assert "0.27 hours of runs on a; version 1.0" in page and "a: &lt;b&gt;" in page
