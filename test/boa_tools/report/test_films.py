# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recordings as films: two runs with one clock."""

from __future__ import annotations

import json

import numpy as np
import pytest
from browser import chromium, settled, watched
from logs import empty_log
from run_fakes import Held, Steady, path_experiment

from boa_description.errors import BoaError
from boa_tools.evaluation.analysis import Analysis
from boa_tools.report.films import films_page
from boa_tools.report.interactive.film import film_ticks, poses
from boa_tools.runs.drive import drive


def run(duration):
    experiment = path_experiment(duration=duration)
    log = drive(experiment, Held(experiment), Steady(np.linspace(-1, 1, 12))).log
    return Analysis(log, experiment)


@pytest.mark.realtime
def test_two_runs_side_by_side_share_clock_and_zoom(tmp_path):
    runs = [run(0.4), run(0.8)]
    file = tmp_path / "film.html"
    file.write_text(films_page([("first", runs[0]), ("second", runs[1])]), encoding="utf-8")
    with chromium() as browser:
        opened = watched(browser)
        page = opened.page
        page.goto(f"file://{file}")
        settled(page)
        second = int(film_ticks(runs[1].log.time)[30])  # between frames the page interpolates
        assert runs[0].log.time[-1] < runs[1].log.time[second]
        page.evaluate("t => boa.player.seek(t)", float(runs[1].log.time[second]))
        shown = [
            json.loads(text) for text in page.evaluate("boa.stages.map(s => s.canvas.dataset.pose)")
        ]
        assert shown[0] == pytest.approx(poses(runs[0])[-1], abs=1e-5)  # stays at its end
        assert shown[1] == pytest.approx(poses(runs[1])[second], abs=1e-5)
        page.evaluate("boa.charts[0].plots[0].setScale('x', {min: 0.1, max: 0.3})")
        ranges = page.evaluate(
            "boa.charts.flatMap(c => c.plots.map(p => [p.scales.x.min, p.scales.x.max]))"
        )
        assert len(ranges) > 10
        assert all(pair == [0.1, 0.3] for pair in ranges)
        for width in (1400, 900, 400):
            opened.page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
        assert opened.problems == []
        assert opened.requests == [f"file://{file}"]


def test_nothing_to_play_is_one_clear_error():
    experiment = path_experiment(duration=0.4)
    with pytest.raises(BoaError, match="nothing to play"):
        films_page([("here", Analysis(empty_log(1, joints=12), experiment))])
