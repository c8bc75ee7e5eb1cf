# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: alone, without errors, and with the numbers of the run."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from browser import settled, watched
from run_fakes import Held, Steady, path_experiment

from boa_control.paths.corrected_map import CorrectedMap, CorrectedPost
from boa_tools.evaluation.analysis import Analysis
from boa_tools.evaluation.metric_table import metrics
from boa_tools.report.build import build_report
from boa_tools.report.interactive.film import film_ticks, poses
from boa_tools.runs.drive import drive
from boa_tools.runs.runlog import MapNews

pytestmark = pytest.mark.realtime


@pytest.fixture(scope="module")
def analysis():
    experiment = path_experiment(duration=0.8)
    log = drive(experiment, Held(experiment), Steady(np.linspace(-1, 1, 12))).log
    post = experiment.obstacles[0]
    corrected = [
        CorrectedMap((CorrectedPost(0, post.x + far, post.y, post.radius, 0.002, "touched"),), (1,))
        for far in (0.01, 0.02)
    ]
    news = [MapNews(int(log.stamp_ns[tick]), corrected[k]) for k, tick in enumerate((100, 200))]
    return Analysis(replace(log, maps=tuple(news)), experiment)


@pytest.fixture(scope="module")
def folder(analysis, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    values = metrics(analysis)
    (folder / "metrics.json").write_text(json.dumps(values))
    build_report(analysis, values, folder)
    return folder


@pytest.fixture
def opened(browser, folder):
    opened = watched(browser)
    opened.page.goto(f"file://{folder / 'report.html'}")
    settled(opened.page)
    yield opened
    opened.page.close()


def test_it_loads_nothing_else_and_has_no_errors(opened, folder):
    assert opened.problems == []
    assert opened.requests == [f"file://{folder / 'report.html'}"]


def test_the_slider_moves_the_robot_to_the_pose_of_the_log(opened, analysis):
    log = analysis.log
    tick = int(film_ticks(log.time)[17])
    opened.page.evaluate(
        "t => { const s = document.querySelector('[data-player=slider]'); s.step = 'any';"
        " s.value = t; s.dispatchEvent(new Event('input')); }",
        float(log.time[tick]),
    )
    drawn = json.loads(opened.page.get_attribute("#stage", "data-pose"))
    assert drawn == pytest.approx(poses(analysis)[tick], abs=1e-5)
    other = json.loads(opened.page.evaluate("JSON.stringify(boa.film.poseAt(0))"))
    assert drawn != pytest.approx(other, abs=1e-5)


def test_the_map_is_shown_as_it_was_corrected_by_then(opened, analysis):
    post, times = analysis.experiment.obstacles[0], analysis.log.time[[99, 100, 199, 200, -1]]
    shown = [opened.page.evaluate("t => boa.film.mapAt(t)", float(time)) for time in times]
    assert shown[0] is None
    places = [entry["posts"][0]["x"] - post.x for entry in shown[1:]]
    assert places == pytest.approx([0.01, 0.01, 0.02, 0.02], abs=1e-4)
    assert all(entry["missing"] == [1] for entry in shown[1:])
    assert "as corrected by touch" in opened.page.inner_text("#film-figure figcaption")


def test_the_page_is_three_screens_high_with_the_robot_on_the_first(browser, folder):
    """On 1920 x 1080; what is folded opens by its heading, and by a link to it."""
    opened = watched(browser, viewport={"width": 1920, "height": 1080})
    page = opened.page
    page.goto(f"file://{folder / 'report.html'}")
    settled(page)
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 1080
    stage = page.locator("#stage").bounding_box()
    player = page.locator(".player").bounding_box()
    assert stage["y"] + stage["height"] <= player["y"] < 1080
    chart = page.locator("#torques .chart").first
    assert not chart.is_visible()
    page.click("#torques h2")
    assert chart.is_visible()
    page.click("a[href='#map']")
    assert page.locator("#map img").is_visible()
    page.close()


def test_pointing_at_a_chart_moves_the_robot_and_all_marks(opened):
    page = opened.page
    over = page.locator(".u-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 20)
    page.wait_for_function("Math.abs(boa.player.t - 0.5 * boa.film.end) < 0.02")
    shown = page.evaluate(
        "boa.charts.plots.map(p => p.posToVal(new DOMMatrix(p.boa.mark.style.transform).e, 'x'))"
    )
    now = page.evaluate("boa.player.t")
    assert len(shown) > 5
    assert shown == pytest.approx([now] * len(shown), abs=1e-3)
    assert page.evaluate("boa.stage.t") == now


def test_zooming_one_chart_zooms_all(opened):
    page = opened.page
    over = page.locator(".u-over").nth(1)
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 40, steps=4)
    page.mouse.up()
    page.wait_for_function("boa.charts.plots[0].scales.x.min > 0")
    ranges = page.evaluate("boa.charts.plots.map(p => [p.scales.x.min, p.scales.x.max])")
    assert all(pair == ranges[0] for pair in ranges)
    assert ranges[0] == pytest.approx([0.2, 0.6], abs=0.02)
    page.evaluate("boa.charts.resetZoom()")
    assert page.evaluate("boa.charts.plots[3].scales.x.min") == 0


def test_pointing_at_a_post_names_it_with_its_force(opened, analysis):
    page = opened.page
    place = page.evaluate(
        "() => { boa.player.seek(0.5); const s = boa.stage, p = s.film.scene.posts[3];"
        " return [s.toPage.X(p.x), s.toPage.Y(p.y)]; }"
    )
    page.locator("#stage").scroll_into_view_if_needed()
    box = page.locator("#stage").bounding_box()
    page.mouse.move(box["x"] + place[0], box["y"] + place[1])
    page.wait_for_selector("#tip:has-text('post')")
    text = page.inner_text("#tip")
    tick = page.evaluate("boa.film.time[boa.film.frame(0.5)]")
    force = analysis.contacts.force[np.searchsorted(analysis.log.time, tick - 1e-6)]
    column = list(analysis.contacts.obstacle).index(3)
    assert text.startswith("post 3")
    assert f"{force[column]:.1f} N" in text


def test_the_table_has_the_numbers_of_metrics_json(opened, folder):
    from boa_tools.evaluation.metric_table import METRICS, shown

    values = json.loads((folder / "metrics.json").read_text())
    table = dict(
        opened.page.evaluate(
            "[...document.querySelectorAll('#metrics > table tbody tr')].map(row =>"
            " [row.querySelector('code').textContent, row.querySelector('.value').textContent])"
        )
    )
    assert table == {key: shown(key, values[key]) for key in METRICS}


def test_nothing_is_wider_than_the_page(opened):
    for width in (1400, 900, 400):
        opened.page.set_viewport_size({"width": width, "height": 800})
        settled(opened.page)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_javascript_and_on_paper_the_still_plots_are_there(browser, folder):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"file://{folder / 'report.html'}")
    stills = page.locator("img.still")
    assert stills.count() >= 5
    assert all(stills.nth(k).is_visible() for k in range(stills.count()))
    assert not page.locator(".player").is_visible()
    context.close()
    opened = watched(browser)
    opened.page.goto(f"file://{folder / 'report.html'}")
    settled(opened.page)
    assert not opened.page.locator("#forces img.still").is_visible()
    opened.page.emulate_media(media="print")
    assert opened.page.locator("#forces img.still").is_visible()
    assert not opened.page.locator(".player").is_visible()
    opened.page.close()
